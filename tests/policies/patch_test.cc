#include <fcntl.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "policy/audit.h"
#include "policy/confined.h"
#include "policy/limits.h"
#include "policy/read_only.h"
#include "policy/sensitive.h"
#include "testing/matchers.h"
#include "testing/paths.h"
#include "testing/temp_dir.h"
#include "tests/policies/local_backend.h"
#include "workspace/workspace.h"

namespace berth {
namespace {

using testing::FailsWith;
using testing::IsOk;
using testing::path_of;

Revision revision(BytesView content) { return {"sha256:" + to_hex(sha256(content))}; }

class Patching : public ::testing::Test {
 protected:
  Patching() {
    dir.write("f", "one\ntwo\nthree\n");
    dir.write("old", "moved\n");
    dir.write("gone", "x\n");
    dir.write(".env", "SECRET=1\n");
    dir.write("view/f", "one\ntwo\nthree\n");
  }

  std::unique_ptr<Backend> local() const { return open_directory(dir); }

  testing::TempDir dir;
  Call call;
};

const std::string kChange = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
const std::string kRest =
    "diff --git a/old b/new/place\nsimilarity index 100%\nrename from old\nrename to new/place\n"
    "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    "diff --git a/run b/run\nnew file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+#!/bin/sh\n";

TEST_F(Patching, C_PATCH_1_all_files_are_changed_and_told) {
  Workspace workspace(local());
  EXPECT_TRUE(workspace.capabilities().transactions);
  const auto checked = workspace.apply_patch(call, kChange + kRest, {.mode = PatchOptions::Mode::check});
  ASSERT_THAT(checked, IsOk());
  EXPECT_FALSE(checked->applied);
  EXPECT_EQ(dir.read("f"), "one\ntwo\nthree\n");
  const auto outcome = workspace.apply_patch(call, kChange + kRest);
  ASSERT_THAT(outcome, IsOk());
  EXPECT_TRUE(outcome->applied);
  EXPECT_EQ(outcome->files, checked->files);
  ASSERT_EQ(outcome->files.size(), 4u);
  EXPECT_EQ(outcome->files[0], (PatchedFile{.what = PatchedFile::What::modified,
                                            .path = path_of("f"),
                                            .previous_revision = revision("one\ntwo\nthree\n"),
                                            .revision = revision("one\n2\nthree\n"),
                                            .diff = unified_diff("f", "one\ntwo\nthree\n", "one\n2\nthree\n", 4096)}));
  EXPECT_EQ(outcome->files[1].what, PatchedFile::What::deleted);
  EXPECT_EQ(outcome->files[2].what, PatchedFile::What::moved);
  EXPECT_EQ(outcome->files[2].from, path_of("old"));
  EXPECT_EQ(outcome->files[3].what, PatchedFile::What::created);
  EXPECT_EQ(dir.read("f"), "one\n2\nthree\n");
  EXPECT_EQ(dir.read("new/place"), "moved\n");
  EXPECT_FALSE(dir.exists("gone"));
  EXPECT_FALSE(dir.exists("old"));
  struct stat facts {};
  ASSERT_EQ(::stat(dir.at("run").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0755u);
}

TEST_F(Patching, C_PATCH_1_one_refusal_leaves_every_file) {
  Workspace workspace(local());
  const auto outcome = workspace.apply_patch(call, kChange + "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n");
  ASSERT_THAT(outcome, FailsWith(ErrorCode::patch_rejected));
  EXPECT_EQ(outcome.error().path, "none");
  EXPECT_EQ(dir.read("f"), "one\ntwo\nthree\n");
  EXPECT_THAT(workspace.apply_patch(call, kChange, {.expected_revisions = {{path_of("f"), revision("other")}}}),
              FailsWith(ErrorCode::revision_mismatch));
  EXPECT_THAT(
      workspace.apply_patch(call, kChange, {.expected_revisions = {{path_of("f"), revision("one\ntwo\nthree\n")}}}),
      IsOk());
}

TEST_F(Patching, B33_links_in_the_tree_lead_nowhere) {
  const testing::TempDir outside;
  dir.make_link("out", outside.path());
  dir.make_link("inside", "view");
  dir.make_link("leaf", "f");
  Workspace workspace(local());
  for (const char* name : {"out/x", "inside/x"}) {
    const auto outcome =
        workspace.apply_patch(call, std::string("--- /dev/null\n+++ b/") + name + "\n@@ -0,0 +1 @@\n+x\n");
    ASSERT_THAT(outcome, FailsWith(ErrorCode::patch_rejected));
    EXPECT_EQ(std::get<std::string>(*outcome.error().field("reason")), "beyond_link");
  }
  EXPECT_THAT(workspace.apply_patch(call, "--- a/leaf\n+++ b/leaf\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"),
              FailsWith(ErrorCode::patch_rejected));
  EXPECT_FALSE(outside.exists("x"));
}

TEST_F(Patching, C_POL_2_sensitive_and_protected_paths_are_not_patched) {
  Workspace workspace(make_sensitive(local(), default_sensitive_policy()).value());
  EXPECT_THAT(workspace.apply_patch(call, kChange + "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-SECRET=1\n+SECRET=2\n"),
              FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace.apply_patch(call, "--- /dev/null\n+++ b/.vscode/tasks.json\n@@ -0,0 +1 @@\n+x\n"),
              FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace.apply_patch(call, "diff --git a/f b/.env.local\nrename from f\nrename to .env.local\n"),
              FailsWith(ErrorCode::policy_denied));
  dir.make_link("alias", ".env");
  const std::vector<FileOperation> through{WriteOperation{path_of("f"), "1", {}},
                                           WriteOperation{path_of("alias"), "2", {}}};
  const auto refused = workspace.transaction(call, through);
  ASSERT_THAT(refused, IsOk());
  EXPECT_EQ(refused->state, TransactionOutcome::State::precondition_failed);
  EXPECT_EQ(refused->operations[1].error->code, ErrorCode::policy_denied);
  EXPECT_EQ(dir.read(".env"), "SECRET=1\n");
  EXPECT_EQ(dir.read("f"), "one\ntwo\nthree\n");
  EXPECT_THAT(workspace.apply_patch(call, kChange), IsOk());
}

TEST_F(Patching, AHiddenFileThatIsDeletedIfPresentIsNothingToDo) {
  Workspace workspace(make_sensitive(local(), {.deny = {}, .allow = {}, .protect = {}, .hide = {"gone"}}).value());
  const std::vector<FileOperation> operations{RemoveOperation{path_of("gone"), {}},
                                              WriteOperation{path_of("n"), "1", {}}};
  const auto outcome = workspace.transaction(call, operations);
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->state, TransactionOutcome::State::applied);
  EXPECT_FALSE(outcome->operations[0].changed);
  EXPECT_TRUE(outcome->operations[1].created);
  EXPECT_TRUE(dir.exists("gone"));
}

TEST_F(Patching, AConfinedViewPatchesItsOwnFiles) {
  dir.make_link("view/up", "..");
  Workspace workspace(make_confined(local(), path_of("view")));
  EXPECT_THAT(workspace.apply_patch(call, kChange), IsOk());
  EXPECT_EQ(dir.read("view/f"), "one\n2\nthree\n");
  EXPECT_EQ(dir.read("f"), "one\ntwo\nthree\n");
  const std::vector<FileOperation> out{WriteOperation{path_of("up/f"), "1", {}}};
  const auto refused = workspace.transaction(call, out);
  ASSERT_THAT(refused, IsOk());
  EXPECT_EQ(refused->operations[0].error->code, ErrorCode::path_escape);
}

TEST_F(Patching, AReadOnlyWorkspaceChecksPatchesOnly) {
  Workspace workspace(make_read_only(local()));
  EXPECT_FALSE(workspace.capabilities().transactions);
  EXPECT_THAT(workspace.apply_patch(call, kChange), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace.transaction(call, {}), FailsWith(ErrorCode::read_only));
  EXPECT_THAT(workspace.apply_patch(call, kChange, {.mode = PatchOptions::Mode::check}), IsOk());
}

TEST_F(Patching, LimitsHoldForEveryFile) {
  Workspace workspace(make_limited(local(), {.max_write_bytes = 5}).value());
  EXPECT_THAT(workspace.apply_patch(call, kChange), FailsWith(ErrorCode::too_large));
  EXPECT_EQ(dir.read("f"), "one\ntwo\nthree\n");
}

TEST_F(Patching, C_POL_5_every_file_of_a_patch_is_recorded) {
  auto log = std::make_shared<MemoryAuditLog>();
  Workspace workspace(make_audited(local(), log, {}));
  ASSERT_THAT(workspace.apply_patch(call, kChange + kRest), IsOk());
  std::vector<std::string> lines;
  for (const auto& event : log->events())
    lines.push_back(event.operation + " " + event.path.text() + " " + event.outcome);
  EXPECT_EQ(lines, (std::vector<std::string>{"replace f ok", "delete_if gone ok", "move old ok", "create run ok"}));
  const auto events = log->events();
  EXPECT_EQ(events[0].before, revision("one\ntwo\nthree\n"));
  EXPECT_EQ(events[0].after, revision("one\n2\nthree\n"));
}

}  // namespace
}  // namespace berth
