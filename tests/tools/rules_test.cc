#include "policy/rules/ruled.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "tests/tools/tools_fixture.h"
#include "tools/lines.h"

namespace berth::tools {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

/// A call of one tool, and what it asks about.
struct Ask {
  std::string tool;
  std::string arguments;
  std::vector<std::string> targets;  ///< `operation path`, or `execute command`
};

struct ProfileAsks {
  CatalogueOptions options;
  std::vector<Ask> asks;
};

constexpr const char* kPatch = "--- a/p.txt\\n+++ b/p.txt\\n@@ -1 +1 @@\\n-one\\n+two\\n";

// One call of every tool that rules have a say in.
std::vector<ProfileAsks> profiles() {
  CatalogueOptions console;
  console.profile = Profile::console;
  CatalogueOptions hashlines = console;
  hashlines.edit_format = CatalogueOptions::EditFormat::hashline;
  CatalogueOptions harness;
  harness.profile = Profile::harness;
  CatalogueOptions named = harness;
  named.only = {"list_files", "grep", "shell"};
  CatalogueOptions filesystem;
  filesystem.profile = Profile::filesystem;
  const std::string patch = std::string(R"({"patch": ")") + kPatch + R"("})";
  return {
      {{},
       {
           {"ls", R"({"path": "."})", {"ls ."}},
           {"read_file", R"({"path": "a.txt"})", {"read a.txt"}},
           {"write_file", R"({"path": "new.txt", "content": "x"})", {"write new.txt"}},
           {"edit_file", R"({"path": "a.txt", "old": "one", "new": "two"})", {"edit a.txt"}},
           {"multi_edit", R"({"path": "b.txt", "edits": [{"old": "one", "new": "two"}]})", {"edit b.txt"}},
           {"hashline_edit",
            R"({"path": "h.txt", "start_line": 1, "start_hash": "HASH", "content": "two"})",
            {"edit h.txt"}},
           {"apply_patch", patch, {"edit p.txt"}},
           {"make_directory", R"({"path": "made"})", {"write made"}},
           {"move_file", R"({"from": "m.txt", "to": "n.txt"})", {"write m.txt", "write n.txt"}},
           {"delete_file", R"({"path": "d.txt"})", {"write d.txt"}},
           {"list_files", R"({"pattern": "*"})", {"glob ."}},
           {"glob", R"({"pattern": "*"})", {"glob ."}},
           {"grep", R"({"pattern": "one"})", {"grep ."}},
           {"execute", R"({"command": "true"})", {"execute true"}},
           {"start_command", R"({"command": "true"})", {"execute true"}},
           {"git_status", "{}", {"glob ."}},
           {"git_diff", "{}", {"grep ."}},
       }},
      {console,
       {
           {"ls", R"({"path": "."})", {"ls ."}},
           {"read_file", R"({"path": "a.txt"})", {"read a.txt"}},
           {"write_file", R"({"path": "new.txt", "content": "x"})", {"write new.txt"}},
           {"edit_file", R"({"path": "a.txt", "old_string": "one", "new_string": "two"})", {"edit a.txt"}},
           {"glob", R"({"pattern": "*"})", {"glob ."}},
           {"grep", R"({"pattern": "one"})", {"grep ."}},
           {"execute", R"({"command": "true"})", {"execute true"}},
       }},
      {hashlines,
       {
           {"ls", R"({"path": "."})", {"ls ."}},
           {"read_file", R"({"path": "a.txt"})", {"read a.txt"}},
           {"write_file", R"({"path": "new.txt", "content": "x"})", {"write new.txt"}},
           {"hashline_edit",
            R"({"path": "h.txt", "start_line": 1, "start_hash": "HASH", "new_content": "two"})",
            {"edit h.txt"}},
           {"glob", R"({"pattern": "*"})", {"glob ."}},
           {"grep", R"({"pattern": "one"})", {"grep ."}},
           {"execute", R"({"command": "true"})", {"execute true"}},
       }},
      {harness,
       {
           {"read_file", R"({"path": "a.txt"})", {"read a.txt"}},
           {"write_file", R"({"path": "new.txt", "content": "x"})", {"write new.txt"}},
           {"edit_file", R"({"path": "a.txt", "old_text": "one", "new_text": "two"})", {"edit a.txt"}},
           {"list_directory", R"({"path": "."})", {"ls ."}},
           {"search_files", R"({"pattern": "one"})", {"grep ."}},
           {"find_files", R"({"pattern": "*"})", {"glob ."}},
           {"create_directory", R"({"path": "made"})", {"write made"}},
           {"file_info", R"({"path": "a.txt"})", {"read a.txt"}},
           {"run_command", R"({"command": "true"})", {"execute true"}},
           {"start_command", R"({"command": "true"})", {"execute true"}},
       }},
      {named,
       {
           {"list_files", "{}", {"glob ."}},
           {"grep", R"({"pattern": "one"})", {"grep ."}},
           {"shell", R"({"command": "true"})", {"execute true"}},
       }},
      {filesystem,
       {
           {"read_file", R"({"path": "a.txt"})", {"read a.txt"}},
           {"read_text_file", R"({"path": "a.txt", "head": 1})", {"read a.txt"}},
           {"read_media_file", R"({"path": "dot.png"})", {"read dot.png"}},
           {"read_multiple_files", R"({"paths": ["a.txt", "b.txt"]})", {"read a.txt", "read b.txt"}},
           {"write_file", R"({"path": "new.txt", "content": "x"})", {"write new.txt"}},
           {"edit_file", R"({"path": "a.txt", "edits": [{"oldText": "one", "newText": "two"}]})", {"edit a.txt"}},
           {"create_directory", R"({"path": "made"})", {"write made"}},
           {"list_directory", R"({"path": "."})", {"ls ."}},
           {"list_directory_with_sizes", R"({"path": "."})", {"ls ."}},
           {"directory_tree", R"({"path": "."})", {"glob ."}},
           {"move_file", R"({"source": "m.txt", "destination": "n.txt"})", {"write m.txt", "write n.txt"}},
           {"search_files", R"({"path": ".", "pattern": "*.txt"})", {"glob ."}},
           {"get_file_info", R"({"path": "a.txt"})", {"read a.txt"}},
           {"grep", R"({"pattern": "one"})", {"grep ."}},
       }},
  };
}

// What is done to a command that was let start needs no more leave, and the workspace's name is no secret.
bool asks_nothing(std::string_view tool) {
  return tool == "check_command" || tool == "send_input" || tool == "stop_command" ||
         tool == "list_allowed_directories";
}

/// Answers every question alike, and keeps what was asked.
class Answering final : public Approver {
 public:
  explicit Answering(Approval::Answer answer) : answer_(answer) {}

  Result<Approval> approve(const Call& /*call*/, const ApprovalRequest& request) override {
    auto& asked = questions.emplace_back();
    for (const auto& target : request.targets) {
      asked.push_back(std::string(operation_name(target.operation)) + " " + target.target);
    }
    return Approval{answer_, "not today"};
  }

  std::vector<std::vector<std::string>> questions;

 private:
  const Approval::Answer answer_;
};

class ToolRulesTest : public ::testing::Test {
 protected:
  using Outcome = ToolResult::Outcome;

  static std::shared_ptr<const RuleSet> rules_of(const RuleSpec& spec) {
    return std::make_shared<const RuleSet>(std::move(RuleSet::compile(spec)).value());
  }
  static std::shared_ptr<const RuleSet> strict() { return rules_of(rule_preset("strict").value()); }

  /// A directory with these rules around it, as a surface puts it together.
  struct Place {
    explicit Place(const std::shared_ptr<const RuleSet>& rules, Approver* approver = nullptr)
        : workspace(ruled(dir, rules)), session(workspace, options_of(rules, approver)) {}
    ~Place() {
      const auto jobs = workspace.list_jobs({});
      if (!jobs) return;
      for (const auto& job : *jobs) (void)workspace.stop_job({}, job.id, {}).has_value();
    }

    static std::unique_ptr<Backend> ruled(const testing::TempDir& dir, const std::shared_ptr<const RuleSet>& rules) {
      for (const char* name : {"a.txt", "b.txt", "h.txt", "p.txt", "m.txt", "d.txt"}) dir.write(name, "one\n");
      dir.write("dot.png", "\x89PNG\r\n\x1a\n....");
      return make_ruled(std::move(local::open_local({dir.path()}, {})).value(), *rules);
    }
    static ToolOptions options_of(const std::shared_ptr<const RuleSet>& rules, Approver* approver) {
      ToolOptions options;
      options.rules = rules;
      options.approver = approver;
      return options;
    }
    std::unique_ptr<Catalogue> catalogue(const CatalogueOptions& options) const {
      return std::move(Catalogue::make(options, workspace.capabilities())).value();
    }
    ToolResult call(const Tool& tool, const std::string& arguments) {
      auto text = arguments;
      if (const auto at = text.find("HASH"); at != std::string::npos) text.replace(at, 4, line_hash("one"));
      return tool.call({}, session, Json::parse(text), nullptr);
    }
    StateHome state_home;
    testing::TempDir dir;
    Workspace workspace;
    ToolSession session;
  };
};

TEST_F(ToolRulesTest, C_POL_3_every_tool_of_every_profile_asks_before_its_work) {
  Place place(strict());
  for (const auto& [options, asks] : profiles()) {
    const auto catalogue = place.catalogue(options);
    std::set<std::string> covered;
    for (const auto& ask : asks) {
      const auto* tool = catalogue->find(ask.tool);
      if (tool == nullptr) continue;
      covered.insert(ask.tool);
      const auto result = place.call(*tool, ask.arguments);
      ASSERT_TRUE(result.structured.contains("error")) << ask.tool << ": " << result.text;
      EXPECT_EQ(result.structured["error"]["code"], "approval_required") << ask.tool << ": " << result.text;
    }
    for (const auto& tool : catalogue->tools()) {
      EXPECT_TRUE(asks_nothing(tool->info().name) || covered.contains(tool->info().name)) << tool->info().name;
      EXPECT_THAT(tool->info().uses, Not(IsEmpty())) << tool->info().name;
    }
  }
  EXPECT_EQ(place.dir.read("a.txt"), "one\n");
  EXPECT_FALSE(place.dir.exists("made"));
  EXPECT_FALSE(place.dir.exists("new.txt"));
  EXPECT_TRUE(place.dir.exists("d.txt"));
}

TEST_F(ToolRulesTest, C_POL_3_every_tool_asks_once_and_an_approved_call_goes_through) {
  for (const auto& [options, asks] : profiles()) {
    Answering yes(Approval::Answer::once);
    Place place(strict(), &yes);
    ASSERT_EQ(std::system(("git -C " + place.dir.path() + " init -q").c_str()), 0);
    const auto catalogue = place.catalogue(options);
    for (const auto& ask : asks) {
      const auto* tool = catalogue->find(ask.tool);
      if (tool == nullptr) continue;
      yes.questions.clear();
      const auto result = place.call(*tool, ask.arguments);
      EXPECT_EQ(result.outcome, Outcome::success) << ask.tool << ": " << result.text;
      EXPECT_THAT(yes.questions, ElementsAre(ask.targets)) << ask.tool;
    }
  }
}

TEST_F(ToolRulesTest, C_POL_3_a_refused_question_is_policy_denied_with_the_reason_and_nothing_is_done) {
  for (const auto& [options, asks] : profiles()) {
    Answering no(Approval::Answer::refused);
    Place place(strict(), &no);
    const auto catalogue = place.catalogue(options);
    for (const auto& ask : asks) {
      const auto* tool = catalogue->find(ask.tool);
      if (tool == nullptr) continue;
      const auto result = place.call(*tool, ask.arguments);
      ASSERT_TRUE(result.structured.contains("error")) << ask.tool << ": " << result.text;
      EXPECT_EQ(result.structured["error"]["code"], "policy_denied") << ask.tool;
      EXPECT_NE(result.text.find("not today"), std::string::npos) << result.text;
    }
    EXPECT_EQ(place.dir.read("a.txt"), "one\n");
    EXPECT_TRUE(place.dir.exists("m.txt"));
  }
}

TEST_F(ToolRulesTest, C_POL_3_an_approval_opens_nothing_that_is_denied) {
  Answering yes(Approval::Answer::once);
  Place place(strict(), &yes);
  place.dir.write(".env", "KEY=secret\n");
  for (const auto& [options, asks] : profiles()) {
    const auto catalogue = place.catalogue(options);
    const auto* tool = catalogue->find("read_file");
    if (tool == nullptr) continue;
    yes.questions.clear();
    const auto result = place.call(*tool, R"({"path": ".env"})");
    EXPECT_EQ(result.structured["error"]["code"], "policy_denied") << result.text;
    EXPECT_THAT(yes.questions, IsEmpty());
  }
}

TEST_F(ToolRulesTest, C_POL_3_of_several_files_one_question_asks_and_what_is_denied_is_told_in_its_place) {
  Answering yes(Approval::Answer::once);
  Place place(strict(), &yes);
  place.dir.write(".env", "KEY=secret\n");
  const auto catalogue = place.catalogue({.profile = Profile::filesystem});
  const auto result = place.call(*catalogue->find("read_multiple_files"), R"({"paths": ["a.txt", ".env", "b.txt"]})");
  ASSERT_EQ(result.outcome, Outcome::success) << result.text;
  EXPECT_THAT(yes.questions, ElementsAre(ElementsAre("read a.txt", "read b.txt")));
  EXPECT_EQ(result.structured["files"][1]["error_code"], "policy_denied") << result.structured;
  EXPECT_EQ(result.text.find("secret\n"), std::string::npos) << result.text;
}

TEST_F(ToolRulesTest, C_POL_3_an_approval_for_the_session_is_asked_for_once) {
  Answering yes(Approval::Answer::for_session);
  Place place(strict(), &yes);
  const auto catalogue = place.catalogue({});
  for (const char* spelled : {"a.txt", "./a.txt", "a.txt"}) {
    EXPECT_EQ(place.call(*catalogue->find("read_file"), Json{{"path", spelled}}.dump()).outcome, Outcome::success);
  }
  EXPECT_THAT(yes.questions, ElementsAre(ElementsAre("read a.txt")));
}

std::vector<std::string> names_of(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const auto& tool : catalogue.tools()) names.push_back(tool->info().name);
  return names;
}

TEST_F(ToolRulesTest, a_tool_all_of_whose_uses_are_denied_is_not_offered) {
  const auto readonly = rules_of(rule_preset("readonly").value());
  Place place(readonly);
  EXPECT_THAT(names_of(*place.catalogue({.rules = readonly})),
              ElementsAre("ls", "read_file", "list_files", "glob", "grep"));
  EXPECT_THAT(names_of(*place.catalogue({.profile = Profile::console, .rules = readonly})),
              ElementsAre("ls", "read_file", "glob", "grep"));
  EXPECT_THAT(names_of(*place.catalogue({.profile = Profile::harness, .rules = readonly})),
              ElementsAre("read_file", "list_directory", "search_files", "find_files", "file_info"));
}

TEST_F(ToolRulesTest, a_tool_that_is_asked_about_or_allowed_somewhere_is_offered) {
  RuleSpec spec;
  spec.fallback = RuleAction::deny;
  spec.of(Operation::edit).rules.push_back({.pattern = "docs/**", .group = {}, .action = RuleAction::ask});
  spec.of(Operation::execute).fallback = RuleAction::ask;
  const auto rules = rules_of(spec);
  Place place(rules);
  const auto names = names_of(*place.catalogue({.rules = rules}));
  for (const char* offered : {"edit_file", "multi_edit", "hashline_edit", "apply_patch", "execute", "start_command"}) {
    EXPECT_THAT(names, Contains(offered));
  }
  // Git is a command, but what it shows is denied.
  for (const char* absent : {"read_file", "write_file", "grep", "git_diff", "git_status", "delete_file"}) {
    EXPECT_THAT(names, Not(Contains(absent)));
  }
}

}  // namespace
}  // namespace berth::tools
