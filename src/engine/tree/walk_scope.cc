#include "engine/tree/walk_scope.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "os/directory.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

using search::IgnoreLevel;

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr int kStep = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int kRuleFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr std::size_t kEntriesPerCheck = 512;
/// Comparisons with ignore rules that cost as much as showing an entry.
constexpr std::size_t kRulesPerEntry = 16;

int open_at(int directory, const char* name, int flags) noexcept {
  int fd = -1;
  do {
    fd = ::openat(directory, name, flags);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

/// The content of an ignore file; empty when there is none to read.
Bytes read_rules(const os::Fd& file) {
  Bytes text;
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return text;
  text.resize(std::min(static_cast<std::size_t>(status.st_size), IgnoreLevel::kMaxTextBytes));
  std::size_t filled = 0;
  while (filled < text.size()) {
    const auto got = ::read(file.get(), text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

/// DT_… of an entry whose file system does not say.
unsigned char type_of(int directory, const char* name) noexcept {
  struct stat status {};
  if (::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
  return static_cast<unsigned char>(IFTODT(status.st_mode));
}

bool is_gone(int errno_value) noexcept {
  return errno_value == ENOENT || errno_value == ENOTDIR || errno_value == ELOOP;
}

}  // namespace

WalkedDirectory::WalkedDirectory(os::Fd opened, Path where, std::atomic<int>& count)
    : fd(std::move(opened)), path(std::move(where)), open_count(&count) {
  ++count;
}

WalkedDirectory::~WalkedDirectory() { --*open_count; }

Result<std::unique_ptr<WalkScope>> WalkScope::open(const Call& call, const os::Root& root, const WalkRequest& request) {
  if (request.filter_out != nullptr && !request.base.is_root() && request.filter_out->leaves_out(request.base.text())) {
    return make_error(ErrorCode::not_found, "there is nothing at the path");
  }
  std::unique_ptr<WalkScope> scope(new WalkScope(root, request));
  BERTH_TRY(auto fd, root.open_path(call, request.base, O_RDONLY | O_DIRECTORY | O_NONBLOCK));
  auto top = std::make_shared<WalkedDirectory>(std::move(fd), request.base, scope->open_count_);
  if (!request.filter.ignored) {
    BERTH_TRY(auto above, scope->rules_above(call));
    top->rules = scope->rules_in(*top, std::move(above), request.base.is_root() ? scope->exclude_rules(call) : Bytes());
  }
  scope->top_ = std::move(top);
  return scope;
}

Bytes WalkScope::exclude_rules(const Call& call) const {
  const Path git = Path().child(".git").child("info").child("exclude");
  const auto file = root_.open_path(call, git, kRuleFile);
  return file ? read_rules(*file) : Bytes();
}

std::shared_ptr<const IgnoreLevel> WalkScope::rules_in(const WalkedDirectory& directory,
                                                       std::shared_ptr<const IgnoreLevel> above,
                                                       BytesView exclude) const {
  const Bytes gitignore = read_rules(os::Fd(open_at(directory.fd.get(), ".gitignore", kRuleFile)));
  const Bytes ignore = read_rules(os::Fd(open_at(directory.fd.get(), ".ignore", kRuleFile)));
  return IgnoreLevel::make(std::move(above), directory.path.text(), exclude, gitignore, ignore);
}

/// The rules of the directories between the root and the base, the base not included.
Result<std::shared_ptr<const IgnoreLevel>> WalkScope::rules_above(const Call& call) const {
  std::shared_ptr<const IgnoreLevel> rules;
  if (request_.base.is_root()) return rules;
  std::atomic<int> uncounted{0};
  Path path;
  const auto names = request_.base.components();
  for (std::size_t i = 0; i < names.size(); ++i) {
    BERTH_TRY(auto fd, root_.open_path(call, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK));
    rules = rules_in(WalkedDirectory(std::move(fd), path, uncounted), std::move(rules),
                     i == 0 ? exclude_rules(call) : Bytes());
    path = path.child(names[i]);
  }
  return rules;
}

DirectoryPlace WalkScope::place(const DirectoryHandle& parent, std::string_view name) const {
  return {.parent = open_count_ < kMaxOpenDirectories ? parent : nullptr,
          .rules = parent->rules,
          .path = parent->path.child(name)};
}

Result<DirectoryHandle> WalkScope::open_found(const Call& call, const DirectoryPlace& place) {
  BERTH_CHECK(call.check());
  if (place.path == top_->path) return top_;
  os::Fd fd;
  if (place.parent) {
    fd.reset(open_at(place.parent->fd.get(), std::string(place.path.name()).c_str(), kDirectory));
  } else {
    const auto names = place.path.components();
    const std::size_t first = request_.base.components().size();
    for (std::size_t i = first; i < names.size(); ++i) {
      const int from = i == first ? top_->fd.get() : fd.get();
      fd.reset(open_at(from, std::string(names[i]).c_str(), i + 1 < names.size() ? kStep : kDirectory));
      if (!fd) break;
    }
  }
  if (!fd) {
    if (is_gone(errno)) return DirectoryHandle();
    return errno_error(errno, "open the directory");
  }
  auto opened = std::make_shared<WalkedDirectory>(std::move(fd), place.path, open_count_);
  if (!request_.filter.ignored) opened->rules = rules_in(*opened, place.rules, {});
  return DirectoryHandle(std::move(opened));
}

std::string_view WalkScope::below_base(std::string_view path) const noexcept {
  return request_.base.is_root() ? path : path.substr(request_.base.text().size() + 1);
}

bool WalkScope::is_file_link(const Call& call, const Path& path) const {
  const auto target = root_.open_path(call, path, O_PATH);
  struct stat status {};
  return target && ::fstat(target->get(), &status) == 0 && S_ISREG(status.st_mode);
}

Result<void> WalkScope::scan(const Call& call, const WalkedDirectory& directory, EntryVisitor& visitor) const {
  os::DirectoryReader reader(directory.fd.get());
  std::string path = directory.path.is_root() ? "" : directory.path.text() + "/";
  const std::size_t parent_bytes = path.size();
  bool too_long = false;
  const std::size_t cost = 1 + (directory.rules ? directory.rules->rule_count() / kRulesPerEntry : 0);
  for (std::size_t done = kEntriesPerCheck;; done += cost) {
    if (done >= kEntriesPerCheck) {
      BERTH_CHECK(call.check());
      done = 0;
    }
    BERTH_TRY(const auto* entry, reader.next());
    if (entry == nullptr) break;
    const std::string_view name = entry->name;
    auto type = entry->type;
    if (type == DT_UNKNOWN) type = type_of(directory.fd.get(), name.data());
    if (type != DT_REG && type != DT_DIR && (type != DT_LNK || request_.links == LinkFiles::are_passed_over)) continue;
    if (!request_.filter.ignored && name == ".git") continue;
    path.resize(parent_bytes);
    path += name;
    const auto below = below_base(path);
    if (type == DT_DIR ? !request_.pattern.may_match_below(below) : !request_.pattern.matches(below)) continue;
    if (name.starts_with(".berth-") && os::is_temp_name(name)) continue;
    if (directory.rules &&
        directory.rules->is_ignored(path, type == DT_DIR ? IgnoreLevel::Kind::directory : IgnoreLevel::Kind::file))
      continue;
    if (request_.filter_out != nullptr && request_.filter_out->leaves_out(path)) continue;
    if (path.size() > limits::kPathBytes || name.size() > limits::kNameBytes) {
      too_long = true;
    } else if (type == DT_DIR) {
      visitor.directory(directory, name);
    } else if (type == DT_REG || is_file_link(call, directory.path.child(name))) {
      visitor.file(directory, name);
    }
  }
  if (too_long) return make_error(ErrorCode::name_too_long, "the directory holds something whose path is too long");
  return {};
}

}  // namespace berth::engine
