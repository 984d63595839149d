#include "surface/cli/input.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "os/fd.h"
#include "os/wait.h"

namespace berth::cli {
namespace {

Result<Bytes> read_to_end(const Call& call, int fd) {
  constexpr std::size_t kPiece = 64 * 1024;
  const os::Wakeup wakeup(call.stop);
  Bytes content;
  while (true) {
    pollfd ready{fd, POLLIN, 0};
    BERTH_CHECK(os::poll_fds({&ready, 1}, call.deadline, wakeup));
    const std::size_t filled = content.size();
    content.resize(filled + kPiece);
    const ssize_t got = ::read(fd, content.data() + filled, kPiece);
    const int read_errno = errno;
    content.resize(filled + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got == 0) return content;
    if (got < 0 && read_errno != EINTR && read_errno != EAGAIN) return errno_error(read_errno, "read the input");
  }
}

}  // namespace

Result<Bytes> read_standard_input(const Call& call) { return read_to_end(call, STDIN_FILENO); }

Result<Bytes> read_host_file(const Call& call, const std::string& name) {
  if (name == "-") return read_standard_input(call);
  const os::Fd file(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno_error(errno, "open the file").at(name);
  auto content = read_to_end(call, file.get());
  if (!content) return std::move(content).error().at(name);
  return content;
}

}  // namespace berth::cli
