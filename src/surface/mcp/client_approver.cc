#include "surface/mcp/client_approver.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "policy/rules/rule_errors.h"
#include "surface/mcp/conversation.h"
#include "tools/text.h"

namespace berth::mcp {
namespace {

constexpr const char* kKey = "approval";
constexpr const char* kNoElicitation =
    "this client cannot ask its user: let the rules allow it, or use a client that offers elicitation";
constexpr const char* kNoAnswer = "ask the user, then make the same call again";

std::string_view verb_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::read: return "read";
    case Operation::write: return "write";
    case Operation::edit: return "edit";
    case Operation::execute: return "run";
    case Operation::glob: return "find files in";
    case Operation::grep: return "search";
    case Operation::ls: return "list";
  }
  return "use";
}

// The name of what asks: a tool, or the method itself.
std::string asker(const Work& work) {
  const auto name = work.request.params.find("name");
  return name != work.request.params.end() && name->is_string() ? name->get<std::string>() : work.request.method;
}

// Everything, however long: whoever says yes must see what to.
Question question_about(const ApprovalRequest& request, const Work& work) {
  auto message = fmt::format("Allow {} to do this?", tools::shown_name(asker(work)));
  for (const auto& target : request.targets) {
    message += fmt::format("\n- {} {}", verb_of(target.operation), tools::shown_name(target.target));
    if (!target.real.empty() && target.real != target.target) {
      message += fmt::format(" (leads to {})", tools::shown_name(target.real));
    }
    if (!target.description.empty()) message += fmt::format(": {}", decode_utf8(target.description).text);
  }
  Json schema = {{"type", "object"}};
  schema["properties"] = Json::object();
  Json params = {{"message", std::move(message)}};
  params["requestedSchema"] = std::move(schema);
  return {"elicitation/create", std::move(params)};
}

std::string keys_of(const ApprovalRequest& request) {
  std::string keys;
  for (const auto& target : request.targets) keys += target.key() + ' ';
  return keys;
}

Approval approval_of(const Json& answer) {
  const auto& action = answer["action"].get_ref<const std::string&>();
  if (action == "accept") return {Approval::Answer::once, {}};
  return {Approval::Answer::refused, action == "cancel" ? "the question was dismissed" : ""};
}

// The keys are for who holds approvals, and no client does.
Error not_approved(const ApprovalRequest& request, const char* hint) {
  auto error = approval_required(request);
  std::erase_if(error.fields, [](const auto& field) { return field.name == "approvals"; });
  error.hint = hint;
  return error;
}

Result<Approval> by_request(Conversation& conversation, const Call& call, Work& work, const Question& question,
                            const ApprovalRequest& request) {
  const auto within = conversation.service().options().answer_within;
  // Part of a call may be shielded from its end; a question to somebody who has gone away never is.
  const Call asking{call.deadline.sooner(Deadline::after(within)), work.call.stop, call.trace_id};
  const auto answer = conversation.questions().ask(asking, question, *work.reply);
  if (answer) return approval_of(*answer);
  BERTH_CHECK(work.call.check());
  BERTH_CHECK(call.check());
  auto error = not_approved(request, kNoAnswer);
  error.message += ", and " + answer.error().message;
  if (const auto* client = answer.error().field("client")) std::move(error).with("client", *client);
  return error;
}

Result<Approval> by_retry(Conversation& conversation, Work& work, const Question& question,
                          const ApprovalRequest& request) {
  const auto about = keys_of(request);
  auto& states = conversation.service().states();
  if (const auto* state = work.request_state(); state != nullptr && states.take(*state, about)) {
    const auto* answer = work.input_response(kKey);
    if (answer != nullptr && is_answer(*answer, question)) return approval_of(*answer);
  }
  if (const auto state = states.add(about)) work.instead = Done{input_required({{kKey, question}}, *state)};
  return not_approved(request, kNoAnswer);
}

}  // namespace

Result<Approval> ClientApprover::approve(const Call& call, const ApprovalRequest& request) {
  auto* work = conversation_.work_of(call.trace_id);
  if (work == nullptr) return not_approved(request, kNoElicitation);
  const auto question = question_about(request, *work);
  if (!work->can_ask(question)) return not_approved(request, kNoElicitation);
  return work->era.asks_by_requests() ? by_request(conversation_, call, *work, question, request)
                                      : by_retry(conversation_, *work, question, request);
}

}  // namespace berth::mcp
