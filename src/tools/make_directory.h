#pragma once

#include <memory>
#include <string>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct MakeDirectoryRequest {
  Bytes path;

  static const Fields<MakeDirectoryRequest>& fields();
};

struct MakeDirectoryResponse {
  Bytes path;
  bool created = false;

  static const Fields<MakeDirectoryResponse>& fields();
  bool operator==(const MakeDirectoryResponse&) const = default;
};

/// Make a directory and its missing parents; nothing to do where one stands. Errors: those of
/// `FileWrites::make_directory`.
Result<MakeDirectoryResponse> make_directory(const Call& call, ToolSession& session,
                                             const MakeDirectoryRequest& request);

std::string render(const MakeDirectoryResponse& response);

std::unique_ptr<Tool> make_directory_tool();

}  // namespace berth::tools
