#include "tests/tools/tools_fixture.h"

namespace berth::tools {
namespace {

using Files = ToolsTest;

TEST_F(Files, ls_shows_kinds_sizes_and_targets) {
  dir.write("a.txt", "hello");
  dir.write("b", "x");
  dir.write("sub/x", "");
  dir.make_link("to_a", "a.txt");
  dir.make_link("to_sub", "sub");
  dir.write("new\nline", "");
  EXPECT_EQ(text("ls"), "a.txt (5 bytes)\nb (1 byte)\n\"new\\nline\" (0 bytes)\nsub/\nto_a -> a.txt\nto_sub -> sub/");
  EXPECT_EQ(text("ls", R"({"limit": 2, "offset": 1})"),
            "b (1 byte)\n\"new\\nline\" (0 bytes)\n... (3 more; go on with offset=3)");
  EXPECT_EQ(refused("ls", R"({"path": "none"})"), "not_found");
  EXPECT_EQ(refused("ls", R"({"path": "a.txt"})"), "not_a_directory");
}

TEST_F(Files, read_file_numbers_lines_and_says_how_to_go_on) {
  dir.write("f", "one\ntwo\nthree");
  EXPECT_EQ(text("read_file", R"({"path": "f"})"), "     1\tone\n     2\ttwo\n     3\tthree");
  EXPECT_EQ(text("read_file", R"({"path": "f", "limit": 1, "offset": 2})"),
            "     2\ttwo\n... (1 line more; go on with offset=3)");
  EXPECT_EQ(text("read_file", R"({"path": "f", "format": "hashline"})"), "1:f9|one\n2:b8|two\n3:35|three");
  EXPECT_EQ(refused("read_file", R"({"path": "f", "offset": 4})"), "offset_out_of_range");
  EXPECT_EQ(refused("read_file", R"({"path": "none"})"), "not_found");
}

TEST_F(Files, a_file_that_changed_since_it_was_read_is_not_overwritten) {
  dir.write("f", "one\n");
  text("read_file", R"({"path": "f"})");
  dir.write("f", "other\n");
  EXPECT_EQ(refused("write_file", R"({"path": "./f", "content": "mine"})"), "revision_mismatch");
  EXPECT_EQ(dir.read("f"), "other\n");
  text("read_file", R"({"path": "f"})");
  EXPECT_EQ(text("write_file", R"({"path": "f", "content": "mine\n"})"), "Wrote f (1 line, 5 bytes)");
  EXPECT_EQ(text("write_file", R"({"path": "f", "content": "mine again\n"})"), "Wrote f (1 line, 11 bytes)");
}

}  // namespace
}  // namespace berth::tools
