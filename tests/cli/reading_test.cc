#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/hash.h"
#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::string revision_of(std::string_view content) { return "sha256:" + to_hex(sha256(content)); }

// What differs from run to run.
json without_token(json object) {
  object.erase("token");
  object.erase("modified_at");
  return object;
}

TEST(Ls, shows_kind_size_and_link_target_in_aligned_columns) {
  const Berth berth;
  berth.directory.write("long.txt", std::string(1234, 'x'));
  berth.directory.make_link("link", "long.txt");
  const auto ended = berth({"ls"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, MatchesRegex("lrwxrwxrwx  +[0-9]+  [0-9: -]+  link -> long.txt\n"
                                      "-rw.r..r..  1234  [0-9: -]+  long.txt\n"));
}

TEST(Ls, json_has_an_entry_a_name) {
  const Berth berth;
  berth.directory.write("sub/a", "");
  auto object = berth.json({"ls", "sub"});
  EXPECT_EQ(object["path"], "sub");
  ASSERT_EQ(object["entries"].size(), 1U);
  EXPECT_EQ(object["entries"][0]["name"], "a");
  EXPECT_EQ(object["entries"][0]["kind"], "file");
}

TEST(List, prints_every_file_sorted_by_bytes) {
  const Berth berth;
  for (const char* name : {"b", "a/c", ".hidden", "a.txt"}) berth.directory.write(name, "");
  EXPECT_EQ(berth({"list"}), (Ended{0, ".hidden\na.txt\na/c\nb\n", ""}));
  EXPECT_EQ(berth({"list", "*"}), (Ended{0, ".hidden\na.txt\nb\n", ""}));
  EXPECT_EQ(berth({"list", "--no-hidden"}), (Ended{0, "a.txt\na/c\nb\n", ""}));
}

TEST(List, pages_with_a_cursor_meet) {
  const Berth berth;
  for (const char* name : {"a", "b", "c"}) berth.directory.write(name, "");
  auto first = berth.json({"list", "--limit", "2"});
  EXPECT_EQ(first["files"], (json{{{"path", "a"}}, {{"path", "b"}}}));
  EXPECT_EQ(first["total"], 3);
  EXPECT_EQ(first["truncated"], true);
  auto second = berth.json({"list", "--limit", "2", "--cursor", first["cursor"]});
  EXPECT_EQ(second["files"], (json{{{"path", "c"}}}));
  EXPECT_EQ(second["truncated"], false);
}

TEST(Glob, expands_braces_and_passes_over_hidden_and_ignored_files) {
  const Berth berth;
  for (const char* name : {"x.cc", "d/y.h", "d/z.txt", ".h.cc", "build/o.cc"}) berth.directory.write(name, "");
  berth.directory.write(".gitignore", "build/\n");
  EXPECT_EQ(berth({"glob", "**/*.{cc,h}"}), (Ended{0, "d/y.h\nx.cc\n", ""}));
  EXPECT_EQ(berth({"glob", "**/*.{cc,h}", "--hidden", "--ignored"}).out, ".h.cc\nbuild/o.cc\nd/y.h\nx.cc\n");
  EXPECT_EQ(berth.json({"glob", "*.h", "d"})["files"], (json{{{"path", "d/y.h"}}}));
}

TEST(Grep, prints_path_line_column_and_text) {
  const Berth berth;
  berth.directory.write("a.txt", "one\nthe red fox\n");
  berth.directory.write("d/b.txt", "RED\n");
  EXPECT_EQ(berth({"grep", "red"}), (Ended{0, "a.txt:2:5:the red fox\n", ""}));
  EXPECT_EQ(berth({"grep", "-i", "red", "--files"}), (Ended{0, "a.txt\nd/b.txt\n", ""}));
  EXPECT_EQ(berth({"grep", "-i", "red", "--count"}), (Ended{0, "a.txt:1\nd/b.txt:1\n", ""}));
  EXPECT_EQ(berth({"grep", "fox", "-C", "1"}), (Ended{0, "a.txt-1-one\na.txt:2:9:the red fox\n", ""}));
  EXPECT_EQ(berth.json({"grep", "fox"})["matches"],
            (json{{{"path", "a.txt"}, {"line", 2}, {"column", 9}, {"text", "the red fox"}}}));
}

TEST(Grep, exits_with_1_when_nothing_matched_and_2_for_a_bad_pattern) {
  const Berth berth;
  berth.directory.write("a.txt", "one\n");
  EXPECT_EQ(berth({"grep", "two"}), (Ended{1, "", ""}));
  EXPECT_EQ(berth({"grep", "("}).status, 2);
  EXPECT_EQ(berth({"grep", "-F", "("}).status, 1);
}

TEST(Grep, C_SEARCH_3_a_pattern_that_starts_with_a_dash_is_a_pattern) {
  const Berth berth;
  berth.directory.write("a.txt", "x --flag\n");
  EXPECT_EQ(berth({"grep", "--", "--flag"}), (Ended{0, "a.txt:1:3:x --flag\n", ""}));
}

TEST(Read, prints_bytes_as_they_are) {
  const Berth berth;
  const std::string content("a\0\xff\r\n no newline at the end", 27);
  berth.directory.write("file", content);
  EXPECT_EQ(berth({"read", "file"}), (Ended{0, content, ""}));
  EXPECT_EQ(berth({"read", "file", "--offset", "1", "--max-bytes", "2"}), (Ended{0, content.substr(1, 2), ""}));
}

TEST(Read, lines_take_every_form_of_a_range) {
  const Berth berth;
  berth.directory.write("file", "1\n2\n3\n4");
  EXPECT_EQ(berth({"read", "file", "--lines", "2:3"}).out, "2\n3\n");
  EXPECT_EQ(berth({"read", "file", "--lines", "3:"}).out, "3\n4");
  EXPECT_EQ(berth({"read", "file", "--lines", ":2"}).out, "1\n2\n");
  EXPECT_EQ(berth({"read", "file", "--lines", "4"}).out, "4");
  for (const char* wrong : {"x", "3:2", "0:1", ":", "1:2:3", ""}) {
    EXPECT_EQ(berth({"read", "file", "--lines", wrong}).status, *wrong == '\0' ? 0 : 2) << wrong;
  }
}

TEST(Read, json_of_a_complete_read_has_the_revision) {
  const Berth berth;
  berth.directory.write("file", "text");
  EXPECT_EQ(without_token(berth.json({"read", "file"})), (json{{"path", "file"},
                                                               {"content", "text"},
                                                               {"offset", 0},
                                                               {"total_bytes", 4},
                                                               {"truncated", false},
                                                               {"revision", revision_of("text")},
                                                               {"git_mode", "100644"}}));
  EXPECT_EQ(without_token(berth.json({"read", "file", "--max-bytes", "3"})), (json{{"path", "file"},
                                                                                   {"content", "tex"},
                                                                                   {"offset", 0},
                                                                                   {"total_bytes", 4},
                                                                                   {"truncated", true},
                                                                                   {"next_offset", 3}}));
}

TEST(Read, a_file_of_many_pieces_is_printed_whole) {
  const Berth berth;
  std::string content;
  for (int i = 0; content.size() < 20'000'000; ++i) content += std::to_string(i) + "\n";
  berth.directory.write("big", content);
  EXPECT_TRUE(berth({"read", "big"}).out == content);
  EXPECT_TRUE(berth({"read", "big", "--lines", "1:"}).out == content);
}

TEST(Names, C_PATH_7_a_name_that_is_not_utf8_goes_through_every_verb) {
  const Berth berth;
  const std::string name = "caf\xe9";
  EXPECT_EQ(berth({"write", name}, "x").status, 0);
  EXPECT_EQ(berth({"list"}).out, name + "\n");
  EXPECT_EQ(berth({"read", name}).out, "x");
  const json expected = {{"path", "caf\xef\xbf\xbd"}, {"path_b64", encode_base64(name)}};
  EXPECT_EQ(berth.json({"list"})["files"], json::array({expected}));
  auto read = berth.json({"read", name});
  EXPECT_EQ(read["path"], expected["path"]);
  EXPECT_EQ(read["path_b64"], expected["path_b64"]);
  auto error = berth.json({"read", name + name}, 10)["error"];
  EXPECT_EQ(error["path_b64"], encode_base64(name + name));
}

TEST(Stat, describes_a_file_and_a_link) {
  const Berth berth;
  berth.directory.write("file", "1234");
  berth.directory.make_link("link", "file");
  EXPECT_EQ(without_token(berth.json({"stat", "link"})),
            (json{{"path", "link"}, {"kind", "file"}, {"size", 4}, {"mode", "0644"}, {"git_mode", "100644"}}));
  auto link = berth.json({"stat", "--no-follow", "link"});
  EXPECT_EQ(link["kind"], "symlink");
  EXPECT_EQ(link["link_target"], "file");
  EXPECT_THAT(berth({"stat", "file"}).out, HasSubstr("size  4\n"));
}

}  // namespace
}  // namespace berth::testing
