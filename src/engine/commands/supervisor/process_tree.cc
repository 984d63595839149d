#include "engine/commands/supervisor/process_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace berth::supervisor {
namespace {

/// Process ids below this are marked in a bit set; Linux allows no larger one.
constexpr pid_t kPidLimit = 4 * 1024 * 1024;
/// After so many sweeps what was found is killed, whether or not more appear; the caller sweeps again.
constexpr int kFreezeSweeps = 20;

struct Stat {
  char state = 0;
  pid_t parent = 0;
  pid_t group = 0;
};

/// Read a whole small file of /proc; the length, or -1.
ssize_t read_proc(const char* path, char* buffer, std::size_t size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  std::size_t filled = 0;
  while (filled + 1 < size) {
    const ssize_t got = read(fd, buffer + filled, size - 1 - filled);
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  close(fd);
  buffer[filled] = '\0';
  return static_cast<ssize_t>(filled);
}

bool read_stat(pid_t pid, Stat& stat) {
  char path[64];
  char text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (read_proc(path, text, sizeof text) <= 0) return false;
  // The command's name is in parentheses and may hold any byte; the last parenthesis ends it.
  const char* after = strrchr(text, ')');
  if (after == nullptr || after[1] != ' ' || after[2] == '\0') return false;
  stat.state = after[2];
  char* next = nullptr;
  stat.parent = static_cast<pid_t>(strtol(after + 3, &next, 10));
  stat.group = static_cast<pid_t>(strtol(next, nullptr, 10));
  return true;
}

bool is_dead(const Stat& stat) { return stat.state == 'Z' || stat.state == 'X'; }

/// Add the pids in a `children` file. Large ones are read in pieces that may split a number.
bool add_children_file(const char* path, PidList& found) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char buffer[4096];
  pid_t number = 0;
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got <= 0) break;
    for (ssize_t i = 0; i < got; ++i) {
      if (buffer[i] >= '0' && buffer[i] <= '9') {
        number = number * 10 + (buffer[i] - '0');
      } else if (number > 0) {
        found.add(number);
        number = 0;
      }
    }
  }
  if (number > 0) found.add(number);
  close(fd);
  return true;
}

/// Whether this kernel has /proc/PID/task/TID/children.
bool has_children_files() {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", getpid(), getpid());
  return access(path, R_OK) == 0;
}

void add_children(pid_t pid, PidList& found) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR* tasks = opendir(path);
  if (tasks == nullptr) return;
  while (const dirent* entry = readdir(tasks)) {
    if (entry->d_name[0] == '.') continue;
    char children[96];
    snprintf(children, sizeof children, "/proc/%d/task/%.20s/children", pid, entry->d_name);
    add_children_file(children, found);
  }
  closedir(tasks);
}

/// The pids of the machine with their parents, for kernels without `children` files.
struct ParentTable {
  PidList pids;
  PidList parents;

  bool load() {
    DIR* proc = opendir("/proc");
    if (proc == nullptr) return false;
    while (const dirent* entry = readdir(proc)) {
      const pid_t pid = static_cast<pid_t>(strtol(entry->d_name, nullptr, 10));
      Stat stat;
      if (pid <= 0 || !read_stat(pid, stat)) continue;
      pids.add(pid);
      parents.add(stat.parent);
    }
    closedir(proc);
    return pids.contains(getpid());
  }

  void add_children_of(pid_t pid, PidList& found) const {
    for (std::size_t i = 0; i < pids.size(); ++i) {
      if (parents[i] == pid) found.add(pids[i]);
    }
  }
};

bool matches(const Selection& selection, const Stat& stat) {
  return !is_dead(stat) && (selection.group == 0 || stat.group == selection.group);
}

}  // namespace

PidList::~PidList() { free(pids_); }

void PidList::add(pid_t pid) {
  if (size_ == capacity_) {
    capacity_ = capacity_ == 0 ? 64 : capacity_ * 2;
    pids_ = static_cast<pid_t*>(realloc(pids_, capacity_ * sizeof(pid_t)));
    if (pids_ == nullptr) abort();
  }
  pids_[size_++] = pid;
}

bool PidList::remove(pid_t pid) {
  for (std::size_t i = 0; i < size_; ++i) {
    if (pids_[i] != pid) continue;
    pids_[i] = pids_[--size_];
    return true;
  }
  return false;
}

bool PidList::contains(pid_t pid) const {
  for (std::size_t i = 0; i < size_; ++i) {
    if (pids_[i] == pid) return true;
  }
  return false;
}

PidSet::PidSet() : bits_(static_cast<unsigned char*>(calloc(kPidLimit / 8, 1))) {
  if (bits_ == nullptr) abort();
}

PidSet::~PidSet() { free(bits_); }

bool PidSet::add(pid_t pid) {
  if (pid <= 0 || pid >= kPidLimit || contains(pid)) return false;
  bits_[pid / 8] = static_cast<unsigned char>(bits_[pid / 8] | (1U << (pid % 8)));
  members_.add(pid);
  return true;
}

bool PidSet::contains(pid_t pid) const {
  return pid > 0 && pid < kPidLimit && (bits_[pid / 8] & (1U << (pid % 8))) != 0;
}

void PidSet::clear() {
  for (std::size_t i = 0; i < members_.size(); ++i) bits_[members_[i] / 8] = 0;
  members_.clear();
}

template <typename Visit>
bool ProcessTree::walk(const Selection& selection, Visit visit) {
  const bool by_children = has_children_files();
  ParentTable table;
  if (!by_children && !table.load()) return false;

  seen_.clear();
  PidList queue;
  PidList children;
  queue.add(getpid());
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (i > 0) {
      Stat stat;
      if (read_stat(queue[i], stat) && matches(selection, stat)) visit(queue[i]);
    }
    children.clear();
    if (by_children) {
      add_children(queue[i], children);
    } else {
      table.add_children_of(queue[i], children);
    }
    for (std::size_t j = 0; j < children.size(); ++j) {
      if (i == 0 && selection.except != nullptr && selection.except->contains(children[j])) continue;
      if (seen_.add(children[j])) queue.add(children[j]);
    }
  }
  return true;
}

bool ProcessTree::list(const Selection& selection, PidList& found) {
  found.clear();
  return walk(selection, [&](pid_t pid) { found.add(pid); });
}

void ProcessTree::signal_member(pid_t pid, int signal) {
  // The handle is taken before the check: if the id went to a stranger in between, the handle is of a dead process.
  const int handle = handles_ == Handles::pidfd ? static_cast<int>(syscall(SYS_pidfd_open, pid, 0)) : -1;
  Stat stat;
  if (read_stat(pid, stat) && !is_dead(stat) && (stat.parent == getpid() || seen_.contains(stat.parent))) {
    const bool by_handle =
        handle >= 0 && (syscall(SYS_pidfd_send_signal, handle, signal, nullptr, 0) == 0 || errno == ESRCH);
    if (!by_handle) kill(pid, signal);
  }
  if (handle >= 0) close(handle);
}

bool ProcessTree::terminate(const Selection& selection) {
  PidList found;
  if (!list(selection, found)) return false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    signal_member(found[i], SIGTERM);
    signal_member(found[i], SIGCONT);
  }
  return true;
}

bool ProcessTree::freeze_and_kill(const Selection& selection) {
  PidSet stopped;
  PidList found;
  std::size_t unseen = 1;
  for (int sweep = 0; unseen > 0 && sweep < kFreezeSweeps; ++sweep) {
    unseen = 0;
    found.clear();
    const bool told = walk(selection, [&](pid_t pid) {
      found.add(pid);
      if (!stopped.add(pid)) return;
      ++unseen;
      signal_member(pid, SIGSTOP);
    });
    if (!told) return false;
  }
  for (std::size_t i = 0; i < found.size(); ++i) signal_member(found[i], SIGKILL);
  return true;
}

}  // namespace berth::supervisor
