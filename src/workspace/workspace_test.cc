#include "workspace/workspace.h"

#include <gmock/gmock.h>

#include "testing/matchers.h"
#include "testing/memory_backend.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::MemoryBackend;

class WorkspaceTest : public ::testing::Test {
 protected:
  WorkspaceTest() : WorkspaceTest(MemoryBackend::Offers{}, MemoryBackend::default_info()) {}
  WorkspaceTest(MemoryBackend::Offers offers, BackendInfo info) {
    auto owned = std::make_unique<MemoryBackend>(offers, std::move(info));
    backend = owned.get();
    backend->file("a.txt", "one\n").file("dir/b.txt", "two\n").link("link", "a.txt").link("broken", "missing");
    workspace = std::make_unique<Workspace>(std::move(owned));
  }

  Revision revision(PathArg path) { return workspace->read(call, path)->revision.value(); }

  Call call;
  MemoryBackend* backend;
  std::unique_ptr<Workspace> workspace;
};

class ReadOnlyWorkspaceTest : public WorkspaceTest {
 protected:
  ReadOnlyWorkspaceTest()
      : WorkspaceTest({.reads = true, .writes = false, .commands = false, .jobs = false, .search = false},
                      read_only_info()) {}

  static BackendInfo read_only_info() {
    auto info = MemoryBackend::default_info();
    info.access = Access::read_only;
    return info;
  }
};

class BareWorkspaceTest : public WorkspaceTest {
 protected:
  BareWorkspaceTest()
      : WorkspaceTest({.reads = false, .writes = false, .commands = false, .jobs = false, .search = false},
                      MemoryBackend::default_info()) {}
};

TEST_F(WorkspaceTest, EveryErrorAboutAPathNamesItAsTheCallerWroteIt) {
  EXPECT_EQ(workspace->read(call, "./dir//c.txt").error().path, "./dir//c.txt");
  EXPECT_EQ(workspace->read(call, "/memory/dir").error().path, "/memory/dir");
  EXPECT_EQ(workspace->stat(call, "x/../y").error().path, "x/../y");
  EXPECT_EQ(workspace->read(call, "../x").error().path, "../x");
  EXPECT_EQ(workspace->create(call, "./a.txt", "").error().path, "./a.txt");
  EXPECT_EQ(workspace->glob(call, "*", "./none").has_value(), true);
}

TEST_F(WorkspaceTest, AnErrorOfAMoveNamesThePathItIsAbout) {
  const auto known = revision("a.txt");
  EXPECT_EQ(workspace->move_if(call, "./a.txt", "./dir/b.txt", known).error().path, "./dir/b.txt");
  EXPECT_EQ(workspace->move_if(call, "./a.txt", "../b", known).error().path, "../b");
  EXPECT_EQ(workspace->move_if(call, "./none", "new", known).error().path, "./none");
  EXPECT_EQ(workspace->move_if(call, "./a.txt", ".", known).error().path, ".");
  EXPECT_THAT(workspace->move_if(call, "a.txt", "./a.txt", known), FailsWith(ErrorCode::invalid_argument));
}

TEST_F(WorkspaceTest, AnErrorThatIsAboutNoPathNamesNone) {
  backend->ensure_answer = make_error(ErrorCode::environment_gone, "the environment is gone");
  const auto page = workspace->read(call, "a.txt");
  EXPECT_THAT(page, FailsWith(ErrorCode::environment_gone));
  EXPECT_EQ(page.error().path, "");
}

TEST_F(WorkspaceTest, C_VAL_2_a_call_that_is_over_starts_nothing) {
  const Call late{Deadline::after(std::chrono::seconds(-1)), {}, {}};
  std::stop_source source;
  source.request_stop();
  const Call stopped{Deadline::never(), source.get_token(), {}};
  EXPECT_THAT(workspace->read(late, "a.txt"), FailsWith(ErrorCode::timed_out));
  EXPECT_THAT(workspace->write(stopped, "a.txt", "x"), FailsWith(ErrorCode::cancelled));
  EXPECT_THAT(workspace->run(late, {.argv = {"true"}}), FailsWith(ErrorCode::timed_out));
  EXPECT_THAT(backend->calls, IsEmpty());
  EXPECT_EQ(backend->ensured, 0);
}

TEST_F(WorkspaceTest, BadArgumentsNeverReachTheBackend) {
  EXPECT_THAT(workspace->read(call, ""), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace->read(call, "a.txt", {.offset = -1}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace->read_lines(call, "a.txt", {.first = 0}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace->list(call, "*", {.limit = 0}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace->search(call, ".", {.offset = -1}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace->run(call, {}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace->replace(call, "a.txt", "x", Revision{}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace->prune_empty_directories(call, "dir", 0), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace->create(call, "n", "x", {.expected_git_mode = GitMode::regular}),
              FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace->delete_if(call, "a.txt", {"r"}, {.git_mode = GitMode::regular}),
              FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(backend->calls, IsEmpty());
}

TEST_F(WorkspaceTest, TheRootIsRefusedWhereAFileIsNeeded) {
  const Revision any{"r"};
  const std::vector<Edit> edits{{.old_text = "a", .new_text = "b"}};
  for (const char* root : {".", "./", "/memory", "a/.."}) {
    SCOPED_TRACE(root);
    EXPECT_THAT(workspace->write(call, root, ""), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(workspace->create(call, root, ""), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(workspace->replace(call, root, "", any), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(workspace->delete_file(call, root), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(workspace->delete_if(call, root, any), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(workspace->remove(call, root), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(workspace->move_if(call, root, "x", any), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(workspace->prune_empty_directories(call, root, 9), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(workspace->edit(call, root, edits), FailsWith(ErrorCode::invalid_argument));
    EXPECT_THAT(workspace->read(call, root), FailsWith(ErrorCode::is_a_directory));
    EXPECT_EQ(workspace->make_directory(call, root)->created, false);
    EXPECT_THAT(workspace->require_absent(call, root), FailsWith(ErrorCode::already_exists));
  }
}

TEST_F(WorkspaceTest, ExistsSeesLinksThatLeadNowhere) {
  EXPECT_EQ(*workspace->exists(call, "a.txt"), true);
  EXPECT_EQ(*workspace->exists(call, "broken"), true);
  EXPECT_EQ(*workspace->exists(call, "none"), false);
  EXPECT_EQ(*workspace->exists(call, "a.txt/below"), false);
  EXPECT_THAT(workspace->exists(call, "../x"), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(workspace->require_absent(call, "broken"), FailsWith(ErrorCode::already_exists));
  EXPECT_THAT(workspace->require_absent(call, "none"), IsOk());
}

TEST_F(WorkspaceTest, C_PATH_2_real_path_keeps_the_kernels_meaning_of_a_parent) {
  backend->file("deep/inside/c.txt", "x").link("short", "deep/inside");
  EXPECT_EQ(workspace->real_path(call, "short/..")->text(), "deep");
  EXPECT_EQ(workspace->real_path(call, "short/../inside/c.txt")->text(), "deep/inside/c.txt");
  EXPECT_EQ(workspace->real_path(call, "/memory/short/../../a.txt")->text(), "a.txt");
  EXPECT_THAT(workspace->real_path(call, "dir/../.."), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(workspace->real_path(call, "../x"), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(workspace->real_path(call, "a.txt/.."), FailsWith(ErrorCode::not_a_directory));
  EXPECT_EQ(workspace->real_path(call, "none/../a.txt").error().path, "none/../a.txt");
}

TEST_F(WorkspaceTest, C_WRITE_5_each_call_says_what_must_hold) {
  EXPECT_EQ(workspace->write(call, "n", "1")->created, true);
  EXPECT_THAT(workspace->create(call, "n", "2"), FailsWith(ErrorCode::already_exists));
  const auto first = revision("n");
  EXPECT_THAT(workspace->replace(call, "n", "2", first), IsOk());
  EXPECT_THAT(workspace->replace(call, "n", "3", first), FailsWith(ErrorCode::revision_mismatch));
  EXPECT_THAT(workspace->replace(call, "none", "3", first), FailsWith(ErrorCode::not_found));
  EXPECT_EQ(workspace->delete_file(call, "none")->removed, 0);
  EXPECT_THAT(workspace->delete_if(call, "n", first), FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(workspace->delete_if(call, "n", revision("n"))->removed, 1);
  EXPECT_THAT(workspace->remove(call, "none"), FailsWith(ErrorCode::not_found));
  EXPECT_EQ(workspace->remove(call, "dir")->removed, 2);
}

TEST_F(WorkspaceTest, C_EDIT_4_an_edit_gives_counts_both_revisions_and_a_diff) {
  const auto before = revision("a.txt");
  const std::vector<Edit> edits{{.old_text = "one", .new_text = "1"}};
  const auto edited = workspace->edit(call, "./a.txt", edits);
  ASSERT_THAT(edited, IsOk());
  const EditOutcome expected{.counts = {1},
                             .previous_revision = before,
                             .revision = revision("a.txt"),
                             .diff = {.text = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n", .truncated = false}};
  EXPECT_EQ(*edited, expected);
  EXPECT_EQ(backend->content("a.txt"), "1\n");
}

TEST_F(WorkspaceTest, AStaleEditIsRefusedAndChangesNothing) {
  const std::vector<Edit> edits{{.old_text = "one", .new_text = "1"}};
  const auto edited = workspace->edit(call, "a.txt", edits, {.expected_revision = Revision{"sha256:old"}});
  ASSERT_THAT(edited, FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(*edited.error().field("expected_revision"), ErrorField::Value("sha256:old"));
  EXPECT_EQ(edited.error().path, "a.txt");
  EXPECT_EQ(backend->content("a.txt"), "one\n");
}

TEST_F(WorkspaceTest, AnEditNeverLosesAChangeThatCameBetween) {
  backend->before_call = [&](const std::string& note) {
    if (note == "write a.txt") backend->file("a.txt", "one, somebody else\n");
  };
  const std::vector<Edit> edits{{.old_text = "one", .new_text = "1"}};
  EXPECT_THAT(workspace->edit(call, "a.txt", edits), FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(backend->content("a.txt"), "one, somebody else\n");
}

TEST_F(WorkspaceTest, AnErrorOfACommandNamesItsDirectory) {
  const auto outcome = workspace->run(call, {.argv = {"true"}, .cwd = *workspace->resolve("none")});
  ASSERT_THAT(outcome, FailsWith(ErrorCode::not_found));
  EXPECT_EQ(outcome.error().path, "none");
}

TEST_F(WorkspaceTest, FindingAndRunningReachTheBackend) {
  EXPECT_THAT(workspace->list(call)->paths, ElementsAre(*workspace->resolve("a.txt"), *workspace->resolve("broken"),
                                                        *workspace->resolve("dir/b.txt"), *workspace->resolve("link")));
  EXPECT_EQ(workspace->search(call, "dir", {.pattern = "two"})->lines.size(), 1U);
  EXPECT_EQ(workspace->run(call, {.argv = {"echo", "x"}})->out.head, "echo x");
  EXPECT_EQ(workspace->capabilities(),
            (Capabilities{
                .read_files = true, .write_files = true, .run_commands = true, .search_files = true, .jobs = true}));
  EXPECT_EQ(workspace->ref()->to_string(), "memory:1");
}

TEST_F(ReadOnlyWorkspaceTest, WhatChangesIsReadOnlyAndTheRestUnsupported) {
  const std::vector<Edit> edits{{.old_text = "a", .new_text = "b"}};
  EXPECT_THAT(workspace->read(call, "a.txt"), IsOk());
  EXPECT_THAT(workspace->write(call, "a.txt", "x"), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->remove(call, "a.txt"), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->move_if(call, "a.txt", "b", {"r"}), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->make_directory(call, "d"), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->prune_empty_directories(call, "d", 1), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->edit(call, "a.txt", edits), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->run(call, {.argv = {"true"}}), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace->list(call), FailsWith(ErrorCode::unsupported));
}

TEST_F(BareWorkspaceTest, AMissingCapabilityIsUnsupported) {
  EXPECT_THAT(workspace->read(call, "a.txt"), FailsWith(ErrorCode::unsupported));
  EXPECT_THAT(workspace->read_lines(call, "a.txt"), FailsWith(ErrorCode::unsupported));
  EXPECT_THAT(workspace->stat(call, "a.txt"), FailsWith(ErrorCode::unsupported));
  EXPECT_THAT(workspace->exists(call, "a.txt"), FailsWith(ErrorCode::unsupported));
  EXPECT_THAT(workspace->list_directory(call, "."), FailsWith(ErrorCode::unsupported));
  EXPECT_THAT(workspace->real_path(call, "."), FailsWith(ErrorCode::unsupported));
  EXPECT_THAT(workspace->write(call, "a.txt", "x"), FailsWith(ErrorCode::unsupported));
  EXPECT_THAT(workspace->glob(call, "*"), FailsWith(ErrorCode::unsupported));
  EXPECT_THAT(workspace->search(call, ".", {}), FailsWith(ErrorCode::unsupported));
  EXPECT_THAT(workspace->run(call, {.argv = {"true"}}), FailsWith(ErrorCode::unsupported));
  EXPECT_EQ(workspace->capabilities(), Capabilities{});
}

}  // namespace
}  // namespace berth
