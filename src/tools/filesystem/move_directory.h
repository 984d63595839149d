#pragma once

#include "tools/tool_session.h"

namespace berth::tools::filesystem {

struct MovedDirectory {
  std::int64_t files = 0;
  std::int64_t directories = 0;  ///< the moved one included

  bool operator==(const MovedDirectory&) const = default;
};

/// Move a directory with all that it holds to a path where nothing stands, its files all or none (C-WRITE-11); another
/// process sees them move one after the other. A file that changed since the conversation read it: `revision_mismatch`,
/// and nothing is moved. Errors besides: `too_large` for more than `limits::kPatchFiles` files, `not_regular` for a
/// link or special file in it, `invalid_argument` for a destination inside it, `unsupported` where there are no
/// transactions, those of `FileTransactions::apply`.
Result<MovedDirectory> move_directory(const Call& call, ToolSession& session, const Path& from, const Path& to);

}  // namespace berth::tools::filesystem
