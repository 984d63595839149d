#include "tools/move_file.h"

#include <array>

#include <fmt/format.h>

#include "tools/make_tool.h"
#include "tools/staleness.h"
#include "tools/text.h"
#include "tools/value_fields.h"

namespace berth::tools {

const Fields<MoveFileRequest>& MoveFileRequest::fields() {
  static const auto table =
      Fields<MoveFileRequest>()
          .bytes("from", &MoveFileRequest::from, "The file", kRequired)
          .bytes("to", &MoveFileRequest::to, "Its new path; missing directories are made", kRequired)
          .field("expected_revision", &MoveFileRequest::expected_revision,
                 "Only when the file still has this revision");
  return table;
}

const Fields<MoveFileResponse>& MoveFileResponse::fields() {
  static const auto table =
      Fields<MoveFileResponse>()
          .bytes("from", &MoveFileResponse::from, "")
          .bytes("to", &MoveFileResponse::to, "")
          .field("fidelity", &MoveFileResponse::fidelity, "Whether an observer could see both names for a moment")
          .field("revision", &MoveFileResponse::revision, "");
  return table;
}

Result<MoveFileResponse> move_file(const Call& call, ToolSession& session, const MoveFileRequest& request) {
  const std::array ends{Intent{.operation = Operation::write, .path = request.from, .leaf = Leaf::itself},
                        Intent{.operation = Operation::write, .path = request.to, .leaf = Leaf::itself}};
  BERTH_CHECK(session.permit(call, ends));
  auto& workspace = session.workspace();
  BERTH_TRY(const auto expected, expected_of(call, session, request.from, request.expected_revision));
  BERTH_TRY(const auto revision, revision_to_compare(call, session, request.from, expected));
  auto moved = workspace.move_if(call, request.from, request.to, revision);
  if (!moved) return explain_stale(std::move(moved).error(), expected);
  session.reads().forget(expected.real_path);
  // Only a file that the conversation had seen is one it has seen under its new name.
  if (expected.source != Expected::Source::nothing) {
    if (const auto real = ledger_key(call, session, request.to)) session.reads().saw(*real, moved->revision);
  }
  return MoveFileResponse{request.from, request.to, moved->fidelity, moved->revision};
}

std::string render(const MoveFileResponse& response) {
  return fmt::format("Moved {} to {}", shown_name(response.from), shown_name(response.to));
}

std::unique_ptr<Tool> move_file_tool() {
  return make_tool<MoveFileRequest, MoveFileResponse>(
      {.name = "move_file",
       .title = "Move or rename a file",
       .description = "Move one file to a new path, where nothing may stand yet. A file that changed since you read it "
                      "stays where it is.",
       .annotations = {.destructive = true},
       .needs = {.reads = true, .writes = true},
       .uses = {Operation::write}},
      move_file, render);
}

}  // namespace berth::tools
