#pragma once

#include <optional>

#include "tools/tool_session.h"

/// A change is made on what the conversation knows: a file that changed since it was read is not changed blindly.
namespace berth::tools {

/// What a change may expect of a file.
struct Expected {
  enum class Source { nothing, caller, conversation };

  Path real_path;  ///< its key in the ledger
  Source source = Source::nothing;
  std::optional<Revision> revision;
  std::optional<ChangeToken> token;  ///< known instead when the conversation read a part of the file only
};

/// The name that the ledger knows a file by. `..` is collapsed as in every path argument; links are resolved.
Result<Path> ledger_key(const Call& call, ToolSession& session, PathArg path);

/// What is expected of the file at a path: the revision that the caller names, or else what the conversation saw last.
/// With a token, the file is looked at now: a change is `revision_mismatch`.
Result<Expected> expected_of(const Call& call, ToolSession& session, PathArg path,
                             const std::optional<Revision>& from_caller);

/// The revision that a removal or a move compares with: the expected one, or else that of the file as it is now, read
/// whole. A file whose token is not the expected one is `revision_mismatch`.
Result<Revision> revision_to_compare(const Call& call, ToolSession& session, PathArg path, const Expected& expected);

/// Say `revision_mismatch` in terms of the conversation, when that is where the expectation came from.
Error explain_stale(Error error, const Expected& expected);

}  // namespace berth::tools
