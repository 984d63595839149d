#include "surface/mcp/conformance_questions.h"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "surface/mcp/protocol/content.h"

namespace berth::mcp {
namespace {

constexpr std::string_view kPrompt = "test_input_required_result_prompt";

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kTools = {{
    {"test_elicitation_sep1034_defaults", "Asks for values that have defaults."},
    {"test_elicitation_sep1330_enums", "Asks for choices of every kind."},
    {"test_streaming_elicitation", "Asks for a confirmation."},
    {"test_input_required_result_elicitation", "Asks for a name."},
    {"test_input_required_result_sampling", "Asks the model for a capital."},
    {"test_input_required_result_list_roots", "Asks for the roots."},
    {"test_input_required_result_request_state", "Asks for a confirmation, and for its state back."},
    {"test_input_required_result_multiple_inputs", "Asks three things at once."},
    {"test_input_required_result_multi_round", "Asks twice."},
    {"test_input_required_result_tampered_state", "Asks for a confirmation, and for its state unchanged."},
    {"test_input_required_result_capabilities", "Asks what the client can answer."},
}};

Answer text(std::string words) {
  Json result;
  result["content"] = Json::array({text_content(std::move(words))});
  return Done{std::move(result)};
}

Json text_property() { return {{"type", "string"}}; }

Question form(std::string_view message, Json properties, Json required) {
  Json schema = {{"type", "object"}};
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  Json params = {{"message", message}};
  params["requestedSchema"] = std::move(schema);
  return {"elicitation/create", std::move(params)};
}

// A form of one text.
Question text_form(std::string_view message, const std::string& name) {
  return form(message, {{name, text_property()}}, Json::array({name}));
}

Question confirmation() { return form("Please confirm", {{"ok", {{"type", "boolean"}}}}, Json::array({"ok"})); }

Question sampling(std::string_view words, int most_tokens) {
  Json message = {{"role", "user"}};
  message["content"] = text_content(std::string(words));
  Json params;
  params["messages"] = Json::array({std::move(message)});
  params["maxTokens"] = most_tokens;
  return {"sampling/createMessage", std::move(params)};
}

std::string sampled(const Json& answer) {
  const auto& content = answer["content"];
  return content.is_object() && content.contains("text") ? content["text"].get<std::string>() : dump(content);
}

std::string entered(const Json& answer, const std::string& name) {
  const auto content = answer.find("content");
  if (content == answer.end() || !content->is_object()) return {};
  const auto found = content->find(name);
  return found != content->end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string outcome_of(const Json& answer) {
  return fmt::format("action={}, content={}", answer["action"].get<std::string>(),
                     dump(answer.value("content", Json::object())));
}

// Ask one thing, and answer with what `then` makes of it.
template <typename Then>
Answer ask(Work& work, const std::string& key, Question question, const Then& then) {
  auto asked = work.ask({{key, std::move(question)}});
  if (auto* instead = std::get_if<Answer>(&asked)) return std::move(*instead);
  return then(std::get<0>(asked)[0]);
}

Question defaults() {
  return form("Please look through these values", Json::parse(R"({
    "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": true}})"),
              Json::array());
}

Question choices() {
  return form("Please choose", Json::parse(R"({
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"},
      {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
      "enumNames": ["Option One", "Option Two", "Option Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"},
      {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}})"),
              Json::array());
}

// States are good for one answer; what names them is the tool and the round.
std::string state_for(Work& work, const std::string& round) {
  return work.conversation.service().states().add(round).value_or(std::string());
}

bool came_back(Work& work, const std::string& round) {
  const auto* state = work.request_state();
  return state != nullptr && work.conversation.service().states().take(*state, round);
}

RpcError wrong_state() { return {rpc::kInvalidParams, "`requestState` is none that this question gave out", {}}; }

Answer with_state(Work& work, const std::string& name) {
  if (work.request_state() == nullptr)
    return Done{input_required({{"confirm", confirmation()}}, state_for(work, name))};
  if (!came_back(work, name)) return wrong_state();
  auto asked = work.ask({{"confirm", confirmation()}}, state_for(work, name));
  if (auto* instead = std::get_if<Answer>(&asked)) return std::move(*instead);
  return text("state-ok");
}

Answer multiple_inputs(Work& work, const std::string& name) {
  if (work.request_state() != nullptr && !came_back(work, name)) return wrong_state();
  auto asked = work.ask({{"user_name", text_form("What is your name?", "name")},
                         {"greeting", sampling("Generate a greeting", 50)},
                         {"client_roots", {"roots/list", Json::object()}}},
                        state_for(work, name));
  if (auto* instead = std::get_if<Answer>(&asked)) return std::move(*instead);
  const auto& answers = std::get<0>(asked);
  return text(
      fmt::format("{} {}: {} roots", sampled(answers[1]), entered(answers[0], "name"), answers[2]["roots"].size()));
}

Answer multi_round(Work& work, const std::string& name) {
  const NamedQuestions first = {{"step1", text_form("Step 1: What is your name?", "name")}};
  const NamedQuestions second = {{"step2", text_form("Step 2: What is your favorite color?", "color")}};
  const auto* step1 = work.input_response("step1");
  const auto* step2 = work.input_response("step2");
  if (step1 != nullptr && is_answer(*step1, first[0].second) && came_back(work, name + "/1")) {
    return Done{input_required(second, state_for(work, name + "/2"))};
  }
  if (step2 != nullptr && is_answer(*step2, second[0].second) && came_back(work, name + "/2")) {
    return text(fmt::format("Your color is {}.", entered(*step2, "color")));
  }
  if (work.request_state() != nullptr) return wrong_state();
  return Done{input_required(first, state_for(work, name + "/1"))};
}

Answer what_it_can(Work& work) {
  NamedQuestions questions;
  for (auto& [key, question] : NamedQuestions{{"name", text_form("What is your name?", "name")},
                                              {"capital", sampling("What is the capital of France?", 100)}}) {
    if (work.can_ask(question)) questions.emplace_back(key, question);
  }
  if (questions.empty()) return text("This client answers nothing.");
  auto asked = work.ask(questions);
  if (auto* instead = std::get_if<Answer>(&asked)) return std::move(*instead);
  return text(fmt::format("{} answers", std::get<0>(asked).size()));
}

struct NewerTool {
  std::string_view name;
  Answer (*answer)(Work&, const std::string&);
};

constexpr std::array<NewerTool, 4> kNewerTools = {{
    {"test_input_required_result_request_state", with_state},
    {"test_input_required_result_tampered_state", with_state},
    {"test_input_required_result_multiple_inputs", multiple_inputs},
    {"test_input_required_result_multi_round", multi_round},
}};

std::string argument(const Json& arguments, const char* name) {
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void add_tool(Json& tools, std::string_view name, std::string_view description, Json properties, Json required) {
  Json schema = {{"type", "object"}};
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  Json tool = {{"name", name}, {"description", description}};
  tool["inputSchema"] = std::move(schema);
  tools.push_back(std::move(tool));
}

}  // namespace

void list_asking_tools(Json& tools) {
  add_tool(tools, "test_sampling", "Asks the model.", {{"prompt", text_property()}}, Json::array({"prompt"}));
  add_tool(tools, "test_elicitation", "Asks the user.", {{"message", text_property()}}, Json::array({"message"}));
  for (const auto& [name, description] : kTools) add_tool(tools, name, description, Json::object(), Json::array());
}

std::optional<Answer> call_asking_tool(Work& work, std::string_view name, const Json& arguments) {
  if (name == "test_sampling") {
    return ask(work, "sampled", sampling(argument(arguments, "prompt"), 100),
               [](const Json& answer) { return text("LLM response: " + sampled(answer)); });
  }
  if (name == "test_elicitation") {
    Json properties;
    properties["username"] = {{"type", "string"}, {"description", "User's response"}};
    properties["email"] = {{"type", "string"}, {"description", "User's email address"}};
    return ask(work, "user",
               form(argument(arguments, "message"), std::move(properties), Json::array({"username", "email"})),
               [](const Json& answer) { return text("User response: " + outcome_of(answer)); });
  }
  const auto completed = [](const Json& answer) { return text("Elicitation completed: " + outcome_of(answer)); };
  if (name == "test_elicitation_sep1034_defaults") return ask(work, "values", defaults(), completed);
  if (name == "test_elicitation_sep1330_enums") return ask(work, "choices", choices(), completed);
  if (name == "test_streaming_elicitation") return ask(work, "confirm", confirmation(), completed);
  if (name == "test_input_required_result_elicitation") {
    return ask(work, "user_name", text_form("What is your name?", "name"),
               [](const Json& answer) { return text(fmt::format("Hello, {}!", entered(answer, "name"))); });
  }
  if (name == "test_input_required_result_sampling") {
    return ask(work, "capital_question", sampling("What is the capital of France?", 100),
               [](const Json& answer) { return text(sampled(answer)); });
  }
  if (name == "test_input_required_result_list_roots") {
    return ask(work, "client_roots", {"roots/list", Json::object()},
               [](const Json& answer) { return text(dump(answer["roots"])); });
  }
  if (name == "test_input_required_result_capabilities") return what_it_can(work);
  for (const auto& tool : kNewerTools) {
    if (tool.name != name) continue;
    if (work.era.asks_by_requests()) return Done{failed_call("this tool is one of revision 2026-07-28")};
    return tool.answer(work, std::string(name));
  }
  return std::nullopt;
}

void list_asking_prompts(Json& prompts) {
  Json prompt = {{"name", kPrompt}, {"description", "Asks for its context."}};
  prompt["arguments"] = Json::array();
  prompts.push_back(std::move(prompt));
}

std::optional<Answer> get_asking_prompt(Work& work, std::string_view name) {
  if (name != kPrompt) return std::nullopt;
  return ask(work, "user_context", text_form("What context should the prompt use?", "context"),
             [](const Json& answer) -> Answer {
               Json message = {{"role", "user"}};
               message["content"] = text_content("Work with this context: " + entered(answer, "context"));
               Json result;
               result["messages"] = Json::array({std::move(message)});
               return Done{std::move(result)};
             });
}

}  // namespace berth::mcp
