#include <sys/stat.h>

#include <gtest/gtest.h>

#include "tests/tools/golden_cases.h"

namespace berth::tools {
namespace {

void project_with_a_fifo(const testing::TempDir& dir) {
  small_project(dir);
  dir.write("docs/deep/page.md", "page\n");
  dir.write("docs/deep/.draft.md", "draft\n");
  dir.write("node_modules/x/index.md", "x\n");
  dir.write("big", std::string(3000, 'x'));
  dir.make_directory("void");
  dir.make_link("linked", "docs");
  ASSERT_EQ(::chmod(dir.at("README.md").c_str(), 0640), 0);
  ASSERT_EQ(::mkfifo(dir.at("pipe").c_str(), 0600), 0);
}

}  // namespace

const std::vector<GoldenCase>& filesystem_golden_cases() {
  static const std::vector<GoldenCase> all = [] {
    std::vector<GoldenCase> cases = {
        {"read_file", project_with_a_fifo, {R"({"path": "README.md"})", R"({"path": "README.md", "head": 1})"}},
        {"read_text_file",
         project_with_a_fifo,
         {R"({"path": "README.md"})", R"({"path": "README.md", "head": 2})", R"({"path": "README.md", "tail": 1})",
          R"({"path": "README.md", "tail": 9})", R"({"path": "README.md", "head": 0, "tail": null})",
          R"({"path": "README.md", "head": 1, "tail": 1})", R"({"path": "windows.txt"})", R"({"path": "latin1.txt"})",
          R"({"path": "empty"})", R"({"path": "data.bin"})", R"({"path": "dot.png"})", R"({"path": "pipe"})",
          R"({"path": "src"})", R"({"path": "none"})", R"({"path": "/etc/passwd"})", R"({"path": "~/x"})",
          R"({"path": "C:\\x"})", R"({"path": "README.md", "offset": 1})"}},
        {"read_media_file",
         project_with_a_fifo,
         {R"({"path": "dot.png"})", R"({"path": "data.bin"})", R"({"path": "pipe"})", R"({"path": "none"})"}},
        {"read_multiple_files",
         project_with_a_fifo,
         {R"({"paths": ["README.md", "none", "pipe", "data.bin", "src/util.cc"]})", R"({"paths": []})"}},
        {"write_file",
         project_with_a_fifo,
         {R"({"path": "new/file.txt", "content": "a\nb"})", R"({"path": "README.md", "content": "short\n"})",
          R"({"path": "src", "content": "x"})", R"({"path": "pipe", "content": "x"})",
          R"(read_text_file {"path": "README.md"})", "! README.md by somebody else\n",
          R"({"path": "README.md", "content": "mine\n"})", R"({"path": "../x", "content": "x"})"}},
        {"edit_file",
         project_with_a_fifo,
         {R"({"path": "src/main.cc", "edits": [{"oldText": "return 0", "newText": "return 1"}], "dryRun": true})",
          R"({"path": "src/main.cc", "edits": [{"oldText": "return 0", "newText": "return 1"}, {"oldText": "return 1", "newText": "return 2"}]})",
          R"({"path": "src/util.cc", "edits": [{"oldText": "twice", "newText": "double"}, {"oldText": "x", "newText": "y"}]})",
          R"({"path": "src/util.cc", "edits": [{"oldText": "return  x + x;", "newText": "y"}]})",
          R"({"path": "windows.txt", "edits": [{"oldText": "one\ntwo", "newText": "1\n2"}]})",
          R"({"path": "README.md", "edits": [{"oldText": "Some", "newText": "```"}]})",
          R"({"path": "README.md", "edits": [{"oldText": "", "newText": "x"}]})",
          R"({"path": "README.md", "edits": []})",
          R"({"path": "data.bin", "edits": [{"oldText": "\u0001", "newText": "x"}]})",
          R"({"path": "none", "edits": [{"oldText": "a", "newText": "b"}]})", "! src/main.cc int main() {}\n",
          R"({"path": "src/main.cc", "edits": [{"oldText": "main", "newText": "Main"}]})"}},
        {"create_directory",
         project_with_a_fifo,
         {R"({"path": "a/b"})", R"({"path": "a"})", R"({"path": "README.md"})", R"({"path": "README.md/x"})"}},
        {"list_directory",
         project_with_a_fifo,
         {R"({"path": "."})", R"({"path": "void"})", R"({"path": "none"})", R"({"path": "README.md"})", "{}"}},
        {"list_directory_with_sizes",
         project_with_a_fifo,
         {R"({"path": "."})", R"({"path": ".", "sortBy": "size"})", R"({"path": "void"})",
          R"({"path": ".", "sortBy": "date"})"}},
        {"directory_tree",
         project_with_a_fifo,
         {R"({"path": "."})", R"({"path": ".", "excludePatterns": ["node_modules", ".hidden", "*.*", "deep"]})",
          R"({"path": "void"})", R"({"path": "none"})", R"({"path": "."  , "excludePatterns": ["["]})"}},
        {"move_file",
         project_with_a_fifo,
         {R"({"source": "README.md", "destination": "docs/README.md"})",
          R"({"source": "empty", "destination": "docs/README.md"})", R"({"source": "none", "destination": "x"})",
          R"({"source": "docs", "destination": "pages/docs"})", R"({"source": "void", "destination": "hollow"})",
          R"({"source": "pages", "destination": "pages/in"})", R"({"source": "src", "destination": "pages"})",
          R"({"source": "pipe", "destination": "tube"})", R"({"source": "link", "destination": "other"})"}},
        {"search_files",
         project_with_a_fifo,
         {R"({"path": ".", "pattern": "**/*.md"})", R"({"path": ".", "pattern": "*.md"})",
          R"({"path": "docs", "pattern": "**/*.md"})",
          R"({"path": ".", "pattern": "**/*.md", "excludePatterns": ["**/deep", "node_modules/**"]})",
          R"({"path": ".", "pattern": "**/deep"})", R"({"path": ".", "pattern": "*.rs"})",
          R"({"path": "none", "pattern": "*"})", R"({"path": ".", "pattern": "["})"}},
        {"get_file_info",
         project_with_a_fifo,
         {R"({"path": "README.md"})", R"({"path": "pipe"})", R"({"path": "link"})", R"({"path": "none"})"}},
        {"list_allowed_directories", project_with_a_fifo, {"{}", R"({"path": "."})"}},
    };
    for (auto& one : cases) one.profile = Profile::filesystem;
    return cases;
  }();
  return all;
}

}  // namespace berth::tools
