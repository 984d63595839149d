#include <sys/stat.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "policy/read_only.h"
#include "tests/tools/tools_fixture.h"

namespace berth::tools {
namespace {

using ::testing::ElementsAre;

class FilesystemProfile : public ToolsTest {
 protected:
  void SetUp() override { offer(workspace); }

  void offer(Workspace& offered) {
    catalogue = std::move(Catalogue::make({.profile = Profile::filesystem}, offered.capabilities())).value();
  }
};

TEST_F(FilesystemProfile, takes_absolute_paths_that_lie_in_the_workspace) {
  dir.write("src/a", "one\n");
  const auto at = [&](std::string_view relative) { return dir.at(relative); };
  EXPECT_EQ(text("read_text_file", fmt::format(R"({{"path": "{}"}})", at("src/a"))), "one\n");
  text("write_file", fmt::format(R"({{"path": "{}", "content": "two\n"}})", at("src/b")));
  text("edit_file", fmt::format(R"({{"path": "{}", "edits": [{{"oldText": "two", "newText": "2"}}]}})", at("src/b")));
  EXPECT_EQ(dir.read("src/b"), "2\n");
  text("move_file", fmt::format(R"({{"source": "{}", "destination": "{}"}})", at("src/b"), at("src/c")));
  text("create_directory", fmt::format(R"({{"path": "{}"}})", at("src/d")));
  EXPECT_EQ(text("list_directory", fmt::format(R"({{"path": "{}/"}})", at("src"))), "[FILE] a\n[FILE] c\n[DIR] d");
  EXPECT_EQ(text("search_files", fmt::format(R"({{"path": "{}", "pattern": "*"}})", at("src"))),
            fmt::format("{}\n{}\n{}", at("src/a"), at("src/c"), at("src/d")));
}

TEST_F(FilesystemProfile, refuses_paths_that_mean_a_place_outside) {
  EXPECT_EQ(refused("read_text_file", R"({"path": "/etc/passwd"})"), "path_escape");
  EXPECT_EQ(refused("write_file", R"({"path": "~/notes", "content": "x"})"), "path_escape");
  EXPECT_EQ(refused("write_file", R"({"path": "C:\\Users\\notes", "content": "x"})"), "path_escape");
  EXPECT_EQ(refused("create_directory", R"({"path": "c:"})"), "path_escape");
  EXPECT_EQ(refused("move_file", R"({"source": "~", "destination": "x"})"), "path_escape");
  EXPECT_FALSE(dir.exists("~"));
  text("write_file", R"({"path": "./~", "content": "a name like another"})");
  EXPECT_TRUE(dir.exists("~"));
}

TEST_F(FilesystemProfile, names_the_workspace_as_the_allowed_directory) {
  const auto result = call("list_allowed_directories");
  EXPECT_EQ(result.text, "Allowed directories:\n" + dir.path());
  EXPECT_EQ(result.structured["directories"], Json::array({dir.path()}));
}

TEST_F(FilesystemProfile, reads_the_first_and_the_last_lines_of_files_of_any_size) {
  std::string content;
  for (int i = 1; i <= 300'000; ++i) content += fmt::format("this is line number {:07}\n", i);
  dir.write("long", content);
  EXPECT_EQ(text("read_text_file", R"({"path": "long", "head": 2})"),
            "this is line number 0000001\nthis is line number 0000002");
  EXPECT_EQ(text("read_text_file", R"({"path": "long", "tail": 1})"), "this is line number 0300000");
  const auto last = call("read_text_file", R"({"path": "long", "tail": 10000})").structured["content"];
  EXPECT_EQ(last.get<std::string>() + "\n", content.substr(content.size() - 10'000 * 28));
}

TEST_F(FilesystemProfile, a_text_that_is_too_long_for_an_answer_is_refused_and_never_cut) {
  dir.write("long", std::string(9 * 1024 * 1024, 'x'));
  EXPECT_EQ(refused("read_text_file", R"({"path": "long"})"), "too_large");
  EXPECT_EQ(refused("read_text_file", R"({"path": "long", "head": 1})"), "too_large");
  EXPECT_EQ(refused("read_text_file", R"({"path": "long", "tail": 1})"), "too_large");
  dir.write("fits", std::string(8 * 1024 * 1024, 'x'));
  EXPECT_EQ(call("read_text_file", R"({"path": "fits"})").structured["content"].get<std::string>().size(), 8u << 20);
  EXPECT_EQ(call("read_multiple_files", R"({"paths": ["fits", "fits"]})").structured["files"][1]["error_code"],
            "too_large");
}

TEST_F(FilesystemProfile, edits_see_what_the_ones_before_them_made_all_or_none) {
  dir.write("file", "a\n");
  text("edit_file",
       R"({"path": "file", "edits": [{"oldText": "a", "newText": "b"}, {"oldText": "b", "newText": "c"}]})");
  EXPECT_EQ(dir.read("file"), "c\n");
  const auto result =
      call("edit_file",
           R"({"path": "file", "edits": [{"oldText": "c", "newText": "d"}, {"oldText": "c", "newText": "e"}]})");
  EXPECT_EQ(result.structured["error"]["code"], "match_not_found");
  EXPECT_EQ(result.structured["error"]["edit"], 1);
  EXPECT_EQ(dir.read("file"), "c\n");
}

TEST_F(FilesystemProfile, a_dry_run_shows_the_same_diff_and_changes_nothing) {
  dir.write("file", "a\n");
  const auto dry =
      call("edit_file", R"({"path": "file", "edits": [{"oldText": "a", "newText": "b"}], "dryRun": true})");
  EXPECT_EQ(dir.read("file"), "a\n");
  EXPECT_FALSE(dry.structured["applied"]);
  EXPECT_FALSE(dry.structured.contains("revision"));
  const auto wet = call("edit_file", R"({"path": "file", "edits": [{"oldText": "a", "newText": "b"}]})");
  EXPECT_EQ(wet.text, dry.text);
  EXPECT_TRUE(wet.structured["applied"]);
  EXPECT_EQ(dir.read("file"), "b\n");
}

TEST_F(FilesystemProfile, an_edit_keeps_the_mode_of_the_file) {
  dir.write("run.sh", "echo a\n");
  ASSERT_EQ(::chmod(dir.at("run.sh").c_str(), 0750), 0);
  text("edit_file", R"({"path": "run.sh", "edits": [{"oldText": "a", "newText": "b"}]})");
  text("write_file", R"({"path": "run.sh", "content": "echo c\n"})");
  struct stat status {};
  ASSERT_EQ(::stat(dir.at("run.sh").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0750u);
}

TEST_F(FilesystemProfile, moves_a_directory_with_all_that_it_holds) {
  dir.write("old/a", "a");
  dir.write("old/in/b", "b");
  dir.make_directory("old/void");
  text("read_text_file", R"({"path": "old/a"})");
  EXPECT_EQ(call("move_file", R"({"source": "old", "destination": "new/place"})").structured["files"], 2);
  EXPECT_FALSE(dir.exists("old"));
  EXPECT_EQ(dir.read("new/place/a"), "a");
  EXPECT_EQ(dir.read("new/place/in/b"), "b");
  EXPECT_TRUE(dir.exists("new/place/void"));
  // What was read is known under its new name.
  dir.write("new/place/a", "changed");
  EXPECT_EQ(refused("write_file", R"({"path": "new/place/a", "content": "mine"})"), "revision_mismatch");
}

TEST_F(FilesystemProfile, a_directory_that_cannot_be_moved_whole_stays_whole) {
  dir.write("old/a", "a");
  dir.write("taken/x", "x");
  EXPECT_EQ(refused("move_file", R"({"source": "old", "destination": "taken"})"), "already_exists");
  EXPECT_EQ(refused("move_file", R"({"source": "old", "destination": "old/in"})"), "invalid_argument");
  dir.make_link("old/link", "a");
  EXPECT_EQ(refused("move_file", R"({"source": "old", "destination": "new"})"), "not_regular");
  for (int i = 0; i < 101; ++i) dir.write(fmt::format("many/{}", i), "x");
  EXPECT_EQ(refused("move_file", R"({"source": "many", "destination": "new"})"), "too_large");
  dir.write("stale/a", "a");
  dir.write("stale/b", "b");
  text("read_text_file", R"({"path": "stale/b"})");
  dir.write("stale/b", "changed");
  EXPECT_EQ(refused("move_file", R"({"source": "stale", "destination": "new"})"), "revision_mismatch");
  EXPECT_EQ(dir.read("stale/a"), "a");
  EXPECT_FALSE(dir.exists("new"));
}

TEST_F(FilesystemProfile, a_very_large_tree_shows_its_upper_levels_as_whole_json) {
  for (int i = 0; i < 21; ++i) dir.make_directory(fmt::format("d{:02}", i));
  for (int i = 0; i < 20'100; ++i) dir.write(fmt::format("d{:02}/{:05}", i / 1000, i), "");
  const auto result = call("directory_tree", R"({"path": "."})");
  EXPECT_TRUE(result.structured["truncated"]);
  EXPECT_EQ(result.structured["entries"], 20'000);
  const auto tree = Json::parse(result.structured["content"].get<std::string>());
  EXPECT_EQ(tree.size(), 21u);
  EXPECT_EQ(tree[0]["children"].size(), 1000u);
}

TEST_F(FilesystemProfile, a_directory_that_cannot_be_listed_is_named_in_the_tree) {
  dir.write("open/file", "x");
  dir.make_directory("shut");
  ASSERT_EQ(::chmod(dir.at("shut").c_str(), 0), 0);
  const auto result = call("directory_tree", R"({"path": "."})");
  ASSERT_EQ(::chmod(dir.at("shut").c_str(), 0700), 0);
  const auto tree = Json::parse(result.structured["content"].get<std::string>());
  if (!result.structured["unreadable"].empty()) {  // root may list it
    EXPECT_EQ(tree[1]["unreadable"], "permission_denied");
  }
  EXPECT_EQ(tree[1]["children"], Json::array());
}

TEST_F(FilesystemProfile, media_is_told_by_its_first_bytes) {
  dir.write("picture.txt", std::string("\x89PNG\r\n\x1a\n\0", 9));
  dir.write("song", std::string("ID3\x03\0\0", 6));
  dir.write("drawing", "<svg xmlns='http://www.w3.org/2000/svg'/>");
  dir.write("text.png", "plain");
  const auto media = [&](const std::string& path) {
    const auto result = call("read_media_file", R"({"path": ")" + path + R"("})");
    EXPECT_EQ(result.text, "");
    return result.media.empty() ? std::pair(Media::Kind::document, std::string("none"))
                                : std::pair(result.media[0].kind, result.media[0].media_type);
  };
  EXPECT_EQ(media("picture.txt"), std::pair(Media::Kind::image, std::string("image/png")));
  EXPECT_EQ(media("song"), std::pair(Media::Kind::audio, std::string("audio/mpeg")));
  EXPECT_EQ(media("drawing"), std::pair(Media::Kind::image, std::string("image/svg+xml")));
  EXPECT_EQ(media("text.png"), std::pair(Media::Kind::document, std::string("text/plain")));
}

TEST_F(FilesystemProfile, a_workspace_that_only_reads_is_offered_nothing_that_writes) {
  Workspace reading(make_read_only(std::move(local::open_local({dir.path()}, {})).value()));
  offer(reading);
  std::vector<std::string> names;
  for (const auto& tool : catalogue->tools()) names.push_back(tool->info().name);
  EXPECT_THAT(names, ElementsAre("read_file", "read_text_file", "read_media_file", "read_multiple_files",
                                 "list_directory", "list_directory_with_sizes", "directory_tree", "search_files",
                                 "get_file_info", "list_allowed_directories", "grep"));
}

}  // namespace
}  // namespace berth::tools
