#include "engine/files/make_directory.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "engine/files/new_parents.h"
#include "engine/files/sync_directory.h"

namespace berth::engine {
namespace {

constexpr int kAttempts = 64;

/// Whether an error says more about what stands there than that it is no directory.
bool is_telling(ErrorCode code) noexcept { return code != ErrorCode::not_found && code != ErrorCode::not_a_directory; }

/// Nothing when what stands there changed meanwhile.
Result<std::optional<MakeDirectoryOutcome>> try_make(const Call& call, const FileEngine& engine, const Path& path) {
  const auto there = engine.root->open_path(call, path, O_PATH | O_DIRECTORY);
  if (there) return std::optional(MakeDirectoryOutcome{false});
  if (is_telling(there.error().code)) return there.error();

  BERTH_TRY(NewParents parents,
            NewParents::resolve(call, *engine.root, path, LeafLinks::keep, os::Root::Parents::make));
  const int directory = parents.leaf().directory.get();
  const char* const name = parents.leaf().name.c_str();
  if (mkdirat(directory, name, 0777) == 0) {
    parents.keep();
    if (engine.options.durability == Durability::durable) BERTH_CHECK(sync_parents(call, *engine.root, parents));
    return std::optional(MakeDirectoryOutcome{true});
  }
  if (errno == ENOENT) return std::optional<MakeDirectoryOutcome>();
  if (errno != EEXIST) return errno_error(errno, "make the directory");
  struct stat st;
  const bool settled = fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(st.st_mode);
  if (!settled) return std::optional<MakeDirectoryOutcome>();
  return make_error(ErrorCode::already_exists, "something that is not a directory stands there already");
}

}  // namespace

Result<MakeDirectoryOutcome> make_directory(const Call& call, FileEngine& engine, const Path& path) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    BERTH_CHECK(call.check());
    BERTH_TRY(const auto outcome, try_make(call, engine, path));
    if (outcome) return *outcome;
  }
  return make_error(ErrorCode::conflict, "what stands there kept changing while the directory was made");
}

}  // namespace berth::engine
