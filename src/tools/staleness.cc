#include "tools/staleness.h"

namespace berth::tools {

Error explain_stale(Error error, const Expected& expected) {
  if (error.code != ErrorCode::revision_mismatch || expected.source != Expected::Source::conversation) return error;
  error.message = "the file changed since you read it, and nothing was done";
  error.hint = "read it again, then repeat the change on what it holds now";
  return error;
}

Result<Path> ledger_key(const Call& call, ToolSession& session, PathArg path) {
  BERTH_TRY(const auto resolved, session.workspace().resolve(path));
  auto real = session.workspace().real_path(call, resolved.text());
  if (!real) real.error().path = path.text;
  return real;
}

Result<Expected> expected_of(const Call& call, ToolSession& session, PathArg path,
                             const std::optional<Revision>& from_caller) {
  Expected expected;
  BERTH_TRY(expected.real_path, ledger_key(call, session, path));
  if (from_caller) {
    expected.source = Expected::Source::caller;
    expected.revision = *from_caller;
    return expected;
  }
  const auto seen = session.reads().seen(expected.real_path);
  if (!seen) return expected;
  expected.source = Expected::Source::conversation;
  if (const auto* revision = std::get_if<Revision>(&*seen)) {
    expected.revision = *revision;
    return expected;
  }
  expected.token = std::get<ChangeToken>(*seen);
  const auto stat = session.workspace().stat(call, path);
  if (stat && stat->token != *expected.token) {
    return explain_stale(make_error(ErrorCode::revision_mismatch, "").at(path.text), expected);
  }
  return expected;
}

Result<Revision> revision_to_compare(const Call& call, ToolSession& session, PathArg path, const Expected& expected) {
  if (expected.revision) return *expected.revision;
  BERTH_TRY(const auto page, session.workspace().read(call, path));
  if (!page.revision) return make_error(ErrorCode::changed_during_read, "the file keeps changing").at(path.text);
  if (expected.token && page.token != *expected.token) {
    return explain_stale(make_error(ErrorCode::revision_mismatch, "").at(path.text), expected);
  }
  return *page.revision;
}

}  // namespace berth::tools
