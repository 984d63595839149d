#pragma once

#include <memory>
#include <string>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

struct SendInputRequest {
  std::string id;
  Bytes input;
  bool close = false;

  static const Fields<SendInputRequest>& fields();
};

struct SendInputResponse {
  std::string id;
  std::int64_t accepted_bytes = 0;
  bool open = false;

  static const Fields<SendInputResponse>& fields();
  bool operator==(const SendInputResponse&) const = default;
};

/// Write to the standard input of a command in the background. Errors: those of `JobControl::write_stdin`.
Result<SendInputResponse> send_input(const Call& call, ToolSession& session, const SendInputRequest& request);

std::unique_ptr<Tool> send_input_tool();

}  // namespace berth::tools
