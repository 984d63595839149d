#include <gtest/gtest.h>

#include <set>

#include "providers/state/provider.h"
#include "providers/state/timestamp.h"
#include "store/memory_store.h"
#include "testing/matchers.h"

namespace berth::state {
namespace {

using berth::testing::FailsWith;
using berth::testing::IsOk;
using When = WriteSpec::When;
using What = RemoveSpec::What;

Path at(std::string_view text) { return parse_path(text, {}).value(); }

class StateFiles : public ::testing::Test {
 protected:
  StateFiles() {
    EXPECT_THAT(backend_->ensure(Call{}), IsOk());
    put("file.txt", "hello\n");
    EXPECT_THAT(writes().make_directory(Call{}, at("dir/inner")), IsOk());
    put("dir/nested.txt", "nested");
  }

  FileReads& reads() { return *backend_->reads(); }
  FileWrites& writes() { return *backend_->writes(); }

  WriteOutcome put(std::string_view path, BytesView content, const WriteSpec& spec = {}) {
    return writes().write(Call{}, at(path), content, spec).value();
  }
  Bytes content(std::string_view path) { return reads().read(Call{}, at(path), {}).value().content; }
  Revision revision(std::string_view path) { return *reads().read(Call{}, at(path), {}).value().revision; }
  FileStat stat(std::string_view path) { return reads().stat(Call{}, at(path), FollowLeaf::yes).value(); }
  std::vector<Bytes> names(std::string_view path) {
    std::vector<Bytes> all;
    const DirectoryListing listing = reads().list_directory(Call{}, at(path)).value();
    for (const auto& entry : listing.entries) all.push_back(entry.name);
    return all;
  }
  Result<WriteOutcome> try_write(std::string_view path, const WriteSpec& spec) {
    return writes().write(Call{}, at(path), "new", spec);
  }
  Result<RemoveOutcome> try_remove(std::string_view path, const RemoveSpec& spec) {
    return writes().remove(Call{}, at(path), spec);
  }

  std::shared_ptr<store::DocumentStore> store_ = store::make_memory_store();
  std::unique_ptr<Backend> backend_ = StateProvider(store_).create().value();
};

TEST_F(StateFiles, says_what_it_is) {
  EXPECT_EQ(backend_->info().provider, "state");
  EXPECT_EQ(backend_->info().root_names, std::vector<std::string>{"/"});
  EXPECT_EQ(backend_->info().confinement, Confinement::root);
  EXPECT_EQ(backend_->info().access, Access::read_write);
  EXPECT_EQ(backend_->info().isolation, "document");
  EXPECT_EQ(backend_->commands(), nullptr);
}

TEST_F(StateFiles, C_READ_1_reads_pages) {
  const ReadPage whole = reads().read(Call{}, at("file.txt"), {}).value();
  EXPECT_EQ(whole, (ReadPage{.content = "hello\n",
                             .offset = 0,
                             .total_bytes = 6,
                             .truncated = false,
                             .next_offset = {},
                             .revision = revision("file.txt"),
                             .git_mode = GitMode::regular,
                             .token = stat("file.txt").token}));
  const ReadPage part = reads().read(Call{}, at("file.txt"), {.offset = 1, .max_bytes = 2}).value();
  EXPECT_EQ(part, (ReadPage{.content = "el",
                            .offset = 1,
                            .total_bytes = 6,
                            .truncated = true,
                            .next_offset = 3,
                            .revision = {},
                            .git_mode = {},
                            .token = whole.token}));
  EXPECT_EQ(reads().read(Call{}, at("file.txt"), {.want_revision = WantRevision::no}).value().revision, std::nullopt);
}

TEST_F(StateFiles, C_READ_2_the_revision_is_the_sha256_of_the_content) {
  EXPECT_EQ(revision("file.txt").text, "sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
}

TEST_F(StateFiles, C_READ_3_offset_at_end_is_an_empty_page_and_past_it_out_of_range) {
  EXPECT_EQ(reads().read(Call{}, at("file.txt"), {.offset = 6}).value().content, "");
  const auto past = reads().read(Call{}, at("file.txt"), {.offset = 7});
  ASSERT_THAT(past, FailsWith(ErrorCode::offset_out_of_range));
  EXPECT_EQ(*past.error().field("offset"), ErrorField::Value(std::int64_t{7}));
  EXPECT_EQ(*past.error().field("total_bytes"), ErrorField::Value(std::int64_t{6}));
  EXPECT_THAT(reads().read(Call{}, at("file.txt"), {.max_bytes = 0}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(reads().read(Call{}, at("file.txt"), {.offset = -1}), FailsWith(ErrorCode::invalid_argument));
}

TEST_F(StateFiles, C_READ_4_says_why_there_is_no_file) {
  EXPECT_THAT(reads().read(Call{}, at("none"), {}), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(reads().read(Call{}, at("dir"), {}), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(reads().read(Call{}, Path(), {}), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(reads().read(Call{}, at("file.txt/below/deep"), {}), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(reads().read_lines(Call{}, at("none"), {}), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(reads().stat(Call{}, at("file.txt/below"), FollowLeaf::no), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(reads().list_directory(Call{}, at("file.txt")), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(reads().list_directory(Call{}, at("none")), FailsWith(ErrorCode::not_found));
}

TEST_F(StateFiles, C_READ_6_reads_lines) {
  put("lines", "one\ntwo\r\nthree");
  const LinePage page = reads().read_lines(Call{}, at("lines"), {.first = 2, .count = 1}).value();
  EXPECT_EQ(page.content, "two\r\n");
  EXPECT_EQ(page.next_line, 3);
  EXPECT_EQ(reads().read_lines(Call{}, at("lines"), {.first = 2}).value().total_lines, 3);
  EXPECT_THAT(reads().read_lines(Call{}, at("lines"), {.first = 4}), FailsWith(ErrorCode::offset_out_of_range));
  EXPECT_THAT(reads().read_lines(Call{}, at("lines"), {.first = 0}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(reads().read_lines(Call{}, at("lines"), {.count = 0}), FailsWith(ErrorCode::invalid_argument));
}

TEST_F(StateFiles, C_READ_7_describes_files_and_directories) {
  const FileStat file = stat("file.txt");
  EXPECT_EQ(file.kind, FileKind::file);
  EXPECT_EQ(file.size, 6);
  EXPECT_EQ(file.mode, 0644U);
  EXPECT_EQ(file.git_mode, GitMode::regular);
  EXPECT_LT(std::chrono::system_clock::now() - file.modified_at, std::chrono::minutes(10));
  for (const char* path : {".", "dir", "dir/inner"}) {
    EXPECT_EQ(stat(path).kind, FileKind::directory) << path;
    EXPECT_EQ(stat(path).git_mode, std::nullopt) << path;
  }
}

TEST_F(StateFiles, C_READ_7_the_token_changes_with_every_write_and_with_nothing_else) {
  const ChangeToken first = stat("file.txt").token;
  put("other", "x");
  EXPECT_EQ(stat("file.txt").token, first);
  const ChangeToken second = put("file.txt", "hello\n").token;
  EXPECT_EQ(stat("file.txt").token, second);
  EXPECT_NE(second, first);
  const ChangeToken third = put("file.txt", "hello\n", {.git_mode = GitMode::executable}).token;
  EXPECT_NE(third, second);
  ASSERT_THAT(try_remove("file.txt", {}), IsOk());
  EXPECT_NE(put("file.txt", "hello\n").token, third);
  std::set<ChangeToken> tokens;
  for (int i = 0; i < 200; ++i) tokens.insert(put("file.txt", "same").token);
  EXPECT_EQ(tokens.size(), 200U);
}

TEST_F(StateFiles, lists_directories_sorted_by_bytes) {
  for (const char* path : {"dir-x", "dir.txt", "dir0", "a/deep/er", "Z"}) put(path, "");
  EXPECT_EQ(names("."), (std::vector<Bytes>{"Z", "a", "dir", "dir-x", "dir.txt", "dir0", "file.txt"}));
  EXPECT_EQ(names("dir"), (std::vector<Bytes>{"inner", "nested.txt"}));
  EXPECT_EQ(names("a"), std::vector<Bytes>{"deep"});
  EXPECT_EQ(names("dir/inner"), std::vector<Bytes>{});
  const DirectoryListing listing = reads().list_directory(Call{}, at("dir")).value();
  EXPECT_EQ(listing.entries[0].stat, stat("dir/inner"));
  EXPECT_EQ(listing.entries[1].stat, stat("dir/nested.txt"));
}

TEST_F(StateFiles, every_path_is_its_own_real_path) {
  EXPECT_EQ(reads().real_path(Call{}, at("dir/none/deep")).value(), at("dir/none/deep"));
  EXPECT_THAT(reads().real_path(Call{}, at("file.txt/x")), FailsWith(ErrorCode::not_a_directory));
}

TEST_F(StateFiles, C_WRITE_5_write) {
  EXPECT_TRUE(try_write("made/on/the/way.txt", {}).value().created);
  EXPECT_EQ(content("made/on/the/way.txt"), "new");
  EXPECT_FALSE(try_write("file.txt", {}).value().created);
  EXPECT_EQ(content("file.txt"), "new");
  EXPECT_THAT(try_write("dir", {}), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(try_write(".", {}), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(try_write("file.txt/x", {}), FailsWith(ErrorCode::not_a_directory));
}

TEST_F(StateFiles, C_WRITE_5_create) {
  EXPECT_TRUE(try_write("new.txt", {.when = When::absent}).value().created);
  EXPECT_THAT(try_write("file.txt", {.when = When::absent}), FailsWith(ErrorCode::already_exists));
  EXPECT_THAT(try_write("dir", {.when = When::absent}), FailsWith(ErrorCode::already_exists));
  EXPECT_THAT(try_write(".", {.when = When::absent}), FailsWith(ErrorCode::already_exists));
  EXPECT_THAT(try_write("x", {.when = When::absent, .expected_git_mode = GitMode::regular}),
              FailsWith(ErrorCode::invalid_argument));
}

TEST_F(StateFiles, C_WRITE_5_replace) {
  const Revision old = revision("file.txt");
  const WriteSpec spec{.when = When::revision_matches, .expected_revision = old};
  EXPECT_THAT(try_write("none", spec), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(try_write("dir", spec), FailsWith(ErrorCode::is_a_directory));
  EXPECT_EQ(try_write("file.txt", spec).value().previous_revision, old);
  const auto stale = try_write("file.txt", spec);
  ASSERT_THAT(stale, FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(*stale.error().field("expected_revision"), ErrorField::Value(old.text));
  EXPECT_EQ(*stale.error().field("actual_revision"), ErrorField::Value(revision("file.txt").text));
  EXPECT_EQ(content("file.txt"), "new");
}

TEST_F(StateFiles, C_WRITE_6_extra_preconditions) {
  const FileStat before = stat("file.txt");
  EXPECT_THAT(try_write("file.txt", {.expected_git_mode = GitMode::executable}), FailsWith(ErrorCode::mode_mismatch));
  EXPECT_THAT(try_write("file.txt", {.when = When::revision_matches,
                                     .expected_revision = {"sha256:0"},
                                     .expected_git_mode = GitMode::executable}),
              FailsWith(ErrorCode::revision_mismatch));
  EXPECT_THAT(try_write("none", {.expected_token = before.token}), FailsWith(ErrorCode::not_found));
  put("file.txt", "other");
  put("file.txt", "hello\n");
  EXPECT_THAT(try_write("file.txt", {.expected_token = before.token}), FailsWith(ErrorCode::revision_mismatch));
  EXPECT_THAT(try_write("file.txt", {.expected_token = stat("file.txt").token}), IsOk());
}

TEST_F(StateFiles, C_WRITE_8_keeps_git_modes_in_the_document) {
  put("run.sh", "x", {.git_mode = GitMode::executable});
  EXPECT_EQ(stat("run.sh").mode, 0755U);
  put("run.sh", "y");
  EXPECT_EQ(reads().read(Call{}, at("run.sh"), {}).value().git_mode, GitMode::executable);
  put("run.sh", "y", {.git_mode = GitMode::regular});
  EXPECT_EQ(stat("run.sh").git_mode, GitMode::regular);
}

TEST_F(StateFiles, C_WRITE_5_delete) {
  EXPECT_EQ(try_remove("none", {}).value().removed, 0);
  EXPECT_EQ(try_remove("file.txt", {}).value().removed, 1);
  EXPECT_THAT(reads().stat(Call{}, at("file.txt"), FollowLeaf::no), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(try_remove("dir", {}), FailsWith(ErrorCode::is_a_directory));
  ASSERT_THAT(try_remove("dir/nested.txt", {}), IsOk());
  EXPECT_EQ(names("dir"), std::vector<Bytes>{"inner"});
}

TEST_F(StateFiles, C_WRITE_5_delete_if) {
  const RemoveSpec spec{.what = What::file_if_revision, .expected_revision = revision("file.txt")};
  EXPECT_THAT(try_remove("none", spec), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(try_remove("dir", spec), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(try_remove("dir/nested.txt", spec), FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(try_remove("file.txt", spec).value().removed, 1);
}

TEST_F(StateFiles, C_WRITE_5_remove_takes_whole_trees) {
  put("dir/inner/a", "");
  put("dir0", "stays");
  put("dir-x", "stays");
  EXPECT_THAT(try_remove("none", {.what = What::tree}), FailsWith(ErrorCode::not_found));
  EXPECT_EQ(try_remove("dir", {.what = What::tree}).value().removed, 4);
  EXPECT_EQ(names("."), (std::vector<Bytes>{"dir-x", "dir0", "file.txt"}));
  EXPECT_EQ(try_remove("file.txt", {.what = What::tree}).value().removed, 1);
}

TEST_F(StateFiles, C_WRITE_9_never_removes_the_root) {
  for (const What what : {What::tree, What::file_if_present, What::file_if_revision}) {
    EXPECT_THAT(try_remove(".", {.what = what}), FailsWith(ErrorCode::invalid_argument));
  }
}

TEST_F(StateFiles, C_WRITE_7_moves_without_replacing) {
  const Revision old = revision("file.txt");
  const auto move = [&](std::string_view from, std::string_view to, const Revision& expected) {
    return writes().move(Call{}, at(from), at(to), {.expected_revision = expected});
  };
  EXPECT_THAT(move("none", "x", old), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(move("dir", "x", old), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(move("file.txt", "x", {"sha256:0"}), FailsWith(ErrorCode::revision_mismatch));
  EXPECT_THAT(move("file.txt", "file.txt", old), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(move("file.txt", "file.txt/x", old), FailsWith(ErrorCode::not_a_directory));
  const auto taken = move("file.txt", "dir/nested.txt", old);
  ASSERT_THAT(taken, FailsWith(ErrorCode::already_exists));
  EXPECT_EQ(*taken.error().field("destination"), ErrorField::Value("true"));
  EXPECT_EQ(move("file.txt", "far/away.txt", old).value(), (MoveOutcome{MoveOutcome::Fidelity::atomic_rename, old}));
  EXPECT_EQ(content("far/away.txt"), "hello\n");
  EXPECT_EQ(names("."), (std::vector<Bytes>{"dir", "far"}));
}

TEST_F(StateFiles, C_WRITE_5_make_directory) {
  EXPECT_TRUE(writes().make_directory(Call{}, at("x/y/z")).value().created);
  EXPECT_FALSE(writes().make_directory(Call{}, at("x/y")).value().created);
  EXPECT_FALSE(writes().make_directory(Call{}, Path()).value().created);
  EXPECT_THAT(writes().make_directory(Call{}, at("file.txt")), FailsWith(ErrorCode::already_exists));
  EXPECT_THAT(writes().make_directory(Call{}, at("file.txt/x")), FailsWith(ErrorCode::not_a_directory));
}

TEST_F(StateFiles, C_WRITE_10_prunes_trees_of_directories_only) {
  const auto prune = [&](std::string_view path, std::int64_t max) {
    return writes().prune_empty_directories(Call{}, at(path), max);
  };
  EXPECT_THAT(prune("dir", 10), FailsWith(ErrorCode::not_empty));
  ASSERT_THAT(writes().make_directory(Call{}, at("empty/a/b")), IsOk());
  ASSERT_THAT(writes().make_directory(Call{}, at("empty/c")), IsOk());
  EXPECT_THAT(prune("empty", 3), FailsWith(ErrorCode::too_large));
  EXPECT_EQ(prune("empty", 4).value().removed, 4);
  EXPECT_EQ(prune("empty", 4).value().removed, 0);
  EXPECT_THAT(prune("file.txt", 4), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(prune(".", 4), FailsWith(ErrorCode::invalid_argument));
}

TEST_F(StateFiles, C_VAL_3_keeps_any_bytes) {
  Bytes all;
  for (int i = 0; i < 512; ++i) all += static_cast<char>(i);
  for (const Bytes& bytes : {all,
                             Bytes("\xef\xbb\xbf"
                                   "a\r\n\rb\n\n"),
                             Bytes(3, '\0'), Bytes("\n"), Bytes("\xed\xa0\x80")}) {
    put("bytes", bytes);
    const auto again = StateProvider(store_).attach(*backend_->ref()).value();
    EXPECT_EQ(again->reads()->read(Call{}, at("bytes"), {}).value().content, bytes);
  }
}

TEST_F(StateFiles, refuses_names_that_json_cannot_hold) {
  const Path name = at("caf\xe9");
  const auto refused = writes().write(Call{}, name, "x", {});
  ASSERT_THAT(refused, FailsWith(ErrorCode::invalid_argument));
  EXPECT_NE(refused.error().next_step().find("UTF-8"), std::string_view::npos);
  EXPECT_THAT(writes().make_directory(Call{}, name), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(writes().move(Call{}, at("file.txt"), name, {.expected_revision = revision("file.txt")}),
              FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(reads().stat(Call{}, name, FollowLeaf::no), FailsWith(ErrorCode::not_found));
}

}  // namespace
}  // namespace berth::state
