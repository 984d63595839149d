#include <gmock/gmock.h>

#include "base/limits.h"
#include "testing/memory_backend.h"
#include "tools/lines.h"
#include "tools/make_tool.h"
#include "tools/media_type.h"
#include "tools/read_ledger.h"
#include "tools/text.h"

namespace berth::tools {
namespace {

using testing::path_of;

TEST(ReadLedger, remembers_the_last_that_was_seen_and_forgets_on_request) {
  ReadLedger ledger;
  EXPECT_EQ(ledger.seen(path_of("a")), std::nullopt);
  ledger.saw(path_of("a"), Revision{"1"});
  ledger.saw(path_of("a"), ChangeToken{7});
  EXPECT_EQ(ledger.seen(path_of("a")), Seen(ChangeToken{7}));
  ledger.forget(path_of("a"));
  EXPECT_EQ(ledger.seen(path_of("a")), std::nullopt);
}

TEST(ReadLedger, is_bounded_and_forgets_what_was_not_seen_for_longest) {
  ReadLedger ledger;
  const auto name = [](std::size_t i) { return path_of("f" + std::to_string(i)); };
  for (std::size_t i = 0; i < limits::kLedgerFiles; ++i) ledger.saw(name(i), Revision{"1"});
  ledger.saw(name(0), Revision{"2"});
  ledger.saw(path_of("one more"), Revision{"1"});
  EXPECT_EQ(ledger.seen(name(1)), std::nullopt);
  EXPECT_EQ(ledger.seen(name(0)), Seen(Revision{"2"}));
  EXPECT_EQ(ledger.seen(name(2)), Seen(Revision{"1"}));
}

TEST(Lines, end_with_LF_only) {
  EXPECT_EQ(count_lines(""), 0);
  EXPECT_EQ(count_lines("a"), 1);
  EXPECT_EQ(count_lines("a\n"), 1);
  EXPECT_EQ(count_lines("a\rb\x0c\n\n"), 2);
  BytesView rest = "a\r\nb";
  EXPECT_EQ(take_line(rest), "a\r\n");
  EXPECT_EQ(take_line(rest), "b");
  EXPECT_EQ(rest, "");
  EXPECT_EQ(without_ending("a\r\n"), "a");
  EXPECT_EQ(without_ending("a\r"), "a\r");
}

TEST(Lines, have_the_hash_of_their_text_whatever_their_ending) {
  EXPECT_EQ(line_hash("one"), "f9");
  EXPECT_EQ(line_hash("one\n"), "f9");
  EXPECT_EQ(line_hash("one\r\n"), "f9");
  EXPECT_EQ(line_hash(""), "d4");
}

TEST(Text, a_name_cannot_look_like_a_second_line) {
  EXPECT_EQ(shown_name("a b/ü"), "a b/ü");
  EXPECT_EQ(shown_name("a\nb"), R"("a\nb")");
  EXPECT_EQ(shown_name("say \"x\""), R"("say \"x\"")");
  EXPECT_EQ(shown_name("\xff\x01"), R"("\xff\x01")");
  EXPECT_EQ(shown_name(""), R"("")");
}

TEST(Text, of_an_error_says_what_the_facts_and_what_next) {
  const auto error = make_error(ErrorCode::ambiguous_match, "the text is there twice")
                         .at("f")
                         .with("count", 2)
                         .with("places", std::vector<std::string>{"1: a", "2: a"})
                         .with("actual_token", "noise");
  EXPECT_EQ(
      error_text(error),
      "Error (ambiguous_match): f: the text is there twice\ncount: 2\nplaces:\n  1: a\n  2: a\nNext: add lines around "
      "the text until it is unique, or say how many matches are meant");
}

TEST(MediaType, is_told_by_the_first_bytes) {
  using Kind = MediaType::Kind;
  const auto of = [](std::string_view bytes) { return media_type_of(bytes); };
  EXPECT_EQ(of("\x89PNG\r\n\x1a\n"), (MediaType{Kind::image, "image/png"}));
  EXPECT_EQ(of("\xff\xd8\xff\xe0"), (MediaType{Kind::image, "image/jpeg"}));
  EXPECT_EQ(of("GIF89a"), (MediaType{Kind::image, "image/gif"}));
  EXPECT_EQ(of("RIFF....WEBPVP8 "), (MediaType{Kind::image, "image/webp"}));
  EXPECT_EQ(of("RIFF....WAVE"), (MediaType{Kind::text, ""}));
  EXPECT_EQ(of("%PDF-1.7"), (MediaType{Kind::document, "application/pdf"}));
  EXPECT_EQ(of("plain"), (MediaType{Kind::text, ""}));
  EXPECT_EQ(of(""), (MediaType{Kind::text, ""}));
  EXPECT_EQ(of(std::string_view("a\0b", 3)), (MediaType{Kind::binary, ""}));
  EXPECT_EQ(of(std::string_view("\xff\xfe"
                                "a\0",
                                4)),
            (MediaType{Kind::binary, "text/plain; charset=utf-16le"}));
  EXPECT_EQ(of(std::string_view("ID3\x03\0", 5)), (MediaType{Kind::binary, "audio/mpeg"}));
  EXPECT_EQ(of(std::string_view("RIFF\x24\0\0\0WAVEfmt ", 16)), (MediaType{Kind::binary, "audio/wav"}));
  EXPECT_EQ(of("ID3 is a name"), (MediaType{Kind::text, ""}));
  EXPECT_EQ(of("\xff\xfe latin-1"), (MediaType{Kind::text, ""}));
  EXPECT_EQ(of("PK\x03\x04 as text"), (MediaType{Kind::text, ""}));
}

TEST(Outcome, of_what_other_arguments_can_mend_is_retry) {
  using Outcome = ToolResult::Outcome;
  for (const auto code : {ErrorCode::not_found, ErrorCode::match_not_found, ErrorCode::ambiguous_match,
                          ErrorCode::revision_mismatch, ErrorCode::invalid_argument, ErrorCode::offset_out_of_range}) {
    EXPECT_EQ(outcome_of(code), Outcome::retry) << error_info(code).name;
  }
  for (const auto code : {ErrorCode::permission_denied, ErrorCode::policy_denied, ErrorCode::io, ErrorCode::cancelled,
                          ErrorCode::environment_gone, ErrorCode::no_space, ErrorCode::read_only}) {
    EXPECT_EQ(outcome_of(code), Outcome::failed) << error_info(code).name;
  }
}

}  // namespace
}  // namespace berth::tools
