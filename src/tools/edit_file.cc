#include "tools/edit_file.h"

#include <numeric>

#include <fmt/format.h>

#include "tools/make_tool.h"
#include "tools/staleness.h"
#include "tools/text.h"

namespace berth::tools {
namespace {

constexpr std::int64_t kMostEdits = 100;
constexpr std::string_view kExpectedRevision = "Only when the file still has this revision";

// The arguments of `edit_file`.
struct OneEdit {
  Bytes path;
  TextEdit edit;
  std::optional<Revision> expected_revision;

  static const Fields<OneEdit>& fields() {
    static const auto table = Fields<OneEdit>()
                                  .bytes("path", &OneEdit::path, "The file", kRequired)
                                  .inlined(&OneEdit::edit)
                                  .field("expected_revision", &OneEdit::expected_revision, kExpectedRevision);
    return table;
  }
};

Result<EditFileResponse> perform(const Call& call, ToolSession& session, const EditFileRequest& request,
                                 ProgressSink*) {
  return edit_file(call, session, request);
}

}  // namespace

const Fields<TextEdit>& TextEdit::fields() {
  static const auto table =
      Fields<TextEdit>()
          .bytes("old", &TextEdit::old_text, "The text to replace, exactly as it stands in the file", kRequired)
          .bytes("new", &TextEdit::new_text, "The text to put in its place; empty removes it", kRequired)
          .field("count", &TextEdit::count, "How often `old` must stand in the file", {.minimum = 1})
          .field("all", &TextEdit::all, "Replace every match, however many");
  return table;
}

const Fields<EditFileRequest>& EditFileRequest::fields() {
  static const auto table = Fields<EditFileRequest>()
                                .bytes("path", &EditFileRequest::path, "The file", kRequired)
                                .field("edits", &EditFileRequest::edits,
                                       "All are matched against the file as it is now; they must not overlap",
                                       {.need = Rule::Need::required, .minimum = 1, .maximum = kMostEdits})
                                .field("expected_revision", &EditFileRequest::expected_revision, kExpectedRevision);
  return table;
}

const Fields<EditFileResponse>& EditFileResponse::fields() {
  static const auto table = Fields<EditFileResponse>()
                                .bytes("path", &EditFileResponse::path, "")
                                .field("counts", &EditFileResponse::counts, "Replacements by each edit")
                                .field("previous_revision", &EditFileResponse::previous_revision, "")
                                .field("revision", &EditFileResponse::revision, "Of the new content")
                                .bytes("diff", &EditFileResponse::diff, "Unified")
                                .field("diff_truncated", &EditFileResponse::diff_truncated, "");
  return table;
}

Result<EditFileResponse> edit_file(const Call& call, ToolSession& session, const EditFileRequest& request) {
  BERTH_CHECK(session.permit(call, Operation::edit, request.path));
  return permitted_edit_file(call, session, request);
}

Result<EditFileResponse> permitted_edit_file(const Call& call, ToolSession& session, const EditFileRequest& request) {
  BERTH_TRY(const auto expected, expected_of(call, session, request.path, request.expected_revision));
  std::vector<Edit> edits;
  for (const auto& one : request.edits) {
    edits.push_back({.old_text = one.old_text,
                     .new_text = one.new_text,
                     .count = one.all ? Edit::Count::all : Edit::Count::exactly,
                     .expected_count = one.count});
  }
  auto edited = session.workspace().edit(call, request.path, edits, {.expected_revision = expected.revision});
  if (!edited) return explain_stale(std::move(edited).error(), expected);
  session.reads().saw(expected.real_path, edited->revision);
  return EditFileResponse{.path = request.path,
                          .counts = edited->counts,
                          .previous_revision = edited->previous_revision,
                          .revision = edited->revision,
                          .diff = edited->diff.text,
                          .diff_truncated = edited->diff.truncated};
}

std::string render(const EditFileResponse& response) {
  const auto total = std::accumulate(response.counts.begin(), response.counts.end(), std::int64_t{0});
  return fmt::format("Edited {} ({})\n{}", shown_name(response.path), counted(total, "replacement"),
                     diff_text(response.diff, response.diff_truncated));
}

std::unique_ptr<Tool> edit_file_tool() {
  return make_tool<OneEdit, EditFileRequest, EditFileResponse>(
      {.info = {.name = "edit_file",
                .title = "Edit a file",
                .description = "Replace text in a file; answers with the diff. `old` must match exactly, white space "
                               "included, and only once unless `count` or `all` says otherwise: add lines around it "
                               "until it is unique. A file that changed since you read it is not edited.",
                .annotations = {.destructive = true},
                .needs = {.reads = true, .writes = true},
                .uses = {Operation::edit}},
       .to_request = [](const OneEdit& one) -> Result<EditFileRequest> {
         return EditFileRequest{one.path, {one.edit}, one.expected_revision};
       },
       .operation = perform,
       .render = [](const OneEdit&, const EditFileResponse& response) { return render(response); },
       .render_error = nullptr});
}

std::unique_ptr<Tool> multi_edit_tool() {
  return make_tool<EditFileRequest, EditFileResponse>(
      {.name = "multi_edit",
       .title = "Edit several places of a file",
       .description =
           "Several edits of one file, all or none; answers with the diff. Each `old` is matched against the "
           "file as it is before any of them.",
       .annotations = {.destructive = true},
       .needs = {.reads = true, .writes = true},
       .uses = {Operation::edit}},
      edit_file, render);
}

}  // namespace berth::tools
