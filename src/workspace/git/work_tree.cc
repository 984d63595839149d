#include "workspace/git/work_tree.h"

#include <utility>

namespace berth::git {
namespace {

constexpr std::uint32_t kRegular = 0100644;
constexpr std::uint32_t kExecutable = 0100755;
constexpr std::uint32_t kLink = 0120000;

// Absent in the eyes of git: a parent that is missing, a file or a link.
bool means_absent(ErrorCode code) { return code == ErrorCode::not_found || code == ErrorCode::not_a_directory; }

bool means_withheld(ErrorCode code) { return code == ErrorCode::policy_denied || code == ErrorCode::approval_required; }

// What ends the call rather than the look at one path.
bool ends_the_call(ErrorCode code) {
  return code == ErrorCode::timed_out || code == ErrorCode::cancelled || code == ErrorCode::environment_gone ||
         code == ErrorCode::unavailable || code == ErrorCode::unsupported || code == ErrorCode::protocol;
}

}  // namespace

Result<bool> WorkTree::is_real_directory(const Call& call, const Path& path) {
  if (path.is_root()) return true;
  if (const auto known = directories_.find(path); known != directories_.end()) return known->second;
  BERTH_TRY(const bool parent, is_real_directory(call, path.parent()));
  bool real = false;
  if (parent) {
    const auto facts = workspace_.stat(call, path.text(), FollowLeaf::no);
    if (!facts && ends_the_call(facts.error().code)) return facts.error();
    // A directory that may not be described is left to the look at what is in it.
    real = facts ? facts->kind == FileKind::directory : !means_absent(facts.error().code);
  }
  directories_.emplace(path, real);
  return real;
}

Result<Found> WorkTree::look(const Call& call, const Path& path) {
  Found found;
  BERTH_TRY(const bool parent, is_real_directory(call, path.parent()));
  if (!parent) return found;
  auto facts = workspace_.stat(call, path.text(), FollowLeaf::no);
  if (!facts) {
    const auto code = facts.error().code;
    if (ends_the_call(code)) return std::move(facts).error();
    if (means_absent(code)) return found;
    found.kind = Found::Kind::hidden;
    found.why = means_withheld(code) ? NotShown::Why::withheld : NotShown::Why::unreadable;
    return found;
  }
  found.token = std::move(facts->token);
  switch (facts->kind) {
    case FileKind::directory: found.kind = Found::Kind::directory; break;
    case FileKind::other:
      found.kind = Found::Kind::nothing;
      found.why = NotShown::Why::special_file;
      break;
    case FileKind::symlink:
      found.kind = Found::Kind::link;
      found.mode = kLink;
      found.content = facts->link_target.value_or("");
      break;
    case FileKind::file:
      found.kind = Found::Kind::file;
      found.mode = facts->git_mode == GitMode::executable ? kExecutable : kRegular;
      break;
  }
  return found;
}

Result<Found> WorkTree::read(const Call& call, const Path& path, std::int64_t max_bytes) {
  BERTH_TRY(Found found, look(call, path));
  if (found.kind != Found::Kind::file) return found;
  if (max_bytes <= 0) {
    found.why = NotShown::Why::too_large;
    return found;
  }
  auto page = workspace_.read(call, path.text(), {.max_bytes = max_bytes, .want_revision = WantRevision::no});
  if (!page) {
    const auto code = page.error().code;
    if (ends_the_call(code)) return std::move(page).error();
    if (means_absent(code)) return Found{};
    if (means_withheld(code)) found.kind = Found::Kind::hidden;
    found.why = means_withheld(code)             ? NotShown::Why::withheld
                : code == ErrorCode::too_large   ? NotShown::Why::too_large
                : code == ErrorCode::not_regular ? NotShown::Why::special_file
                                                 : NotShown::Why::unreadable;
    return found;
  }
  if (page->truncated) {
    found.why = NotShown::Why::too_large;
    return found;
  }
  found.content = std::move(page->content);
  found.token = std::move(page->token);
  if (page->git_mode) found.mode = *page->git_mode == GitMode::executable ? kExecutable : kRegular;
  return found;
}

}  // namespace berth::git
