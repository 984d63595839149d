#include "tests/surfaces/tool_rows.h"

namespace berth::testing {
namespace {

using tools::Profile;

const std::vector<ToolRow>& plain_rows() {
  static const std::vector<ToolRow> rows = {
      {"ls", {"{}", R"({"path": "src", "limit": 1})", R"({"path": "none"})", R"({"x": 1})"}},
      {"read_file",
       {R"({"path": "README.md"})", R"({"path": "latin1.txt"})", R"({"path": "dot.png"})", R"({"path": "data.bin"})",
        R"({"path": "none"})", "{}"}},
      {"write_file",
       {R"({"path": "new/file", "content": "one\n"})", R"({"path": "b", "content": "", "content_b64": "AP8="})",
        R"({"path": "src", "content": "x"})"}},
      {"edit_file",
       {R"({"path": "src/util.cc", "old": "twice", "new": "double"})",
        R"({"path": "src/util.cc", "old": "x", "new": "y"})"}},
      {"hashline_edit",
       {R"({"path": "empty", "start_line": 1, "content": "now\n"})",
        R"({"path": "README.md", "start_line": 1, "start_hash": "zz", "content": ""})"}},
      {"multi_edit",
       {R"({"path": "src/util.cc", "edits": [{"old": "twice", "new": "double"}, {"old": "x + x", "new": "2 * x"}]})",
        R"({"path": "src/util.cc", "edits": []})"}},
      {"apply_patch",
       {R"({"patch": "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Delete File: empty\n*** End Patch\n"})",
        R"({"patch": "hello"})"}},
      {"delete_file", {R"({"path": "empty"})", R"({"path": "empty"})"}},
      {"move_file", {R"({"from": "empty", "to": "in/full"})", R"({"from": "README.md", "to": "in/full"})"}},
      {"make_directory", {R"({"path": "a/b"})", R"({"path": "a/b"})", R"({"path": "README.md"})"}},
      {"list_files", {"{}", R"({"pattern": "src/*", "limit": 1})", R"({"pattern": "[z-a]"})"}},
      {"glob", {R"({"pattern": "**/*.{cc,md}"})", R"({"pattern": "*", "path": "none"})"}},
      {"grep",
       {R"({"pattern": "return", "context": 1})", R"({"pattern": "x", "mode": "count"})", R"({"pattern": "("})"}},
      {"execute",
       {R"({"command": "echo out; echo err >&2; exit 3"})", R"({"command": "cat", "stdin": "given\n"})",
        R"({"command": "true", "cwd": "none"})"}},
      {"start_command",
       {R"({"command": "exec sleep 1000", "name": "a name"})", R"({"command": "true", "cwd": "none"})"}},
      {"check_command",
       {R"(start_command {"command": "echo out; echo err >&2; exit 3"})", R"({"id": "JOB", "wait": 60})", "{}",
        R"({"id": "none"})"}},
      {"send_input",
       {R"(start_command {"command": "cat"})", R"({"id": "JOB", "input": "a line\n", "close": true})",
        R"(check_command {"id": "JOB", "wait": 60})", R"({"id": "JOB", "input": "more"})"}},
      {"stop_command",
       {R"(start_command {"command": "exec sleep 1000"})", R"({"id": "JOB"})", R"({"id": "JOB"})",
        R"({"id": "none"})"}},
      {"git_status", {R"(write_file {"path": "new.txt", "content": "new\n"})", "{}"}},
      {"git_diff", {R"(write_file {"path": "README.md", "content": "other\n"})", "{}", R"({"summary": true})"}},
  };
  return rows;
}

const std::vector<ToolRow>& console_rows() {
  static const std::vector<ToolRow> rows = {
      {"ls", {"{}", R"({"path": "none"})"}},
      {"read_file", {R"({"path": "README.md", "limit": 1})", R"({"path": "dot.png"})", R"({"path": "none"})"}},
      {"write_file", {R"({"path": "new/file", "content": "one\n"})", R"({"path": "src", "content": "x"})"}},
      {"edit_file",
       {R"({"path": "src/util.cc", "old_string": "twice", "new_string": "double"})",
        R"({"path": "src/util.cc", "old_string": "x", "new_string": "y"})"}},
      {"glob", {R"({"pattern": "**/*.cc"})", R"({"pattern": "[z-a]"})"}},
      {"grep", {R"({"pattern": "return"})", R"({"pattern": "("})"}},
      {"execute", {R"({"command": "echo out; exit 3"})", R"({"command": ["ls"]})"}},
  };
  return rows;
}

const std::vector<ToolRow>& harness_rows() {
  static const std::vector<ToolRow> rows = {
      {"read_file", {R"({"path": "README.md"})", R"({"path": "dot.png"})", R"({"path": "none"})"}},
      {"write_file", {R"({"path": "new", "content": "one\n"})", R"({"path": "src", "content": "x"})"}},
      {"edit_file",
       {R"({"path": "src/util.cc", "old_text": "twice", "new_text": "double"})",
        R"({"path": "src/util.cc", "old_text": "x", "new_text": "y"})"}},
      {"list_directory", {"{}", R"({"path": "none"})"}},
      {"search_files", {R"({"pattern": "return"})", R"({"pattern": "("})"}},
      {"find_files", {R"({"pattern": "**/*.cc"})", R"({"pattern": "/x"})"}},
      {"create_directory", {R"({"path": "a/b"})", R"({"path": "README.md"})"}},
      {"file_info", {R"({"path": "link"})", R"({"path": "none"})"}},
      {"run_command", {R"({"command": "echo out; exit 3"})", R"({"command": "true", "timeout_seconds": -1})"}},
      {"start_command", {R"({"command": "exec sleep 1000"})"}},
      {"check_command",
       {R"(start_command {"command": "exec sleep 1000"})", R"({"command_id": "JOB"})", R"({"command_id": "none"})",
        R"(stop_command {"command_id": "JOB"})"}},
      {"stop_command",
       {R"(start_command {"command": "exec sleep 1000"})", R"({"command_id": "JOB"})", R"({"command_id": "none"})"}},
  };
  return rows;
}

const std::vector<ToolRow>& filesystem_rows() {
  static const std::vector<ToolRow> rows = {
      {"read_file", {R"({"path": "README.md"})", R"({"path": "none"})"}},
      {"read_text_file",
       {R"({"path": "README.md", "tail": 1})", R"({"path": "latin1.txt"})", R"({"path": "data.bin"})",
        R"({"path": "README.md", "head": 1, "tail": 1})"}},
      {"read_media_file", {R"({"path": "dot.png"})", R"({"path": "none"})"}},
      {"read_multiple_files", {R"({"paths": ["README.md", "none"]})", R"({"paths": []})"}},
      {"write_file", {R"({"path": "new/file", "content": "one\n"})", R"({"path": "~", "content": "x"})"}},
      {"edit_file",
       {R"({"path": "src/util.cc", "edits": [{"oldText": "twice", "newText": "double"}], "dryRun": true})",
        R"({"path": "src/util.cc", "edits": [{"oldText": "twice", "newText": "double"}]})",
        R"({"path": "src/util.cc", "edits": [{"oldText": "x", "newText": "y"}]})"}},
      {"create_directory", {R"({"path": "a/b"})", R"({"path": "README.md"})"}},
      {"list_directory", {R"({"path": "."})", R"({"path": "none"})"}},
      {"list_directory_with_sizes", {R"({"path": ".", "sortBy": "size"})", R"({"path": ".", "sortBy": "date"})"}},
      {"directory_tree", {R"({"path": ".", "excludePatterns": ["src"]})", R"({"path": "none"})"}},
      {"move_file", {R"({"source": "src", "destination": "lib"})", R"({"source": "none", "destination": "x"})"}},
      {"search_files", {R"({"path": ".", "pattern": "**/*.cc"})", R"({"path": "none", "pattern": "*"})"}},
      {"get_file_info", {R"({"path": "README.md"})", R"({"path": "none"})"}},
      {"list_allowed_directories", {"{}"}},
      {"grep", {R"({"pattern": "return"})", R"({"pattern": "("})"}},
  };
  return rows;
}

}  // namespace

const std::vector<ToolRow>& tool_rows(Profile profile) {
  switch (profile) {
    case Profile::plain: return plain_rows();
    case Profile::console: return console_rows();
    case Profile::harness: return harness_rows();
    case Profile::filesystem: return filesystem_rows();
  }
  return plain_rows();
}

}  // namespace berth::testing
