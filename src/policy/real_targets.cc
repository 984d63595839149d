#include "policy/real_targets.h"

namespace berth {

RealTargets RealTargets::resolving(Backend& inner) noexcept {
  const auto link_free = inner.link_free();
  // Without a way to resolve nothing can be checked, so nothing is offered.
  if (inner.reads() == nullptr) return {Mode::resolving, false, nullptr, {}};
  if (link_free.reads == nullptr) {
    return {
        Mode::resolving, false, inner.reads(), {inner.reads(), inner.writes(), inner.search(), inner.transactions()}};
  }
  return {Mode::resolving, true, inner.reads(), link_free};
}

RealTargets RealTargets::resolved(Backend& inner) noexcept {
  if (inner.reads() == nullptr) return {Mode::resolved, true, nullptr, {}};
  return {Mode::resolved, true, inner.reads(), inner.link_free()};
}

Result<Path> RealTargets::real_name(const Call& call, const Path& path, Leaf leaf) const {
  if (mode_ == Mode::resolved || path.is_root()) return path;
  if (leaf == Leaf::followed) return resolver_->real_path(call, path);
  BERTH_TRY(const Path parent, resolver_->real_path(call, path.parent()));
  return parent.child(path.name());
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
