#include "engine/jobs/keeper/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

namespace berth::supervisor {
namespace {

constexpr int kFlags = O_RDWR | O_NOCTTY | O_CLOEXEC;

/// By the handle where the kernel can: the name in /dev/pts may be that of another mount's terminal.
int open_peer(int ours) {
  const int peer = ioctl(ours, TIOCGPTPEER, kFlags);
  if (peer >= 0) return peer;
  unsigned int number = 0;
  if (ioctl(ours, TIOCGPTN, &number) != 0) return -1;
  char name[32];
  snprintf(name, sizeof name, "/dev/pts/%u", number);
  return open(name, kFlags);
}

}  // namespace

Terminal open_terminal(unsigned short rows, unsigned short columns) {
  Terminal terminal;
  const int ours = open("/dev/ptmx", kFlags | O_NONBLOCK);
  if (ours < 0) return terminal;
  int locked = 0;
  if (ioctl(ours, TIOCSPTLCK, &locked) == 0 && (terminal.theirs = open_peer(ours)) >= 0 &&
      resize_terminal(ours, rows, columns)) {
    terminal.ours = ours;
    return terminal;
  }
  const int error = errno;
  if (terminal.theirs >= 0) close(terminal.theirs);
  close(ours);
  errno = error;
  return {};
}

bool resize_terminal(int ours, unsigned short rows, unsigned short columns) {
  winsize size{};
  size.ws_row = rows;
  size.ws_col = columns;
  return ioctl(ours, TIOCSWINSZ, &size) == 0;
}

}  // namespace berth::supervisor
