#include "os/component_walk.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace berth::os {
namespace {

constexpr int kMaxLinks = 40;
constexpr int kMaxRetries = 128;
constexpr std::size_t kHeldDirectories = 64;

Error failed(int errno_value) { return errno_error(errno_value, "resolve the path"); }

bool is_link(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISLNK(status.st_mode);
}

}  // namespace

Result<Fd> ComponentWalk::open(const Path& path, int flags) {
  begin(path, Missing::fail);
  BERTH_CHECK(to_leaf());
  while (!leaf_.empty()) {
    Fd fd(::openat(top(), leaf_.c_str(), flags | O_NOFOLLOW));
    const int error = errno;
    // Only O_PATH opens a link itself; any other open says ELOOP, or ENOTDIR where a directory is wanted.
    const bool wants_link = (flags & O_PATH) != 0 && (flags & O_NOFOLLOW) != 0;
    if (fd && ((flags & O_PATH) == 0 || wants_link || !is_link(fd.get()))) return fd;
    if (!fd && error != ELOOP && error != ENOTDIR && error != EINTR) return errno_error(error, "open the path");
    BERTH_TRY(const auto found, look_at(leaf_));
    if (found.kind == Found::Kind::link) {
      if ((flags & O_NOFOLLOW) != 0 && start_.links == LinkPolicy::follow_inside) return failed(ELOOP);
      BERTH_CHECK(expand(found.target));
      BERTH_CHECK(to_leaf());
      continue;
    }
    if (!fd && error == ENOTDIR && found.kind == Found::Kind::other) return failed(ENOTDIR);
    BERTH_CHECK(again());
  }
  return open_here(flags);
}

Result<Root::Leaf> ComponentWalk::parent(const Path& path, Root::Parents parents, LeafLink leaf_link) {
  begin(path, parents == Root::Parents::make ? Missing::make : Missing::fail);
  BERTH_CHECK(to_leaf());
  if (leaf_link == LeafLink::follow) BERTH_CHECK(follow_leaf());
  if (leaf_.empty()) {
    if (steps_.empty()) return make_error(ErrorCode::invalid_argument, "the path names the workspace's root");
    auto name = steps_.back().name;
    BERTH_CHECK(up());
    pending_.insert(pending_.begin(), std::move(name));
    BERTH_CHECK(to_leaf());
  }
  auto real = place().child(leaf_);
  Fd directory = steps_.empty() ? Fd(::fcntl(start_.fd, F_DUPFD_CLOEXEC, 0)) : std::move(steps_.back().fd);
  if (!directory) return failed(errno);
  return Root::Leaf{std::move(directory), std::move(leaf_), std::move(real)};
}

Result<Path> ComponentWalk::real_path(const Path& path) {
  begin(path, Missing::keep);
  BERTH_CHECK(to_leaf());
  BERTH_CHECK(follow_leaf());
  return leaf_.empty() ? place() : place().child(leaf_);
}

void ComponentWalk::begin(const Path& path, Missing missing) {
  missing_ = missing;
  if (!path.is_root()) pend(path.text());
}

Result<void> ComponentWalk::to_leaf() {
  leaf_.clear();
  while (!pending_.empty()) {
    auto name = std::move(pending_.back());
    pending_.pop_back();
    if (name == ".") {
      BERTH_CHECK(check_searchable());
    } else if (name == "..") {
      BERTH_CHECK(up());
    } else if (pending_.empty()) {
      leaf_ = std::move(name);
    } else {
      BERTH_CHECK(enter(std::move(name)));
    }
  }
  return {};
}

Result<void> ComponentWalk::follow_leaf() {
  while (!leaf_.empty() && missing_steps_ == 0) {
    BERTH_TRY(const auto found, look_at(leaf_));
    if (found.kind != Found::Kind::link) return {};
    BERTH_CHECK(expand(found.target));
    BERTH_CHECK(to_leaf());
  }
  return {};
}

Result<Fd> ComponentWalk::open_here(int flags) {
  while (true) {
    Fd fd(::openat(top(), ".", flags));
    if (fd) return fd;
    if (errno != EINTR) return errno_error(errno, "open the path");
    BERTH_CHECK(again());
  }
}

Result<void> ComponentWalk::enter(std::string name) {
  while (missing_steps_ == 0) {
    Fd fd(::openat(top(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd) {
      push(std::move(name), std::move(fd));
      return {};
    }
    const int error = errno;
    if (error == ENOENT && missing_ == Missing::keep) break;
    if (error == ENOENT && missing_ == Missing::make && name_pending()) {
      if (::mkdirat(top(), name.c_str(), 0777) != 0 && errno != EEXIST && errno != EINTR) {
        return errno_error(errno, "make the parent directory");
      }
    } else if (error == ENOTDIR || error == ELOOP) {
      BERTH_TRY(const auto found, look_at(name));
      if (found.kind == Found::Kind::link) return expand(found.target);
      if (found.kind == Found::Kind::other) return failed(ENOTDIR);
    } else if (error != EINTR) {
      return failed(error);
    }
    BERTH_CHECK(again());
  }
  push(std::move(name), Fd());
  ++missing_steps_;
  return {};
}

Result<void> ComponentWalk::up() {
  if (steps_.empty()) return make_error(ErrorCode::path_escape, "a link in the path leads outside the workspace");
  if (missing_steps_ > 0) {
    --missing_steps_;
    steps_.pop_back();
    return {};
  }
  BERTH_CHECK(check_searchable());
  steps_.pop_back();
  if (steps_.empty() || steps_.back().fd) return {};
  // The directory is too far up to be still held: come to it again from the root.
  for (; !steps_.empty(); steps_.pop_back()) pending_.push_back(std::move(steps_.back().name));
  return {};
}

/// The kernel wants search permission for `.` and `..` too.
Result<void> ComponentWalk::check_searchable() const {
  struct stat status {};
  if (missing_steps_ == 0 && ::fstatat(top(), ".", &status, 0) != 0) return failed(errno);
  return {};
}

Result<ComponentWalk::Found> ComponentWalk::look_at(const std::string& name) const {
  const Fd fd(::openat(top(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!fd && errno == ENOENT) return Found{};
  if (!fd) return failed(errno);
  std::array<char, PATH_MAX> target;
  const auto length = ::readlinkat(fd.get(), "", target.data(), target.size());
  if (length >= 0) return Found{Found::Kind::link, std::string(target.data(), static_cast<std::size_t>(length))};
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return failed(errno);
  return Found{S_ISDIR(status.st_mode) ? Found::Kind::directory : Found::Kind::other, {}};
}

Result<void> ComponentWalk::expand(std::string_view target) {
  if (start_.links == LinkPolicy::refuse) {
    return make_error(ErrorCode::path_escape, "the path leads through a link, and links are refused here");
  }
  if (++links_ > kMaxLinks) return failed(ELOOP);
  BERTH_CHECK(call_.check());
  if (target.empty()) return failed(ENOENT);
  if (target.front() != '/') {
    pend(target);
    return {};
  }
  const auto inside = strip_root(target, start_.names);
  if (!inside) return make_error(ErrorCode::path_escape, "a link in the path leads outside the workspace");
  steps_.clear();
  pend(*inside);
  return {};
}

Result<void> ComponentWalk::again() {
  BERTH_CHECK(call_.check());
  if (++retries_ > kMaxRetries) return make_error(ErrorCode::conflict, "the path keeps changing");
  return {};
}

void ComponentWalk::push(std::string name, Fd fd) {
  steps_.push_back({std::move(name), std::move(fd)});
  if (steps_.size() > kHeldDirectories) steps_[steps_.size() - 1 - kHeldDirectories].fd.reset();
  retries_ = 0;
}

/// A last `.` or slash stays as `.`: what stands before it must be a directory.
void ComponentWalk::pend(std::string_view relative) {
  const auto first = pending_.size();
  const bool directory = relative.ends_with('/') || relative == "." || relative.ends_with("/.");
  while (!relative.empty()) {
    const auto slash = std::min(relative.find('/'), relative.size());
    const auto name = relative.substr(0, slash);
    if (!name.empty() && name != ".") pending_.emplace_back(name);
    relative.remove_prefix(std::min(slash + 1, relative.size()));
  }
  if (directory) pending_.emplace_back(".");
  std::reverse(pending_.begin() + static_cast<std::ptrdiff_t>(first), pending_.end());
}

bool ComponentWalk::name_pending() const noexcept {
  return std::ranges::any_of(pending_, [](const std::string& name) { return name != "." && name != ".."; });
}

Path ComponentWalk::place() const {
  Path path;
  for (const auto& step : steps_) path = path.child(step.name);
  return path;
}

}  // namespace berth::os
