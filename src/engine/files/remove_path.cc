#include "engine/files/remove_path.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "engine/files/preconditions.h"
#include "engine/files/remove_tree.h"
#include "engine/files/sync_directory.h"
#include "os/directory_lock.h"

namespace berth::engine {
namespace {

using Leaf = os::Root::Leaf;

Result<RemoveOutcome> removed(const FileEngine& engine, const Leaf& leaf) {
  if (engine.options.durability == Durability::durable) BERTH_CHECK(sync_directory(leaf.directory.get()));
  return RemoveOutcome{1};
}

Result<RemoveOutcome> remove_present_file(const Call& call, const FileEngine& engine, const Leaf& leaf) {
  {
    BERTH_TRY(const auto lock, os::DirectoryLock::take(call, leaf.directory.get()));
    if (unlinkat(leaf.directory.get(), leaf.name.c_str(), 0) != 0) {
      if (errno == ENOENT) return RemoveOutcome{0};
      if (errno == EISDIR) return make_error(ErrorCode::is_a_directory, "this is a directory");
      return errno_error(errno, "remove the file");
    }
  }
  return removed(engine, leaf);
}

Result<RemoveOutcome> remove_compared_file(const Call& call, FileEngine& engine, const Leaf& leaf,
                                           const Preconditions& wanted) {
  const int directory = leaf.directory.get();
  BERTH_TRY(auto compared, ComparedFile::compare(call, engine.revisions, directory, leaf.name, wanted));
  {
    BERTH_TRY(const auto lock, os::DirectoryLock::take(call, directory));
    BERTH_CHECK(compared.confirm(call, engine.revisions, directory, leaf.name, wanted));
    if (unlinkat(directory, leaf.name.c_str(), 0) != 0) return errno_error(errno, "remove the file");
  }
  return removed(engine, leaf);
}

}  // namespace

Result<RemoveOutcome> remove_path(const Call& call, FileEngine& engine, const Path& path, const RemoveSpec& spec) {
  BERTH_CHECK(call.check());
  if (path.is_root()) return make_error(ErrorCode::invalid_argument, "the root of the workspace cannot be removed");
  Preconditions wanted{{}, spec.expected_git_mode, spec.expected_token};
  if (spec.what == RemoveSpec::What::file_if_revision) wanted.revision = spec.expected_revision;
  if (spec.what == RemoveSpec::What::tree && wanted.any()) {
    return make_error(ErrorCode::invalid_argument, "a tree can have no expected mode or token");
  }

  const auto leaf = engine.root->parent_of(call, path, os::Root::Parents::must_exist);
  const bool missing_is_fine = spec.what == RemoveSpec::What::file_if_present;
  if (!leaf) {
    if (missing_is_fine && leaf.error().code == ErrorCode::not_found) return RemoveOutcome{0};
    return leaf.error();
  }
  if (spec.what == RemoveSpec::What::tree) return remove_tree(call, engine, *leaf);
  if (!wanted.any()) return remove_present_file(call, engine, *leaf);
  auto outcome = remove_compared_file(call, engine, *leaf, wanted);
  if (!outcome && missing_is_fine && outcome.error().code == ErrorCode::not_found) return RemoveOutcome{0};
  return outcome;
}

}  // namespace berth::engine
