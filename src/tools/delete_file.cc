#include "tools/delete_file.h"

#include <fmt/format.h>

#include "tools/make_tool.h"
#include "tools/staleness.h"
#include "tools/text.h"
#include "tools/value_fields.h"

namespace berth::tools {
namespace {

Result<RemoveOutcome> remove_as_expected(const Call& call, ToolSession& session, const DeleteFileRequest& request,
                                         const Expected& expected) {
  if (expected.source == Expected::Source::nothing) return session.workspace().delete_file(call, request.path);
  BERTH_TRY(const auto revision, revision_to_compare(call, session, request.path, expected));
  return session.workspace().delete_if(call, request.path, revision);
}

}  // namespace

const Fields<DeleteFileRequest>& DeleteFileRequest::fields() {
  static const auto table = Fields<DeleteFileRequest>()
                                .bytes("path", &DeleteFileRequest::path, "The file", kRequired)
                                .field("expected_revision", &DeleteFileRequest::expected_revision,
                                       "Only when the file still has this revision");
  return table;
}

const Fields<DeleteFileResponse>& DeleteFileResponse::fields() {
  static const auto table = Fields<DeleteFileResponse>()
                                .bytes("path", &DeleteFileResponse::path, "")
                                .field("kind", &DeleteFileResponse::kind, "Of what stood there");
  return table;
}

Result<DeleteFileResponse> delete_file(const Call& call, ToolSession& session, const DeleteFileRequest& request) {
  const Intent removal{.operation = Operation::write, .path = request.path, .leaf = Leaf::itself};
  BERTH_CHECK(session.permit(call, std::span(&removal, 1)));
  auto& workspace = session.workspace();
  BERTH_TRY(const auto stat, workspace.stat(call, request.path, FollowLeaf::no));
  const DeleteFileResponse response{request.path, stat.kind};
  if (stat.kind == FileKind::directory) {
    auto error = make_error(ErrorCode::is_a_directory, "the path names a directory").at(request.path);
    error.hint = "this tool removes one file at a time";
    return error;
  }
  // A link goes itself, and the file that it leads to is not touched: what was read there does not matter.
  if (stat.kind != FileKind::file && !request.expected_revision) {
    BERTH_CHECK(workspace.delete_file(call, request.path));
    return response;
  }
  BERTH_TRY(const auto expected, expected_of(call, session, request.path, request.expected_revision));
  auto removed = remove_as_expected(call, session, request, expected);
  if (!removed) return explain_stale(std::move(removed).error(), expected);
  session.reads().forget(expected.real_path);
  return response;
}

std::string render(const DeleteFileResponse& response) {
  return fmt::format("Deleted {}{}", response.kind == FileKind::symlink ? "the link " : "", shown_name(response.path));
}

std::unique_ptr<Tool> delete_file_tool() {
  return make_tool<DeleteFileRequest, DeleteFileResponse>(
      {.name = "delete_file",
       .title = "Delete a file",
       .description =
           "Remove one file, or a link itself. Directories are not removed. A file that changed since you read "
           "it is kept.",
       .annotations = {.destructive = true},
       .needs = {.reads = true, .writes = true},
       .uses = {Operation::write}},
      delete_file, render);
}

}  // namespace berth::tools
