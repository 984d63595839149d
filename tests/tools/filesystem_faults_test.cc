#include <sys/stat.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/tools/tools_fixture.h"

/// What the reference MCP filesystem server does wrong, and its users shall not meet here.
namespace berth::tools {
namespace {

using ::testing::HasSubstr;

class FilesystemFaults : public ToolsTest {
 protected:
  void SetUp() override {
    catalogue = std::move(Catalogue::make({.profile = Profile::filesystem}, workspace.capabilities())).value();
  }
};

TEST_F(FilesystemFaults, line_endings_are_not_rewritten_by_an_edit) {
  dir.write("windows", "one\r\ntwo\r\nthree\r\n");
  text("edit_file", R"({"path": "windows", "edits": [{"oldText": "two\nthree", "newText": "2\n3"}]})");
  EXPECT_EQ(dir.read("windows"), "one\r\n2\r\n3\r\n");
  dir.write("mixed", "one\r\ntwo\nthree\r\n");
  text("edit_file", R"({"path": "mixed", "edits": [{"oldText": "two", "newText": "2"}]})");
  EXPECT_EQ(dir.read("mixed"), "one\r\n2\nthree\r\n");
}

TEST_F(FilesystemFaults, line_endings_are_not_rewritten_by_reading_the_end) {
  dir.write("windows", "one\r\ntwo\r\nthree");
  EXPECT_EQ(call("read_text_file", R"({"path": "windows", "tail": 2})").structured["content"], "two\r\nthree");
}

TEST_F(FilesystemFaults, the_first_of_several_matches_is_not_edited) {
  dir.write("twice", "x = 1\ny = 2\nx = 1\n");
  const auto result = call("edit_file", R"({"path": "twice", "edits": [{"oldText": "x = 1", "newText": "x = 3"}]})");
  EXPECT_EQ(result.outcome, Outcome::retry);
  EXPECT_EQ(result.structured["error"]["code"], "ambiguous_match");
  EXPECT_EQ(result.structured["error"]["count"], 2);
  EXPECT_EQ(dir.read("twice"), "x = 1\ny = 2\nx = 1\n");
}

TEST_F(FilesystemFaults, text_that_matches_but_for_white_space_is_shown_and_not_edited) {
  dir.write("code.py", "if a:\n    b = c\n");
  const auto result =
      call("edit_file", R"({"path": "code.py", "edits": [{"oldText": "if a:\n  b = c", "newText": "d"}]})");
  EXPECT_EQ(result.structured["error"]["code"], "match_not_found");
  EXPECT_THAT(result.text, HasSubstr("1: if a:"));
  EXPECT_EQ(dir.read("code.py"), "if a:\n    b = c\n");
}

TEST_F(FilesystemFaults, a_binary_file_is_neither_edited_nor_shown_as_text) {
  const std::string binary(
      "\x7f"
      "ELF\0\xff\xfe name\r\n",
      14);
  dir.write("program", binary);
  EXPECT_EQ(refused("edit_file", R"({"path": "program", "edits": [{"oldText": "name", "newText": "NAME"}]})"),
            "invalid_argument");
  EXPECT_EQ(refused("read_text_file", R"({"path": "program"})"), "invalid_argument");
  EXPECT_EQ(refused("read_text_file", R"({"path": "program", "head": 1})"), "invalid_argument");
  EXPECT_EQ(refused("read_text_file", R"({"path": "program", "tail": 1})"), "invalid_argument");
  EXPECT_EQ(dir.read("program"), binary);
  const auto whole = call("read_media_file", R"({"path": "program"})");
  ASSERT_EQ(whole.media.size(), 1u);
  EXPECT_EQ(whole.media[0], (Media{Media::Kind::document, "application/x-elf", binary}));
}

TEST_F(FilesystemFaults, bytes_that_are_no_text_survive_an_edit_beside_them) {
  dir.write("latin1", "caf\xe9 = 1\nx = 2\n");
  text("edit_file", R"({"path": "latin1", "edits": [{"oldText": "x = 2", "newText": "x = 3"}]})");
  EXPECT_EQ(dir.read("latin1"), "caf\xe9 = 1\nx = 3\n");
}

TEST_F(FilesystemFaults, a_fifo_does_not_hang_the_server) {
  ASSERT_EQ(::mkfifo(dir.at("pipe").c_str(), 0600), 0);
  dir.write("file", "x");
  EXPECT_EQ(refused("read_file", R"({"path": "pipe"})"), "not_regular");
  EXPECT_EQ(refused("read_text_file", R"({"path": "pipe", "head": 1})"), "not_regular");
  EXPECT_EQ(refused("read_media_file", R"({"path": "pipe"})"), "not_regular");
  EXPECT_EQ(refused("write_file", R"({"path": "pipe", "content": "x"})"), "not_regular");
  EXPECT_EQ(refused("edit_file", R"({"path": "pipe", "edits": [{"oldText": "a", "newText": "b"}]})"), "not_regular");
  EXPECT_EQ(refused("move_file", R"({"source": "pipe", "destination": "tube"})"), "not_regular");
  EXPECT_THAT(text("read_multiple_files", R"({"paths": ["pipe", "file"]})"),
              HasSubstr("(not_regular)\n---\nfile:\nx\n"));
  EXPECT_THAT(text("list_directory", R"({"path": "."})"), HasSubstr("[FILE] pipe"));
  EXPECT_THAT(text("get_file_info", R"({"path": "pipe"})"), HasSubstr("isFile: false"));
}

TEST_F(FilesystemFaults, files_are_found_by_what_they_hold_and_not_by_names_only) {
  dir.write("src/a.cc", "int answer = 42;\n");
  EXPECT_EQ(text("grep", fmt::format(R"({{"pattern": "answer", "path": "{}"}})", dir.at("src"))),
            "src/a.cc:1:int answer = 42;");
}

TEST_F(FilesystemFaults, every_failure_has_a_code) {
  dir.write("file", "x\n");
  dir.make_directory("directory");
  EXPECT_EQ(refused("read_text_file", R"({"path": "none"})"), "not_found");
  EXPECT_EQ(refused("read_text_file", R"({"path": "directory"})"), "is_a_directory");
  EXPECT_EQ(refused("read_text_file", R"({"path": "../x"})"), "path_escape");
  EXPECT_EQ(refused("list_directory", R"({"path": "file"})"), "not_a_directory");
  EXPECT_EQ(refused("move_file", R"({"source": "file", "destination": "directory"})"), "already_exists");
  EXPECT_EQ(refused("edit_file", R"({"path": "file", "edits": [{"oldText": "y", "newText": "z"}]})"),
            "match_not_found");
  EXPECT_EQ(refused("create_directory", R"({"path": "file"})"), "already_exists");
  const auto several = call("read_multiple_files", R"({"paths": ["none"]})");
  EXPECT_EQ(several.structured["files"][0]["error_code"], "not_found");
}

TEST_F(FilesystemFaults, a_move_of_a_link_does_not_move_what_it_leads_to) {
  dir.write("file", "x");
  dir.make_link("link", "file");
  EXPECT_EQ(refused("move_file", R"({"source": "link", "destination": "moved"})"), "not_regular");
  EXPECT_EQ(dir.read("file"), "x");
}

TEST_F(FilesystemFaults, the_last_lines_do_not_count_the_end_of_the_file_as_one) {
  dir.write("file", "one\ntwo\nthree\n");
  EXPECT_EQ(text("read_text_file", R"({"path": "file", "tail": 2})"), "two\nthree");
}

TEST_F(FilesystemFaults, a_name_with_a_newline_is_not_two_entries) {
  dir.write("a\n[DIR] b", "x");
  EXPECT_EQ(text("list_directory", R"({"path": "."})"), "[FILE] \"a\\n[DIR] b\"");
  EXPECT_EQ(text("search_files", R"({"path": ".", "pattern": "*"})"), fmt::format("\"{}/a\\n[DIR] b\"", dir.path()));
}

TEST_F(FilesystemFaults, a_change_by_somebody_else_is_not_overwritten) {
  dir.write("file", "one\ntwo\n");
  text("read_text_file", R"({"path": "file", "head": 1})");
  dir.write("file", "one\n2\n");
  EXPECT_EQ(refused("write_file", R"({"path": "file", "content": "mine"})"), "revision_mismatch");
  EXPECT_EQ(refused("edit_file", R"({"path": "file", "edits": [{"oldText": "one", "newText": "1"}]})"),
            "revision_mismatch");
  EXPECT_EQ(dir.read("file"), "one\n2\n");
}

}  // namespace
}  // namespace berth::tools
