#include "engine/commands/supervisor/cgroup.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "engine/commands/supervisor/spawn.h"

namespace berth::supervisor {
namespace {

constexpr long kCgroup2Magic = 0x63677270;

/// Call `visit(line)` for each line of a file until it returns true.
template <typename Visit>
bool any_line(const char* path, Visit visit) {
  FILE* file = fopen(path, "re");
  if (file == nullptr) return false;
  char* line = nullptr;
  size_t size = 0;
  bool found = false;
  while (!found && getline(&line, &size, file) > 0) {
    line[strcspn(line, "\n")] = '\0';
    found = visit(line);
  }
  free(line);
  fclose(file);
  return found;
}

/// The mount point of cgroup v2: field 5 of the mountinfo line whose type, after " - ", is cgroup2 (proc(5)).
bool find_mount(char* mount, size_t size) {
  return any_line("/proc/self/mountinfo", [&](char* line) {
    const char* type = strstr(line, " - cgroup2 ");
    char root[64];
    char point[1024];
    if (type == nullptr || sscanf(line, "%*s %*s %*s %63s %1023s", root, point) != 2) return false;
    // A mount of a part of the hierarchy, or one whose name is escaped, is not worth the trouble.
    if (strcmp(root, "/") != 0 || strchr(point, '\\') != nullptr) return false;
    snprintf(mount, size, "%s", point);
    return true;
  });
}

bool find_own(char* own, size_t size) {
  return any_line("/proc/self/cgroup", [&](char* line) {
    if (strncmp(line, "0::/", 4) != 0) return false;
    snprintf(own, size, "%s", line + 3);
    return true;
  });
}

}  // namespace

void Cgroup::make_base() {
  char mount[1024];
  char own[2048];
  if (!find_mount(mount, sizeof mount) || !find_own(own, sizeof own)) return;
  struct statfs status;
  if (statfs(mount, &status) != 0 || status.f_type != kCgroup2Magic) return;
  snprintf(base_, sizeof base_, "%s%s/berth-%d", mount, strcmp(own, "/") == 0 ? "" : own, getpid());
  if (mkdir(base_, 0700) != 0) {
    base_[0] = '\0';
    return;
  }
  make_keeper();
  const bool works = directory_ >= 0 && can_spawn_into(directory_);
  remove_keeper();
  if (!works) base_[0] = '\0';
}

void Cgroup::make_keeper() {
  if (base_[0] == '\0') return;
  if (snprintf(keeper_, sizeof keeper_, "%s/keeper-%d", base_, getpid()) >= static_cast<int>(sizeof keeper_)) return;
  // The last keeper to go removes the base; it may be needed again.
  mkdir(base_, 0700);
  if (mkdir(keeper_, 0700) != 0) {
    keeper_[0] = '\0';
    return;
  }
  directory_ = open(keeper_, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory_ < 0) remove_keeper();
}

void Cgroup::remove_keeper() {
  if (keeper_[0] == '\0') return;
  if (directory_ >= 0) close(directory_);
  directory_ = -1;
  rmdir(keeper_);
  keeper_[0] = '\0';
  remove_base();
}

void Cgroup::remove_keeper_of(int pid) {
  char directory[PATH_MAX];
  if (base_[0] == '\0') return;
  if (snprintf(directory, sizeof directory, "%s/keeper-%d", base_, pid) < static_cast<int>(sizeof directory))
    rmdir(directory);
}

void Cgroup::remove_base() {
  // Fails while a keeper has its group in there; the last one removes it.
  if (base_[0] != '\0') rmdir(base_);
}

void Cgroup::renew() {
  if (!killed_) return;
  // Linux 6.18 kills whatever is born into a group that was ever killed while its parent's own group was not: it
  // compares the kill counter of one group with that of the other.
  killed_ = false;
  remove_keeper();
  make_keeper();
}

void Cgroup::kill() {
  if (directory_ < 0) return;
  const int control = openat(directory_, "cgroup.kill", O_WRONLY | O_CLOEXEC);
  if (control < 0) return;
  killed_ = true;
  [[maybe_unused]] const ssize_t written = write(control, "1", 1);
  close(control);
}

}  // namespace berth::supervisor
