#include "bench/raw.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/harness.h"

namespace berth::bench {
namespace {

int open_beneath(int root, const char* path, std::uint64_t flags) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const auto fd = static_cast<int>(::syscall(SYS_openat2, root, path, &how, sizeof how));
  require(fd >= 0, path);
  return fd;
}

struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

/// Calls `file(name)` and `directory(name)` for the entries of an open directory.
template <typename OnFile, typename OnDirectory>
void each_entry(int fd, OnFile file, OnDirectory directory) {
  alignas(Entry) char buffer[32 * 1024];
  for (;;) {
    const auto filled = ::syscall(SYS_getdents64, fd, buffer, sizeof buffer);
    require(filled >= 0, "getdents64");
    if (filled == 0) return;
    for (long at = 0; at < filled;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
      at += entry->length;
      const std::string_view name = entry->name;
      if (entry->type == DT_REG) {
        file(entry->name);
      } else if (entry->type == DT_DIR && name != "." && name != "..") {
        directory(entry->name);
      }
    }
  }
}

std::int64_t count_below(int fd) {
  std::int64_t files = 0;
  std::vector<std::string> directories;
  each_entry(
      fd, [&files](const char*) { ++files; }, [&directories](const char* name) { directories.emplace_back(name); });
  for (const std::string& name : directories) {
    const int below = ::openat(fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require(below >= 0, name);
    files += count_below(below);
    ::close(below);
  }
  return files;
}

}  // namespace

void raw_read(int root, const char* path, char* buffer, std::size_t size) {
  const int fd = open_beneath(root, path, O_RDONLY);
  struct stat status {};
  require(::fstat(fd, &status) == 0, "fstat");
  require(::read(fd, buffer, size) == static_cast<ssize_t>(size), "read");
  ::close(fd);
}

void raw_atomic_write(int root, const char* parent, const char* name, std::string_view content) {
  static std::int64_t counter = 0;
  char temporary[48];
  std::snprintf(temporary, sizeof temporary, ".bench-tmp-%032lld", static_cast<long long>(++counter));
  const int directory = open_beneath(root, parent, O_PATH | O_DIRECTORY);
  const int locked = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  require(locked >= 0 && ::flock(locked, LOCK_EX) == 0, "flock");
  struct stat status {};
  const bool there = ::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
  const int fd = ::openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  require(fd >= 0, temporary);
  require(::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()), "write");
  require(::fchmod(fd, there ? status.st_mode & 07777 : 0644) == 0, "fchmod");
  require(::renameat(directory, temporary, directory, name) == 0, "renameat");
  require(::fstat(fd, &status) == 0, "fstat");
  ::close(fd);
  ::close(locked);
  ::close(directory);
}

std::int64_t count_files(const std::string& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  require(fd >= 0, directory);
  const std::int64_t files = count_below(fd);
  ::close(fd);
  return files;
}

std::int64_t count_needles(const std::string& directory, std::string_view needle, int threads) {
  std::mutex mutex;
  std::vector<std::string> waiting = {directory};
  int busy = 0;
  std::atomic<std::int64_t> found = 0;
  const auto work = [&] {
    std::vector<char> buffer(256 * 1024);
    for (;;) {
      std::string name;
      {
        const std::lock_guard lock(mutex);
        if (!waiting.empty()) {
          name = std::move(waiting.back());
          waiting.pop_back();
          ++busy;
        } else if (busy == 0) {
          return;
        }
      }
      if (name.empty()) {
        std::this_thread::yield();
        continue;
      }
      const int fd = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      require(fd >= 0, name);
      std::vector<std::string> below;
      each_entry(
          fd,
          [&](const char* file) {
            const int in = ::openat(fd, file, O_RDONLY | O_CLOEXEC);
            require(in >= 0, file);
            const ssize_t size = ::read(in, buffer.data(), buffer.size());
            ::close(in);
            const char* at = buffer.data();
            const char* const end = at + size;
            while ((at = static_cast<const char*>(
                        ::memmem(at, static_cast<std::size_t>(end - at), needle.data(), needle.size())))) {
              ++found;
              const auto* line = static_cast<const char*>(::memchr(at, '\n', static_cast<std::size_t>(end - at)));
              if (line == nullptr) break;
              at = line + 1;
            }
          },
          [&](const char* child) { below.push_back(name + "/" + child); });
      ::close(fd);
      const std::lock_guard lock(mutex);
      for (std::string& child : below) waiting.push_back(std::move(child));
      --busy;
    }
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  others.clear();
  return found;
}

}  // namespace berth::bench
