#include "path/path.h"

#include <algorithm>

#include "base/limits.h"

namespace berth {

/// The one place that makes a Path from text it has checked.
class PathBuilder {
 public:
  static Path from_checked(std::string text) { return text.empty() ? Path() : Path(std::move(text)); }
};

namespace {

/// Takes the components off a path one by one; doubled slashes and `.` are passed over.
class ComponentReader {
 public:
  explicit ComponentReader(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> next() {
    while (!rest_.empty()) {
      const auto slash = std::min(rest_.find('/'), rest_.size());
      const auto component = rest_.substr(0, slash);
      rest_.remove_prefix(std::min(slash + 1, rest_.size()));
      if (!component.empty() && component != ".") return component;
    }
    return std::nullopt;
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// What follows the root's name in an absolute path; nothing when the path does not lie below it.
std::optional<std::string_view> below(std::string_view absolute, std::string_view root) {
  ComponentReader path(absolute);
  ComponentReader name(root);
  while (const auto wanted = name.next()) {
    if (path.next() != wanted) return std::nullopt;
  }
  return path.rest();
}

bool has_dot_dot(std::string_view text) {
  ComponentReader components(text);
  while (const auto component = components.next()) {
    if (*component == "..") return true;
  }
  return false;
}

Error outside() { return make_error(ErrorCode::path_escape, "the path leads outside the workspace"); }

Result<Path> collapse(std::string_view relative) {
  std::string text;
  ComponentReader components(relative);
  while (const auto component = components.next()) {
    if (*component == "..") {
      if (text.empty()) return outside();
      const auto slash = text.rfind('/');
      text.resize(slash == std::string::npos ? 0 : slash);
      continue;
    }
    if (component->size() > limits::kNameBytes) {
      return make_error(ErrorCode::name_too_long, "a name in the path is too long")
          .with("max_bytes", static_cast<std::int64_t>(limits::kNameBytes));
    }
    if (!text.empty()) text += '/';
    text += *component;
  }
  return PathBuilder::from_checked(std::move(text));
}

Result<Path> parse(std::string_view as_written, std::span<const std::string> roots, PathRules rules) {
  if (as_written.empty()) return make_error(ErrorCode::invalid_argument, "the path is empty");
  if (as_written.find('\0') != std::string_view::npos) {
    return make_error(ErrorCode::invalid_argument, "the path contains a NUL byte");
  }
  if (as_written.size() > limits::kPathBytes) {
    return make_error(ErrorCode::invalid_argument, "the path is longer than 4096 bytes")
        .with("max_bytes", static_cast<std::int64_t>(limits::kPathBytes));
  }
  if (rules.dot_dot == PathRules::DotDot::refuse && has_dot_dot(as_written)) {
    return make_error(ErrorCode::invalid_argument, "`..` is not allowed in a path here");
  }
  if (as_written.front() != '/') return collapse(as_written);
  const auto rest = strip_root(as_written, roots);
  if (!rest) return outside();
  return collapse(*rest);
}

}  // namespace

std::string_view Path::name() const noexcept {
  const auto slash = text_.rfind('/');
  return std::string_view(text_).substr(slash == std::string::npos ? 0 : slash + 1);
}

Path Path::parent() const {
  const auto slash = text_.rfind('/');
  return slash == std::string::npos ? Path() : Path(text_.substr(0, slash));
}

Path Path::child(std::string_view name) const {
  if (is_root()) return Path(std::string(name));
  std::string text;
  text.reserve(text_.size() + 1 + name.size());
  return Path(std::move(text.append(text_).append(1, '/').append(name)));
}

std::vector<std::string_view> Path::components() const {
  std::vector<std::string_view> all;
  ComponentReader components(text_);
  while (const auto component = components.next()) all.push_back(*component);
  return all;
}

bool Path::is_within(const Path& ancestor) const noexcept {
  if (ancestor.is_root()) return true;
  const auto& above = ancestor.text_;
  return text_.starts_with(above) && (text_.size() == above.size() || text_[above.size()] == '/');
}

std::optional<std::string_view> strip_root(std::string_view absolute, std::span<const std::string> roots) noexcept {
  std::optional<std::string_view> best;
  for (const auto& root : roots) {
    const auto rest = below(absolute, root);
    if (rest && (!best || rest->size() < best->size())) best = rest;
  }
  return best;
}

bool is_component(std::string_view name) noexcept {
  return !name.empty() && name.size() <= limits::kNameBytes && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

Result<Path> parse_path(std::string_view as_written, std::span<const std::string> roots, PathRules rules) {
  auto path = parse(as_written, roots, rules);
  if (!path) return std::move(path).error().at(as_written);
  return path;
}

}  // namespace berth
