#include "surface/mcp/conformance_fixtures.h"

#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "os/wait.h"
#include "surface/mcp/conformance_questions.h"
#include "surface/mcp/conversation.h"
#include "surface/mcp/protocol/content.h"

namespace berth::mcp {
namespace {

// One red pixel, and a sound without a sample.
constexpr std::string_view kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
constexpr std::string_view kWav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

constexpr std::string_view kStaticText = "test://static-text";
constexpr std::string_view kStaticBinary = "test://static-binary";
constexpr std::string_view kWatched = "test://watched-resource";
constexpr std::string_view kTemplateStart = "test://template/";
constexpr std::string_view kTemplateEnd = "/data";

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTools = {{
    {"test_simple_text", "Answers with a text."},
    {"test_image_content", "Answers with an image."},
    {"test_audio_content", "Answers with a sound."},
    {"test_embedded_resource", "Answers with a resource."},
    {"test_multiple_content_types", "Answers with a text, an image and a resource."},
    {"test_tool_with_logging", "Logs three messages."},
    {"test_tool_with_progress", "Tells its progress three times."},
    {"test_error_handling", "Always fails."},
    {"test_missing_capability", "Needs the client's capability `sampling`."},
    {"test_logging_tool", "Logs a message."},
    {"test_trigger_tool_change", "Says that the list of tools has changed."},
    {"test_trigger_prompt_change", "Says that the list of prompts has changed."},
}};

Json image() { return {{"type", "image"}, {"data", kPng}, {"mimeType", "image/png"}}; }

Json resource(std::string_view uri, std::string_view type, std::string_view text) {
  return {{"type", "resource"}, {"resource", {{"uri", uri}, {"mimeType", type}, {"text", text}}}};
}

Answer content(Json entries) {
  Json result;
  result["content"] = std::move(entries);
  return Done{std::move(result)};
}

Answer text(std::string_view words) { return content(Json::array({text_content(std::string(words))})); }

// Time for a client to see messages come one by one.
void breathe(const Work& work) { (void)os::pause(work.call, std::chrono::milliseconds(50)).has_value(); }

Answer with_logging(Work& work) {
  work.log(LogLevel::info, "Tool execution started");
  breathe(work);
  work.log(LogLevel::info, "Tool processing data");
  breathe(work);
  work.log(LogLevel::info, "Tool execution completed");
  return text("Tool with logging executed successfully");
}

Answer with_progress(Work& work) {
  work.progress(0, 100, "Completed step 0 of 100");
  breathe(work);
  work.progress(50, 100, "Completed step 50 of 100");
  breathe(work);
  work.progress(100, 100, "Completed step 100 of 100");
  return text("Tool with progress executed successfully");
}

Answer missing_capability(const Work& work) {
  if (work.meta.client_capabilities.contains("sampling")) return text("The client can sample.");
  return RpcError{rpc::kMissingCapability,
                  "this tool needs the client's capability `sampling`",
                  {{"requiredCapabilities", {{"sampling", Json::object()}}}}};
}

Json message(Json part) { return {{"role", "user"}, {"content", std::move(part)}}; }

Answer prompt(Json messages) {
  Json result;
  result["messages"] = std::move(messages);
  return Done{std::move(result)};
}

std::string argument(const Json& arguments, const char* name) {
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Answer contents(std::string_view uri, std::string_view type, std::string_view key, std::string_view value) {
  Json entry = {{"uri", uri}, {"mimeType", type}};
  entry[std::string(key)] = value;
  Json result;
  result["contents"] = Json::array({std::move(entry)});
  return Done{std::move(result), Caching::allowed};
}

// A schema with the words of JSON Schema that a list of tools must hand on as they are.
Json schema_of_many_words() {
  return Json::parse(R"({
    "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object",
      "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
      "contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"},
      "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": false})");
}

}  // namespace

void ConformanceFixtures::list_tools(Json& tools) const {
  for (const auto& [name, description] : kTools) {
    tools.push_back({{"name", name},
                     {"description", description},
                     {"inputSchema", {{"type", "object"}, {"properties", Json::object()}}}});
  }
  tools.push_back({{"name", "json_schema_2020_12_tool"},
                   {"description", "Has a schema of many words."},
                   {"inputSchema", schema_of_many_words()}});
  list_asking_tools(tools);
}

std::optional<Answer> ConformanceFixtures::call_tool(Work& work, std::string_view name, const Json& arguments) const {
  if (name == "test_simple_text") return text("This is a simple text response for testing.");
  if (name == "test_image_content") return content(Json::array({image()}));
  if (name == "test_audio_content") {
    Json entries = Json::array();
    entries.push_back({{"type", "audio"}, {"data", kWav}, {"mimeType", "audio/wav"}});
    return content(std::move(entries));
  }
  if (name == "test_embedded_resource") {
    return content(
        Json::array({resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")}));
  }
  if (name == "test_multiple_content_types") {
    return content(
        Json::array({text_content("Multiple content types test:"), image(),
                     resource("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})")}));
  }
  if (name == "test_tool_with_logging") return with_logging(work);
  if (name == "test_tool_with_progress") return with_progress(work);
  if (name == "test_error_handling") return Done{failed_call("This tool intentionally returns an error for testing")};
  if (name == "test_missing_capability") return missing_capability(work);
  if (name == "test_logging_tool") {
    work.log(LogLevel::info, "test_logging_tool ran");
    return text("logged");
  }
  if (name == "test_trigger_tool_change" || name == "test_trigger_prompt_change") {
    work.conversation.list_changed(name == "test_trigger_tool_change" ? "tools" : "prompts");
    return text("said so");
  }
  if (name == "json_schema_2020_12_tool") return text("json_schema_2020_12_tool");
  return call_asking_tool(work, name, arguments);
}

void ConformanceFixtures::list_prompts(Json& prompts) const {
  const auto add = [&](std::string_view name, std::initializer_list<std::string_view> names) {
    Json arguments = Json::array();
    for (const auto one : names) {
      arguments.push_back({{"name", one}, {"description", "A text."}, {"required", true}});
    }
    prompts.push_back({{"name", name}, {"description", "For tests."}, {"arguments", std::move(arguments)}});
  };
  add("test_simple_prompt", {});
  add("test_prompt_with_arguments", {"arg1", "arg2"});
  add("test_prompt_with_embedded_resource", {"resourceUri"});
  add("test_prompt_with_image", {});
  list_asking_prompts(prompts);
}

std::optional<Answer> ConformanceFixtures::get_prompt(Work& work, std::string_view name, const Json& arguments) const {
  if (name == "test_simple_prompt") {
    return prompt(Json::array({message(text_content("This is a simple prompt for testing."))}));
  }
  if (name == "test_prompt_with_arguments") {
    return prompt(Json::array({message(text_content(fmt::format(
        "Prompt with arguments: arg1='{}', arg2='{}'", argument(arguments, "arg1"), argument(arguments, "arg2"))))}));
  }
  if (name == "test_prompt_with_embedded_resource") {
    return prompt(Json::array(
        {message(resource(argument(arguments, "resourceUri"), "text/plain", "Embedded resource content for testing.")),
         message(text_content("Please process the embedded resource above."))}));
  }
  if (name == "test_prompt_with_image") {
    return prompt(Json::array({message(image()), message(text_content("Please analyze the image above."))}));
  }
  return get_asking_prompt(work, name);
}

void ConformanceFixtures::list_resources(Json& resources) const {
  const auto add = [&](std::string_view uri, std::string_view name, std::string_view type) {
    resources.push_back({{"uri", uri}, {"name", name}, {"description", "For tests."}, {"mimeType", type}});
  };
  add(kStaticText, "static-text", "text/plain");
  add(kStaticBinary, "static-binary", "image/png");
  add(kWatched, "watched-resource", "text/plain");
}

void ConformanceFixtures::list_templates(Json& templates) const {
  templates.push_back({{"uriTemplate", "test://template/{id}/data"},
                       {"name", "template"},
                       {"description", "For tests."},
                       {"mimeType", "application/json"}});
}

bool ConformanceFixtures::has_resource(std::string_view uri) const {
  return uri == kStaticText || uri == kStaticBinary || uri == kWatched ||
         (uri.starts_with(kTemplateStart) && uri.ends_with(kTemplateEnd));
}

std::optional<Answer> ConformanceFixtures::read_resource(Work& /*work*/, std::string_view uri) const {
  if (!has_resource(uri)) return std::nullopt;
  if (uri == kStaticText) {
    return contents(uri, "text/plain", "text", "This is the content of the static text resource.");
  }
  if (uri == kStaticBinary) return contents(uri, "image/png", "blob", kPng);
  if (uri == kWatched) return contents(uri, "text/plain", "text", "Watched resource content");
  auto id = uri;
  id.remove_prefix(kTemplateStart.size());
  id.remove_suffix(kTemplateEnd.size());
  const Json data = {{"id", id}, {"templateTest", true}, {"data", fmt::format("Data for ID: {}", id)}};
  return contents(uri, "application/json", "text", dump(data));
}

std::optional<Answer> ConformanceFixtures::complete(const Json& reference, const Json& /*argument*/) const {
  if (reference.value("type", "") != "ref/prompt") return std::nullopt;
  Json result;
  result["completion"] = {{"values", Json::array()}, {"total", 0}, {"hasMore", false}};
  return Done{std::move(result)};
}

}  // namespace berth::mcp
