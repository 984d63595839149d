#include "tools/document_text.h"

#include <chrono>

namespace berth::tools {
namespace {

constexpr std::chrono::seconds kTime{30};
constexpr std::int64_t kTextBytes = 4 * 1024 * 1024;
constexpr int kNotFound = 127;

}  // namespace

Result<DocumentText> document_text(const Call& call, ToolSession& session, BytesView document) {
  if (!session.workspace().capabilities().run_commands) {
    return DocumentText{.why_not = "this workspace runs no commands, and so no pdftotext"};
  }
  CommandSpec spec;
  spec.argv = {"pdftotext", "-q", "-enc", "UTF-8", "-", "-"};
  spec.stdin_bytes = Bytes(document);
  spec.timeout = kTime;
  spec.output = {.kind = OutputPolicy::Kind::stop_at, .limit = kTextBytes, .kept = kTextBytes};
  BERTH_TRY(auto outcome, session.workspace().run(call, spec));
  BERTH_CHECK(call.check());
  const bool is_long = outcome.kind == CommandOutcome::Kind::output_limited;
  if (is_long || (outcome.kind == CommandOutcome::Kind::exited && outcome.exit_code == 0)) {
    return DocumentText{.text = std::move(outcome.out.head), .truncated = is_long};
  }
  if (outcome.kind == CommandOutcome::Kind::exited && outcome.exit_code == kNotFound) {
    return DocumentText{.why_not = "pdftotext is not installed in the workspace"};
  }
  if (outcome.kind == CommandOutcome::Kind::timed_out) return DocumentText{.why_not = "pdftotext took too long"};
  return DocumentText{.why_not = "pdftotext cannot read it"};
}

}  // namespace berth::tools
