#include "workspace/edit/edit.h"

#include <gmock/gmock.h>

#include <chrono>
#include <random>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "testing/cases.h"
#include "testing/matchers.h"

namespace berth {
namespace {

using testing::FailsWith;
using testing::IsOk;

Result<EditedContent> edit_one(BytesView original, Edit edit) { return apply_edits(original, std::span(&edit, 1)); }

std::vector<std::string> places_of(const Error& error) {
  const auto* field = error.field("places");
  return field == nullptr ? std::vector<std::string>{} : std::get<std::vector<std::string>>(*field);
}

struct CaseRow {
  std::string name;
  Bytes before;
  std::vector<Edit> edits;
  std::optional<Bytes> after;
  std::string error;
  std::optional<std::int64_t> count;
};

Bytes bytes_at(const nlohmann::json& object, const char* key) {
  return try_decode_base64(object.at(key).get<std::string>()).value();
}

std::vector<CaseRow> case_rows() {
  std::vector<CaseRow> rows;
  const auto table = nlohmann::json::parse(testing::read_cases("edits.json"));
  for (const auto& row : table.at("rows")) {
    CaseRow read{.name = row.at("name").get<std::string>(), .before = bytes_at(row, "before_b64")};
    for (const auto& edit : row.at("edits")) {
      read.edits.push_back({.old_text = bytes_at(edit, "old_b64"),
                            .new_text = bytes_at(edit, "new_b64"),
                            .count = edit.value("all", false) ? Edit::Count::all : Edit::Count::exactly,
                            .expected_count = edit.value("expected_count", std::int64_t{1})});
    }
    if (row.contains("after_b64")) read.after = bytes_at(row, "after_b64");
    read.error = row.value("error", "");
    if (row.contains("count")) read.count = row.at("count").get<std::int64_t>();
    rows.push_back(std::move(read));
  }
  return rows;
}

TEST(ApplyEdits, EveryRowOfTheCaseTable) {
  const auto rows = case_rows();
  ASSERT_EQ(rows.size(), 27U);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto edited = apply_edits(row.before, row.edits);
    if (row.error.empty()) {
      ASSERT_THAT(edited, IsOk());
      EXPECT_EQ(edited->content, row.after);
      continue;
    }
    ASSERT_THAT(edited, FailsWith(try_error_code(row.error).value()));
    if (row.count) {
      EXPECT_EQ(*edited.error().field("count"), ErrorField::Value(*row.count));
    }
  }
}

TEST(ApplyEdits, C_EDIT_1_a_wrong_count_names_the_count_and_five_places) {
  const auto edited = edit_one("a\nb a\na\na\na\na\n", {.old_text = "a", .new_text = "x"});
  ASSERT_THAT(edited, FailsWith(ErrorCode::ambiguous_match));
  EXPECT_EQ(*edited.error().field("count"), ErrorField::Value(std::int64_t{6}));
  EXPECT_EQ(*edited.error().field("expected_count"), ErrorField::Value(std::int64_t{1}));
  EXPECT_EQ(*edited.error().field("edit"), ErrorField::Value(std::int64_t{0}));
  EXPECT_THAT(places_of(edited.error()), ::testing::ElementsAre("1: a", "2: b a", "3: a", "4: a", "5: a"));
}

TEST(ApplyEdits, C_EDIT_1_a_line_with_several_matches_is_one_place) {
  const auto edited = edit_one("a a\na a a\nb\na\n", {.old_text = "a", .new_text = "x"});
  ASSERT_THAT(edited, FailsWith(ErrorCode::ambiguous_match));
  EXPECT_EQ(*edited.error().field("count"), ErrorField::Value(std::int64_t{6}));
  EXPECT_THAT(places_of(edited.error()), ::testing::ElementsAre("1: a a", "2: a a a", "4: a"));

  const auto missing = edit_one("f( x ) f( x )\nf(x )\n", {.old_text = "f(x)", .new_text = "g"});
  ASSERT_THAT(missing, FailsWith(ErrorCode::match_not_found));
  EXPECT_THAT(places_of(missing.error()), ::testing::ElementsAre("1: f( x ) f( x )", "2: f(x )"));
}

TEST(ApplyEdits, C_EDIT_3_text_that_differs_in_white_space_is_shown_and_not_replaced) {
  const auto edited =
      edit_one("int f()\n{\n\tif (x)  {\n\t\ty();\n\t}\n}\n", {.old_text = "if (x) {\n    y();", .new_text = "z();"});
  ASSERT_THAT(edited, FailsWith(ErrorCode::match_not_found));
  EXPECT_THAT(places_of(edited.error()), ::testing::ElementsAre("3: \tif (x)  {"));
  EXPECT_EQ(edited.error().field("already_present"), nullptr);
}

TEST(ApplyEdits, C_EDIT_3_a_new_text_that_is_already_there_is_told) {
  const auto edited = edit_one("x = 2\r\ny = 3\r\n", {.old_text = "x = 1\n", .new_text = "x = 2\ny"});
  ASSERT_THAT(edited, FailsWith(ErrorCode::match_not_found));
  EXPECT_EQ(*edited.error().field("already_present"), ErrorField::Value(std::string("true")));
}

TEST(ApplyEdits, SeveralEditsAreNamedByNumber) {
  const std::vector<Edit> edits{{.old_text = "a", .new_text = "b"}, {.old_text = "zz", .new_text = "b"}};
  const auto edited = apply_edits("a", edits);
  ASSERT_THAT(edited, FailsWith(ErrorCode::match_not_found));
  EXPECT_EQ(*edited.error().field("edit"), ErrorField::Value(std::int64_t{1}));
  EXPECT_EQ(edited.error().message, "edit 2: the text to be replaced is not in the file");
}

TEST(ApplyEdits, NoEditAndASenselessCountAreRefused) {
  EXPECT_THAT(apply_edits("a", {}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(edit_one("a", {.old_text = "a", .new_text = "b", .expected_count = 0}),
              FailsWith(ErrorCode::invalid_argument));
}

TEST(ApplyEdits, C_EDIT_2_each_line_of_a_mixed_match_keeps_its_ending) {
  const auto edited = edit_one("a\r\nb\nc\r\nd\n", {.old_text = "a\nb\nc\n", .new_text = "A\nB\nC\nE\n"});
  ASSERT_THAT(edited, IsOk());
  EXPECT_EQ(edited->content, "A\r\nB\nC\r\nE\r\nd\n");
}

TEST(ApplyEdits, C_EDIT_2_the_last_line_takes_the_ending_of_the_line_before) {
  EXPECT_EQ(edit_one("a\r\nb", {.old_text = "b", .new_text = "b\nc"})->content, "a\r\nb\r\nc");
  EXPECT_EQ(edit_one("a\nb", {.old_text = "b", .new_text = "b\nc"})->content, "a\nb\nc");
}

TEST(ApplyEdits, C_EDIT_2_an_anchor_with_a_carriage_return_is_byte_for_byte) {
  EXPECT_EQ(edit_one("a\r\nb\r\n", {.old_text = "a\r\nb", .new_text = "a\nb"})->content, "a\nb\r\n");
  EXPECT_THAT(edit_one("a\nb\n", {.old_text = "a\r\nb", .new_text = "x"}), FailsWith(ErrorCode::match_not_found));
}

TEST(ApplyEdits, C_EDIT_2_endings_written_out_in_the_new_text_are_not_doubled) {
  EXPECT_EQ(edit_one("a\r\nb\r\n", {.old_text = "a\nb", .new_text = "x\r\ny"})->content, "x\r\ny\r\n");
}

TEST(ApplyEdits, AMatchThatBeginsOrEndsWithALineFeedTakesTheCarriageReturnAlong) {
  EXPECT_EQ(edit_one("a\r\nb\r\nc", {.old_text = "\nb\n", .new_text = "-"})->content, "a-c");
}

TEST(ApplyEdits, SnippetsAreTextAndBounded) {
  std::string line;
  for (int i = 0; i < 500; ++i) line += "\u00e9";
  const Bytes content = line + "X" + line + "\n\xFFX\n";
  const auto edited = edit_one(content, {.old_text = "X", .new_text = "Y"});
  ASSERT_THAT(edited, FailsWith(ErrorCode::ambiguous_match));
  const auto places = places_of(edited.error());
  ASSERT_EQ(places.size(), 2U);
  EXPECT_TRUE(is_utf8(places[0]));
  EXPECT_LE(places[0].size(), 130U);
  EXPECT_THAT(places[0], ::testing::HasSubstr("X"));
  EXPECT_EQ(places[1], "2: \uFFFDX");
}

TEST(ApplyEdits, TimeIsLinearForPeriodicInput) {
  const auto begin = std::chrono::steady_clock::now();
  const Bytes content = Bytes(1 << 20, 'a') + "\r\n";
  const Bytes anchor = Bytes(1 << 19, 'a') + "b";
  EXPECT_THAT(edit_one(content, {.old_text = anchor, .new_text = "x"}), FailsWith(ErrorCode::match_not_found));
  EXPECT_THAT(edit_one(content, {.old_text = "a", .new_text = "\n", .count = Edit::Count::all}), IsOk());
  EXPECT_THAT(
      edit_one(Bytes(1 << 20, '\n') + "\r\n", {.old_text = "\n\n\n", .new_text = "\n", .count = Edit::Count::all}),
      IsOk());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

/// The rules written down as slowly as they read: one match at a time, compared byte by byte.
std::optional<Bytes> model_edit_all(const Bytes& text, const Bytes& anchor, const Bytes& added) {
  const bool exact = anchor.find('\r') != Bytes::npos;
  const bool any_crlf = text.find("\r\n") != Bytes::npos;
  const bool loose = !exact && any_crlf && anchor.find('\n') != Bytes::npos;
  const auto match_at = [&](std::size_t at) -> std::optional<std::size_t> {
    for (const char c : anchor) {
      if (loose && c == '\n' && text.compare(at, 2, "\r\n") == 0) {
        at += 2;
        continue;
      }
      // A LF whose CR was passed over on its own would be half an ending.
      if (loose && c == '\n' && at > 0 && at < text.size() && text[at] == '\n' && text[at - 1] == '\r') return {};
      if (at >= text.size() || text[at] != c) return {};
      ++at;
    }
    return at;
  };
  Bytes out;
  bool found = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = match_at(at);
    if (!end) {
      out += text[at++];
      continue;
    }
    found = true;
    std::vector<bool> endings;
    for (std::size_t i = at; i < *end; ++i) {
      if (text[i] == '\n') endings.push_back(i > 0 && text[i - 1] == '\r');
    }
    std::size_t newline = text[*end - 1] == '\n' ? *end - 1 : text.find('\n', *end);
    if (newline == Bytes::npos) newline = text.rfind('\n');
    const bool last = newline != Bytes::npos && newline > 0 && text[newline - 1] == '\r';
    std::size_t line = 0;
    for (std::size_t i = 0; i < added.size(); ++i) {
      if (added[i] == '\n' && !exact && any_crlf) {
        const bool crlf = line < endings.size() ? endings[line] : last;
        ++line;
        if (crlf && (i == 0 || added[i - 1] != '\r')) out += '\r';
      }
      out += added[i];
    }
    at = *end;
  }
  if (!found) return {};
  return out;
}

TEST(ApplyEdits, AgreesWithASlowModel) {
  std::mt19937 random(20261130);
  const auto some = [&](std::size_t max, std::string_view alphabet) {
    Bytes text;
    for (std::size_t size = random() % (max + 1); size > 0; --size) text += alphabet[random() % alphabet.size()];
    return text;
  };
  int matched = 0;
  for (int round = 0; round < 60'000; ++round) {
    Bytes text;
    for (const char c : some(14, "ab \n\n\r")) {
      if (c == '\n' && random() % 2 == 0) text += '\r';
      text += c;
    }
    const Bytes anchor = some(3, "ab\n\n\r");
    const Bytes added = some(4, "ax\n\r");
    if (anchor.empty()) continue;
    const auto expected = model_edit_all(text, anchor, added);
    const auto edited = edit_one(text, {.old_text = anchor, .new_text = added, .count = Edit::Count::all});
    SCOPED_TRACE("text " + ::testing::PrintToString(text) + " anchor " + ::testing::PrintToString(anchor) + " new " +
                 ::testing::PrintToString(added));
    if (!expected) {
      ASSERT_THAT(edited, FailsWith(ErrorCode::match_not_found));
    } else if (*expected == text) {
      ASSERT_THAT(edited, FailsWith(ErrorCode::invalid_argument));
    } else {
      ASSERT_THAT(edited, IsOk());
      ASSERT_EQ(edited->content, *expected);
      ++matched;
    }
  }
  EXPECT_GT(matched, 5'000);
}

TEST(ApplyEdits, C_VAL_2_many_matches_are_left_at_the_deadline) {
  const Call late{.deadline = Deadline::after(std::chrono::seconds(-1)), .stop = {}, .trace_id = {}};
  const Edit edit{.old_text = "a", .new_text = "b", .count = Edit::Count::all};
  EXPECT_THAT(apply_edits(Bytes(1'000'000, 'a'), std::span(&edit, 1), late), FailsWith(ErrorCode::timed_out));
}

}  // namespace
}  // namespace berth
