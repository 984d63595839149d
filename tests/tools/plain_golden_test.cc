#include <cstdlib>
#include <functional>
#include <ostream>
#include <regex>

#include <gmock/gmock.h>

#include "testing/golden_file.h"
#include "testing/json_schema.h"
#include "tests/tools/tools_fixture.h"

namespace berth::tools {
namespace {

using ::testing::IsEmpty;

struct GoldenCase {
  std::string tool;
  std::function<void(const testing::TempDir&)> set_up;
  std::vector<std::string> calls;  ///< arguments; `TOOL {…}` calls another tool, `! NAME TEXT` writes a file meanwhile
};

void run(const testing::TempDir& dir, std::string command) {
  ASSERT_EQ(std::system(("cd '" + dir.path() + "' && (" + command + ") >/dev/null 2>&1").c_str()), 0) << command;
}

void small_project(const testing::TempDir& dir) {
  dir.write("README.md", "# Title\n\nSome text.\n");
  dir.write("src/main.cc", "int main() {\n  return 0;\n}\n");
  dir.write("src/util.cc", "int twice(int x) {\n  return x + x;\n}\n");
  dir.write("windows.txt", "one\r\ntwo\r\n");
  dir.write("latin1.txt", "caf\xe9\n");
  dir.write("empty", "");
  dir.write("data.bin", std::string("\0\1\2\3", 4));
  dir.write("dot.png", "\x89PNG\r\n\x1a\n....");
  dir.write(".hidden/x", "twice\n");
  dir.make_link("link", "README.md");
}

void small_repository(const testing::TempDir& dir) {
  small_project(dir);
  run(dir, "git init -q && git add -A && git -c user.name=n -c user.email=e commit -qm first");
}

const std::vector<GoldenCase>& cases() {
  static const std::vector<GoldenCase> all = {
      {"ls",
       small_project,
       {"{}", R"({"path": "src"})", R"({"limit": 2})", R"({"offset": 50})", R"({"path": "none"})",
        R"({"path": "README.md"})", R"({"path": "../"})", R"({"depth": 2})", R"({"limit": "many"})",
        R"({"limit": 501})"}},
      {"read_file",
       small_project,
       {R"({"path": "README.md"})", R"({"path": "README.md", "offset": 2, "limit": 1})",
        R"({"path": "src/main.cc", "format": "hashline"})", R"({"path": "src/main.cc", "format": "raw", "limit": 2})",
        R"({"path": "windows.txt"})", R"({"path": "latin1.txt"})", R"({"path": "empty"})", R"({"path": "data.bin"})",
        R"({"path": "dot.png"})", R"({"path": "README.md", "offset": 9})", R"({"path": "src"})", R"({"path": "none"})",
        R"({"path": "/etc/passwd"})", "{}", R"({"path": "README.md", "offset": 0})",
        R"({"path": "README.md", "format": "hex"})"}},
      {"write_file",
       small_project,
       {R"({"path": "new/file.txt", "content": "a\nb"})", R"({"path": "README.md", "content": "short\n"})",
        R"({"path": "README.md", "content": "x", "if_exists": "refuse"})", R"({"path": "src", "content": "x"})",
        R"({"path": "data.bin", "content": "", "content_b64": "AAH/"})", "! README.md by somebody else\n",
        R"({"path": "./README.md", "content": "mine\n"})", R"({"path": "link", "content": "mine\n"})",
        R"(read_file {"path": "README.md"})", R"({"path": "link", "content": "mine\n"})", R"({"path": "x"})"}},
      {"edit_file",
       small_project,
       {R"({"path": "src/main.cc", "old": "return 0", "new": "return 1"})",
        R"({"path": "src/util.cc", "old": "x", "new": "y", "all": true})",
        R"({"path": "src/util.cc", "old": "y", "new": "z"})",
        R"({"path": "src/util.cc", "old": "nowhere", "new": "z"})", R"({"path": "src/util.cc", "old": "", "new": "z"})",
        R"({"path": "src/util.cc", "old": "int", "new": "int"})",
        R"({"path": "windows.txt", "old": "one\ntwo", "new": "1\n2"})",
        R"({"path": "latin1.txt", "old": "caf", "new": "Caf"})", R"({"path": "none", "old": "a", "new": "b"})",
        "! src/main.cc int main() {}\n", R"({"path": "src/main.cc", "old": "main", "new": "Main"})",
        R"({"path": "src/main.cc", "old_string": "a", "new_string": "b"})"}},
      {"multi_edit",
       small_project,
       {R"({"path": "src/util.cc", "edits": [{"old": "twice", "new": "doubled"}, {"old": "x + x", "new": "2 * x"}]})",
        R"({"path": "src/util.cc", "edits": [{"old": "doubled", "new": "twice"}, {"old": "nowhere", "new": ""}]})",
        R"({"path": "src/util.cc", "edits": []})", R"({"path": "src/util.cc", "edits": [{"old": "x"}]})"}},
      {"hashline_edit",
       small_project,
       {R"({"path": "src/main.cc", "start_line": 2, "start_hash": "00", "content": "  return 1;\n"})",
        R"({"path": "src/main.cc", "start_line": 2, "start_hash": "HH", "content": "  return 1;\n"})",
        R"({"path": "src/main.cc", "start_line": 1, "start_hash": "HH", "place": "before", "content": "// first\n"})",
        R"({"path": "src/main.cc", "start_line": 4, "start_hash": "HH", "place": "after", "content": "// last"})",
        R"({"path": "src/main.cc", "start_line": 1, "start_hash": "HH", "content": ""})",
        R"({"path": "src/main.cc", "start_line": 9, "start_hash": "00", "content": ""})",
        R"({"path": "src/main.cc", "start_line": 1, "content": ""})",
        R"({"path": "empty", "start_line": 1, "content": "now\n"})",
        R"({"path": "src/util.cc", "start_line": 3, "start_hash": "HH", "end_line": 2, "content": ""})"}},
      {"apply_patch",
       small_project,
       {R"({"patch": "--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n-# Title\n+# Other\n \n Some text.\n", "dry_run": true})",
        R"({"patch": "--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n-# Title\n+# Other\n \n Some text.\n"})",
        R"({"patch": "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Delete File: empty\n*** End Patch\n"})",
        R"({"patch": "--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n-# Title\n+# Other\n \n Some text.\n"})",
        "! README.md other\n", R"({"patch": "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-other\n+mine\n"})",
        R"({"patch": "hello"})"}},
      {"delete_file",
       small_project,
       {R"({"path": "link"})", R"({"path": "empty"})", R"({"path": "empty"})", R"({"path": "src"})",
        R"(read_file {"path": "README.md"})", "! README.md other\n", R"({"path": "README.md"})"}},
      {"move_file",
       small_project,
       {R"({"from": "README.md", "to": "docs/README.md"})", R"({"from": "empty", "to": "docs/README.md"})",
        R"({"from": "none", "to": "x"})", R"({"from": "src", "to": "x"})", R"({"from": "empty", "to": "empty"})"}},
      {"make_directory",
       small_project,
       {R"({"path": "a/b"})", R"({"path": "a"})", R"({"path": "README.md"})", R"({"path": "README.md/x"})"}},
      {"list_files",
       small_project,
       {"{}", R"({"pattern": "src/*"})", R"({"limit": 2})", R"({"hidden": false, "pattern": "**/x"})",
        R"({"pattern": "[z-a]"})"}},
      {"glob",
       small_project,
       {R"({"pattern": "**/*.{cc,md}"})", R"({"pattern": "*.cc", "path": "src"})", R"({"pattern": "*.rs"})",
        R"({"pattern": "*", "path": "none"})", "{}"}},
      {"grep",
       small_project,
       {R"({"pattern": "return"})", R"({"pattern": "return", "context": 1})",
        R"({"pattern": "return", "mode": "files"})", R"({"pattern": "x", "mode": "count"})",
        R"({"pattern": "int", "limit": 1})", R"({"pattern": "TWICE", "ignore_case": true, "glob": "*.cc"})",
        R"({"pattern": "x + x", "literal": true})", R"({"pattern": "nowhere"})", R"({"pattern": "("})",
        R"({"pattern": "x", "path": "none"})", R"({"pattern": "x", "mode": "lines"})"}},
      {"execute",
       small_project,
       {R"({"command": "echo out; echo err >&2; exit 3"})", R"({"command": "true"})", R"({"command": "  "})",
        R"({"command": "no-such-command"})", R"({"command": "cat", "stdin": "given\n"})",
        R"({"command": "pwd | sed 's,.*/,,'; echo $A", "cwd": "src", "env": {"A": "1"}})",
        R"({"command": "kill -9 $$"})", R"({"command": "seq 1 40000 | tail -c 70000"})",
        R"({"command": "true", "cwd": "none"})", R"({"command": "true", "timeout": 0})", R"({"command": ["ls"]})"}},
      {"start_command",
       small_project,
       {R"({"command": "true", "name": "a name"})", R"({"command": "true"})", R"({"command": ""})",
        R"({"command": "true", "cwd": "none"})", R"({"command": "true", "timeout": 0})"}},
      {"check_command",
       small_project,
       {"{}", R"(start_command {"command": "echo out; echo err >&2; exit 3", "name": "n"})",
        R"({"id": "JOB", "wait": 60})", R"({"id": "JOB", "stdout_offset": 2})", R"({"id": "JOB", "stdout_offset": 5})",
        "{}", R"({"id": "none"})", R"({"id": "JOB", "wait": -1})"}},
      {"send_input",
       small_project,
       {R"(start_command {"command": "cat"})", R"({"id": "JOB", "input": "a line\n"})",
        R"({"id": "JOB", "input": "the last\n", "close": true})", R"(check_command {"id": "JOB", "wait": 60})",
        R"({"id": "JOB", "input": "more"})", R"({"id": "none"})", "{}"}},
      {"stop_command",
       small_project,
       {R"(start_command {"command": "exec sleep 1000", "name": "sleeper"})", R"({"id": "JOB"})", R"({"id": "JOB"})",
        R"(start_command {"command": "exit 4"})", R"(check_command {"id": "JOB", "wait": 60})", R"({"id": "JOB"})",
        R"({"id": "none"})", R"({"id": "JOB", "grace": -1})"}},
      {"git_status", small_repository, {"{}", "! README.md other\n", "! new.txt new\n", "{}", R"({"limit": 1})"}},
      {"git_diff",
       small_repository,
       {"{}", "! README.md # Title\n\nOther text.\n", "! new.txt new\n", "{}", R"({"summary": true})",
        R"({"max_bytes": 40})"}},
  };
  return all;
}

std::string_view outcome_name(ToolResult::Outcome outcome) {
  switch (outcome) {
    case ToolResult::Outcome::success: return "success";
    case ToolResult::Outcome::retry: return "retry";
    case ToolResult::Outcome::failed: return "failed";
  }
  return "";
}

// For failures.
void PrintTo(const GoldenCase& one, std::ostream* stream) { *stream << one.tool; }

class PlainGolden : public ToolsTest, public ::testing::WithParamInterface<GoldenCase> {
 protected:
  // The hash that the named line has now, so that the cases need not spell it.
  std::string with_hash(std::string arguments) {
    const auto at = arguments.find("HH");
    if (at == std::string::npos) return arguments;
    auto json = Json::parse(arguments);
    const auto shown =
        call_in(session, "read_file", {{"path", json["path"]}, {"offset", json["start_line"]}, {"format", "hashline"}})
            .text;
    json["start_hash"] = shown.substr(shown.find(':') + 1, 2);
    return json.dump();
  }

  std::string transcript(const GoldenCase& one) {
    std::string text;
    for (const auto& step : one.calls) {
      if (step.starts_with("! ")) {
        const auto space = step.find(' ', 2);
        dir.write(step.substr(2, space - 2), step.substr(space + 1));
        text += "(somebody else writes " + step.substr(2, space - 2) + ")\n\n";
        continue;
      }
      const bool other_tool = !step.starts_with('{');
      const auto tool = other_tool ? step.substr(0, step.find(' ')) : one.tool;
      const auto arguments = with_hash(other_tool ? step.substr(step.find(' ') + 1) : step);
      const auto result = call(tool, std::regex_replace(arguments, std::regex("JOB"), job_));
      if (tool == "start_command" && result.outcome == Outcome::success) job_ = result.structured["id"];
      check(tool, result);
      text += tool + " " + arguments + "\n" + std::string(outcome_name(result.outcome)) + "\n" +
              without_chance(result.text) + "\n\n";
    }
    return text;
  }

  // What differs from run to run: ids of jobs and how long they took.
  static std::string without_chance(const std::string& text) {
    static const std::regex id("\\b[0-9a-f]{12}\\b");
    static const std::regex time("[0-9]+\\.[0-9] s\\b");
    return std::regex_replace(std::regex_replace(text, id, "JOB"), time, "N s");
  }

  std::string job_ = "none";  ///< the last that was started

  void check(const std::string& tool, const ToolResult& result) {
    EXPECT_TRUE(is_utf8(result.text));
    if (result.outcome == Outcome::success) {
      EXPECT_THAT(testing::schema_faults(catalogue->find(tool)->info().output_schema, result.structured), IsEmpty())
          << tool << ": " << result.structured.dump();
    } else {
      EXPECT_TRUE(result.structured.contains("error")) << tool;
      EXPECT_EQ(result.structured["error"].value("hint", "").empty(), false) << tool;
    }
  }
};

TEST_P(PlainGolden, the_texts_are_those_of_the_golden_file) {
  GetParam().set_up(dir);
  testing::expect_golden("src/tools/golden/plain/" + GetParam().tool + ".txt", transcript(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Tools, PlainGolden, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.tool; });

TEST_F(ToolsTest, every_tool_has_a_golden_file) {
  std::vector<std::string> covered;
  for (const auto& one : cases()) covered.push_back(one.tool);
  std::vector<std::string> offered;
  for (const auto& tool : catalogue->tools()) offered.push_back(tool->info().name);
  EXPECT_THAT(covered, ::testing::IsSupersetOf(offered));
}

}  // namespace
}  // namespace berth::tools
