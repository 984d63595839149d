#include <algorithm>

#include <fmt/format.h>

#include "tools/harness/harness_internal.h"
#include "tools/make_tool.h"

namespace berth::tools::harness {
namespace {

constexpr std::int64_t kMostBytesOfACharacter = 4;

}  // namespace

Result<CheckCommandResponse> job_answer(const HarnessOptions& options, const Call& call, ToolSession& session,
                                        const JobId& id) {
  CheckCommandResponse answer;
  // The state first: of a command that has ended, all output is there.
  BERTH_TRY(answer.command, session.workspace().job(call, id));
  const auto most =
      std::clamp<std::int64_t>(options.max_output_chars, 16, limits::kJobJournal) * kMostBytesOfACharacter;
  BERTH_TRY(answer.out, job_text(call, session, id, JobStream::out, std::nullopt, most));
  BERTH_TRY(answer.err, job_text(call, session, id, JobStream::err, std::nullopt, most));
  return answer;
}

std::string job_end(const JobInfo& job) {
  if (!job.has_ended()) return "";
  if (const auto code = job.shell_status()) return fmt::format("[exit code: {}]", *code);
  return fmt::format("[how it ended is not known: {}]", job.reason);
}

ToolResult job_error(std::string_view id, const Error& error) {
  if (error.code != ErrorCode::not_found) return error_result(error);
  auto result = never_retried(error);
  result.text = fmt::format("[Error: unknown command ID '{}']", decode_utf8(id).text);
  return result;
}

}  // namespace berth::tools::harness
