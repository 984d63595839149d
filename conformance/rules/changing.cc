#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "conformance/rules.h"

namespace berth::conformance {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::IsOk;

BERTH_CHAPTER(Changing);
BERTH_HOST_CHAPTER(ChangingOnHost);

const Revision kOther{"sha256:0000000000000000000000000000000000000000000000000000000000000000"};

Revision revision_of(BytesView content) { return {"sha256:" + to_hex(sha256(content))}; }

std::string field(const Error& error, std::string_view name) {
  const auto* value = error.field(name);
  if (value == nullptr || !std::holds_alternative<std::string>(*value)) return "(none)";
  return std::get<std::string>(*value);
}

bool is_temporary(std::string_view name) { return name.find(".berth-tmp-") != std::string_view::npos; }

TEST_P(Changing, C_WRITE_1_a_reader_sees_the_old_bytes_or_the_new) {
  put("file", Bytes(50'000, 'a'));
  if (!can_write()) return expect_refused(workspace().write(soon(), "file", "b"));
  const auto reader = environment().open();
  std::jthread writer([this](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      EXPECT_THAT(workspace().write(soon(), "file", Bytes(50'000 + i % 3, static_cast<char>('a' + i % 26))), IsOk());
    }
  });
  const Deadline end = Deadline::after(std::chrono::milliseconds(200));
  while (!end.passed()) {
    const auto page = reader->read(soon(), "file");
    ASSERT_THAT(page, IsOk());
    ASSERT_GE(page->content.size(), 50'000u);
    ASSERT_EQ(page->content.find_first_not_of(page->content[0]), Bytes::npos);
  }
}

TEST_P(Changing, C_WRITE_1_a_name_of_255_bytes_works) {
  const std::string name(255, 'n');
  if (!can_write()) return expect_refused(workspace().write(soon(), name, "x"));
  EXPECT_THAT(workspace().write(soon(), name, "x"), IsOk());
  EXPECT_THAT(workspace().write(soon(), name, "y"), IsOk());
  EXPECT_THAT(workspace().replace(soon(), name, "z", revision_of("y")), IsOk());
  EXPECT_THAT(workspace().move_if(soon(), name, std::string(255, 'm'), revision_of("z")), IsOk());
  EXPECT_EQ(content(std::string(255, 'm')), "z");
}

TEST_P(ChangingOnHost, C_WRITE_1_temporary_names_never_show) {
  const std::string temporary = ".berth-tmp-0123456789abcdef0123456789abcdef";
  host().write("d/" + temporary, "needle\n");
  host().write("d/file", "needle\n");
  const auto listing = workspace().list_directory(soon(), "d");
  ASSERT_THAT(listing, IsOk());
  ASSERT_EQ(listing->entries.size(), 1u);
  EXPECT_EQ(listing->entries.front().name, "file");
  const auto listed = workspace().list(soon());
  if (!can_search()) return expect_refused(listed);
  ASSERT_THAT(listed, IsOk());
  EXPECT_THAT(texts(listed->paths), ElementsAre("d/file"));
  SearchQuery query;
  query.pattern = "needle";
  query.filter = {.hidden = true, .ignored = true};
  const auto found = workspace().search(soon(), ".", query);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->lines.size(), 1u);
}

TEST_P(Changing, C_WRITE_2_missing_parents_are_made) {
  const auto wrote = workspace().write(soon(), "a/b/c/file", "x");
  if (!can_write()) return expect_refused(wrote);
  ASSERT_THAT(wrote, IsOk());
  EXPECT_TRUE(wrote->created);
  EXPECT_EQ(wrote->bytes, 1);
  EXPECT_EQ(content("a/b/c/file"), "x");
  EXPECT_THAT(workspace().write(soon(), "a/b/c/file/below", "x"), FailsWith(ErrorCode::not_a_directory));
}

TEST_P(ChangingOnHost, C_WRITE_2_permission_bits_of_an_existing_file_are_kept) {
  put("file", "a");
  host().chmod("file", 0640);
  if (!can_write()) return expect_refused(workspace().write(soon(), "file", "b"));
  EXPECT_THAT(workspace().write(soon(), "file", "b"), IsOk());
  EXPECT_EQ(host().mode("file"), 0640u);
  EXPECT_THAT(workspace().replace(soon(), "file", "c", revision_of("b")), IsOk());
  EXPECT_EQ(host().mode("file"), 0640u);
  const mode_t mask = ::umask(027);
  // A process of its own that serves the environment has its mask from its start.
  const auto own = environment().open();
  EXPECT_THAT(own->write(soon(), "new/file", "x"), IsOk());
  ::umask(mask);
  EXPECT_EQ(host().mode("new/file"), 0640u);
  EXPECT_EQ(host().mode("new"), 0750u);
}

TEST_P(ChangingOnHost, C_WRITE_2_replacing_breaks_hard_links) {
  put("file", "a");
  host().make_hard_link("alias", "file");
  if (!can_write()) return expect_refused(workspace().write(soon(), "file", "b"));
  EXPECT_THAT(workspace().write(soon(), "file", "b"), IsOk());
  EXPECT_EQ(host().read("alias"), "a");
  EXPECT_EQ(host().read("file"), "b");
}

TEST_P(ChangingOnHost, C_WRITE_2_a_link_inside_the_root_is_written_through) {
  put("d/target", "a");
  host().make_link("link", "d/target");
  host().make_link("dangling", "d/new");
  if (!can_write()) return expect_refused(workspace().write(soon(), "link", "b"));
  const auto wrote = workspace().write(soon(), "link", "b");
  if (!follows_links()) {
    EXPECT_THAT(wrote, FailsWith(ErrorCode::path_escape));
    return;
  }
  EXPECT_THAT(wrote, IsOk());
  EXPECT_TRUE(host().is_link("link"));
  EXPECT_EQ(host().read("d/target"), "b");
  EXPECT_THAT(workspace().replace(soon(), "link", "c", revision_of("b")), IsOk());
  EXPECT_TRUE(host().is_link("link"));
  EXPECT_EQ(host().read("d/target"), "c");
  EXPECT_THAT(workspace().write(soon(), "dangling", "n"), IsOk());
  EXPECT_TRUE(host().is_link("dangling"));
  EXPECT_EQ(host().read("d/new"), "n");
}

TEST_P(Changing, C_WRITE_3_what_is_written_is_there_for_another_handle_when_the_call_returns) {
  if (!can_write()) return expect_refused(workspace().write(soon(), "file", "x"));
  const auto other = environment().open();
  for (int i = 0; i < 20; ++i) {
    ASSERT_THAT(workspace().write(soon(), "file", std::to_string(i)), IsOk());
    const auto page = other->read(soon(), "file");
    ASSERT_THAT(page, IsOk());
    ASSERT_EQ(page->content, std::to_string(i));
  }
}

TEST_P(ChangingOnHost, C_WRITE_4_a_refused_write_leaves_the_file_and_no_temporary_name) {
  put("d/file", "a");
  const auto before = host().names();
  if (!can_write()) return expect_refused(workspace().replace(soon(), "d/file", "b", kOther));
  EXPECT_THAT(workspace().replace(soon(), "d/file", Bytes(100'000, 'b'), kOther),
              FailsWith(ErrorCode::revision_mismatch));
  EXPECT_THAT(workspace().create(soon(), "d/file", "b"), FailsWith(ErrorCode::already_exists));
  EXPECT_THAT(workspace().write(soon(), "d", "b"), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(workspace().write(soon(), "d/file/x", "b"), FailsWith(ErrorCode::not_a_directory));
  host().chmod("d", 0555);
  {
    const Unprivileged user;
    const auto handle = environment().open();
    EXPECT_THAT(handle->write(soon(), "d/file", "b"), FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(handle->write(soon(), "d/new", "b"), FailsWith(ErrorCode::permission_denied));
    EXPECT_THAT(handle->remove(soon(), "d/file"), FailsWith(ErrorCode::permission_denied));
  }
  host().chmod("d", 0755);
  EXPECT_EQ(host().names(), before);
  EXPECT_EQ(host().read("d/file"), "a");
}

TEST_P(ChangingOnHost, C_WRITE_4_temporary_files_of_crashed_processes_are_removed) {
  host().write("d/file", "a");
  if (!can_write()) return expect_refused(workspace().write(soon(), "d/file", "b"));
  host().write("d/.berth-tmp-0123456789abcdef0123456789abcdef", "left");
  const auto handle = environment().open();
  ASSERT_THAT(handle->write(soon(), "d/file", "b"), IsOk());
  EXPECT_THAT(host().names(), ElementsAre("d", "d/file"));
}

TEST_P(Changing, C_WRITE_5_write_creates_or_overwrites) {
  put("file", "a");
  put("d/x", "x");
  const auto created = workspace().write(soon(), "new", "n");
  if (!can_write()) return expect_refused(created);
  ASSERT_THAT(created, IsOk());
  WriteOutcome expected{
      .revision = revision_of("n"), .previous_revision = {}, .created = true, .bytes = 1, .token = created->token};
  EXPECT_EQ(*created, expected);
  const auto overwrote = workspace().write(soon(), "file", "bb");
  ASSERT_THAT(overwrote, IsOk());
  EXPECT_FALSE(overwrote->created);
  EXPECT_EQ(overwrote->revision, revision_of("bb"));
  EXPECT_THAT(workspace().write(soon(), "d", "x"), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(workspace().write(soon(), ".", "x"), FailsWith(ErrorCode::invalid_argument));
}

TEST_P(Changing, C_WRITE_5_create_never_overwrites) {
  put("file", "a");
  put("d/x", "x");
  const auto created = workspace().create(soon(), "new", "n");
  if (!can_write()) return expect_refused(created);
  ASSERT_THAT(created, IsOk());
  EXPECT_TRUE(created->created);
  for (const std::string_view path : {"new", "file", "d"}) {
    EXPECT_THAT(workspace().create(soon(), path, "x"), FailsWith(ErrorCode::already_exists)) << path;
  }
  EXPECT_EQ(content("new"), "n");
  EXPECT_EQ(content("file"), "a");
}

TEST_P(ChangingOnHost, C_WRITE_5_create_takes_any_name_that_stands_there_as_existing) {
  host().make_link("dangling", "absent");
  host().make_link("loop", "loop");
  host().make_fifo("fifo");
  if (!can_write()) return expect_refused(workspace().create(soon(), "dangling", "x"));
  for (const std::string_view path : {"dangling", "loop", "fifo"}) {
    const auto created = workspace().create(soon(), path, "x");
    const auto absent = workspace().require_absent(soon(), path);
    if (follows_links() || path == "fifo") {
      EXPECT_THAT(created, FailsWith(ErrorCode::already_exists)) << path;
      EXPECT_THAT(absent, FailsWith(ErrorCode::already_exists)) << path;
    } else {
      EXPECT_FALSE(created) << path;
      EXPECT_FALSE(absent) << path;
    }
  }
  EXPECT_FALSE(host().exists("absent"));
}

TEST_P(Changing, C_WRITE_5_replace_compares_and_swaps) {
  put("file", "a");
  put("d/x", "x");
  const auto replaced = workspace().replace(soon(), "file", "b", revision_of("a"));
  if (!can_write()) return expect_refused(replaced);
  ASSERT_THAT(replaced, IsOk());
  EXPECT_EQ(replaced->previous_revision, revision_of("a"));
  EXPECT_EQ(replaced->revision, revision_of("b"));
  EXPECT_FALSE(replaced->created);
  EXPECT_EQ(content("file"), "b");
  EXPECT_THAT(workspace().replace(soon(), "absent", "b", revision_of("a")), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(workspace().replace(soon(), "absent/below", "b", revision_of("a")), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(workspace().replace(soon(), "d", "b", revision_of("a")), FailsWith(ErrorCode::is_a_directory));
  const auto absent = workspace().exists(soon(), "absent");
  ASSERT_THAT(absent, IsOk());
  EXPECT_FALSE(*absent) << "a refused swap left a directory behind";
}

TEST_P(Changing, C_WRITE_5_delete_and_delete_if) {
  put("file", "a");
  put("other", "b");
  put("d/x", "x");
  const auto removed = workspace().delete_file(soon(), "file");
  if (!can_write()) {
    expect_refused(removed);
    return expect_refused(workspace().delete_if(soon(), "other", revision_of("b")));
  }
  ASSERT_THAT(removed, IsOk());
  EXPECT_EQ(removed->removed, 1);
  const auto again = workspace().delete_file(soon(), "file");
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->removed, 0);
  EXPECT_THAT(workspace().delete_file(soon(), "d"), FailsWith(ErrorCode::is_a_directory));

  EXPECT_THAT(workspace().delete_if(soon(), "other", kOther), FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(content("other"), "b");
  EXPECT_THAT(workspace().delete_if(soon(), "other", revision_of("b")), IsOk());
  EXPECT_THAT(workspace().delete_if(soon(), "other", revision_of("b")), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(workspace().delete_if(soon(), "d", revision_of("b")), FailsWith(ErrorCode::is_a_directory));
}

TEST_P(ChangingOnHost, C_WRITE_5_special_files_and_links_are_unlinked_themselves) {
  put("target", "x");
  host().make_fifo("fifo");
  host().make_fifo("fifo2");
  host().make_link("link", "target");
  host().make_link("out", host().outside());
  if (!can_write()) return expect_refused(workspace().remove(soon(), "fifo"));
  EXPECT_THAT(workspace().delete_file(soon(), "fifo"), IsOk());
  EXPECT_THAT(workspace().remove(soon(), "fifo2"), IsOk());
  EXPECT_THAT(workspace().delete_file(soon(), "link"), IsOk());
  EXPECT_THAT(workspace().remove(soon(), "out"), IsOk());
  EXPECT_THAT(host().names(), ElementsAre("target"));
  EXPECT_FALSE(host().outside_state().empty());
}

TEST_P(Changing, C_WRITE_5_require_absent) {
  put("file", "a");
  put("d/x", "x");
  EXPECT_THAT(workspace().require_absent(soon(), "absent"), IsOk());
  EXPECT_THAT(workspace().require_absent(soon(), "absent/below"), IsOk());
  EXPECT_THAT(workspace().require_absent(soon(), "file"), FailsWith(ErrorCode::already_exists));
  EXPECT_THAT(workspace().require_absent(soon(), "d"), FailsWith(ErrorCode::already_exists));
}

TEST_P(Changing, C_WRITE_5_make_directory) {
  put("file", "a");
  const auto made = workspace().make_directory(soon(), "a/b/c");
  if (!can_write()) return expect_refused(made);
  ASSERT_THAT(made, IsOk());
  EXPECT_TRUE(made->created);
  const auto again = workspace().make_directory(soon(), "a/b/c");
  ASSERT_THAT(again, IsOk());
  EXPECT_FALSE(again->created);
  EXPECT_THAT(workspace().make_directory(soon(), "file"), FailsWith(ErrorCode::already_exists));
  EXPECT_THAT(workspace().make_directory(soon(), "file/below"), FailsWith(ErrorCode::not_a_directory));
  const auto root = workspace().make_directory(soon(), ".");
  ASSERT_THAT(root, IsOk());
  EXPECT_FALSE(root->created);
  const auto stat = workspace().stat(soon(), "a/b/c");
  ASSERT_THAT(stat, IsOk());
  EXPECT_EQ(stat->kind, FileKind::directory);
}

TEST_P(Changing, C_WRITE_5_remove_takes_a_whole_tree) {
  put("d/one", "1");
  put("d/e/two", "2");
  put("d/e/f/three", "3");
  put("stays", "4");
  const auto removed = workspace().remove(soon(), "d");
  if (!can_write()) return expect_refused(removed);
  ASSERT_THAT(removed, IsOk());
  EXPECT_EQ(removed->removed, 6);
  EXPECT_THAT(workspace().remove(soon(), "d"), FailsWith(ErrorCode::not_found));
  EXPECT_EQ(content("stays"), "4");
  EXPECT_THAT(workspace().stat(soon(), "d"), FailsWith(ErrorCode::not_found));
}

TEST_P(ChangingOnHost, C_WRITE_5_removing_a_tree_follows_no_link) {
  put("keep/file", "x");
  host().make_directory("d");
  host().make_link("d/inside", "../keep");
  host().make_link("d/outside", host().outside());
  host().make_fifo("d/fifo");
  if (!can_write()) return expect_refused(workspace().remove(soon(), "d"));
  const auto removed = workspace().remove(soon(), "d");
  ASSERT_THAT(removed, IsOk());
  EXPECT_EQ(removed->removed, 4);
  EXPECT_THAT(host().names(), ElementsAre("keep", "keep/file"));
  EXPECT_THAT(host().outside_state(), ElementsAre("secret.txt=" + std::string(HostTree::kSecret)));
}

TEST_P(Changing, C_WRITE_6_a_failed_comparison_names_both_revisions_and_changes_nothing) {
  put("file", "a");
  const auto refused = workspace().replace(soon(), "file", "b", kOther);
  if (!can_write()) return expect_refused(refused);
  ASSERT_THAT(refused, FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(field(refused.error(), "expected_revision"), kOther.text);
  EXPECT_EQ(field(refused.error(), "actual_revision"), revision_of("a").text);
  EXPECT_EQ(content("file"), "a");
}

TEST_P(Changing, C_WRITE_6_of_concurrent_replaces_with_one_revision_exactly_one_wins) {
  if (!can_write()) return expect_refused(workspace().replace(soon(), "file", "b", kOther));
  const auto other = environment().open();
  for (int round = 0; round < 10; ++round) {
    const Bytes before = "round " + std::to_string(round);
    ASSERT_THAT(workspace().write(soon(), "file", before), IsOk());
    std::atomic<int> won = 0;
    std::atomic<int> lost = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&, i] {
          Workspace& handle = i % 2 == 0 ? workspace() : *other;
          const auto result = handle.replace(soon(), "file", before + " by " + std::to_string(i), revision_of(before));
          if (result) ++won;
          if (!result && result.error().code == ErrorCode::revision_mismatch) ++lost;
        });
      }
    }
    EXPECT_EQ(won, 1);
    EXPECT_EQ(lost, 5);
  }
}

TEST_P(ChangingOnHost, C_WRITE_6_extra_conditions_on_mode_and_token) {
  put("file", "a");
  if (!can_write()) return expect_refused(workspace().write(soon(), "file", "b"));
  const auto page = workspace().read(soon(), "file");
  ASSERT_THAT(page, IsOk());
  WriteOptions executable;
  executable.expected_git_mode = GitMode::executable;
  EXPECT_THAT(workspace().replace(soon(), "file", "b", revision_of("a"), executable),
              FailsWith(ErrorCode::mode_mismatch));
  EXPECT_THAT(workspace().replace(soon(), "file", "b", kOther, executable), FailsWith(ErrorCode::revision_mismatch))
      << "the revision is compared first";

  // A-B-A: the revision is the same again, the token is not.
  host().write("file", "b");
  host().write("file", "a");
  WriteOptions untouched;
  untouched.expected_token = page->token;
  EXPECT_THAT(workspace().replace(soon(), "file", "c", revision_of("a"), untouched),
              FailsWith(ErrorCode::revision_mismatch));
  EXPECT_THAT(workspace().delete_if(soon(), "file", revision_of("a"), untouched),
              FailsWith(ErrorCode::revision_mismatch));
  EXPECT_THAT(workspace().move_if(soon(), "file", "to", revision_of("a"), untouched),
              FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(host().read("file"), "a");
  const auto now = workspace().stat(soon(), "file");
  ASSERT_THAT(now, IsOk());
  untouched.expected_token = now->token;
  untouched.expected_git_mode = GitMode::regular;
  EXPECT_THAT(workspace().replace(soon(), "file", "c", revision_of("a"), untouched), IsOk());
}

TEST_P(Changing, C_WRITE_7_move_if_moves_and_never_overwrites) {
  put("from", "a");
  put("taken", "b");
  put("d/x", "x");
  const auto refused = workspace().move_if(soon(), "from", "taken", revision_of("a"));
  if (!can_write()) return expect_refused(refused);
  ASSERT_THAT(refused, FailsWith(ErrorCode::already_exists));
  EXPECT_EQ(field(refused.error(), "destination"), "true");
  EXPECT_EQ(refused.error().path, "taken");
  EXPECT_THAT(workspace().move_if(soon(), "from", "d", revision_of("a")), FailsWith(ErrorCode::already_exists));
  EXPECT_THAT(workspace().move_if(soon(), "from", "from", revision_of("a")), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace().move_if(soon(), "from", "./d/../from", revision_of("a")),
              FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace().move_if(soon(), "absent", "to", revision_of("a")), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(workspace().move_if(soon(), "d", "to", revision_of("a")), FailsWith(ErrorCode::is_a_directory));
  EXPECT_EQ(content("from"), "a");
  EXPECT_EQ(content("taken"), "b");
  const auto moved = workspace().move_if(soon(), "from", "new/place/to", revision_of("a"));
  ASSERT_THAT(moved, IsOk());
  EXPECT_EQ(moved->revision, revision_of("a"));
  EXPECT_EQ(content("new/place/to"), "a");
  EXPECT_THAT(workspace().stat(soon(), "from"), FailsWith(ErrorCode::not_found));
}

TEST_P(Changing, C_WRITE_7_a_refused_move_leaves_no_new_directories) {
  put("from", "a");
  const auto refused = workspace().move_if(soon(), "from", "new/place/to", kOther);
  if (!can_write()) return expect_refused(refused);
  EXPECT_THAT(refused, FailsWith(ErrorCode::revision_mismatch));
  EXPECT_THAT(workspace().stat(soon(), "new"), FailsWith(ErrorCode::not_found));
  EXPECT_EQ(content("from"), "a");
}

TEST_P(ChangingOnHost, C_WRITE_8_a_git_mode_is_set_exactly) {
  if (!can_write())
    return expect_refused(workspace().write(
        soon(), "tool", "x", {.git_mode = GitMode::executable, .expected_git_mode = {}, .expected_token = {}}));
  const mode_t mask = ::umask(077);
  WriteOptions executable;
  executable.git_mode = GitMode::executable;
  WriteOptions regular;
  regular.git_mode = GitMode::regular;
  EXPECT_THAT(workspace().create(soon(), "tool", "x", executable), IsOk());
  EXPECT_EQ(host().mode("tool"), 0755u);
  EXPECT_THAT(workspace().write(soon(), "tool", "y", regular), IsOk());
  EXPECT_EQ(host().mode("tool"), 0644u);
  EXPECT_THAT(workspace().replace(soon(), "tool", "z", revision_of("y"), executable), IsOk());
  EXPECT_EQ(host().mode("tool"), 0755u);
  ::umask(mask);
}

TEST_P(Changing, C_WRITE_9_the_root_is_never_removed_however_it_is_spelled) {
  put("d/file", "x");
  if (!can_write()) return expect_refused(workspace().remove(soon(), "."));
  std::vector<std::string> spellings = {".", "./", "d/..", "d/../."};
  for (const std::string& root : workspace().info().root_names) spellings.push_back(root);
  for (const std::string& path : spellings) {
    EXPECT_THAT(workspace().remove(soon(), path), FailsWith(ErrorCode::invalid_argument)) << path;
    const auto deleted = workspace().delete_file(soon(), path);
    EXPECT_FALSE(deleted) << path;
  }
  EXPECT_EQ(content("d/file"), "x");
}

TEST_P(ChangingOnHost, C_WRITE_9_a_link_to_the_root_is_removed_itself) {
  put("d/file", "x");
  host().make_link("d/root", "..");
  if (!can_write()) return expect_refused(workspace().remove(soon(), "d/root"));
  EXPECT_THAT(workspace().remove(soon(), "d/root"), IsOk());
  EXPECT_EQ(host().read("d/file"), "x");
  host().make_link("d/root", "..");
  const auto through = workspace().remove(soon(), "d/root/d/root/.");
  if (follows_links()) {
    EXPECT_THAT(through, IsOk()) << "the last component is a link and goes itself";
  } else {
    EXPECT_THAT(through, FailsWith(ErrorCode::path_escape));
  }
  EXPECT_EQ(host().read("d/file"), "x");
}

TEST_P(Changing, C_WRITE_10_only_empty_directories_are_pruned) {
  if (!can_write()) return expect_refused(workspace().prune_empty_directories(soon(), "a", 10));
  for (const std::string_view path : {"a/b/c", "a/d", "a/e/f"}) {
    ASSERT_THAT(workspace().make_directory(soon(), path), IsOk());
  }
  EXPECT_THAT(workspace().prune_empty_directories(soon(), "a", 5), FailsWith(ErrorCode::too_large));
  ASSERT_THAT(workspace().write(soon(), "a/b/c/.hidden", "x"), IsOk());
  EXPECT_THAT(workspace().prune_empty_directories(soon(), "a", 10), FailsWith(ErrorCode::not_empty));
  EXPECT_THAT(workspace().stat(soon(), "a/e/f"), IsOk());
  ASSERT_THAT(workspace().remove(soon(), "a/b/c/.hidden"), IsOk());
  const auto pruned = workspace().prune_empty_directories(soon(), "a", 6);
  ASSERT_THAT(pruned, IsOk());
  EXPECT_EQ(pruned->removed, 6);
  EXPECT_THAT(workspace().stat(soon(), "a"), FailsWith(ErrorCode::not_found));
  const auto missing = workspace().prune_empty_directories(soon(), "a", 6);
  ASSERT_THAT(missing, IsOk());
  EXPECT_EQ(missing->removed, 0);
}

TEST_P(ChangingOnHost, C_WRITE_10_a_link_or_special_file_keeps_a_tree_from_being_pruned) {
  host().make_directory("links/x");
  host().make_link("links/x/link", "..");
  host().make_directory("special/x");
  host().make_fifo("special/x/fifo");
  if (!can_write()) return expect_refused(workspace().prune_empty_directories(soon(), "links", 10));
  EXPECT_THAT(workspace().prune_empty_directories(soon(), "links", 10), FailsWith(ErrorCode::not_empty));
  EXPECT_THAT(workspace().prune_empty_directories(soon(), "special", 10), FailsWith(ErrorCode::not_empty));
  EXPECT_TRUE(host().exists("links/x/link"));
}

TEST_P(ChangingOnHost, C_WRITE_12_no_lock_file_is_ever_left_or_seen) {
  put("d/file", "a");
  if (!can_write()) return expect_refused(workspace().write(soon(), "d/file", "b"));
  std::atomic<bool> done = false;
  std::jthread writer([&] {
    for (int i = 0; i < 50; ++i) EXPECT_THAT(workspace().write(soon(), "d/file", std::to_string(i)), IsOk());
    done = true;
  });
  while (!done) {
    for (const std::string& name : host().names()) {
      EXPECT_TRUE(name == "d" || name == "d/file" || is_temporary(name)) << name;
    }
  }
  writer.join();
  EXPECT_THAT(host().names(), ElementsAre("d", "d/file"));
}

}  // namespace
}  // namespace berth::conformance
