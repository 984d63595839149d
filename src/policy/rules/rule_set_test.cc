#include "policy/rules/rule_set.h"

#include <gtest/gtest.h>

#include <random>

#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "testing/cases.h"
#include "testing/matchers.h"

namespace berth {
namespace {

using testing::FailsWith;
using testing::IsOk;

const std::vector<std::string> kRoots{"/srv/app"};

Rule rule(std::string pattern, RuleAction action) {
  return {.pattern = std::move(pattern), .group = {}, .action = action, .description = {}};
}

RuleSet compiled(RuleSpec spec) { return RuleSet::compile(std::move(spec)).value(); }

RuleSet preset(std::string_view name) { return compiled(rule_preset(name).value()); }

RuleAction action_on(const RuleSet& rules, Operation operation, std::string_view path) {
  return rules.of_path(operation, path, kRoots).action;
}

/// A rule set whose `read` has one pattern, and denies everything else.
RuleSet reading(std::string pattern) {
  RuleSpec spec{.fallback = RuleAction::deny, .operations = {}};
  spec.of(Operation::read).rules = {rule(std::move(pattern), RuleAction::allow)};
  return compiled(std::move(spec));
}

TEST(RuleSet, C_POL_3_every_row_of_the_case_table_decides_commands) {
  const auto table = nlohmann::json::parse(testing::read_cases("permissions.json"));
  int rows = 0;
  for (const auto& row : table.at("patterns")) {
    const auto pattern = row.at("pattern").get<std::string>();
    if (pattern.empty()) continue;  // refused: it guards nothing
    RuleSpec spec{.fallback = RuleAction::deny, .operations = {}};
    spec.of(Operation::execute).rules = {rule(pattern, RuleAction::allow)};
    const auto rules = compiled(spec);
    const auto text = row.at("text").get<std::string>();
    EXPECT_EQ(rules.of_command(text).action == RuleAction::allow, row.at("match").get<bool>())
        << pattern << " " << text;
    ++rows;
  }
  EXPECT_EQ(rows, 22);
}

TEST(RuleSet, C_POL_3_every_row_of_the_case_table_decides_paths) {
  const auto table = nlohmann::json::parse(testing::read_cases("permissions.json"));
  for (const auto& row : table.at("patterns")) {
    const auto pattern = row.at("pattern").get<std::string>();
    const auto text = row.at("text").get<std::string>();
    if (pattern.empty() || pattern.ends_with('/')) continue;
    const auto rules = reading(pattern);
    const auto verdict = rules.of_text(Operation::read, text);
    EXPECT_EQ(verdict.has_value(), row.at("match").get<bool>()) << pattern << " on " << text;
    if (pattern.starts_with('/')) {
      const std::vector<std::string> roots{"/"};
      EXPECT_EQ(rules.of_path(Operation::read, text.substr(1), roots).action == RuleAction::allow,
                row.at("match").get<bool>());
    } else {
      EXPECT_EQ(action_on(rules, Operation::read, text) == RuleAction::allow, row.at("match").get<bool>());
    }
  }
}

TEST(RuleSet, C_POL_3_the_first_rule_that_matches_decides_then_the_operation_then_the_set) {
  RuleSpec spec{.fallback = RuleAction::deny, .operations = {}};
  spec.of(Operation::write) = {RuleAction::ask,
                               {rule("docs/private/**", RuleAction::deny), rule("docs/**", RuleAction::allow)}};
  const auto rules = compiled(spec);
  EXPECT_EQ(action_on(rules, Operation::write, "docs/a.md"), RuleAction::allow);
  EXPECT_EQ(action_on(rules, Operation::write, "docs/private/a.md"), RuleAction::deny);
  EXPECT_EQ(action_on(rules, Operation::write, "src/a.c"), RuleAction::ask);
  EXPECT_EQ(action_on(rules, Operation::read, "docs/a.md"), RuleAction::deny);
  const auto decided = rules.of_path(Operation::write, "docs/a.md", kRoots);
  EXPECT_EQ(decided.index, 1U);
  EXPECT_EQ(decided.pattern, "docs/**");
  EXPECT_EQ(decided.rule, &rules.spec().of(Operation::write).rules[1]);
  const auto by_operation = rules.of_path(Operation::write, "src/a.c", kRoots);
  EXPECT_EQ(by_operation.rule, nullptr);
  EXPECT_TRUE(by_operation.by_operation);
  EXPECT_FALSE(rules.of_path(Operation::read, "docs/a.md", kRoots).by_operation);
}

TEST(RuleSet, APatternWithASlashInFrontIsMatchedAgainstAbsoluteNames) {
  const auto rules = reading("/srv/app/src/**");
  EXPECT_EQ(action_on(rules, Operation::read, "src/a.c"), RuleAction::allow);
  EXPECT_EQ(action_on(rules, Operation::read, "docs/a.c"), RuleAction::deny);
  EXPECT_EQ(rules.of_path(Operation::read, "src/a.c", {}).action, RuleAction::deny);
  const std::vector<std::string> other{"/elsewhere", "/srv/app"};
  EXPECT_EQ(rules.of_path(Operation::read, "src/a.c", other).action, RuleAction::allow);
  // What lies above the root is not the workspace's to be judged by.
  EXPECT_EQ(action_on(reading("**/app/src/**"), Operation::read, "src/a.c"), RuleAction::deny);
}

TEST(RuleSet, TheRootIsADot) {
  EXPECT_EQ(action_on(reading("."), Operation::read, "."), RuleAction::allow);
  EXPECT_EQ(action_on(reading("**"), Operation::read, "."), RuleAction::allow);
  EXPECT_EQ(action_on(reading("/srv/app"), Operation::read, "."), RuleAction::allow);
}

TEST(RuleSet, WhatWouldGuardNothingIsRefused) {
  for (const char* pattern : {"", "[z-a]", "./src/**", "~/.ssh/**", "src/", "../x", "a/../b", "a/.."}) {
    SCOPED_TRACE(pattern);
    RuleSpec spec;
    spec.of(Operation::edit).rules = {rule("ok", RuleAction::deny), rule(pattern, RuleAction::deny)};
    const auto made = RuleSet::compile(spec);
    ASSERT_THAT(made, FailsWith(ErrorCode::invalid_argument));
    EXPECT_EQ(*made.error().field("key"), ErrorField::Value("edit.rules[1].pattern"));
  }
  RuleSpec commands;
  commands.of(Operation::execute).rules = {rule("./configure **", RuleAction::allow), rule("~/x", RuleAction::allow),
                                           rule("ls /", RuleAction::allow)};
  EXPECT_THAT(RuleSet::compile(commands), IsOk());
}

TEST(RuleSet, AGroupIsForPathsOrForCommands) {
  const auto with = [](Operation operation, Rule one) {
    RuleSpec spec;
    spec.of(operation).rules = {std::move(one)};
    return RuleSet::compile(std::move(spec));
  };
  EXPECT_THAT(with(Operation::read, {.pattern = {}, .group = "secrets"}), IsOk());
  EXPECT_THAT(with(Operation::execute, {.pattern = {}, .group = "dangerous"}), IsOk());
  EXPECT_THAT(with(Operation::execute, {.pattern = {}, .group = "secrets"}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(with(Operation::write, {.pattern = {}, .group = "dangerous"}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(with(Operation::write, {.pattern = {}, .group = "none"}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(with(Operation::write, {.pattern = "a", .group = "secrets"}), FailsWith(ErrorCode::invalid_argument));
}

TEST(RuleSet, TheGroupSystemIsSilentAboutAWorkspaceInsideIt) {
  const auto rules = preset("permissive");
  const std::vector<std::string> whole{"/"};
  EXPECT_EQ(rules.for_roots(whole).of_path(Operation::write, "usr/lib/x", whole).action, RuleAction::deny);
  EXPECT_EQ(rules.for_roots(whole).of_path(Operation::write, "home/x", whole).action, RuleAction::allow);
  for (const char* root : {"/var/lib/agents/one", "/var"}) {
    const std::vector<std::string> inside{root};
    EXPECT_EQ(rules.for_roots(inside).of_path(Operation::write, "a.txt", inside).action, RuleAction::allow);
    EXPECT_EQ(rules.for_roots(inside).of_path(Operation::write, ".env", inside).action, RuleAction::deny);
  }
  // A pattern that somebody wrote counts wherever the workspace is.
  RuleSpec spec{.fallback = RuleAction::allow, .operations = {}};
  spec.of(Operation::write).rules = {rule("/var/**", RuleAction::deny)};
  const std::vector<std::string> inside{"/var/x"};
  EXPECT_EQ(compiled(spec).for_roots(inside).of_path(Operation::write, "a", inside).action, RuleAction::deny);
}

TEST(RulePreset, C_POL_3_presets_are_those_of_the_case_table) {
  const auto table = nlohmann::json::parse(testing::read_cases("permissions.json")).at("presets");
  EXPECT_EQ(table.size(), rule_preset_names().size());
  for (const auto name : rule_preset_names()) EXPECT_TRUE(table.contains(std::string(name))) << name;
  using enum RuleAction;
  const auto row = [](const char* name, std::string_view path) {
    const auto rules = preset(name);
    std::vector<RuleAction> actions;
    for (const auto operation : kOperations) {
      actions.push_back(operation == Operation::execute ? rules.of_command(path).action
                                                        : action_on(rules, operation, path));
    }
    return actions;
  };
  // read, write, edit, execute, glob, grep, ls
  EXPECT_EQ(row("default", "src/a.c"), (std::vector{allow, ask, ask, ask, allow, allow, allow}));
  EXPECT_EQ(row("default", "a/.env"), (std::vector{deny, deny, deny, ask, allow, allow, allow}));
  EXPECT_EQ(row("permissive", "src/a.c"), (std::vector{allow, allow, allow, allow, allow, allow, allow}));
  EXPECT_EQ(row("permissive", ".ssh/config"), (std::vector{deny, deny, deny, allow, allow, allow, allow}));
  EXPECT_EQ(row("readonly", "src/a.c"), (std::vector{allow, deny, deny, deny, allow, allow, allow}));
  EXPECT_EQ(row("readonly", "server.key"), (std::vector{deny, deny, deny, deny, allow, allow, allow}));
  EXPECT_EQ(row("strict", "src/a.c"), (std::vector{ask, ask, ask, ask, ask, ask, ask}));
  EXPECT_EQ(row("strict", "id_rsa"), (std::vector{deny, deny, deny, ask, ask, ask, ask}));
  for (const char* name : {"default", "permissive"}) {
    for (const char* command : {"rm -rf /", "rm -rf /*", ":(){ :|:& };:", "dd if=/dev/zero of=/dev/sda bs=1M",
                                "mkfs.ext4 /dev/sda1", "echo x > /dev/sda", "chmod -R 777 /"}) {
      EXPECT_EQ(preset(name).of_command(command).action, deny) << command;
    }
    EXPECT_NE(preset(name).of_command("rm -rf /tmp/x").action, deny);
  }
}

TEST(RuleSet, AToolIsNotOfferedWhenAllOfItIsDenied) {
  const auto offered = [](const RuleSet& rules) {
    std::string names;
    for (const auto operation : kOperations) {
      if (rules.offers(operation)) names.append(operation_name(operation)).append(" ");
    }
    return names;
  };
  EXPECT_EQ(offered(preset("default")), "read write edit execute glob grep ls ");
  EXPECT_EQ(offered(preset("readonly")), "read glob grep ls ");
  EXPECT_EQ(offered(reading("src/**")), "read ");
}

TEST(RuleSet, ADirectoryIsPassedOverOnlyWhenAllBelowItIsDenied) {
  RuleSpec spec{.fallback = RuleAction::deny, .operations = {}};
  spec.of(Operation::glob).rules = {rule("node_modules/**", RuleAction::deny), rule("src/deep/**", RuleAction::allow),
                                    rule("/srv/app/docs/*.md", RuleAction::ask)};
  const auto rules = compiled(spec);
  const auto may = [&](std::string_view directory) { return rules.may_pass_below(Operation::glob, directory, kRoots); };
  EXPECT_TRUE(may("."));
  EXPECT_TRUE(may("src"));
  EXPECT_TRUE(may("src/deep/er"));
  EXPECT_TRUE(may("docs"));
  EXPECT_FALSE(may("node_modules"));
  EXPECT_FALSE(may("node_modules/x"));
  EXPECT_FALSE(may("src/other"));
  EXPECT_FALSE(may("lib"));
}

// Whatever is passed over holds nothing that is not denied.
RC_GTEST_PROP(RuleSet, PassingOverNeverLosesWhatIsNotDenied, ()) {
  const auto word = rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab*/?")));
  RuleSpec spec{.fallback = *rc::gen::element(RuleAction::allow, RuleAction::deny), .operations = {}};
  const auto count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) {
    auto pattern = *word;
    if (*rc::gen::arbitrary<bool>()) pattern += "/**";
    spec.of(Operation::ls).rules.push_back(rule(pattern, *rc::gen::element(RuleAction::allow, RuleAction::deny)));
  }
  const auto made = RuleSet::compile(spec);
  RC_PRE(made.has_value());
  const auto part = rc::gen::elementOf(std::vector<std::string>{"a", "b", "ab", "x"});
  const auto directory = *rc::gen::element<std::string>(".", "a", "b", "a/b", "ab/a");
  std::string below = directory == "." ? "" : directory + "/";
  below += *part;
  if (*rc::gen::arbitrary<bool>()) below += "/" + *part;
  const std::vector<std::string> roots{*rc::gen::element<std::string>("/", "/a")};
  if (!made->may_pass_below(Operation::ls, directory, roots)) {
    RC_ASSERT(made->of_path(Operation::ls, below, roots).action == RuleAction::deny);
  }
}

}  // namespace
}  // namespace berth
