#include <sys/stat.h>

#include "git_fixture.h"
#include "policy/sensitive.h"
#include "providers/local/local.h"

namespace berth::git {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;

class Diffs : public GitTest {};

TEST_F(Diffs, C_GIT_2_untracked_renamed_linked_and_binary_files_and_modes_show) {
  dir.write("kept", "1\n");
  dir.write("changed", "1\n2\n3\n");
  dir.write("gone", "1\n");
  dir.write("old name", "a\nb\nc\nd\ne\nf\n");
  dir.write("mode", "1\n");
  dir.write("typed", "1\n");
  dir.write("binary", std::string("a\0b", 3));
  dir.make_link("link", "kept");
  commit_all();
  open();
  EXPECT_EQ(diff(), Diff{});
  dir.write("changed", "1\ntwo\n3");
  dir.write("new", "n\n");
  dir.write("binary", std::string("a\0c", 3));
  sh("rm gone && mv 'old name' 'new name' && chmod 755 mode && rm typed && ln -s kept typed && ln -sf changed link");
  const auto result = diff();
  EXPECT_EQ(result.text, sh("git add -A && git diff --cached --full-index HEAD 2>&1 | sed 's/^index "
                            "\\(.......\\).*\\.\\.\\(.......\\).\\{33\\}/index \\1..\\2/'"));
  EXPECT_THAT(texts(result.files),
              ElementsAre("modified binary", "modified changed", "deleted gone", "modified link", "modified mode",
                          "added new", "renamed old name -> new name", "type_changed typed"));
  EXPECT_EQ(result.files[1].added_lines, 2);
  EXPECT_EQ(result.files[1].removed_lines, 2);
  EXPECT_FALSE(result.files[0].added_lines.has_value()) << "binary";
  EXPECT_EQ(result.files[4].new_mode, 0100755u);
  EXPECT_FALSE(result.truncated);
  EXPECT_THAT(result.not_shown, IsEmpty());
}

TEST_F(Diffs, C_GIT_2_whatever_the_index_holds) {
  for (const char* name : {"a", "b", "c", "d"}) dir.write(name, "1\n");
  commit_all();
  open();
  dir.write("a", "2\n");
  sh("git add a");
  dir.write("a", "3\n");
  dir.write("b", "2\n");
  sh("git add b");
  dir.write("b", "1\n");
  sh("git rm -q --cached c");
  sh("git rm -q --cached d && rm d");
  dir.write("new", "1\n");
  sh("git add new && rm new");
  dir.write("intent", "something else\n");
  sh("git add -N intent");
  EXPECT_THAT(status(), ElementsAre("modified a", "deleted d", "added intent"));
  const auto result = diff();
  EXPECT_THAT(texts(result.files), ElementsAre("modified a", "deleted d", "added intent"));
  EXPECT_THAT(result.text, HasSubstr("-1\n+3\n"));
}

TEST_F(Diffs, C_GIT_2_intent_to_add_over_an_empty_file_of_the_baseline) {
  dir.write("e", "");
  commit_all();
  open();
  sh("git rm -q --cached e && git add -N e");
  EXPECT_THAT(status(), IsEmpty());
  dir.write("e", "1\n");
  EXPECT_THAT(status(), ElementsAre("modified e"));
}

TEST_F(Diffs, C_GIT_2_unmerged_paths_are_compared_with_the_baseline) {
  dir.write("a", "1\n");
  dir.write("b", "1\n");
  commit_all();
  sh("git checkout -q -b other && echo 2 > a && git rm -q b && git commit -qam other && git checkout -q main && "
     "echo 3 > a && echo 4 > b && git commit -qam main");
  open();
  try_sh("git merge other");
  EXPECT_THAT(status(), ElementsAre("modified a"));
  EXPECT_THAT(diff().text, HasSubstr("<<<<<<<"));
  dir.write("a", "3\n");
  EXPECT_THAT(status(), IsEmpty());
}

TEST_F(Diffs, C_GIT_2_in_a_subdirectory_paths_are_relative_to_the_root_and_others_do_not_count) {
  dir.write("sub/in", "1\n2\n3\n4\n5\n");
  dir.write("out", "1\n");
  dir.write(".gitignore", "*.o\n/sub/top\n");
  commit_all();
  auto& repository = open("sub");
  dir.write("sub/in", "1\n2\n3\n4\n6\n");
  dir.write("sub/new", "1\n");
  dir.write("sub/x.o", "1\n");
  dir.write("sub/top", "1\n");
  dir.write("out", "2\n");
  dir.write("other", "2\n");
  EXPECT_THAT(status(), ElementsAre("modified in", "added new (untracked)"));
  const auto result = diff();
  EXPECT_THAT(texts(result.files), ElementsAre("modified in", "added new"));
  EXPECT_THAT(result.text, HasSubstr("diff --git a/in b/in\n"));
  EXPECT_THAT(result.text, Not(HasSubstr("sub/")));
  EXPECT_TRUE(*repository.is_ignored(call, path_of("x.o")));
  EXPECT_TRUE(*repository.is_ignored(call, path_of("top")));
  EXPECT_FALSE(*repository.is_ignored(call, path_of("new")));
  EXPECT_THAT(repository.require_clean(call), FailsWith(ErrorCode::dirty_workspace));
  dir.write("sub/in", "1\n2\n3\n4\n5\n");
  EXPECT_THAT(repository.require_clean(call), IsOk());
}

TEST_F(Diffs, a_subdirectory_that_the_baseline_does_not_hold) {
  dir.write("a", "1\n");
  commit_all();
  dir.write("new/x", "1\n");
  auto& repository = open("new");
  EXPECT_THAT(status(), ElementsAre("added x (untracked)"));
  EXPECT_THAT(texts(diff().files), ElementsAre("added x"));
  EXPECT_THAT(*repository.baseline_paths(call), IsEmpty());
}

TEST_F(Diffs, C_GIT_2_any_file_name) {
  const std::vector<std::string> names = {"-n",          "--output=x", "\"q\"",    "a\tb",   "back\\slash",
                                          "line\nbreak", "tail\n",     ":(glob)*", "[a-z]*", "\xff\xfe",
                                          " lead",       "\xc3\xa9",   "~",        "$HOME"};
  for (const auto& name : names) dir.write(name, "1\n");
  commit_all();
  open();
  for (const auto& name : names) dir.write(name, "2\n");
  for (const auto& name : names) dir.write("new/" + name, "3\n");
  auto expected = names;
  for (const auto& name : names) expected.push_back("new/" + name);
  std::sort(expected.begin(), expected.end());
  std::vector<std::string> found;
  const auto entries = repository_->status_paths(call);
  for (const auto& entry : *entries) found.push_back(entry.path.text());
  EXPECT_EQ(found, expected);
  found.clear();
  const auto result = diff();
  for (const auto& file : result.files) found.push_back(file.path.text());
  EXPECT_EQ(found, expected);
  EXPECT_EQ(result.text, sh("git add -A && git -c core.quotePath=false diff --cached HEAD"));
}

TEST_F(Diffs, a_file_in_the_place_of_a_directory_and_a_directory_in_the_place_of_a_file) {
  dir.write("d/x", "1\n");
  dir.write("f", "1\n");
  dir.write("l/x", "1\n");
  dir.write("elsewhere/x", "1\n");
  commit_all();
  open();
  sh("rm -r d && echo 1 > d && rm f && mkdir f && echo 1 > f/y && rm -r l && ln -s elsewhere l");
  EXPECT_THAT(status(), ElementsAre("added d (untracked)", "deleted d/x", "deleted f", "added f/y (untracked)",
                                    "added l (untracked)", "deleted l/x"));
  DiffOptions options;
  EXPECT_EQ(diff(options).text, sh("git add -A && git diff --cached HEAD"));
}

TEST_F(Diffs, C_GIT_2_the_text_is_bounded_and_says_so_and_the_files_are_complete) {
  dir.write("a", "");
  dir.write("b", "");
  commit_all();
  open();
  std::string lines;
  for (int line = 0; line < 10000; ++line) lines += "line " + std::to_string(line) + "\n";
  dir.write("a", lines);
  dir.write("b", lines);
  const auto whole = diff();
  EXPECT_FALSE(whole.truncated);
  const auto part = diff({.max_bytes = 1000});
  EXPECT_TRUE(part.truncated);
  EXPECT_LE(part.text.size(), 1000u);
  EXPECT_GT(part.text.size(), 900u);
  EXPECT_TRUE(part.text.ends_with('\n'));
  EXPECT_TRUE(whole.text.starts_with(part.text));
  EXPECT_EQ(part.files, whole.files);
  EXPECT_EQ(part.files[1].added_lines, 10000);
  const auto exact = diff({.max_bytes = static_cast<std::int64_t>(whole.text.size())});
  EXPECT_EQ(exact, whole);
  const auto one = diff({.max_files = 1});
  EXPECT_THAT(texts(one.files), ElementsAre("modified a"));
  EXPECT_TRUE(one.truncated);
  EXPECT_EQ(one.left_out, 1);
}

TEST_F(Diffs, files_that_are_too_large_are_named_and_not_shown) {
  dir.write("small", "1\n");
  commit_all();
  open();
  dir.write("large", std::string(200'000, 'x'));
  dir.write("small", "2\n");
  const auto result = diff({.max_file_bytes = 100'000});
  EXPECT_THAT(texts(result.files), ElementsAre("modified small"));
  EXPECT_THAT(texts(result.not_shown), ElementsAre("too_large large"));
  EXPECT_THAT(texts(diff({.max_content_bytes = 1}).not_shown), ElementsAre("too_large large", "too_large small"));
}

TEST_F(Diffs, bounds_must_be_greater_than_zero) {
  dir.write("a", "1\n");
  commit_all();
  auto& repository = open();
  EXPECT_THAT(repository.diff(call, {.max_bytes = 0}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(repository.diff(call, {.max_files = 0}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(repository.diff(call, {.max_file_bytes = -1}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(repository.diff(call, {.max_content_bytes = 0}), FailsWith(ErrorCode::invalid_argument));
}

TEST_F(Diffs, nested_repositories_and_special_files_are_named) {
  dir.write("a", "1\n");
  dir.write("pipe", "1\n");
  commit_all();
  open();
  sh("git init -q nested && echo 1 > nested/hidden && rm pipe && mkfifo pipe");
  const auto result = diff();
  EXPECT_THAT(texts(result.files), ElementsAre("deleted pipe"));
  EXPECT_THAT(texts(result.not_shown), ElementsAre("nested_repository nested", "special_file pipe"));
}

TEST_F(Diffs, a_submodule_is_its_commit) {
  sh("git init -q -b main ../$(basename \"$PWD\")/lib && cd lib && echo 1 > x && git add x && git commit -qm lib");
  dir.write("a", "1\n");
  sh("git init -q -b main . && git -c advice.addEmbeddedRepo=false add -A && git commit -qm first");
  open();
  EXPECT_THAT(status(), IsEmpty());
  dir.write("lib/x", "2\n");
  EXPECT_THAT(status(), IsEmpty()) << "what a submodule holds is another repository's";
  sh("cd lib && git commit -qam second");
  EXPECT_THAT(status(), ElementsAre("modified lib"));
  EXPECT_THAT(diff().text, HasSubstr("+Subproject commit "));
  sh("rm -r lib && mkdir lib");
  EXPECT_THAT(diff().text, IsEmpty()) << "a submodule that is not fetched";
}

TEST_F(Diffs, what_a_policy_keeps_back_is_named_and_neither_side_of_it_shown) {
  dir.write(".env", "old=secret\n");
  dir.write("a", "1\n");
  commit_all();
  auto backend = local::open_local({dir.path()}, {});
  ASSERT_THAT(backend, IsOk());
  auto guarded = make_sensitive(*std::move(backend), default_sensitive_policy());
  ASSERT_THAT(guarded, IsOk());
  Workspace space(*std::move(guarded));
  const auto repository = GitRepository::open(call, space);
  ASSERT_THAT(repository, IsOk());
  dir.write(".env", "new=secret\n");
  dir.write("a", "2\n");
  const auto changed = (*repository)->diff(call);
  ASSERT_THAT(changed, IsOk());
  EXPECT_THAT(texts(changed->files), ElementsAre("modified a"));
  EXPECT_THAT(texts(changed->not_shown), ElementsAre("withheld .env"));
  EXPECT_THAT(changed->text, Not(HasSubstr("secret")));
  sh("rm .env");
  const auto deleted = (*repository)->diff(call);
  ASSERT_THAT(deleted, IsOk());
  EXPECT_THAT(deleted->text, Not(HasSubstr("secret")));
}

TEST_F(Diffs, line_endings_follow_the_attributes_as_in_git) {
  dir.write(".gitattributes", "*.txt text\n*.id ident\n*.u working-tree-encoding=UTF-16LE\n");
  dir.write("a.txt", "1\n2\n3\n");
  dir.write("b", "1\n");
  dir.write("c.id", "$Id$\n1\n");
  commit_all();
  open();
  dir.write("a.txt", "1\r\n2\r\n3\r\n");
  EXPECT_THAT(status(), IsEmpty());
  EXPECT_EQ(diff().text, "");
  dir.write("a.txt", "1\r\nzwei\r\n3\r\n");
  dir.write("b", "1\r\n");
  dir.write("c.id", "$Id: 0123 $\n2\n");
  dir.write("d.u", std::string("1\0\n\0", 4));
  EXPECT_EQ(diff().text, sh("git -c core.autocrlf=false add -A 2>/dev/null && git diff --cached HEAD"));
}

TEST_F(Diffs, changed_since_tells_what_was_written_made_deleted_or_brought_back) {
  for (const char* name : {"clean", "dirty", "dirty2", "brought back", "deleted"}) dir.write(name, "1\n");
  commit_all();
  auto& repository = open();
  for (const char* name : {"dirty", "dirty2", "brought back"}) dir.write(name, "changed\n");
  dir.write("untracked", "1\n");
  const auto before = repository.snapshot(call);
  ASSERT_THAT(before, IsOk());
  EXPECT_THAT(*repository.changed_since(call, *before), IsEmpty());
  sh("git add dirty");
  EXPECT_THAT(*repository.changed_since(call, *before), IsEmpty()) << "staging changes no file";
  dir.write("clean", "2\n");
  dir.write("dirty", "changed again\n");
  dir.write("brought back", "1\n");
  dir.write("new", "1\n");
  sh("rm deleted && rm untracked");
  EXPECT_THAT(texts(*repository.changed_since(call, *before)),
              ElementsAre("brought back", "clean", "deleted", "dirty", "new", "untracked"));
}

TEST_F(Diffs, is_ignored_follows_the_rules_of_the_repository_for_any_name) {
  dir.write(".gitignore", "*.o\n!kept.o\n:(glob)x\n/-n\n\\[a]\n");
  dir.write("tracked.o", "1\n");
  sh("git init -q -b main . && git add -f tracked.o .gitignore && git commit -qm first && echo named > "
     ".git/info/exclude");
  dir.make_link("link", "sub");
  auto& repository = open();
  for (const char* name : {"x.o", "sub/x.o", ":(glob)x", "-n", "[a]", "named"}) {
    EXPECT_TRUE(*repository.is_ignored(call, path_of(name))) << name;
  }
  for (const char* name : {"kept.o", "tracked.o", "a", "x", "link/x.o", "."}) {
    EXPECT_FALSE(*repository.is_ignored(call, path_of(name))) << name;
  }
}

TEST_F(Diffs, nothing_is_written_to_the_repository) {
  dir.write("a", "1\n");
  commit_all();
  auto& repository = open();
  dir.write("a", "2\n");
  dir.write("new", "2\n");
  const std::string list =
      "find .git -type f -printf '%p %T@ %s\\n' | sort; cd .git && find . -type f | sort | xargs sha256sum";
  const auto before = sh(list);
  diff();
  status();
  ASSERT_THAT(repository.snapshot(call), IsOk());
  ASSERT_THAT(repository.require_clean(call), FailsWith(ErrorCode::dirty_workspace));
  ASSERT_THAT(repository.is_ignored(call, path_of("a")), IsOk());
  ASSERT_THAT(repository.baseline_paths(call), IsOk());
  EXPECT_EQ(sh(list), before);
}

TEST_F(Diffs, nothing_is_left_in_the_temporary_directory) {
  dir.write("a", "1\n");
  commit_all();
  testing::TempDir temporary;
  const auto space = workspace("", {{"TMPDIR", temporary.path()}});
  const auto repository = GitRepository::open(call, *space);
  ASSERT_THAT(repository, IsOk());
  dir.write("a", "2\n");
  ASSERT_THAT((*repository)->diff(call), IsOk());
  EXPECT_EQ(sh("ls -A " + shell_word(temporary.path())), "");
}

TEST_F(Diffs, a_temporary_directory_inside_the_workspace_does_not_show) {
  dir.write("a", "1\n");
  dir.make_directory("tmp");
  commit_all();
  const auto space = workspace("", {{"TMPDIR", dir.at("tmp")}});
  const auto repository = GitRepository::open(call, *space);
  ASSERT_THAT(repository, IsOk());
  dir.write("new", "2\n");
  const auto result = (*repository)->diff(call);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(texts(result->files), ElementsAre("added new"));
  EXPECT_THAT(result->not_shown, IsEmpty());
}

}  // namespace
}  // namespace berth::git
