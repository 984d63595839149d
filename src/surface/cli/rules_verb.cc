#include <algorithm>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "policy/rules/permission_gate.h"
#include "policy/rules/rule_file.h"
#include "surface/cli/json_internal.h"
#include "surface/cli/verbs.h"

namespace berth::cli {
namespace {

struct RulesArguments {
  std::string action;
  std::string file;
  std::string operation;
  std::string target;
};

Tone tone_of(RuleAction action) {
  switch (action) {
    case RuleAction::allow: return Tone::good;
    case RuleAction::ask: return Tone::number;
    case RuleAction::deny: return Tone::bad;
  }
  return Tone::plain;
}

std::string subject_of(const Rule& rule) { return rule.group.empty() ? rule.pattern : "group " + rule.group; }

Result<int> run_check(Session& session, const RulesArguments& arguments) {
  BERTH_TRY(const auto rules, load_rules(arguments.file));
  const auto& spec = rules.spec();
  if (session.json) {
    session.console.out(to_json(spec));
    return 0;
  }
  for (const auto operation : kOperations) {
    const auto& of = spec.of(operation);
    session.console.out(fmt::format("{}\n", operation_name(operation)));
    for (std::size_t i = 0; i < of.rules.size(); ++i) {
      const auto& rule = of.rules[i];
      session.console.out(fmt::format("  {:>3}  ", i));
      session.console.out(tone_of(rule.action), fmt::format("{:<7}", action_name(rule.action)));
      session.console.out_name(Tone::plain, subject_of(rule));
      if (!rule.description.empty()) {
        session.console.out("  ");
        session.console.out_name(Tone::dim, rule.description);
      }
      session.console.out("\n");
    }
    const auto fallback = of.fallback.value_or(spec.fallback);
    session.console.out("       ");
    session.console.out(tone_of(fallback), fmt::format("{:<7}", action_name(fallback)));
    session.console.out(of.rules.empty() ? "everything\n" : "everything else\n");
  }
  session.console.note("The first rule that matches decides. `berth rules explain` tells which one that is.");
  return 0;
}

std::string decided_by(const Judgement& judgement) {
  const auto operation = operation_name(judgement.operation);
  if (judgement.verdict.rule != nullptr) return fmt::format("{}.rules[{}]", operation, judgement.verdict.index);
  return judgement.verdict.by_operation ? fmt::format("{}.default", operation) : "default";
}

Result<Judgement> judge(Session& session, const RulesArguments& arguments, Operation operation,
                        const PermissionGate& gate) {
  if (operation != Operation::execute) {
    return gate.judge(session.call(), {.operation = operation, .path = arguments.target});
  }
  CommandSpec command;
  command.script = arguments.target;
  return gate.judge(command);
}

Result<int> run_explain(Session& session, const RulesArguments& arguments) {
  const auto operation = operation_named(arguments.operation);
  if (!operation || arguments.target.empty()) {
    auto error =
        make_error(ErrorCode::invalid_argument, arguments.operation.empty() || operation
                                                    ? "explaining needs an operation and a path or command"
                                                    : fmt::format("`{}` is no operation", arguments.operation));
    error.hint = "operations are read, write, edit, execute, glob, grep and ls";
    return error;
  }
  BERTH_TRY(const auto rules, load_rules(arguments.file));
  BERTH_TRY(Workspace * workspace, session.workspace());
  // The verdict points into the gate.
  const PermissionGate gate(*workspace, std::make_shared<const RuleSet>(rules));
  BERTH_TRY(const auto judgement, judge(session, arguments, *operation, gate));
  const auto& verdict = judgement.verdict;
  if (session.json) {
    Json object = Json::object();
    object["operation"] = arguments.operation;
    put_bytes(object, "target", arguments.target);
    object["action"] = action_name(verdict.action);
    object["decided_by"] = decided_by(judgement);
    if (verdict.rule != nullptr) object["pattern"] = verdict.pattern;
    if (verdict.rule != nullptr && !verdict.rule->group.empty()) object["group"] = verdict.rule->group;
    if (!verdict.description.empty()) object["description"] = verdict.description;
    put_bytes(object, "name", judgement.name);
    if (*operation != Operation::execute) put_bytes(object, "real", judgement.real);
    print_json(session, object);
    return 0;
  }
  auto& console = session.console;
  console.out(tone_of(verdict.action), action_name(verdict.action));
  console.out(fmt::format("  {}  ", arguments.operation));
  console.out_name(Tone::path, arguments.target);
  console.out(fmt::format("\n  decided by {}", decided_by(judgement)));
  if (verdict.rule != nullptr) {
    console.out(": ");
    console.out_name(Tone::plain, verdict.pattern);
    if (!verdict.rule->group.empty()) console.out(fmt::format(" (group {})", verdict.rule->group));
  }
  if (!verdict.description.empty()) {
    console.out(", ");
    console.out_name(Tone::plain, verdict.description);
  }
  console.out("\n");
  if (judgement.name != arguments.target) {
    console.out("  by the name ");
    console.out_name(Tone::path, judgement.name);
    console.out("\n");
  }
  if (*operation != Operation::execute && judgement.real != arguments.target) {
    console.out("  it leads to ");
    console.out_name(Tone::path, judgement.real);
    console.out("\n");
  }
  return 0;
}

}  // namespace

void add_rules_verb(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<RulesArguments>();
  auto* verb = app.add_subcommand("rules", "Read permission rules, and say which of them decides");
  verb->add_option("action", arguments->action, "check: read them and show them; explain: say what they decide")
      ->type_name("check|explain")
      ->required()
      ->check(CLI::IsMember({"check", "explain"}));
  verb->add_option("rules", arguments->file, "A .toml or .json file of the host, or preset:NAME")
      ->type_name("FILE")
      ->required();
  verb->add_option("operation", arguments->operation, "read, write, edit, execute, glob, grep or ls")
      ->type_name("OPERATION");
  verb->add_option("target", arguments->target, "A path of the workspace; with execute, a whole command")
      ->type_name("TARGET");
  verb->footer(
      "Rules say allow, ask or deny for each operation; the first that matches\n"
      "decides. With --rules FILE every verb keeps to them. Presets are default,\n"
      "permissive, readonly and strict; groups of patterns are secrets, system and\n"
      "dangerous. A file in TOML:\n"
      "  preset = \"default\"\n"
      "  [write]\n"
      "  rules = [\n"
      "    { pattern = \"docs/**\", action = \"allow\" },\n"
      "    { group = \"secrets\", action = \"deny\" },\n"
      "  ]\n"
      "Patterns match whole paths below the root (absolute names when they start\n"
      "with /); `*` stops at a slash, `**` does not, `**/` is any directories.\n"
      "Patterns for execute match whole commands; that is no boundary.\n"
      "  berth rules check rules.toml\n"
      "  berth rules explain preset:default read .env\n"
      "  berth rules explain rules.toml execute 'git push'");
  verb->callback([&session, arguments] {
    session.action = [&session, arguments] {
      return arguments->action == "check" ? run_check(session, *arguments) : run_explain(session, *arguments);
    };
  });
}

}  // namespace berth::cli
