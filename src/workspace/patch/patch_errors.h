#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace berth {

/// Why a patch is refused: the field `reason` of `patch_rejected`. The list is closed, and documented in
/// docs/contract/patching.md with what git does in the same place.
enum class PatchReason : std::uint8_t {
  malformed,         ///< not a patch, or a line that cannot stand where it stands
  wrong_counts,      ///< a hunk has more or fewer lines than its header says
  no_prefix,         ///< a name without `a/` or `b/` before it, which may be meant with or without its first directory
  names_differ,      ///< the two names of one file are different and it is not a rename
  bad_name,          ///< a quoted name that cannot be decoded, or a name that is no path
  escapes,           ///< a path that is absolute or leaves the workspace
  git_directory,     ///< a path inside `.git`
  symlink,           ///< mode 120000
  submodule,         ///< mode 160000
  bad_mode,          ///< any mode but 100644 and 100755
  binary,            ///< a binary hunk
  duplicate_target,  ///< two parts of the patch mean one file
  no_context,        ///< a hunk without a line that must match
  not_found,         ///< the lines of a hunk stand nowhere in the file
  ambiguous_place,   ///< they stand at several places, and not at the stated line
  already_applied,   ///< the new lines of the hunk are in the file, the old ones are not
  missing_file,      ///< there is no file to change
  file_exists,       ///< something stands where a file is to be made
  not_a_file,        ///< a directory or a special file stands where a file is to be changed
  in_the_way,        ///< a file stands where a directory is needed, or a directory where a file is
  beyond_link,       ///< a link stands in the path
  file_remains,      ///< the file that is to be deleted holds more than the patch takes away
  too_large          ///< more than can be read
};

std::string_view to_string(PatchReason reason) noexcept;

/// A refusal. `message` follows the rules of `Error::message`.
Error patch_rejected(PatchReason reason, std::string message);

/// A refusal of a line of the patch itself: the field `patch_line` counts from 1.
Error patch_rejected_at(PatchReason reason, std::string message, std::size_t line_index);

}  // namespace berth
