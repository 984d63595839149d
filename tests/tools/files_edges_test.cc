#include <gmock/gmock.h>

#include "base/hash.h"
#include "tests/tools/tools_fixture.h"
#include "tools/hashline_edit.h"
#include "tools/lines.h"
#include "tools/read_file.h"

namespace berth::tools {
namespace {

using ::testing::HasSubstr;

using FilesEdges = ToolsTest;

ReadFileResponse page(ToolSession& session, const ReadFileRequest& request) {
  auto read = read_file({}, session, request);
  EXPECT_THAT(read, testing::IsOk());
  return read ? std::move(*read) : ReadFileResponse{};
}

TEST_F(FilesEdges, pages_of_any_file_join_to_the_file) {
  std::string small;
  for (int i = 0; i < 5000; ++i) small += "line " + std::to_string(i) + (i % 7 == 0 ? "\r\n" : "\n");
  std::string large = small;
  while (large.size() < 1500 * 1024) large += small;
  large += "no ending";
  for (const auto& whole : {small, large}) {
    dir.write("f", whole);
    std::string joined;
    ReadFileRequest request{.path = "f", .limit = 1'000'000};
    while (true) {
      const auto one = page(session, request);
      EXPECT_LE(static_cast<std::int64_t>(render(one).size()), limits::kPageBytes + 200);
      EXPECT_EQ(one.line_count, count_lines(*one.content));
      joined += *one.content;
      if (!one.next_offset) break;
      request.offset = *one.next_offset;
    }
    EXPECT_TRUE(joined == whole);
  }
}

TEST_F(FilesEdges, a_line_longer_than_a_page_is_cut_between_characters_and_says_so) {
  std::string line = "x";
  while (line.size() < 400 * 1024) line += "€";
  dir.write("f", line + "\nnext\n");
  const auto one = page(session, {.path = "f"});
  EXPECT_TRUE(one.line_cut);
  EXPECT_TRUE(is_utf8(*one.content));
  EXPECT_EQ(one.next_offset, 2);
  EXPECT_THAT(render(one), HasSubstr("(line 1 is cut"));
  EXPECT_EQ(*page(session, {.path = "f", .offset = 2}).content, "next\n");
}

TEST_F(FilesEdges, an_image_comes_back_as_an_image_whatever_its_name) {
  const std::string png = std::string("\x89PNG\r\n\x1a\n") + std::string(2 * 1024 * 1024, '\0');
  dir.write("photo.txt", png);
  const auto result = call("read_file", R"({"path": "photo.txt"})");
  EXPECT_EQ(result.media, (std::vector<Media>{{Media::Kind::image, "image/png", png}}));
  EXPECT_EQ(result.structured["kind"], "image");
  ToolSession bounded(workspace, {.max_image_bytes = 1024});
  EXPECT_EQ(call_in(bounded, "read_file", {{"path", "photo.txt"}}).structured["error"]["code"], "too_large");
  ToolSession without(workspace, {.images = false});
  EXPECT_EQ(call_in(without, "read_file", {{"path", "photo.txt"}}).structured["kind"], "binary");
}

TEST_F(FilesEdges, editing_keeps_every_byte_outside_the_edit) {
  const std::string before = std::string("\xff\xfe\x00one\n", 7) + "caf\xe9 two\r\n\0end";
  dir.write("f", before);
  text("edit_file", R"({"path": "f", "old": "two", "new": "TWO"})");
  auto after = before;
  after.replace(after.find("two"), 3, "TWO");
  EXPECT_EQ(dir.read("f"), after);
  text("edit_file", R"({"path": "f", "old": "", "old_b64": "6Q==", "new": "é"})");
  after.replace(after.find('\xe9'), 1, "é");
  EXPECT_EQ(dir.read("f"), after);
}

// What the tool does, done with a list of lines.
struct HashlineCase {
  std::string before;
  HashlineEditRequest request;
  std::string after;
};

TEST_F(FilesEdges, hashline_edits_whole_lines_and_no_other_byte) {
  using Place = HashlineEditRequest::Place;
  const std::vector<HashlineCase> cases = {
      {"a\nb\nc\n", {.start_line = 2, .content = "B"}, "a\nB\nc\n"},
      {"a\nb\nc\n", {.start_line = 1, .end_line = 2, .content = "x\ny\nz\n"}, "x\ny\nz\nc\n"},
      {"a\nb\nc\n", {.start_line = 2, .content = ""}, "a\nc\n"},
      {"a\nb\nc", {.start_line = 3, .content = "C\nD\n"}, "a\nb\nC\nD"},
      {"a\nb\nc", {.start_line = 3, .content = ""}, "a\nb"},
      {"a\nb", {.place = Place::after, .start_line = 2, .content = "c\n"}, "a\nb\nc"},
      {"a\nb\n", {.place = Place::after, .start_line = 2, .content = "c"}, "a\nb\nc\n"},
      {"a\n", {.place = Place::before, .start_line = 1, .content = "first"}, "first\na\n"},
      {"a", {.place = Place::before, .start_line = 1, .content = "first"}, "first\na"},
      {"a\r\nb\r\n", {.start_line = 1, .content = "x\ny"}, "x\r\ny\r\nb\r\n"},
      {"a\r\nb", {.place = Place::after, .start_line = 2, .content = "c"}, "a\r\nb\r\nc"},
      {"caf\xe9\nx\n", {.start_line = 2, .content = "y"}, "caf\xe9\ny\n"},
      {"x\n\xff\xfe\n", {.place = Place::before, .start_line = 2, .content = "y"}, "x\ny\n\xff\xfe\n"},
      {"", {.start_line = 1, .content = "new\n"}, "new\n"},
      {"", {.place = Place::after, .start_line = 1, .content = "new"}, "new"},
      {"only\n", {.start_line = 1, .content = ""}, ""},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.before + " -> " + one.after);
    dir.write("f", one.before);
    text("read_file", R"({"path": "f"})");
    auto request = one.request;
    request.path = "f";
    BytesView rest = one.before;
    BytesView line;
    for (std::int64_t i = 0; i < request.start_line; ++i) line = take_line(rest);
    if (!one.before.empty()) request.start_hash = line_hash(line);
    EXPECT_THAT(hashline_edit({}, session, request), testing::IsOk());
    EXPECT_EQ(dir.read("f"), one.after);
  }
}

TEST_F(FilesEdges, C_PATH_7_a_name_that_is_not_utf8_is_listed_and_can_be_asked_for) {
  dir.write("caf\xe9", "x");
  const auto listed = call("ls").structured["entries"][0];
  EXPECT_EQ(call_in(session, "read_file", {{"path", listed["name"]}, {"path_b64", listed["name_b64"]}}).outcome,
            Outcome::success);
  EXPECT_EQ(text("ls"), R"("caf\xe9" (1 byte))");
}

TEST_F(FilesEdges, git_diff_names_a_bounded_number_of_what_it_does_not_show_and_counts_all) {
  const auto script = "cd " + dir.path() +
                      " && git init -q && for i in $(seq 120); do echo x > pipe$i; done && git add -A && "
                      "git -c user.name=n -c user.email=e commit -qm first && rm pipe* && "
                      "for i in $(seq 120); do mkfifo pipe$i; done";
  ASSERT_EQ(std::system(script.c_str()), 0);
  const auto result = call("git_diff");
  ASSERT_EQ(result.outcome, Outcome::success) << result.text;
  EXPECT_EQ(result.structured["not_shown"].size(), 100U);
  EXPECT_EQ(result.structured["not_shown_total"], 120);
  EXPECT_THAT(result.text, HasSubstr("(and 100 more not shown)"));
}

}  // namespace
}  // namespace berth::tools
