#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

/// A path inside a workspace: checked, normalised, relative to the root.
///
/// Invariants: no empty, `.` or `..` component, no NUL, no doubled or trailing slash, at most 4096 bytes, each
/// component at most 255 bytes. The root itself is `.`. Bytes, not text: any other byte is an ordinary name byte.
/// A Path says nothing about what the file system holds; only a handle does.
class Path {
 public:
  /// The root.
  Path() : text_(".") {}

  bool is_root() const noexcept { return text_ == "."; }
  const std::string& text() const noexcept { return text_; }
  /// The last component; `.` for the root.
  std::string_view name() const noexcept;
  /// The path without its last component; the root's parent is the root.
  Path parent() const;
  /// Append one component, as a directory lists it. The name must be a valid component (checked by `is_component`).
  Path child(std::string_view name) const;
  /// The components from the root down; none for the root.
  std::vector<std::string_view> components() const;
  /// Whether this path is `ancestor` or lies below it.
  bool is_within(const Path& ancestor) const noexcept;

  auto operator<=>(const Path&) const = default;

 private:
  friend class PathBuilder;
  explicit Path(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

/// Whether a name can be one component of a Path.
bool is_component(std::string_view name) noexcept;

/// How path arguments are read.
struct PathRules {
  enum class DotDot { collapse, refuse };

  DotDot dot_dot = DotDot::collapse;

  bool operator==(const PathRules&) const = default;
};

/// Read a path argument (C-PATH-1, C-PATH-2, C-PATH-3).
///
/// `roots` are the absolute names under which callers may spell the root, without a trailing slash unless it is `/`;
/// an absolute path must be one of them or lie below one, component by component. Nothing is looked up.
/// Errors: `invalid_argument` (empty, NUL, over 4096 bytes, `..` when refused), `name_too_long` (a component over 255
/// bytes), `path_escape` (leaves the root). The error's path is `as_written`.
Result<Path> parse_path(std::string_view as_written, std::span<const std::string> roots, PathRules rules = {});

/// What follows a root's name in an absolute path, as written; nothing when the path does not lie below any of them.
/// Compared component by component; where one name lies below another, the deeper one is meant.
std::optional<std::string_view> strip_root(std::string_view absolute, std::span<const std::string> roots) noexcept;

}  // namespace berth
