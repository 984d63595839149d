#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kPolicyDenied = 22;
constexpr int kApprovalRequired = 23;
constexpr int kInvalid = 2;

constexpr std::string_view kRules = R"(
preset = "default"
[write]
rules = [
  { pattern = "docs/**", action = "allow" },
  { pattern = "build/**", action = "deny", description = "builds are made, not written" },
]
[execute]
rules = [{ pattern = "echo **", action = "allow" }]
)";

class RulesVerbTest : public ::testing::Test {
 protected:
  RulesVerbTest() {
    rules.write("rules.toml", std::string(kRules));
    berth.directory.write("a.txt", "one\n");
    berth.directory.write(".env", "KEY=1 one\n");
    berth.directory.write("docs/d.md", "one\n");
    berth.directory.make_link("to_env", ".env");
  }

  Ended with_rules(std::vector<std::string> words, std::string_view input = {}) const {
    words.insert(words.begin(), {"--rules", rules.at("rules.toml")});
    return berth(std::move(words), input);
  }

  Berth berth;
  TempDir rules;
};

TEST_F(RulesVerbTest, C_POL_3_every_verb_keeps_to_the_rules) {
  EXPECT_EQ(with_rules({"read", "a.txt"}).out, "one\n");
  for (const char* path : {".env", "to_env", "docs/../.env"}) {
    const auto refused = with_rules({"read", path});
    EXPECT_EQ(refused.status, kPolicyDenied) << path;
    EXPECT_THAT(refused.err, HasSubstr("the rules deny reading this path: this looks like a secret"));
  }
  EXPECT_EQ(with_rules({"write", "docs/new.md"}, "x").status, 0);
  EXPECT_EQ(with_rules({"write", "build/x"}, "x").status, kPolicyDenied);
  const auto asked = with_rules({"write", "a.txt"}, "x");
  EXPECT_EQ(asked.status, kApprovalRequired);
  EXPECT_THAT(asked.err, HasSubstr("writing this path needs approval"));
  EXPECT_THAT(asked.err, HasSubstr("call it from a terminal"));
  EXPECT_EQ(berth.directory.read("a.txt"), "one\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"edit", "a.txt", "--old", "one", "--new", "two"},
        {"rm", "a.txt"},
        {"mkdir", "new"},
        {"mv", "a.txt", "b.txt", "--if-revision", "sha256:0"},
        {"run", "--", "true"},
        {"run", "-c", "true"}}) {
    EXPECT_EQ(with_rules(words).status, kApprovalRequired) << words.front();
  }
  EXPECT_EQ(with_rules({"run", "--", "echo", "hello"}).out, "hello\n");
  EXPECT_EQ(with_rules({"run", "--", "rm", "-rf", "/"}).status, kPolicyDenied);
  EXPECT_EQ(with_rules({"run", "--", "echo", ".env"}).status, kPolicyDenied);
  const auto found = with_rules({"grep", "one", "--hidden"});
  EXPECT_THAT(found.out, HasSubstr("a.txt"));
  EXPECT_THAT(found.out, Not(HasSubstr(".env")));
  EXPECT_THAT(with_rules({"ls"}).out, HasSubstr(".env"));
}

TEST_F(RulesVerbTest, PatchesAskForEveryFile) {
  const std::string patch =
      "--- a/docs/d.md\n+++ b/docs/d.md\n@@ -1 +1 @@\n-one\n+two\n--- /dev/null\n+++ b/docs/e.md\n@@ -0,0 +1 @@\n+x\n";
  const auto refused = with_rules({"patch"}, patch);
  EXPECT_EQ(refused.status, kApprovalRequired);
  EXPECT_THAT(refused.err, HasSubstr("editing this path needs approval"));
  EXPECT_EQ(with_rules({"patch", "--dry-run"}, patch).status, 0);
  EXPECT_EQ(berth.directory.read("docs/d.md"), "one\n");
}

TEST_F(RulesVerbTest, OnATerminalTheUserIsAsked) {
  const auto answered = [&](std::string_view answer) {
    return berth.on_terminal({"--rules", rules.at("rules.toml"), "mkdir", "new"}, answer);
  };
  const auto no = answered("n\n");
  EXPECT_EQ(no.status, kPolicyDenied);
  EXPECT_THAT(no.out, HasSubstr("write   new"));
  EXPECT_THAT(no.out, HasSubstr("Do it? [y/N]"));
  EXPECT_THAT(no.out, HasSubstr("the user refused writing this path"));
  EXPECT_FALSE(berth.directory.exists("new"));
  EXPECT_EQ(answered("\n").status, kPolicyDenied);
  EXPECT_EQ(answered("y\n").status, 0);
  EXPECT_TRUE(berth.directory.exists("new"));
  // What is denied is not asked about.
  const auto denied = berth.on_terminal({"--rules", rules.at("rules.toml"), "read", "to_env"}, "y\n");
  EXPECT_EQ(denied.status, kPolicyDenied);
  EXPECT_THAT(denied.out, Not(HasSubstr("[y/N]")));
}

TEST_F(RulesVerbTest, CheckShowsTheRulesAndTeachesWhatIsWrong) {
  const auto shown = berth({"rules", "check", rules.at("rules.toml")});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out,
              HasSubstr("write\n    0  allow  docs/**\n    1  deny   build/**  builds are made, not written\n"
                        "    2  deny   group secrets\n       ask    everything else\n"));
  rules.write("bad.toml", "[write]\nrules = [{ patern = \"a\", action = \"deny\" }]\n");
  const auto bad = berth({"rules", "check", rules.at("bad.toml")});
  EXPECT_EQ(bad.status, kInvalid);
  EXPECT_THAT(bad.err, HasSubstr("bad.toml"));
  EXPECT_THAT(bad.err, HasSubstr("line 2"));
  EXPECT_THAT(bad.err, HasSubstr("write pattern, group, action or description"));
  EXPECT_EQ(berth({"--rules", rules.at("bad.toml"), "ls"}).status, kInvalid);
  EXPECT_EQ(berth({"--rules", "preset:none", "ls"}).status, kInvalid);
  EXPECT_EQ(berth({"--rules", rules.at("none.json"), "ls"}).status, 10);
  // What is printed as JSON is a file of rules again.
  rules.write("again.json", berth({"--json", "rules", "check", rules.at("rules.toml")}).out);
  EXPECT_EQ(berth({"rules", "check", rules.at("again.json")}).out, shown.out);
}

TEST_F(RulesVerbTest, ExplainTellsWhichRuleDecided) {
  EXPECT_EQ(berth({"rules", "explain", rules.at("rules.toml"), "write", "build/x"}).out,
            "deny  write  build/x\n  decided by write.rules[1]: build/**, builds are made, not written\n");
  EXPECT_EQ(berth({"rules", "explain", "preset:default", "read", "to_env"}).out,
            "deny  read  to_env\n  decided by read.rules[0]: **/.env (group secrets), this looks like a secret\n"
            "  by the name .env\n  it leads to .env\n");
  EXPECT_EQ(berth({"rules", "explain", "preset:readonly", "execute", "make"}).out,
            "deny  execute  make\n  decided by execute.default\n");
  const auto object = berth.json({"rules", "explain", rules.at("rules.toml"), "execute", "echo a/b"});
  EXPECT_EQ(object.at("action"), "allow");
  EXPECT_EQ(object.at("decided_by"), "execute.rules[0]");
  EXPECT_EQ(object.at("pattern"), "echo **");
  EXPECT_EQ(berth({"rules", "explain", "preset:default", "fly", "x"}).status, kInvalid);
  EXPECT_EQ(berth({"rules", "explain", "preset:default", "read"}).status, kInvalid);
}

}  // namespace
}  // namespace berth::testing
