#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "tools/fields.h"
#include "tools/tool.h"
#include "tools/tool_session.h"

/// How a typed operation becomes a tool: arguments of a profile in, the operation's own JSON and the profile's text
/// out.
namespace berth::tools {

/// Whether a failure can be mended by other arguments.
ToolResult::Outcome outcome_of(ErrorCode code) noexcept;

/// The result that stands for an error: its text, and `{"error": …}` as every surface spells it.
ToolResult failed_result(const Error& error);

/// The parts of a tool. `Arguments` and `Response` have fields (see fields.h), which make the two schemas; `info` holds
/// the rest. A response with a member `std::vector<Media> media` carries it into the result.
template <typename Arguments, typename Request, typename Response>
struct ToolParts {
  ToolInfo info;
  /// Map a profile's arguments; may refuse them. Absent: the arguments are the request.
  std::function<Result<Request>(const Arguments&)> to_request = nullptr;
  std::function<Result<Response>(const Call&, ToolSession&, const Request&, ProgressSink*)> operation;
  std::function<std::string(const Arguments&, const Response&)> render;
  /// What a failed operation or mapping answers; absent: `failed_result`.
  std::function<ToolResult(const Arguments&, const Error&)> render_error;
};

template <typename Arguments, typename Request, typename Response>
class TypedTool final : public Tool {
 public:
  explicit TypedTool(ToolParts<Arguments, Request, Response> parts) : parts_(std::move(parts)) {
    parts_.info.input_schema = fields_of<Arguments>().schema(Direction::input);
    parts_.info.output_schema = fields_of<Response>().schema(Direction::output);
  }

  const ToolInfo& info() const noexcept override { return parts_.info; }

  ToolResult call(const Call& call, ToolSession& session, const Json& arguments,
                  ProgressSink* progress) const override {
    // No arguments at all are an empty object to most clients.
    auto parsed = fields_of<Arguments>().read(arguments.is_null() ? Json::object() : arguments);
    if (!parsed) return failed_result(parsed.error());
    auto response = respond(call, session, *parsed, progress);
    if (!response) {
      return parts_.render_error ? parts_.render_error(*parsed, response.error()) : failed_result(response.error());
    }
    ToolResult result;
    result.text = decode_utf8(parts_.render(*parsed, *response)).text;
    result.structured = fields_of<Response>().write(*response);
    if constexpr (requires { response->media; }) result.media = std::move(response->media);
    return result;
  }

 private:
  Result<Response> respond(const Call& call, ToolSession& session, const Arguments& arguments,
                           ProgressSink* progress) const {
    if constexpr (std::is_same_v<Arguments, Request>) {
      if (!parts_.to_request) return parts_.operation(call, session, arguments, progress);
    }
    BERTH_TRY(const auto request, parts_.to_request(arguments));
    return parts_.operation(call, session, request, progress);
  }

  ToolParts<Arguments, Request, Response> parts_;
};

template <typename Arguments, typename Request, typename Response>
std::unique_ptr<Tool> make_tool(ToolParts<Arguments, Request, Response> parts) {
  return std::make_unique<TypedTool<Arguments, Request, Response>>(std::move(parts));
}

/// A tool whose arguments are the operation's own request.
template <typename Request, typename Response>
std::unique_ptr<Tool> make_tool(ToolInfo info, Result<Response> (*operation)(const Call&, ToolSession&, const Request&),
                                std::string (*render)(const Response&)) {
  return make_tool<Request, Request, Response>(
      {.info = std::move(info),
       .operation = [operation](const Call& call, ToolSession& session, const Request& request,
                                ProgressSink*) { return operation(call, session, request); },
       .render = [render](const Request&, const Response& response) { return render(response); },
       .render_error = nullptr});
}

}  // namespace berth::tools
