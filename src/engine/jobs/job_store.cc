#include "engine/jobs/job_store.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "engine/jobs/job_wire.h"
#include "os/directory.h"

namespace berth::engine {
namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

enum class Make { no, yes };

Error not_private() {
  auto error = make_error(ErrorCode::unavailable, "the directory for the records of jobs is not private to this user");
  error.hint = "give it to the user who runs the workspace, with mode 0700";
  return error;
}

/// Open a directory of ours below another, and see that nobody else may change what is in it.
Result<os::Fd> open_private(int parent, const std::string& name, Make make) {
  if (make == Make::yes && ::mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST) {
    return errno_error(errno, "make the directory for the records of jobs");
  }
  os::Fd directory(::openat(parent, name.c_str(), kDirectoryFlags | O_NOFOLLOW));
  if (!directory) {
    if (errno == ENOENT && make == Make::no) return os::Fd();
    if (errno == ELOOP || errno == ENOTDIR) return not_private();
    return errno_error(errno, "open the directory for the records of jobs");
  }
  struct stat status {};
  if (::fstat(directory.get(), &status) != 0 || status.st_uid != ::geteuid() || (status.st_mode & 077) != 0) {
    return not_private();
  }
  return directory;
}

/// Open the parent of the state directory, making what is missing as mkdir -p does.
Result<os::Fd> open_parent(const std::string& parent, Make make) {
  os::Fd directory(::open(parent.empty() ? "/" : parent.c_str(), kDirectoryFlags));
  if (directory) return directory;
  if (errno != ENOENT || make == Make::no) {
    if (errno == ENOENT || errno == ENOTDIR) return os::Fd();
    return errno_error(errno, "open the directory for the records of jobs");
  }
  BERTH_TRY(const os::Fd above, open_parent(parent.substr(0, parent.rfind('/')), make));
  const std::string name = parent.substr(parent.rfind('/') + 1);
  if (!above || (::mkdirat(above.get(), name.c_str(), 0700) != 0 && errno != EEXIST)) {
    return errno_error(errno, "make the directory for the records of jobs");
  }
  directory.reset(::openat(above.get(), name.c_str(), kDirectoryFlags));
  if (!directory) return errno_error(errno, "open the directory for the records of jobs");
  return directory;
}

Result<os::Fd> open_store(const std::string& state, const std::string& key, Make make) {
  const auto slash = state.rfind('/');
  BERTH_TRY(os::Fd at, open_parent(state.substr(0, slash), make));
  for (const auto& name : {state.substr(slash + 1), std::string("jobs"), key}) {
    if (!at) return at;
    BERTH_TRY(at, open_private(at.get(), name, make));
  }
  return at;
}

std::string without_final_slashes(std::string name) {
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  return name;
}

/// Whether a name leads into the root, as far as it exists.
bool lies_within(const os::Root& root, std::string name) {
  os::Fd at;
  while (true) {
    at.reset(::open(name.empty() ? "/" : name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (at || name.empty()) break;
    name.resize(std::min(name.rfind('/'), name.size()));
  }
  struct stat before {};
  for (struct stat status{}; at && ::fstat(at.get(), &status) == 0; before = status) {
    if (status.st_dev == root.device() && status.st_ino == root.inode()) return true;
    if (status.st_dev == before.st_dev && status.st_ino == before.st_ino) return false;
    at.reset(::openat(at.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  // What cannot be looked at is not trusted.
  return true;
}

}  // namespace

Result<os::Fd> JobStore::open() const { return open_store(state_, key_, Make::no); }

Result<os::Fd> JobStore::open_or_make() const { return open_store(state_, key_, Make::yes); }

Result<std::string> choose_state_directory(const os::Root& root, const std::string& configured) {
  if (!configured.empty()) {
    auto name = without_final_slashes(configured);
    if (name.front() != '/' || name.size() == 1) {
      return make_error(ErrorCode::invalid_argument, "the state directory must be an absolute name");
    }
    if (lies_within(root, name)) {
      return make_error(ErrorCode::invalid_argument, "the state directory must not lie in the workspace");
    }
    return name;
  }
  std::vector<std::string> candidates;
  const char* state_home = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (state_home != nullptr && *state_home == '/') candidates.push_back(without_final_slashes(state_home) + "/berth");
  if (home != nullptr && *home == '/') candidates.push_back(without_final_slashes(home) + "/.local/state/berth");
  candidates.push_back("/var/tmp/berth-" + std::to_string(::geteuid()));
  for (const auto& candidate : candidates) {
    if (!lies_within(root, candidate)) return candidate;
  }
  return std::string();
}

void remove_files_and_directory(int parent, const std::string& name) {
  const os::Fd directory(::openat(parent, name.c_str(), kDirectoryFlags | O_NOFOLLOW));
  if (!directory) return;
  // First what makes it a job: who holds it open sees that it was forgotten.
  ::unlinkat(directory.get(), job_wire::kSpecName, 0);
  if (const auto names = names_in(directory.get())) {
    for (const auto& file : *names) ::unlinkat(directory.get(), file.c_str(), 0);
  }
  ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
}

Result<std::vector<std::string>> names_in(int directory) {
  // Its own offset: the caller's descriptor may be read by other threads.
  const os::Fd own(::openat(directory, ".", kDirectoryFlags));
  if (!own) return errno_error(errno, "read the records of jobs");
  std::vector<std::string> names;
  os::DirectoryReader reader(own.get());
  while (true) {
    BERTH_TRY(const auto* entry, reader.next());
    if (entry == nullptr) break;
    names.emplace_back(entry->name);
  }
  std::ranges::sort(names);
  return names;
}

Result<std::optional<Bytes>> read_small_file(int directory, const char* name, std::size_t max_bytes) {
  const os::Fd file(::openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT) return std::optional<Bytes>();
    return errno_error(errno, "read the record of the job");
  }
  Bytes content;
  char buffer[4096];
  while (content.size() < max_bytes) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error(errno, "read the record of the job");
    if (got == 0) break;
    content.append(buffer, static_cast<std::size_t>(got));
  }
  return std::optional<Bytes>(std::move(content));
}

Result<void> write_new_file(int directory, const char* name, BytesView content) {
  const os::Fd file(::openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return errno_error(errno, "write the record of the job");
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return errno_error(errno, "write the record of the job");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

bool is_job_name(std::string_view name) noexcept {
  constexpr std::size_t kLongest = 64;
  return !name.empty() && name.size() <= kLongest &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::string random_digits(std::size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digits(count, '0');
  unsigned char bytes[64] = {};
  for (std::size_t i = 0; i < count; ++i) {
    if (i % sizeof bytes == 0) {
      while (::getrandom(bytes, sizeof bytes, 0) < 0 && errno == EINTR) {
      }
    }
    digits[i] = kDigits[bytes[i % sizeof bytes] & 15];
  }
  return digits;
}

}  // namespace berth::engine
