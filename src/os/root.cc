#include "os/root.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "os/component_walk.h"

namespace berth::os {
namespace {

/// openat2 gives EAGAIN when something was renamed while it went through a `..`; fewer tries fail under rename storms.
constexpr int kTries = 128;
constexpr int kDirectoryFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
/// openat2 refuses what open(2) ignores beside O_PATH.
constexpr int kFlagsWithPath = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

enum class Links { as_policy, none };

int complete(int flags) noexcept {
  return (flags & O_PATH) != 0 ? (flags & kFlagsWithPath) | O_CLOEXEC : flags | O_CLOEXEC | O_NOCTTY;
}

/// The failures that a walk of components must judge: a link that is absolute, or a feature that is not there.
bool undecided(int errno_value) noexcept {
  switch (errno_value) {
    case EXDEV:
    case ELOOP:
    case EAGAIN:
    case EINTR:
    case ENOSYS:
    case EPERM:
    case ENAMETOOLONG: return true;
    default: return false;
  }
}

std::string kernel_name(int fd, const std::string& given) {
  std::array<char, PATH_MAX> name;
  const auto link = "/proc/self/fd/" + std::to_string(fd);
  const auto length = ::readlink(link.c_str(), name.data(), name.size());
  if (length > 0 && name[0] == '/') return {name.data(), static_cast<std::size_t>(length)};
  // No procfs here.
  if (::realpath(given.c_str(), name.data()) != nullptr) return name.data();
  return {};
}

/// The given name made absolute and normal; empty when it cannot be without looking things up.
std::string absolute_name(const std::string& given) {
  std::string text = given;
  if (!text.starts_with('/')) {
    std::array<char, PATH_MAX> here;
    if (::getcwd(here.data(), here.size()) == nullptr) return {};
    text = std::string(here.data()) + "/" + given;
  }
  const std::string slash[] = {"/"};
  const auto path = parse_path(text, slash, {PathRules::DotDot::refuse});
  if (!path) return {};
  return path->is_root() ? "/" : "/" + path->text();
}

std::vector<std::string> names_of(int fd, const std::string& given) {
  std::vector<std::string> names;
  for (auto name : {absolute_name(given), kernel_name(fd, given)}) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

class PinnedRoot final : public Root {
 public:
  PinnedRoot(Fd fd, const struct stat& status, RootOptions options, std::vector<std::string> names)
      : fd_(std::move(fd)),
        device_(status.st_dev),
        inode_(status.st_ino),
        options_(options),
        names_(std::move(names)) {}

  int fd() const noexcept override { return fd_.get(); }
  dev_t device() const noexcept override { return device_; }
  ino_t inode() const noexcept override { return inode_; }
  const RootOptions& options() const noexcept override { return options_; }
  const std::vector<std::string>& names() const noexcept override { return names_; }

  bool gone() const noexcept override {
    struct stat status {};
    return ::fstat(fd_.get(), &status) != 0 || status.st_nlink == 0;
  }

  Result<Fd> open_path(const Call& call, const Path& path, int flags) const override {
    if ((flags & (O_CREAT | O_EXCL)) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
      return make_error(ErrorCode::invalid_argument, "opening a path does not create");
    }
    BERTH_CHECK(call.check());
    if (path.is_root() && gone()) return deleted();
    flags = complete(flags);
    BERTH_TRY(const auto opened, beneath(call, path, flags, Links::as_policy));
    if (opened.fd >= 0) return Fd(opened.fd);
    if (!undecided(opened.error)) return judged(errno_error(opened.error, "open the path"));
    return judged(walk(call).open(path, flags));
  }

  Result<Leaf> parent_of(const Call& call, const Path& path, Parents parents) const override {
    BERTH_CHECK(call.check());
    if (path.is_root()) return make_error(ErrorCode::invalid_argument, "the path names the workspace's root");
    BERTH_TRY(auto leaf, direct_parent(call, path));
    if (leaf.directory) return leaf;
    return judged(walk(call).parent(path, parents, ComponentWalk::LeafLink::keep));
  }

  Result<Leaf> parent_of_target(const Call& call, const Path& path, Parents parents) const override {
    BERTH_CHECK(call.check());
    if (path.is_root()) return make_error(ErrorCode::invalid_argument, "the path names the workspace's root");
    BERTH_TRY(auto leaf, direct_parent(call, path));
    char first = 0;
    if (leaf.directory && ::readlinkat(leaf.directory.get(), leaf.name.c_str(), &first, 1) < 0 &&
        (errno == EINVAL || errno == ENOENT)) {
      return leaf;
    }
    return judged(walk(call).parent(path, parents, ComponentWalk::LeafLink::follow));
  }

  Result<Path> real_path(const Call& call, const Path& path) const override {
    BERTH_CHECK(call.check());
    if (path.is_root() && gone()) return deleted();
    BERTH_TRY(const auto opened, beneath(call, path, O_PATH | O_CLOEXEC, Links::none));
    if (Fd found(opened.fd); found) return path;
    auto real = walk(call).real_path(path);
    // Nothing exists below a deleted root, so a missing path says nothing by itself.
    if (gone()) return deleted();
    return real;
  }

 private:
  /// A descriptor, or the errno value of the failure.
  struct Opened {
    int fd;
    int error;
  };

  Result<Opened> beneath(const Call& call, const Path& path, int flags, Links links) const {
    if (!options_.features.openat2) return Opened{-1, ENOSYS};
    open_how how{};
    how.flags = static_cast<unsigned>(flags);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    if (links == Links::none || options_.links == LinkPolicy::refuse) how.resolve |= RESOLVE_NO_SYMLINKS;
    for (int tries = 1;; ++tries) {
      const auto fd = static_cast<int>(::syscall(SYS_openat2, fd_.get(), path.text().c_str(), &how, sizeof how));
      if (fd >= 0) return Opened{fd, 0};
      if ((errno != EAGAIN && errno != EINTR) || tries == kTries) return Opened{-1, errno};
      BERTH_CHECK(call.check());
    }
  }

  /// The parent when no link leads to it; a leaf without a directory when a walk must find or make it.
  Result<Leaf> direct_parent(const Call& call, const Path& path) const {
    const auto parent = path.parent();
    if (parent.is_root()) {
      if (gone()) return deleted();
      Fd directory(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
      if (!directory) return errno_error(errno, "open the path");
      return Leaf{std::move(directory), std::string(path.name()), path};
    }
    BERTH_TRY(const auto opened, beneath(call, parent, kDirectoryFlags, Links::none));
    if (opened.fd < 0) return Leaf{};
    return Leaf{Fd(opened.fd), std::string(path.name()), path};
  }

  ComponentWalk walk(const Call& call) const { return {call, {fd_.get(), options_.links, names_}}; }

  static Error deleted() { return make_error(ErrorCode::environment_gone, "the workspace's directory was deleted"); }

  Error judged(Error error) const {
    if (error.code == ErrorCode::not_found && gone()) return deleted();
    return error;
  }

  template <typename T>
  Result<T> judged(Result<T> result) const {
    if (!result) return judged(std::move(result).error());
    return result;
  }

  Fd fd_;
  dev_t device_;
  ino_t inode_;
  RootOptions options_;
  std::vector<std::string> names_;
};

}  // namespace

Result<std::shared_ptr<Root>> Root::open(const HostPath& path, RootOptions options) {
  if (path.text.find('\0') != std::string::npos) {
    return make_error(ErrorCode::invalid_argument, "the path contains a NUL byte").at(path.text);
  }
  Fd fd(::open(path.text.c_str(), kDirectoryFlags));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return errno_error(errno, "open the directory").at(path.text);
  auto names = names_of(fd.get(), path.text);
  return std::shared_ptr<Root>(std::make_shared<PinnedRoot>(std::move(fd), status, options, std::move(names)));
}

}  // namespace berth::os
