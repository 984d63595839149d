#include "policy/rebase.h"

namespace berth {
namespace {

/// What is below `from`, without a slash in front; the whole path when it is not below.
std::string_view below(std::string_view path, std::string_view from) {
  if (from == ".") return path == "." ? std::string_view() : path;
  path.remove_prefix(from.size());
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

bool is_within(std::string_view path, std::string_view from) {
  return from == "." || path == from ||
         (path.starts_with(from) && path.size() > from.size() && path[from.size()] == '/');
}

}  // namespace

Result<Path> join(const Path& directory, const Path& path) {
  if (path.is_root()) return directory;
  if (directory.is_root()) return path;
  return parse_path(directory.text() + "/" + path.text(), {});
}

std::string rebase(std::string_view path, const Path& from, const Path& to) {
  if (from == to || !is_within(path, from.text())) return std::string(path);
  const auto rest = below(path, from.text());
  if (rest.empty()) return to.text();
  if (to.is_root()) return std::string(rest);
  return to.text() + "/" + std::string(rest);
}

Path rebase(const Path& path, const Path& from, const Path& to) {
  if (from == to) return path;
  // Only the length can be wrong: a base that is spelled longer than it is.
  auto moved = parse_path(rebase(path.text(), from, to), {});
  return moved ? std::move(moved).value() : path;
}

void rebase(ListPage& page, const Path& from, const Path& to) {
  if (from == to) return;
  for (auto& path : page.paths) path = rebase(path, from, to);
  for (auto& unreadable : page.unreadable) unreadable.path = rebase(unreadable.path, from, to);
}

void rebase(SearchResult& result, const Path& from, const Path& to) {
  if (from == to) return;
  for (auto& match : result.lines) match.path = rebase(match.path, from, to);
  for (auto& file : result.files) file.path = rebase(file.path, from, to);
  for (auto& unreadable : result.unreadable) unreadable.path = rebase(unreadable.path, from, to);
}

}  // namespace berth
