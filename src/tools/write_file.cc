#include "tools/write_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/lines.h"
#include "tools/make_tool.h"
#include "tools/staleness.h"
#include "tools/text.h"

namespace berth::tools {
namespace {

Result<WriteOutcome> write_as_expected(const Call& call, Workspace& workspace, const WriteFileRequest& request,
                                       const Expected& expected) {
  WriteOptions options;
  if (request.executable) options.git_mode = *request.executable ? GitMode::executable : GitMode::regular;
  if (request.if_exists == WriteFileRequest::IfExists::refuse) {
    return workspace.create(call, request.path, request.content, options);
  }
  if (expected.revision) {
    auto replaced = workspace.replace(call, request.path, request.content, *expected.revision, options);
    // What the conversation read is gone: nothing can be lost by making it anew.
    if (replaced || replaced.error().code != ErrorCode::not_found || expected.source == Expected::Source::caller) {
      return replaced;
    }
    return workspace.create(call, request.path, request.content, options);
  }
  if (expected.token) {
    BERTH_TRY(const bool exists, workspace.exists(call, request.path));
    if (exists) options.expected_token = expected.token;
  }
  return workspace.write(call, request.path, request.content, options);
}

}  // namespace

std::span<const EnumName<WriteFileRequest::IfExists>> enum_names(WriteFileRequest::IfExists) {
  using enum WriteFileRequest::IfExists;
  static constexpr EnumName<WriteFileRequest::IfExists> kNames[] = {{overwrite, "overwrite"}, {refuse, "refuse"}};
  return kNames;
}

const Fields<WriteFileRequest>& WriteFileRequest::fields() {
  static const auto table =
      Fields<WriteFileRequest>()
          .bytes("path", &WriteFileRequest::path, "The file; missing directories are made", kRequired)
          .bytes("content", &WriteFileRequest::content, "Everything that the file shall hold", kRequired)
          .field("if_exists", &WriteFileRequest::if_exists, "What to do when something stands there")
          .field("expected_revision", &WriteFileRequest::expected_revision,
                 "Overwrite only what still has this revision")
          .field("executable", &WriteFileRequest::executable, "Set mode 0755 or 0644; absent: keep the mode");
  return table;
}

const Fields<WriteFileResponse>& WriteFileResponse::fields() {
  static const auto table =
      Fields<WriteFileResponse>()
          .bytes("path", &WriteFileResponse::path, "")
          .field("created", &WriteFileResponse::created, "Nothing stood there before")
          .field("bytes", &WriteFileResponse::bytes, "")
          .field("lines", &WriteFileResponse::lines, "")
          .field("revision", &WriteFileResponse::revision, "Of the new content")
          .field("previous_revision", &WriteFileResponse::previous_revision, "Where it was compared")
          .field("token", &WriteFileResponse::token, "Changes with any write, chmod or replacement");
  return table;
}

Result<WriteFileResponse> write_file(const Call& call, ToolSession& session, const WriteFileRequest& request) {
  if (request.expected_revision && request.if_exists == WriteFileRequest::IfExists::refuse) {
    return make_error(ErrorCode::invalid_argument,
                      "`expected_revision` means a file that exists, so `if_exists` "
                      "cannot be `refuse`")
        .with("argument", "expected_revision");
  }
  BERTH_CHECK(session.permit(call, Operation::write, request.path));
  return permitted_write_file(call, session, request);
}

Result<WriteFileResponse> permitted_write_file(const Call& call, ToolSession& session,
                                               const WriteFileRequest& request) {
  auto& workspace = session.workspace();
  BERTH_TRY(const auto expected, expected_of(call, session, request.path, request.expected_revision));
  auto written = write_as_expected(call, workspace, request, expected);
  if (!written) return explain_stale(std::move(written).error(), expected);
  session.reads().saw(expected.real_path, written->revision);
  return WriteFileResponse{.path = request.path,
                           .created = written->created,
                           .bytes = written->bytes,
                           .lines = count_lines(request.content),
                           .revision = written->revision,
                           .previous_revision = written->previous_revision,
                           .token = written->token};
}

std::string render(const WriteFileResponse& response) {
  return fmt::format("{} {} ({}, {})", response.created ? "Created" : "Wrote", shown_name(response.path),
                     counted(response.lines, "line"), counted(response.bytes, "byte"));
}

std::unique_ptr<Tool> write_file_tool() {
  return make_tool<WriteFileRequest, WriteFileResponse>(
      {.name = "write_file",
       .title = "Write a file",
       .description =
           "Make a file, or replace all that it holds. To change a part of a file, use edit_file. A file that "
           "changed since you read it is not overwritten: read it again first.",
       .annotations = {.destructive = true, .idempotent = true},
       .needs = {.reads = true, .writes = true},
       .uses = {Operation::write}},
      write_file, render);
}

}  // namespace berth::tools
