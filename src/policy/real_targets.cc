#include "policy/real_targets.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace berth {
namespace {

/// As the kernel has it.
constexpr int kMostLinks = 40;

/// The components that are still to be gone through, the next one last.
class Way {
 public:
  explicit Way(std::string_view path) { add(path); }

  /// Go through a link's target first.
  void add(std::string_view path) {
    std::vector<std::string> names;
    while (!path.empty()) {
      const auto slash = std::min(path.find('/'), path.size());
      if (slash > 0 && path.substr(0, slash) != ".") names.emplace_back(path.substr(0, slash));
      path.remove_prefix(std::min(slash + 1, path.size()));
    }
    names_.insert(names_.end(), names.rbegin(), names.rend());
  }

  std::optional<std::string> next() {
    if (names_.empty()) return std::nullopt;
    auto name = std::move(names_.back());
    names_.pop_back();
    return name;
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace

RealTargets RealTargets::resolving(Backend& inner) noexcept {
  const auto link_free = inner.link_free();
  // Without a way to resolve nothing can be checked, so nothing is offered.
  if (inner.reads() == nullptr) return {Mode::resolving, false, inner.info(), nullptr, {}};
  if (link_free.reads == nullptr) {
    return {Mode::resolving,
            false,
            inner.info(),
            inner.reads(),
            {inner.reads(), inner.writes(), inner.search(), inner.transactions()}};
  }
  return {Mode::resolving, true, inner.info(), inner.reads(), link_free};
}

RealTargets RealTargets::resolved(Backend& inner) noexcept {
  if (inner.reads() == nullptr) return {Mode::resolved, true, inner.info(), nullptr, {}};
  return {Mode::resolved, true, inner.info(), inner.reads(), inner.link_free()};
}

Result<Path> RealTargets::real_name(const Call& call, const Path& path, Leaf leaf) const {
  if (mode_ == Mode::resolved || path.is_root()) return path;
  if (leaf == Leaf::followed) return resolver_->real_path(call, path);
  BERTH_TRY(const Path parent, resolver_->real_path(call, path.parent()));
  return parent.child(path.name());
}

Path RealTargets::target_of_link(const Call& call, const Path& link) const {
  const auto target = resolver_->real_path(call, link);
  return target ? *target : way_of(call, link).back();
}

std::vector<Path> RealTargets::way_of(const Call& call, const Path& path) const {
  Way way(path.text());
  std::vector<Path> places{Path()};
  Path at;
  Path link;
  for (int links = 0; const auto name = way.next();) {
    if (*name == "..") {
      if (at.is_root()) {
        // Only a link can lead out.
        places.push_back(link);
        break;
      }
      at = at.parent();
      places.push_back(at);
      continue;
    }
    if (!is_component(*name)) break;
    Path next = at.child(*name);
    places.push_back(next);
    const auto facts = resolver_->stat(call, next, FollowLeaf::no);
    if (!facts || (facts->kind == FileKind::symlink && ++links > kMostLinks)) break;
    if (facts->kind != FileKind::symlink) {
      at = std::move(next);
      continue;
    }
    std::string_view target = *facts->link_target;
    if (target.starts_with('/')) {
      const auto inside = strip_root(target, info_->root_names);
      if (!inside) break;
      at = Path();
      target = *inside;
    }
    link = std::move(next);
    way.add(target);
  }
  return places;
}

void RealTargets::complete(const Call& call, const Path& link, FileStat& facts) const {
  if (facts.kind != FileKind::symlink || facts.target_is_directory) return;
  const auto target = resolver_->stat(call, link, FollowLeaf::yes);
  facts.target_is_directory = target && target->kind == FileKind::directory;
}

bool RealTargets::is_still(const Call& call, const Path& path, Leaf leaf, const Path& real) const {
  const auto now = real_name(call, path, leaf);
  // What was removed or moved has no better name than the one it had.
  return !now || *now == real;
}

Error RealTargets::keeps_changing() { return make_error(ErrorCode::conflict, "the links in this path keep changing"); }

}  // namespace berth
