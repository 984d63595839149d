#include "tests/surfaces/surface.h"

#include <gtest/gtest.h>

#include "providers/local/local.h"
#include "tests/cli/program.h"
#include "tests/mcp/http_client.h"
#include "tests/mcp/server_process.h"
#include "tools/tool_session.h"

namespace berth::testing {
namespace {

using Plain = nlohmann::json;

/// The structured part of an answer to `tools/call`.
Plain structured(const Json& answer) {
  const auto result = answer.value("result", Json::object());
  if (!result.value("isError", false)) return Plain::parse(result.value("structuredContent", Json()).dump());
  return {{"error", Plain::parse(result.value("_meta", Json::object()).value("berth/error", Json()).dump())}};
}

Json call_params(const std::string& tool, const Plain& arguments) {
  return {{"name", tool}, {"arguments", Json::parse(arguments.dump())}};
}

class Library final : public Surface {
 public:
  Library(const std::string& directory, tools::Profile profile)
      : workspace_(std::move(local::open_local({directory}, {.features = os::Features::probe()})).value()),
        catalogue_(std::move(tools::Catalogue::make({.profile = profile}, workspace_.capabilities())).value()),
        session_(workspace_) {}

  Plain call(const std::string& tool, const Plain& arguments) override {
    const auto result = catalogue_->find(tool)->call({}, session_, tools::Json::parse(arguments.dump()), nullptr);
    return Plain::parse(result.structured.dump());
  }

 private:
  Workspace workspace_;
  std::unique_ptr<tools::Catalogue> catalogue_;
  tools::ToolSession session_;
};

class CommandLine final : public Surface {
 public:
  CommandLine(std::string directory, tools::Profile profile)
      : directory_(std::move(directory)), profile_(tools::profile_name(profile)) {}

  Plain call(const std::string& tool, const Plain& arguments) override {
    const auto ended = run_program({BERTH_PROGRAM, "--json", "-w", directory_, "tools", "call", tool, "--profile",
                                    profile_, "--args", arguments.dump()});
    auto object = Plain::parse(ended.out, nullptr, false);
    EXPECT_FALSE(object.is_discarded()) << tool << " " << ended.out << ended.err;
    EXPECT_EQ(ended.status != 0, object.contains("error")) << tool << " " << ended.status;
    return object;
  }

 private:
  std::string directory_;
  std::string profile_;
};

class McpOnStdio final : public Surface {
 public:
  McpOnStdio(const std::string& directory, tools::Profile profile)
      : server_(directory, {"mcp", "--profile", std::string(tools::profile_name(profile))}) {
    server_.open();
  }

  Plain call(const std::string& tool, const Plain& arguments) override {
    return structured(server_.ask(++requests_, "tools/call", call_params(tool, arguments)));
  }

 private:
  McpServer server_;
  int requests_ = 0;
};

class McpOnHttp final : public Surface {
 public:
  McpOnHttp(const std::string& directory, tools::Profile profile)
      : server_(directory, {"mcp", "--http", "127.0.0.1:0", "--profile", std::string(tools::profile_name(profile))}) {
    const auto line = server_.next_error_line();
    port_ = static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
  }

  Plain call(const std::string& tool, const Plain& arguments) override {
    HttpCall sent(port_, "POST", modern_headers("tools/call", tool),
                  modern_body(++requests_, "tools/call", call_params(tool, arguments)));
    if (sent.answer().header("content-type") == "application/json") return structured(sent.answer().json());
    // A call that took long is answered by the last event of a stream.
    Json last;
    while (const auto event = sent.event()) last = Json::parse(event->data);
    return structured(last);
  }

 private:
  McpServer server_;
  std::uint16_t port_ = 0;
  int requests_ = 0;
};

template <typename Made>
std::unique_ptr<Surface> open(const std::string& directory, tools::Profile profile) {
  return std::make_unique<Made>(directory, profile);
}

}  // namespace

const std::vector<SurfaceKind>& surface_kinds() {
  static const std::vector<SurfaceKind> kinds = {
      {"library", open<Library>}, {"cli", open<CommandLine>}, {"stdio", open<McpOnStdio>}, {"http", open<McpOnHttp>}};
  return kinds;
}

}  // namespace berth::testing
