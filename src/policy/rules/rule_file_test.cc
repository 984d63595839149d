#include "policy/rules/rule_file.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth {
namespace {

using testing::FailsWith;
using testing::IsOk;

constexpr std::string_view kToml = R"(
default = "deny"
glob = "allow"

[read]
default = "allow"
rules = [{ group = "secrets", action = "deny", description = "ask the owner for keys" }]

[write]
rules = [
  { pattern = "docs/**", action = "allow" },
  { pattern = "**", action = "ask" },
]
)";

constexpr std::string_view kJson = R"({
  "default": "deny",
  "read": {"default": "allow",
           "rules": [{"group": "secrets", "action": "deny", "description": "ask the owner for keys"}]},
  "write": {"rules": [{"pattern": "docs/**", "action": "allow", "description": ""},
                      {"pattern": "**", "action": "ask"}]},
  "edit": null,
  "glob": "allow"
})";

RuleSpec expected() {
  RuleSpec spec{.fallback = RuleAction::deny, .operations = {}};
  spec.of(Operation::glob).fallback = RuleAction::allow;
  spec.of(Operation::read) = {RuleAction::allow, {{"", "secrets", RuleAction::deny, "ask the owner for keys"}}};
  spec.of(Operation::write).rules = {{"docs/**", "", RuleAction::allow, ""}, {"**", "", RuleAction::ask, ""}};
  return spec;
}

Error fault_of(std::string_view text, RuleFormat format) {
  auto rules = parse_rules(text, format);
  if (rules) return make_error(ErrorCode::internal, "it was read");
  return rules.error();
}

TEST(RuleFile, TomlAndJsonSayTheSame) {
  const auto toml = parse_rules(kToml, RuleFormat::toml);
  const auto json = parse_rules(kJson, RuleFormat::json);
  ASSERT_THAT(toml, IsOk());
  ASSERT_THAT(json, IsOk());
  EXPECT_EQ(toml->spec(), expected());
  EXPECT_EQ(json->spec(), expected());
}

TEST(RuleFile, WhatIsWrittenAsJsonIsReadBackAsTheSame) {
  EXPECT_EQ(parse_rules(to_json(expected()), RuleFormat::json)->spec(), expected());
  for (const auto name : rule_preset_names()) {
    const auto spec = rule_preset(name).value();
    EXPECT_EQ(parse_rules(to_json(spec), RuleFormat::json)->spec(), spec) << name;
  }
}

TEST(RuleFile, AnEmptyFileAsksAboutEverything) {
  EXPECT_EQ(parse_rules("", RuleFormat::toml)->spec(), RuleSpec{});
  EXPECT_EQ(parse_rules("{}", RuleFormat::json)->spec(), RuleSpec{});
}

TEST(RuleFile, APresetSaysWhatTheFileDoesNot) {
  const auto rules = parse_rules(R"(
preset = "readonly"
write = "ask"
[read]
rules = [{ pattern = "**/.env.example", action = "allow" }]
)",
                                 RuleFormat::toml);
  ASSERT_THAT(rules, IsOk());
  EXPECT_EQ(rules->spec().fallback, RuleAction::deny);
  EXPECT_EQ(rules->of_path(Operation::write, "a", {}).action, RuleAction::ask);
  EXPECT_EQ(rules->of_path(Operation::edit, "a", {}).action, RuleAction::deny);
  EXPECT_EQ(rules->of_path(Operation::read, "a", {}).action, RuleAction::allow);
  EXPECT_EQ(rules->of_path(Operation::read, ".env.example", {}).action, RuleAction::allow);
  EXPECT_EQ(rules->of_path(Operation::read, ".env.local", {}).action, RuleAction::deny);
}

TEST(RuleFile, AFaultNamesItsLineItsKeyAndWhatIsRight) {
  const auto check = [](RuleFormat format, std::string_view text, std::string_view message) {
    const auto fault = fault_of(text, format);
    EXPECT_EQ(fault.code, ErrorCode::invalid_argument);
    EXPECT_EQ(fault.message, message);
  };
  check(RuleFormat::toml, "\ndefault = \"maybe\"", "line 2, `default`: `maybe` is no action; write allow, ask or deny");
  check(RuleFormat::toml, "[write]\nrules = [\n  { pattern = \"a\", acton = \"deny\" },\n]",
        "line 3, `write.rules[0].acton`: there is no such key in `write.rules[0]`; write pattern, group, action or "
        "description");
  check(RuleFormat::toml, "[writes]\n",
        "line 1, `writes`: there is no such key; write preset, default, read, write, edit, execute, glob, grep or ls");
  check(RuleFormat::toml, "[read]\nrule = []",
        "line 2, `read.rule`: there is no such key in `read`; write default or "
        "rules");
  check(RuleFormat::toml, "[read]\nrules = [{ pattern = \"a\" }]",
        "line 2, `read.rules[0]`: a rule needs an `action`: allow, ask or deny");
  check(RuleFormat::toml, "[read]\nrules = [\n{ action = \"deny\" }]",
        "line 3, `read.rules[0].pattern`: a rule needs a pattern or a group");
  check(RuleFormat::toml, "read = 3",
        "line 1, `read`: an operation is an action, or a table with `default` and `rules`");
  check(RuleFormat::toml, "preset = \"none\"",
        "line 1, `preset`: there is no preset `none`; write default, permissive, readonly or strict");
  check(RuleFormat::json, "{\n \"read\": {\n  \"rules\": [\n   {\"pattern\": \"[z-a]\", \"action\": \"deny\"}]}}",
        "line 4, `read.rules[0].pattern`: the range in `[z-a]` is reversed");
  check(RuleFormat::json, "{\n \"read\": {},\n \"read\": {}}", "line 3, `read`: the key is written twice");
  check(RuleFormat::json, "[]", "line 1: this must be a table of keys");
  check(RuleFormat::json, "{\"read\": {\"rules\": {}}}", "line 1, `read.rules`: must be a list of rules");
  EXPECT_EQ(fault_of("{\n\n", RuleFormat::json).message.substr(0, 7), "line 3:");
  EXPECT_EQ(fault_of("a = 1\n= 2", RuleFormat::toml).message.substr(0, 7), "line 2:");
  EXPECT_EQ(fault_of("read = \"ask\"\nread = \"ask\"", RuleFormat::toml).message.substr(0, 7), "line 2:");
  EXPECT_EQ(*fault_of("[read]\nrule = []", RuleFormat::toml).field("line"), ErrorField::Value(std::int64_t{2}));
}

TEST(RuleFile, DeepNestingIsRefused) {
  const std::string deep(100'000, '[');
  EXPECT_EQ(fault_of(deep, RuleFormat::json).code, ErrorCode::invalid_argument);
  EXPECT_EQ(fault_of("a = " + deep, RuleFormat::toml).code, ErrorCode::invalid_argument);
}

TEST(LoadRules, ByTheNameOfAPresetOrAFile) {
  testing::TempDir directory;
  directory.write("rules.toml", std::string(kToml));
  directory.write("rules.json", std::string(kJson));
  directory.write("bad.json", "{");
  EXPECT_EQ(load_rules(directory.at("rules.toml"))->spec(), expected());
  EXPECT_EQ(load_rules(directory.at("rules.json"))->spec(), expected());
  EXPECT_EQ(load_rules("preset:strict")->spec(), rule_preset("strict"));
  EXPECT_THAT(load_rules("preset:none"), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(load_rules("strict"), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(load_rules(directory.at("none.toml")), FailsWith(ErrorCode::not_found));
  EXPECT_EQ(load_rules(directory.at("bad.json")).error().path, directory.at("bad.json"));
}

TEST(LoadRules, AFifoDoesNotBlock) {
  testing::TempDir directory;
  ASSERT_EQ(::mkfifo(directory.at("rules.toml").c_str(), 0600), 0);
  EXPECT_THAT(load_rules(directory.at("rules.toml")), FailsWith(ErrorCode::not_regular));
}

TEST(RuleFile, what_the_toml_library_takes_for_granted_is_an_error_of_the_file) {
  EXPECT_THAT(parse_rules(std::string_view("[{epr1\"dt\0)", 11), RuleFormat::toml),
              FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(parse_rules("default = \"allow\" # \xC3\xA9\n", RuleFormat::toml),
              FailsWith(ErrorCode::invalid_argument));
}

}  // namespace
}  // namespace berth
