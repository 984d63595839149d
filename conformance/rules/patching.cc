#include <gtest/gtest.h>

#include "base/hash.h"
#include "conformance/rules.h"

namespace berth::conformance {
namespace {

using testing::FailsWith;
using testing::IsOk;

BERTH_CHAPTER(Patching);

Revision revision_of(BytesView content) { return {"sha256:" + to_hex(sha256(content))}; }

const Bytes kPatch =
    "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
    "diff --git a/old b/new/place\nsimilarity index 100%\nrename from old\nrename to new/place\n"
    "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    "diff --git a/made b/made\nnew file mode 100644\n--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+y\n";

TEST_P(Patching, C_PATCH_1_all_files_or_none) {
  put("f", "one\ntwo\nthree\n");
  put("old", "moved\n");
  put("gone", "x\n");
  if (!workspace().capabilities().transactions) return expect_refused(workspace().apply_patch(soon(), kPatch));
  const auto refused = workspace().apply_patch(soon(), kPatch + "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n");
  ASSERT_THAT(refused, FailsWith(ErrorCode::patch_rejected));
  EXPECT_EQ(content("f"), "one\ntwo\nthree\n");
  const auto applied = workspace().apply_patch(soon(), kPatch);
  ASSERT_THAT(applied, IsOk());
  EXPECT_TRUE(applied->applied);
  EXPECT_EQ(content("f"), "one\n2\nthree\n");
  EXPECT_EQ(content("new/place"), "moved\n");
  EXPECT_EQ(content("made"), "y\n");
  EXPECT_THAT(workspace().require_absent(soon(), "old"), IsOk());
  EXPECT_THAT(workspace().require_absent(soon(), "gone"), IsOk());
}

TEST_P(Patching, C_WRITE_11_a_demand_that_does_not_hold_changes_nothing) {
  put("f", "one");
  put("g", "two");
  const Path f = workspace().resolve("f").value();
  const Path g = workspace().resolve("g").value();
  std::vector<FileOperation> operations{
      WriteOperation{f, "1", {}},
      RemoveOperation{g, {.what = RemoveSpec::What::file_if_revision, .expected_revision = revision_of("stale")}}};
  const auto failed = workspace().transaction(soon(), operations);
  if (!workspace().capabilities().transactions) return expect_refused(failed);
  ASSERT_THAT(failed, IsOk());
  EXPECT_EQ(failed->state, TransactionOutcome::State::precondition_failed);
  EXPECT_EQ(failed->operations[1].error->code, ErrorCode::revision_mismatch);
  EXPECT_EQ(content("f"), "one");
  operations[1] =
      RemoveOperation{g, {.what = RemoveSpec::What::file_if_revision, .expected_revision = revision_of("two")}};
  const auto applied = workspace().transaction(soon(), operations);
  ASSERT_THAT(applied, IsOk());
  EXPECT_EQ(applied->state, TransactionOutcome::State::applied);
  EXPECT_EQ(applied->operations[0].revision, revision_of("1"));
  EXPECT_EQ(content("f"), "1");
  EXPECT_THAT(workspace().require_absent(soon(), "g"), IsOk());
}

}  // namespace
}  // namespace berth::conformance
