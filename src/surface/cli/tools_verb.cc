#include <algorithm>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "policy/rules/rule_errors.h"
#include "surface/cli/input.h"
#include "surface/cli/json_internal.h"
#include "surface/cli/progress.h"
#include "surface/cli/verbs.h"
#include "tools/catalogue.h"
#include "tools/tool_session.h"

namespace berth::cli {
namespace {

struct ToolsArguments {
  std::string action;
  std::string name;
  std::string args = "{}";
  std::string profile = "plain";
};

/// Where there is no terminal to ask the user at.
class NobodyToAsk final : public Approver {
 public:
  Result<Approval> approve(const Call& /*call*/, const ApprovalRequest& request) override {
    auto error = approval_required(request);
    error.hint = kApprovalHint;
    return error;
  }
};

Result<std::unique_ptr<tools::Catalogue>> catalogue_of(Session& session, const ToolsArguments& arguments) {
  BERTH_TRY(Workspace * workspace, session.workspace_for_tools());
  tools::CatalogueOptions options;
  options.profile = *tools::profile_named(arguments.profile);
  options.rules = session.config.rules;
  return tools::Catalogue::make(options, workspace->capabilities());
}

Result<const tools::Tool*> find_tool(const tools::Catalogue& catalogue, const std::string& name) {
  const auto* tool = catalogue.find(name);
  if (tool != nullptr) return tool;
  auto error = make_error(ErrorCode::invalid_argument,
                          decode_utf8(fmt::format("this workspace is offered no tool `{}`", name)).text);
  error.hint = "`berth tools` lists them";
  return error;
}

Json info_json(const tools::ToolInfo& info) {
  return {{"name", info.name},
          {"title", info.title},
          {"description", info.description},
          {"input_schema", info.input_schema},
          {"output_schema", info.output_schema},
          {"annotations",
           {{"read_only", info.annotations.read_only},
            {"destructive", info.annotations.destructive},
            {"idempotent", info.annotations.idempotent},
            {"open_world", info.annotations.open_world}}}};
}

Result<int> list_tools(Session& session, const ToolsArguments& arguments) {
  BERTH_TRY(const auto catalogue, catalogue_of(session, arguments));
  if (session.json) {
    Json list = Json::array();
    for (const auto& tool : catalogue->tools()) list.push_back(info_json(tool->info()));
    print_json(session, {{"profile", arguments.profile}, {"tools", std::move(list)}});
    return 0;
  }
  std::size_t width = 0;
  for (const auto& tool : catalogue->tools()) width = std::max(width, tool->info().name.size());
  for (const auto& tool : catalogue->tools()) {
    const auto& info = tool->info();
    session.console.out(Tone::program, info.name);
    session.console.out(fmt::format("{:{}}  {}\n", "", width - info.name.size(), info.title));
  }
  return 0;
}

Result<int> show_schema(Session& session, const ToolsArguments& arguments) {
  BERTH_TRY(const auto catalogue, catalogue_of(session, arguments));
  BERTH_TRY(const auto* tool, find_tool(*catalogue, arguments.name));
  print_json(session, info_json(tool->info()));
  return 0;
}

Result<Json> read_arguments(Session& session, const std::string& given) {
  Bytes text = given;
  if (given == "-") {
    BERTH_TRY(text, read_standard_input(session.call()));
  } else if (given.starts_with('@')) {
    BERTH_TRY(text, read_host_file(session.call(), given.substr(1)));
  }
  auto json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    auto error = make_error(ErrorCode::invalid_argument, "the arguments of the tool are no JSON");
    error.hint = "give an object: --args '{\"path\": \"README.md\"}', @FILE, or - for standard input";
    return error;
  }
  return json;
}

Result<int> call_tool(Session& session, const ToolsArguments& arguments) {
  BERTH_TRY(Workspace * workspace, session.workspace_for_tools());
  BERTH_TRY(const auto catalogue, catalogue_of(session, arguments));
  BERTH_TRY(const auto* tool, find_tool(*catalogue, arguments.name));
  BERTH_TRY(const Json given, read_arguments(session, arguments.args));
  NobodyToAsk nobody;
  tools::ToolOptions options;
  options.rules = session.config.rules;
  options.approver = session.approver() != nullptr ? session.approver() : &nobody;
  tools::ToolSession conversation(*workspace, std::move(options));
  tools::ToolResult result;
  {
    const Progress progress(session.console, arguments.name.c_str());
    result = tool->call(session.call(), conversation, given, nullptr);
  }
  if (session.json) {
    print_json(session, result.structured);
  } else {
    session.console.out(result.text);
    session.console.out("\n");
  }
  if (result.outcome == tools::ToolResult::Outcome::success) return 0;
  const auto code = try_error_code(result.structured.at("error").at("code").get<std::string>());
  return error_info(code.value_or(ErrorCode::internal)).exit_code;
}

Result<int> run_tools(Session& session, const ToolsArguments& arguments) {
  if (arguments.action.empty()) return list_tools(session, arguments);
  if (arguments.name.empty()) {
    return make_error(ErrorCode::invalid_argument,
                      fmt::format("`tools {}` needs the name of a tool", arguments.action));
  }
  return arguments.action == "schema" ? show_schema(session, arguments) : call_tool(session, arguments);
}

}  // namespace

void add_tools_verb(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<ToolsArguments>();
  auto* verb = app.add_subcommand("tools", "List, describe or call what agents are offered");
  verb->add_option("action", arguments->action, "schema or call; absent: list the tools")
      ->type_name("ACTION")
      ->check(CLI::IsMember({"schema", "call"}));
  verb->add_option("name", arguments->name, "The tool")->type_name("NAME");
  verb->add_option("--args", arguments->args, "Its arguments: a JSON object, @FILE, or - for standard input")
      ->type_name("JSON");
  verb->add_option("--profile", arguments->profile, "Whose tools: plain, console, harness or filesystem")
      ->type_name("PROFILE")
      ->check(CLI::IsMember({"plain", "console", "harness", "filesystem"}));
  verb->footer(
      "`call` prints the text that a model gets; with --json, the object that a program gets. A refused call exits as\n"
      "the same refusal of any other verb. Each call is a conversation of its own: what was read before is not known.\n"
      "  berth tools\n"
      "  berth tools schema grep\n"
      "  berth tools call read_file --args '{\"path\": \"README.md\", \"limit\": 5}'");
  verb->callback(
      [&session, arguments] { session.action = [&session, arguments] { return run_tools(session, *arguments); }; });
}

}  // namespace berth::cli
