#include "tools/make_directory.h"

#include <fmt/format.h>

#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools {

const Fields<MakeDirectoryRequest>& MakeDirectoryRequest::fields() {
  static const auto table = Fields<MakeDirectoryRequest>().bytes("path", &MakeDirectoryRequest::path,
                                                                 "The directory; missing parents are made", kRequired);
  return table;
}

const Fields<MakeDirectoryResponse>& MakeDirectoryResponse::fields() {
  static const auto table =
      Fields<MakeDirectoryResponse>()
          .bytes("path", &MakeDirectoryResponse::path, "")
          .field("created", &MakeDirectoryResponse::created, "False: a directory stood there already");
  return table;
}

Result<MakeDirectoryResponse> make_directory(const Call& call, ToolSession& session,
                                             const MakeDirectoryRequest& request) {
  BERTH_CHECK(session.permit(call, Operation::write, request.path));
  BERTH_TRY(const auto made, session.workspace().make_directory(call, request.path));
  return MakeDirectoryResponse{request.path, made.created};
}

std::string render(const MakeDirectoryResponse& response) {
  return response.created ? fmt::format("Made the directory {}", shown_name(response.path))
                          : fmt::format("The directory {} was there already", shown_name(response.path));
}

std::unique_ptr<Tool> make_directory_tool() {
  return make_tool<MakeDirectoryRequest, MakeDirectoryResponse>(
      {.name = "make_directory",
       .title = "Make a directory",
       .description = "Make a directory and its missing parents. write_file makes them by itself.",
       .annotations = {.idempotent = true},
       .needs = {.writes = true},
       .uses = {Operation::write}},
      make_directory, render);
}

}  // namespace berth::tools
