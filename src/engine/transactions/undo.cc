#include "engine/transactions/undo.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "engine/files/rename.h"
#include "engine/files/temp_sweep.h"

namespace berth::engine {
namespace {

using Kind = JournalStep::Kind;

/// What stands at a name, not followed; nothing when nothing does.
std::optional<struct stat> look(int directory, const std::string& name) {
  struct stat st;
  if (fstatat(directory, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return st;
}

bool is_made(const std::optional<struct stat>& there, const JournalStep& step) {
  return there && there->st_dev == step.device && there->st_ino == step.inode;
}

/// Give a file its name back, unless something stands there.
Result<Undone> put_back(const os::Features& features, int from_directory, const std::string& from, int to_directory,
                        const std::string& to) {
  const int failure = rename_without_replacing(features, from_directory, from, to_directory, to);
  if (failure == 0) return Undone::yes;
  if (failure == EEXIST) return Undone::changed;
  if (failure != kCannotRenameWithoutReplacing) return errno_error(failure, "give the file its name back");
  if (linkat(from_directory, from.c_str(), to_directory, to.c_str(), 0) != 0) {
    if (errno == EEXIST) return Undone::changed;
    return errno_error(errno, "give the file its name back");
  }
  if (unlinkat(from_directory, from.c_str(), 0) != 0) return errno_error(errno, "give the file its name back");
  return Undone::yes;
}

}  // namespace

Result<Undone> undo_step(const Call& call, const os::Root& root, const JournalStep& step) {
  auto leaf = root.parent_of(call, step.path, os::Root::Parents::must_exist);
  if (!leaf && leaf.error().code == ErrorCode::not_found) {
    const bool made_there = step.kind == Kind::create || step.kind == Kind::directory;
    return made_there ? Undone::yes : Undone::changed;
  }
  if (!leaf) return std::move(leaf).error();
  const int directory = leaf->directory.get();
  const std::string& name = leaf->name;
  const auto there = look(directory, name);
  const auto& features = root.options().features;
  switch (step.kind) {
    case Kind::create:
      // What somebody else has put there is not of this step.
      if (!is_made(there, step)) return Undone::yes;
      if (unlinkat(directory, name.c_str(), 0) != 0) return errno_error(errno, "remove the new file");
      return Undone::yes;
    case Kind::directory:
      if (!there) return Undone::yes;
      if (unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0) return Undone::yes;
      return Undone::changed;
    case Kind::replace: {
      const auto kept = look(directory, step.kept);
      // Not begun, or undone already.
      if (!kept) return is_made(there, step) ? Undone::changed : Undone::yes;
      if (is_made(there, step)) {
        if (renameat(directory, step.kept.c_str(), directory, name.c_str()) == 0) return Undone::yes;
        return errno_error(errno, "give the old file its name back");
      }
      const bool untouched = there && there->st_dev == kept->st_dev && there->st_ino == kept->st_ino;
      unlinkat(directory, step.kept.c_str(), 0);
      return untouched ? Undone::yes : Undone::changed;
    }
    case Kind::remove: {
      if (!look(directory, step.kept)) return there ? Undone::yes : Undone::changed;
      auto undone = put_back(features, directory, step.kept, directory, name);
      if (undone && *undone == Undone::changed) unlinkat(directory, step.kept.c_str(), 0);
      return undone;
    }
    case Kind::move: {
      auto target = root.parent_of(call, step.to, os::Root::Parents::must_exist);
      if (!target && target.error().code == ErrorCode::not_found) return there ? Undone::yes : Undone::changed;
      if (!target) return std::move(target).error();
      const auto moved = look(target->directory.get(), target->name);
      if (!is_made(moved, step)) return is_made(there, step) ? Undone::yes : Undone::changed;
      if (is_made(there, step)) {
        // Linked at both places: the first half of a move without renameat2.
        if (unlinkat(target->directory.get(), target->name.c_str(), 0) == 0) return Undone::yes;
        return errno_error(errno, "remove the new name");
      }
      return put_back(features, target->directory.get(), target->name, directory, name);
    }
  }
  return Undone::changed;
}

void forget_step(const os::Root& root, const JournalStep& step) noexcept {
  if (step.kept.empty()) return;
  const auto leaf = root.parent_of({}, step.path, os::Root::Parents::must_exist);
  if (leaf) unlinkat(leaf->directory.get(), step.kept.c_str(), 0);
}

void unmake_directories(const os::Root& root, const std::vector<Path>& made) noexcept {
  for (auto path = made.rbegin(); path != made.rend(); ++path) {
    const auto leaf = root.parent_of({}, *path, os::Root::Parents::must_exist);
    if (!leaf) continue;
    const os::Fd made_directory(
        openat(leaf->directory.get(), leaf->name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (made_directory) TempSweep::sweep(made_directory.get());
    unlinkat(leaf->directory.get(), leaf->name.c_str(), AT_REMOVEDIR);
  }
}

}  // namespace berth::engine
