#include "engine/files/move_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "engine/files/file_stat.h"
#include "engine/files/lock_pair.h"
#include "engine/files/new_parents.h"
#include "engine/files/preconditions.h"
#include "engine/files/rename.h"
#include "engine/files/sync_directory.h"

namespace berth::engine {
namespace {

using Fidelity = MoveOutcome::Fidelity;

constexpr int kAttempts = 64;

Error destination_exists() {
  return make_error(ErrorCode::already_exists, "something stands at the destination already")
      .with("destination", "true");
}

Error move_failed(int errno_value) {
  if (errno_value == EEXIST) return destination_exists();
  if (errno_value == EXDEV) {
    return make_error(ErrorCode::invalid_argument,
                      "the source and the destination are on different file systems, where a move is not one step");
  }
  return errno_error(errno_value, "move the file");
}

/// One name in an open directory.
struct Place {
  int directory;
  const std::string& name;

  bool holds(const struct stat& file) const noexcept {
    struct stat st;
    return fstatat(directory, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0 && is_same_file(st, file);
  }
};

class Move {
 public:
  Move(const os::Features& features, Place from, Place to, const struct stat& file)
      : features_(features), from_(from), to_(to), file_(file) {}

  Result<Fidelity> run() {
    const int failure = rename_without_replacing(features_, from_.directory, from_.name, to_.directory, to_.name);
    if (failure == kCannotRenameWithoutReplacing) return link_and_unlink();
    if (failure != 0) return move_failed(failure);
    if (to_.holds(file_)) return Fidelity::atomic_rename;
    if (rename_without_replacing(features_, to_.directory, to_.name, from_.directory, from_.name) == 0)
      return swapped();
    return ambiguous("another process changed the source or the destination during the move");
  }

 private:
  Result<Fidelity> link_and_unlink() {
    if (linkat(from_.directory, from_.name.c_str(), to_.directory, to_.name.c_str(), 0) != 0) return move_failed(errno);
    if (!to_.holds(file_) || !from_.holds(file_)) {
      if (unlinkat(to_.directory, to_.name.c_str(), 0) == 0) return swapped();
      return ambiguous("the file may stand at both places");
    }
    if (unlinkat(from_.directory, from_.name.c_str(), 0) == 0) return Fidelity::link_unlink;
    const int failure = errno;
    if (unlinkat(to_.directory, to_.name.c_str(), 0) == 0) return move_failed(failure);
    return ambiguous("the file stands at both places");
  }

  static Error swapped() {
    return make_error(ErrorCode::revision_mismatch, "another process replaced the file during the move");
  }

  static Error ambiguous(std::string state) {
    return make_error(ErrorCode::ambiguous, "the outcome of the move cannot be proven").with("state", std::move(state));
  }

  const os::Features& features_;
  Place from_;
  Place to_;
  const struct stat& file_;
};

/// Refuse a destination where something stands.
Result<void> require_free(const os::Root::Leaf& to, const struct stat& source) {
  struct stat st;
  if (fstatat(to.directory.get(), to.name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    return errno_error(errno, "look at the destination");
  }
  if (is_same_file(st, source)) {
    return make_error(ErrorCode::invalid_argument, "the source and the destination are one file");
  }
  return destination_exists();
}

/// Nothing when the destination's parent was removed meanwhile.
Result<std::optional<MoveOutcome>> try_move(const Call& call, FileEngine& engine, const Path& from, const Path& to,
                                            const Preconditions& wanted) {
  BERTH_TRY(const os::Root::Leaf source, engine.root->parent_of(call, from, os::Root::Parents::must_exist));
  BERTH_TRY(auto compared, ComparedFile::compare(call, engine.revisions, source.directory.get(), source.name, wanted));
  if (to.is_root()) return destination_exists();
  BERTH_TRY(NewParents parents, NewParents::resolve(call, *engine.root, to, LeafLinks::keep, os::Root::Parents::make));
  const os::Root::Leaf& target = parents.leaf();
  BERTH_CHECK(require_free(target, compared.stat()));

  MoveOutcome outcome;
  {
    BERTH_TRY(const auto locks, lock_pair(call, source.directory.get(), target.directory.get()));
    BERTH_CHECK(compared.confirm(call, engine.revisions, source.directory.get(), source.name, wanted));
    auto moved = Move(engine.root->options().features, {source.directory.get(), source.name},
                      {target.directory.get(), target.name}, compared.stat())
                     .run();
    if (!moved && moved.error().code == ErrorCode::not_found) return std::optional<MoveOutcome>();
    BERTH_TRY(outcome.fidelity, std::move(moved));
  }
  parents.keep();
  outcome.revision = *compared.revision();
  if (engine.options.durability == Durability::durable) {
    BERTH_CHECK(sync_parents(call, *engine.root, parents));
    BERTH_CHECK(sync_directory(source.directory.get()));
  }
  return std::optional(std::move(outcome));
}

}  // namespace

Result<MoveOutcome> move_file(const Call& call, FileEngine& engine, const Path& from, const Path& to,
                              const MoveSpec& spec) {
  if (from.is_root()) return make_error(ErrorCode::is_a_directory, "this is a directory");
  const Preconditions wanted{spec.expected_revision, spec.expected_git_mode, spec.expected_token};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    BERTH_CHECK(call.check());
    BERTH_TRY(auto outcome, try_move(call, engine, from, to, wanted));
    if (outcome) return std::move(*outcome);
  }
  return make_error(ErrorCode::conflict, "the destination's parent kept vanishing during the move");
}

}  // namespace berth::engine
