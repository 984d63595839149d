#pragma once

#include <sys/stat.h>

#include <string_view>

#include "base/call.h"
#include "contract/files.h"
#include "os/root.h"

namespace berth::engine {

/// fstat(2), without the detour over newfstatat that glibc takes: a read looks twice. Returns false and sets errno when
/// it fails.
bool look_at_open(int fd, struct stat& st) noexcept;

/// What struct stat says, in the contract's words (C-READ-7). Link targets are not in it: see `describe`.
FileKind kind_of(const struct stat& st) noexcept;
GitMode git_mode_of(const struct stat& st) noexcept;  ///< of a regular file: executable when its owner may execute it
FileStat file_stat_of(const struct stat& st);

/// The change token: device, inode, size, mode, mtime and ctime. Two stats of one untouched file give the same token
/// whichever call they come from.
ChangeToken change_token_of(const struct stat& st) noexcept;

/// Whether two stats are of one file that was not touched in between, as far as its timestamps can tell.
bool is_untouched(const struct stat& before, const struct stat& after) noexcept;

/// Whether two stats are of one file, touched or not.
bool is_same_file(const struct stat& a, const struct stat& b) noexcept;

/// "100644" or "100755".
std::string_view to_string(GitMode mode) noexcept;

/// Describe what stands at a path. `FollowLeaf::no` describes a link itself. Errors: as `Root::open_path`.
Result<FileStat> stat_path(const Call& call, const os::Root& root, const Path& path, FollowLeaf follow);

/// Describe one name in an open directory, not followed. `path` is the name's path in the workspace, for what a link
/// leads to. Errors: `not_found` when it vanished.
Result<FileStat> describe(const Call& call, const os::Root& root, int directory, const std::string& name,
                          const Path& path);

}  // namespace berth::engine
