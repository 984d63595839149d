#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/hash.h"
#include "conformance/rules.h"
#include "testing/cases.h"

namespace berth::conformance {
namespace {

using testing::FailsWith;
using testing::IsOk;

BERTH_CHAPTER(Editing);
BERTH_HOST_CHAPTER(EditingOnHost);

Revision revision_of(BytesView content) { return {"sha256:" + to_hex(sha256(content))}; }

Bytes decoded(const nlohmann::json& value) { return try_decode_base64(value.get<std::string>()).value(); }

Edit edit_of(const nlohmann::json& row) {
  Edit edit{.old_text = decoded(row["old_b64"]), .new_text = decoded(row["new_b64"])};
  if (row.contains("expected_count")) edit.expected_count = row["expected_count"].get<std::int64_t>();
  if (row.value("all", false)) edit.count = Edit::Count::all;
  return edit;
}

std::int64_t number(const Error& error, std::string_view name) {
  const auto* value = error.field(name);
  if (value == nullptr || !std::holds_alternative<std::int64_t>(*value)) return -1;
  return std::get<std::int64_t>(*value);
}

std::vector<std::string> places(const Error& error) {
  const auto* value = error.field("places");
  if (value == nullptr || !std::holds_alternative<std::vector<std::string>>(*value)) return {};
  return std::get<std::vector<std::string>>(*value);
}

TEST_P(Editing, C_EDIT_1_every_row_of_the_edit_table) {
  const auto table = nlohmann::json::parse(testing::read_cases("edits.json"));
  int index = 0;
  for (const auto& row : table["rows"]) {
    SCOPED_TRACE(row["name"].get<std::string>());
    const std::string path = "case" + std::to_string(++index);
    const Bytes before = decoded(row["before_b64"]);
    put(path, before);
    std::vector<Edit> edits;
    for (const auto& edit : row["edits"]) edits.push_back(edit_of(edit));
    const auto outcome = workspace().edit(soon(), path, edits);
    if (!can_write()) {
      expect_refused(outcome);
      EXPECT_EQ(content(path), before);
      continue;
    }
    if (row.contains("error")) {
      const auto code = try_error_code(row["error"].get<std::string>());
      ASSERT_TRUE(code.has_value());
      ASSERT_THAT(outcome, FailsWith(*code));
      if (row.contains("count")) {
        EXPECT_EQ(number(outcome.error(), "count"), row["count"].get<std::int64_t>());
      }
      EXPECT_EQ(content(path), before);
      continue;
    }
    ASSERT_THAT(outcome, IsOk());
    const Bytes after = decoded(row["after_b64"]);
    EXPECT_EQ(content(path), after);
    EXPECT_EQ(outcome->previous_revision, revision_of(before));
    EXPECT_EQ(outcome->revision, revision_of(after));
    EXPECT_EQ(outcome->counts.size(), edits.size());
  }
}

TEST_P(Editing, C_EDIT_1_a_wrong_count_names_up_to_five_places) {
  put("file", "x = 1\ny\nx = 2\nx = 3\nx = 4\nx = 5\nx = 6\n");
  const std::vector<Edit> edits = {{.old_text = "x =", .new_text = "z ="}};
  const auto outcome = workspace().edit(soon(), "file", edits);
  if (!can_write()) return expect_refused(outcome);
  ASSERT_THAT(outcome, FailsWith(ErrorCode::ambiguous_match));
  EXPECT_EQ(number(outcome.error(), "count"), 6);
  EXPECT_EQ(number(outcome.error(), "expected_count"), 1);
  const auto where = places(outcome.error());
  ASSERT_EQ(where.size(), 5u);
  EXPECT_EQ(where[0], "1: x = 1");
  EXPECT_EQ(where[1], "3: x = 2");
}

TEST_P(Editing, C_EDIT_1_a_stale_revision_refuses_the_edit) {
  put("file", "one two\n");
  const std::vector<Edit> edits = {{.old_text = "one", .new_text = "three"}};
  EditOptions stale;
  stale.expected_revision = revision_of("something else");
  const auto refused = workspace().edit(soon(), "file", edits, stale);
  if (!can_write()) return expect_refused(refused);
  EXPECT_THAT(refused, FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(content("file"), "one two\n");
  EditOptions fresh;
  fresh.expected_revision = revision_of("one two\n");
  EXPECT_THAT(workspace().edit(soon(), "file", edits, fresh), IsOk());
  EXPECT_EQ(content("file"), "three two\n");
}

TEST_P(Editing, C_EDIT_1_what_cannot_be_edited_has_the_codes_of_reading) {
  put("d/file", "x");
  const std::vector<Edit> edits = {{.old_text = "a", .new_text = "b"}};
  if (!can_write()) return expect_refused(workspace().edit(soon(), "d/file", edits));
  EXPECT_THAT(workspace().edit(soon(), "absent", edits), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(workspace().edit(soon(), "d", edits), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(workspace().edit(soon(), "d/file/x", edits), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(workspace().edit(soon(), "d/file", {}), FailsWith(ErrorCode::invalid_argument));
}

TEST_P(EditingOnHost, C_EDIT_2_the_mode_stays) {
  put("tool", "#!/bin/sh\necho a\n");
  host().chmod("tool", 0750);
  const std::vector<Edit> edits = {{.old_text = "echo a", .new_text = "echo b"}};
  const auto outcome = workspace().edit(soon(), "tool", edits);
  if (!can_write()) return expect_refused(outcome);
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(host().mode("tool"), 0750u);
  EXPECT_EQ(host().read("tool"), "#!/bin/sh\necho b\n");
}

TEST_P(Editing, C_EDIT_3_a_near_miss_is_shown_and_never_applied) {
  const Bytes before = "def f():\n        return  1\n\ndef g():\n    pass\n";
  put("file", before);
  const std::vector<Edit> edits = {{.old_text = "    return 1", .new_text = "    return 2"}};
  const auto outcome = workspace().edit(soon(), "file", edits);
  if (!can_write()) return expect_refused(outcome);
  ASSERT_THAT(outcome, FailsWith(ErrorCode::match_not_found));
  EXPECT_EQ(number(outcome.error(), "edit"), 0);
  const auto where = places(outcome.error());
  ASSERT_EQ(where.size(), 1u);
  EXPECT_TRUE(where.front().starts_with("2: ")) << where.front();
  EXPECT_EQ(content("file"), before);
}

TEST_P(Editing, C_EDIT_3_the_error_says_when_the_new_text_is_already_there) {
  put("file", "return 2\n");
  const std::vector<Edit> edits = {{.old_text = "return 1", .new_text = "return 2"}};
  const auto outcome = workspace().edit(soon(), "file", edits);
  if (!can_write()) return expect_refused(outcome);
  ASSERT_THAT(outcome, FailsWith(ErrorCode::match_not_found));
  EXPECT_NE(outcome.error().field("already_present"), nullptr);
}

TEST_P(Editing, C_EDIT_4_the_result_tells_counts_revisions_and_a_bounded_diff) {
  put("d/file", "a\nb\na\n");
  const std::vector<Edit> edits = {{.old_text = "a", .new_text = "A", .count = Edit::Count::all},
                                   {.old_text = "b", .new_text = "B"}};
  const auto outcome = workspace().edit(soon(), "d/file", edits);
  if (!can_write()) return expect_refused(outcome);
  ASSERT_THAT(outcome, IsOk());
  EditOutcome expected{.counts = {2, 1},
                       .previous_revision = revision_of("a\nb\na\n"),
                       .revision = revision_of("A\nB\nA\n"),
                       .diff = {}};
  expected.diff.text = "--- a/d/file\n+++ b/d/file\n@@ -1,3 +1,3 @@\n-a\n-b\n-a\n+A\n+B\n+A\n";
  EXPECT_EQ(*outcome, expected);

  Bytes large;
  for (int i = 0; i < 5000; ++i) large += "line a " + std::to_string(i) + "\n";
  put("large", large);
  const std::vector<Edit> all = {{.old_text = "line a", .new_text = "line b", .count = Edit::Count::all}};
  const auto bounded = workspace().edit(soon(), "large", all, {.expected_revision = {}, .max_diff_bytes = 1000});
  ASSERT_THAT(bounded, IsOk());
  EXPECT_LE(bounded->diff.text.size(), 1000u);
  EXPECT_TRUE(bounded->diff.truncated);
}

}  // namespace
}  // namespace berth::conformance
