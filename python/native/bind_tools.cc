#include <atomic>

#include <nlohmann/json.hpp>

#include "call_binding.h"
#include "policy/rules/rule_file.h"
#include "rules_argument.h"
#include "tools/catalogue.h"
#include "tools/tool_session.h"

namespace berth::python {
namespace {

Shape info_shape("ToolInfo", {"name", "description", "input_schema", "changes_files", "runs_commands"});
Shape media_shape("ToolMedia", {"kind", "media_type", "content"});
Shape result_shape("ToolResult", {"outcome", "text", "structured", "media"});

/// The tools of a profile over one workspace, for one conversation.
struct Tools {
  std::shared_ptr<Workspace> workspace;
  std::unique_ptr<tools::Catalogue> catalogue;
  std::unique_ptr<tools::ToolSession> session;
  std::atomic<std::uint64_t> calls{0};
};

struct ToolsHandle {
  std::shared_ptr<Tools> tools;
};

tools::CatalogueOptions catalogue_options(const std::string& profile, const std::string& edit_format) {
  tools::CatalogueOptions options;
  const auto named = tools::profile_named(profile);
  if (!named) throw nb::value_error("there is no tool profile of this name");
  options.profile = *named;
  if (edit_format == "hashline") {
    options.edit_format = tools::CatalogueOptions::EditFormat::hashline;
  } else if (edit_format != "str_replace") {
    throw nb::value_error("edit_format is 'str_replace' or 'hashline'");
  }
  return options;
}

std::unique_ptr<tools::Catalogue> make_catalogue(const tools::CatalogueOptions& options, const Capabilities& has) {
  auto made = tools::Catalogue::make(options, has);
  if (!made) raise(made.error());
  return std::move(made).value();
}

/// All tools of a profile, for a workspace that can do everything.
nb::object tool_infos(const std::string& profile, const std::string& edit_format) {
  const Capabilities everything{.read_files = true,
                                .write_files = true,
                                .run_commands = true,
                                .search_files = true,
                                .transactions = true,
                                .jobs = true};
  const auto catalogue = make_catalogue(catalogue_options(profile, edit_format), everything);
  return tuple_of(catalogue->tools(), [](const std::unique_ptr<tools::Tool>& tool) {
    const auto& info = tool->info();
    return info_shape.make(text_of(info.name), text_of(info.description), text_of(info.input_schema.dump()),
                           to_python(info.needs.writes), to_python(info.needs.commands || info.needs.jobs));
  });
}

nb::object make_tools(const Handle& handle, const std::string& profile, const std::string& edit_format,
                      const std::optional<std::string>& rules, bool images, bool documents,
                      std::int64_t max_image_bytes, std::int64_t max_document_bytes) {
  tools::ToolOptions options;
  options.images = images;
  options.documents = documents;
  options.max_image_bytes = max_image_bytes;
  options.max_document_bytes = max_document_bytes;
  options.rules = rules_arg(rules);
  auto made = std::make_shared<Tools>();
  made->workspace = handle.get();
  auto offered = catalogue_options(profile, edit_format);
  offered.rules = options.rules;
  made->catalogue = make_catalogue(offered, made->workspace->capabilities());
  made->session = std::make_unique<tools::ToolSession>(*made->workspace, std::move(options));
  return nb::cast(new ToolsHandle{std::move(made)}, nb::rv_policy::take_ownership);
}

nb::object to_python(const tools::ToolResult& result) {
  using enum tools::ToolResult::Outcome;
  const char* outcome = result.outcome == success ? "success" : result.outcome == retry ? "retry" : "failed";
  return result_shape.make(name_of(outcome), text_of(result.text), text_of(result.structured.dump()),
                           tuple_of(result.media, [](const tools::Media& media) {
                             return media_shape.make(
                                 name_of(media.kind == tools::Media::Kind::image ? "image" : "document"),
                                 text_of(media.media_type), bytes_of(media.content));
                           }));
}

/// What a call gave, in a type of this file, so that its conversion is found.
struct Answer {
  tools::ToolResult result;
};

nb::object to_python(const Answer& answer) { return to_python(answer.result); }

Started call(const ToolsHandle& handle, std::string name, std::string arguments, bool approved) {
  return operation(Takes::a_while,
                   [tools = handle.tools, name = std::move(name), arguments = std::move(arguments),
                    approved](const Call& call) -> Result<Answer> {
                     const auto* tool = tools->catalogue->find(name);
                     if (tool == nullptr)
                       return make_error(ErrorCode::unsupported, "the workspace does not offer this tool");
                     auto parsed = tools::Json::parse(arguments, nullptr, false);
                     if (parsed.is_discarded())
                       return make_error(ErrorCode::invalid_argument, "the arguments are no JSON");
                     Call named = call;
                     named.trace_id = "python-" + std::to_string(++tools->calls);
                     auto& approvals = tools->session->gate().approvals();
                     if (approved) approvals.grant_call(named.trace_id);
                     Answer answer{tool->call(named, *tools->session, parsed, nullptr)};
                     if (approved) approvals.end_call(named.trace_id);
                     return answer;
                   });
}

nb::object offered(const ToolsHandle& handle) {
  return tuple_of(handle.tools->catalogue->tools(),
                  [](const std::unique_ptr<tools::Tool>& tool) { return text_of(tool->info().name); });
}

}  // namespace

std::shared_ptr<const RuleSet> rules_arg(const std::optional<std::string>& rules) {
  if (!rules) return nullptr;
  auto loaded = rules->starts_with('{') ? parse_rules(*rules, RuleFormat::json) : load_rules(*rules);
  if (!loaded) raise(loaded.error());
  return std::make_shared<const RuleSet>(std::move(loaded).value());
}

void bind_tools(nb::module_& module) {
  module.def("tool_infos", tool_infos);
  module.def("make_tools", make_tools, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg());
  nb::class_<ToolsHandle>(module, "Tools").def("call", call).def_prop_ro("offered", offered);
}

}  // namespace berth::python
