#include "engine/files/write_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "engine/files/files_fixture.h"
#include "engine/files/revision_cache.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

using berth::testing::FailsWith;
using berth::testing::IsOk;
using Names = std::vector<std::string>;

constexpr auto kAlways = WriteSpec::When::always;
constexpr auto kAbsent = WriteSpec::When::absent;
constexpr auto kMatches = WriteSpec::When::revision_matches;

class WriteFileTest : public FilesTest {
 protected:
  WriteFileTest() { umask(022); }
};
BERTH_FOR_EVERY_FEATURE_SET(WriteFileTest);

TEST_P(WriteFileTest, C_WRITE_5_write_creates_what_is_missing) {
  const auto outcome = write("f", "new");
  ASSERT_THAT(outcome, IsOk());
  const WriteOutcome expected{
      .revision = revision_of("new"), .previous_revision = {}, .created = true, .bytes = 3, .token = stat("f")->token};
  EXPECT_EQ(*outcome, expected);
  EXPECT_EQ(dir.read("f"), "new");
  EXPECT_EQ(tree(), Names{"f"});
}

TEST_P(WriteFileTest, C_WRITE_5_write_overwrites_a_file) {
  dir.write("f", "old");
  const auto outcome = write("f", "newer");
  ASSERT_THAT(outcome, IsOk());
  const WriteOutcome expected{.revision = revision_of("newer"),
                              .previous_revision = {},
                              .created = false,
                              .bytes = 5,
                              .token = stat("f")->token};
  EXPECT_EQ(*outcome, expected);
  EXPECT_EQ(dir.read("f"), "newer");
  EXPECT_EQ(tree(), Names{"f"});
}

TEST_P(WriteFileTest, C_WRITE_5_write_refuses_directories_and_specials) {
  dir.make_directory("directory");
  make_fifo("fifo");
  dir.write("file", "x");
  EXPECT_THAT(write("directory", "x"), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(write(".", "x"), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(write("fifo", "x"), FailsWith(ErrorCode::not_regular));
  EXPECT_THAT(write("file/below", "x"), FailsWith(ErrorCode::not_a_directory));
  EXPECT_EQ(tree(), (Names{"directory/", "fifo", "file"}));
}

TEST_P(WriteFileTest, C_WRITE_5_create_makes_only_what_is_missing) {
  EXPECT_TRUE(create("f", "1")->created);
  EXPECT_EQ(dir.read("f"), "1");
  dir.make_directory("directory");
  make_fifo("fifo");
  dir.make_link("dangling", "nothing");
  dir.make_link("out", "/outside");
  for (const char* name : {"f", "directory", "fifo", "dangling", "out", "."}) {
    EXPECT_THAT(create(name, "2"), FailsWith(ErrorCode::already_exists)) << name;
  }
  EXPECT_EQ(dir.read("f"), "1");
  EXPECT_EQ(tree(), (Names{"dangling", "directory/", "f", "fifo", "out"}));
}

TEST_P(WriteFileTest, C_WRITE_5_replace_compares_and_swaps) {
  dir.write("f", "old");
  dir.make_directory("directory");
  make_fifo("fifo");
  EXPECT_THAT(replace("missing", "x", revision_of("old")), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(replace("no/parent", "x", revision_of("old")), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(replace("directory", "x", revision_of("old")), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(replace("fifo", "x", revision_of("old")), FailsWith(ErrorCode::not_regular));
  const auto outcome = replace("f", "new", revision_of("old"));
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->previous_revision, revision_of("old"));
  EXPECT_EQ(outcome->revision, revision_of("new"));
  EXPECT_EQ(outcome->token, stat("f")->token);
  EXPECT_FALSE(outcome->created);
  EXPECT_EQ(tree(), (Names{"directory/", "f", "fifo"}));
}

TEST_P(WriteFileTest, C_WRITE_6_a_failed_comparison_names_both_revisions_and_changes_nothing) {
  dir.write("f", "actual");
  const struct stat before = lstat("f");
  const auto outcome = replace("f", "new", revision_of("expected"));
  ASSERT_THAT(outcome, FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(*outcome.error().field("expected_revision"), ErrorField::Value(revision_of("expected").text));
  EXPECT_EQ(*outcome.error().field("actual_revision"), ErrorField::Value(revision_of("actual").text));
  EXPECT_EQ(lstat("f").st_ino, before.st_ino);
  EXPECT_EQ(dir.read("f"), "actual");
  EXPECT_EQ(tree(), Names{"f"});
}

TEST_P(WriteFileTest, C_WRITE_6_the_mode_is_checked_after_the_revision) {
  dir.write("f", "x");
  const auto spec = [](std::string_view revision_content) {
    return WriteSpec{
        .when = kMatches, .expected_revision = revision_of(revision_content), .expected_git_mode = GitMode::executable};
  };
  EXPECT_THAT(write("f", "y", spec("other")), FailsWith(ErrorCode::revision_mismatch));
  const auto outcome = write("f", "y", spec("x"));
  ASSERT_THAT(outcome, FailsWith(ErrorCode::mode_mismatch));
  EXPECT_EQ(*outcome.error().field("expected_git_mode"), ErrorField::Value("100755"));
  EXPECT_EQ(*outcome.error().field("actual_git_mode"), ErrorField::Value("100644"));
  chmod("f", 0755);
  EXPECT_THAT(write("f", "y", spec("x")), IsOk());
  EXPECT_EQ(mode("f"), 0755u);
}

TEST_P(WriteFileTest, C_WRITE_6_the_token_sees_a_b_a_and_chmod) {
  dir.write("f", "A");
  const auto token = read("f")->token;
  const WriteSpec spec{.when = kMatches, .expected_revision = revision_of("A"), .expected_token = token};
  ASSERT_THAT(write("f", "B"), IsOk());
  ASSERT_THAT(write("f", "A"), IsOk());
  const auto outcome = write("f", "C", spec);
  ASSERT_THAT(outcome, FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(*outcome.error().field("expected_token"), ErrorField::Value(token.text()));
  EXPECT_EQ(*outcome.error().field("actual_token"), ErrorField::Value(stat("f")->token.text()));

  const auto fresh = stat("f")->token;
  chmod("f", 0600);
  EXPECT_THAT(write("f", "C", {.when = kAlways, .expected_token = fresh}), FailsWith(ErrorCode::revision_mismatch));
  EXPECT_THAT(write("f", "C", {.when = kAlways, .expected_token = stat("f")->token}), IsOk());
  EXPECT_THAT(write("missing", "C", {.when = kAlways, .expected_token = fresh}), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(write("f", "C", {.when = kAbsent, .expected_token = fresh}), FailsWith(ErrorCode::invalid_argument));
}

TEST_P(WriteFileTest, C_WRITE_1_names_of_255_bytes_and_names_that_are_not_utf8_are_written) {
  for (const std::string& name : {std::string(255, 'n'), std::string("\xff\xfe\n:~$ -"), std::string("-rf")}) {
    EXPECT_THAT(write(name, "1"), IsOk());
    EXPECT_THAT(write(name, "2"), IsOk());
    EXPECT_THAT(replace(name, "3", revision_of("2")), IsOk());
    EXPECT_EQ(dir.read(name), "3");
  }
  EXPECT_EQ(tree().size(), 3u);
}

TEST_P(WriteFileTest, C_WRITE_2_the_permission_bits_of_an_existing_file_are_kept) {
  for (const mode_t bits : {0600u, 0640u, 0755u, 0444u, 0777u, 0000u, 04755u}) {
    dir.write("f", "old");
    chmod("f", bits);
    ASSERT_THAT(write("f", "new"), IsOk());
    EXPECT_EQ(mode("f"), bits);
    EXPECT_EQ(unlink(dir.at("f").c_str()), 0);
  }
}

TEST_P(WriteFileTest, C_WRITE_2_new_files_follow_the_umask) {
  umask(027);
  ASSERT_THAT(write("a/f", "x"), IsOk());
  ASSERT_THAT(create("g", "x"), IsOk());
  umask(022);
  EXPECT_EQ(mode("a/f"), 0640u);
  EXPECT_EQ(mode("g"), 0640u);
  EXPECT_EQ(mode("a"), 0750u);
}

TEST_P(WriteFileTest, C_WRITE_2_the_owner_is_kept_where_that_is_allowed) {
  if (geteuid() != 0) return;
  dir.write("f", "old");
  ASSERT_EQ(chown(dir.at("f").c_str(), 1234, 2345), 0);
  chmod("f", 06755);
  ASSERT_THAT(write("f", "new"), IsOk());
  EXPECT_EQ(lstat("f").st_uid, 1234u);
  EXPECT_EQ(lstat("f").st_gid, 2345u);
  EXPECT_EQ(mode("f"), 06755u);
}

TEST_P(WriteFileTest, C_WRITE_2_missing_parents_are_made) {
  ASSERT_THAT(write("a/b/c", "x"), IsOk());
  EXPECT_EQ(tree(), (Names{"a/", "a/b/", "a/b/c"}));
}

TEST_P(WriteFileTest, C_WRITE_2_hard_links_are_broken) {
  dir.write("f", "old");
  ASSERT_EQ(link(dir.at("f").c_str(), dir.at("other").c_str()), 0);
  ASSERT_THAT(write("f", "new"), IsOk());
  EXPECT_EQ(dir.read("f"), "new");
  EXPECT_EQ(dir.read("other"), "old");
}

TEST_P(WriteFileTest, C_WRITE_2_a_link_inside_is_written_through) {
  dir.write("sub/target", "old");
  chmod("sub/target", 0750);
  dir.make_link("link", "sub/target");
  dir.make_link("absolute", dir.at("sub/target"));
  ASSERT_THAT(write("link", "new"), IsOk());
  EXPECT_EQ(dir.read("sub/target"), "new");
  EXPECT_TRUE(S_ISLNK(lstat("link").st_mode));
  EXPECT_EQ(mode("sub/target"), 0750u);
  ASSERT_THAT(replace("absolute", "newer", revision_of("new")), IsOk());
  EXPECT_EQ(dir.read("sub/target"), "newer");
  EXPECT_EQ(tree(), (Names{"absolute", "link", "sub/", "sub/target"}));
}

TEST_P(WriteFileTest, C_WRITE_2_a_dangling_link_inside_creates_its_target) {
  dir.make_link("link", "new/sub/target");
  const auto outcome = write("link", "made");
  ASSERT_THAT(outcome, IsOk());
  EXPECT_TRUE(outcome->created);
  EXPECT_EQ(dir.read("new/sub/target"), "made");
  EXPECT_TRUE(S_ISLNK(lstat("link").st_mode));
}

TEST_P(WriteFileTest, C_PATH_5_a_link_out_is_an_escape_and_nothing_is_made) {
  testing::TempDir outside;
  dir.make_link("leaf", outside.at("new"));
  dir.make_link("parent", outside.path());
  dir.make_link("loop", "loop");
  EXPECT_THAT(write("leaf", "x"), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(write("parent/f", "x"), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(write("parent/a/b", "x"), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(write("loop", "x"), FailsWith(ErrorCode::symlink_loop));
  EXPECT_FALSE(outside.exists("new") || outside.exists("f") || outside.exists("a"));
  EXPECT_EQ(tree(), (Names{"leaf", "loop", "parent"}));
}

TEST_P(WriteFileTest, C_WRITE_4_nothing_is_made_under_the_name_of_a_temporary_file) {
  const std::string name = os::make_temp_name();
  dir.write("f", "x");
  const auto revision = read("f")->revision.value();
  for (const std::string& path : {name, "d/" + name, "d/" + name + "/f"}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(write(path, "x"), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(create(path, "x"), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(files->make_directory({}, path_of(path)), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(files->move({}, path_of("f"), path_of(path), {.expected_revision = revision}),
                FailsWith(ErrorCode::invalid_argument));
  }
  EXPECT_FALSE(dir.exists("d"));
  EXPECT_THAT(write(name + "0", "x"), IsOk());
}

TEST_P(WriteFileTest, C_WRITE_4_a_cancelled_write_leaves_the_old_file_and_nothing_else) {
  dir.write("f", "old");
  const std::string big(8 << 20, 'x');
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(files->write({Deadline::never(), stop.get_token(), {}}, path_of("f"), big, {}),
              FailsWith(ErrorCode::cancelled));
  // Time enough to begin, not to finish.
  for (int microseconds = 50; microseconds < 3000; microseconds += 200) {
    const Call late{Deadline::after(std::chrono::microseconds(microseconds)), {}, {}};
    const auto outcome = files->write(late, path_of("a/b/f"), big, {});
    if (outcome) break;
    EXPECT_THAT(outcome, FailsWith(ErrorCode::timed_out));
    EXPECT_EQ(tree(), Names{"f"}) << "the parents that were made are gone again";
  }
  EXPECT_EQ(dir.read("f"), "old");
}

TEST_P(WriteFileTest, C_WRITE_8_git_modes_are_set_exactly) {
  umask(077);
  ASSERT_THAT(write("new", "x", {.git_mode = GitMode::executable}), IsOk());
  EXPECT_EQ(mode("new"), 0755u);
  ASSERT_THAT(create("plain", "x"), IsOk());
  EXPECT_EQ(mode("plain"), 0600u);
  ASSERT_THAT(write("plain", "x", {.git_mode = GitMode::regular}), IsOk());
  EXPECT_EQ(mode("plain"), 0644u);
  chmod("plain", 04777);
  const WriteSpec spec{.when = kMatches, .expected_revision = revision_of("x"), .git_mode = GitMode::executable};
  ASSERT_THAT(write("plain", "y", spec), IsOk());
  EXPECT_EQ(mode("plain"), 0755u);
  umask(022);
}

TEST_P(WriteFileTest, content_is_bytes_of_any_length) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (const std::string& content : {std::string(), bytes, std::string(5'000'000, '\0')}) {
    const auto outcome = write("f", content);
    ASSERT_THAT(outcome, IsOk());
    EXPECT_EQ(outcome->bytes, static_cast<std::int64_t>(content.size()));
    EXPECT_EQ(outcome->revision, revision_of(content));
    EXPECT_EQ(read("f")->content, content);
  }
}

TEST(WriteFile, C_WRITE_3_durable_writes_do_everything_visible_ones_do) {
  Scratch scratch(os::Features::probe(), {Durability::durable});
  ASSERT_THAT(scratch.write("a/b/f", "1"), IsOk());
  ASSERT_THAT(scratch.replace("a/b/f", "2", revision_of("1")), IsOk());
  ASSERT_THAT(scratch.create("a/c/g", "3"), IsOk());
  ASSERT_THAT(scratch.move("a/c/g", "d/e/g", {.expected_revision = revision_of("3")}), IsOk());
  ASSERT_THAT(scratch.make_directory("x/y"), IsOk());
  ASSERT_THAT(scratch.prune("x"), IsOk());
  ASSERT_THAT(scratch.remove_tree("a"), IsOk());
  EXPECT_EQ(scratch.tree(), (Names{"d/", "d/e/", "d/e/g"}));
}

TEST(WriteFile, C_PATH_5_refused_links_are_escapes_for_writes_too) {
  Scratch scratch(os::Features::probe(), {}, os::LinkPolicy::refuse);
  scratch.dir.write("target", "old");
  scratch.dir.make_link("link", "target");
  EXPECT_THAT(scratch.write("link", "new"), FailsWith(ErrorCode::path_escape));
  EXPECT_EQ(scratch.dir.read("target"), "old");
}

}  // namespace
}  // namespace berth::engine
