#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/tools/golden_cases.h"

namespace berth::tools {
namespace {

void run(const testing::TempDir& dir, std::string command) {
  ASSERT_EQ(std::system(("cd '" + dir.path() + "' && (" + command + ") >/dev/null 2>&1").c_str()), 0) << command;
}

}  // namespace

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

const std::vector<GoldenCase>& plain_golden_cases() {
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

}  // namespace berth::tools
