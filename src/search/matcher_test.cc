#include "search/matcher.h"

#include <random>

#include <gtest/gtest.h>
#include <re2/re2.h>

#include "search/literal_finder.h"
#include "search/regex_syntax.h"
#include "search/utf8_lens.h"
#include "testing/matchers.h"

namespace berth::search {

bool operator==(const LineHit& a, const LineHit& b) {
  return a.line == b.line && a.column == b.column && a.begin == b.begin && a.end == b.end;
}

void PrintTo(const LineHit& hit, std::ostream* out) {
  *out << hit.line << ":" << hit.column << " [" << hit.begin << "," << hit.end << ")";
}

namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;

std::vector<LineHit> find(const Matcher& matcher, BytesView buffer) {
  std::vector<LineHit> hits;
  matcher.find_lines(buffer, 1000000, hits);
  EXPECT_EQ(matcher.count_lines(buffer), std::ssize(hits));
  EXPECT_EQ(matcher.matches(buffer), !hits.empty());
  return hits;
}

std::vector<LineHit> find(const SearchQuery& query, BytesView buffer) {
  auto matcher = Matcher::compile(query);
  if (!matcher) {
    ADD_FAILURE() << query.pattern << ": " << to_string(matcher.error());
    return {};
  }
  return find(*matcher, buffer);
}

std::vector<std::string> texts(const SearchQuery& query, BytesView buffer) {
  std::vector<std::string> found;
  for (const auto& hit : find(query, buffer)) found.emplace_back(buffer.substr(hit.begin, hit.end - hit.begin));
  return found;
}

TEST(Matcher, finds_lines_with_number_column_and_extent) {
  const LineHit second{.line = 2, .column = 3, .begin = 4, .end = 9};
  EXPECT_THAT(find({.pattern = "two"}, "one\na two\nthree"), ElementsAre(LineHit{2, 3, 4, 9}));
  EXPECT_THAT(find({.pattern = "t.o"}, "one\na two\nthree"), ElementsAre(second));
  EXPECT_THAT(find({.pattern = "e$"}, "one\na two\nthree"), ElementsAre(LineHit{1, 3, 0, 3}, LineHit{3, 5, 10, 15}));
}

TEST(Matcher, a_line_counts_once_however_often_it_matches) {
  EXPECT_THAT(texts({.pattern = "a"}, "aaa\nb\naa\n"), ElementsAre("aaa", "aa"));
  EXPECT_THAT(texts({.pattern = "[a]"}, "aaa\nb\naa\n"), ElementsAre("aaa", "aa"));
}

TEST(Matcher, an_empty_pattern_matches_every_line) {
  EXPECT_THAT(texts({.pattern = ""}, "a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(texts({.pattern = "", .literal = true}, "a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(texts({.pattern = ""}, ""), IsEmpty());
}

TEST(Matcher, there_is_no_line_after_the_last_lf) {
  EXPECT_THAT(texts({.pattern = "^$"}, "a\n\nb\n"), ElementsAre(""));
  EXPECT_THAT(texts({.pattern = "^$", .multiline = true}, "a\n\nb\n"), ElementsAre(""));
}

TEST(Matcher, a_bad_pattern_is_refused_with_the_reason) {
  for (const char* pattern : {"(", "a)(b", "[b-a]", "a**", "\\", "(?=a)"}) {
    EXPECT_THAT(Matcher::compile({.pattern = pattern}), FailsWith(ErrorCode::invalid_argument)) << pattern;
  }
  EXPECT_THAT(Matcher::compile({.pattern = "caf\xE9"}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(Matcher::compile({.pattern = "(", .literal = true}), IsOk());
}

TEST(Matcher, C_SEARCH_3_a_pattern_that_starts_with_a_dash_is_a_pattern) {
  EXPECT_THAT(texts({.pattern = "--pre=x"}, "a --pre=x\n"), ElementsAre("a --pre=x"));
}

TEST(Matcher, a_literal_means_nothing_but_its_bytes) {
  EXPECT_THAT(texts({.pattern = "a.*$", .literal = true}, "abc\na.*$\n"), ElementsAre("a.*$"));
  EXPECT_THAT(texts({.pattern = "\xFF\xFE", .literal = true}, "a\nb\xFF\xFE\n"), ElementsAre("b\xFF\xFE"));
  EXPECT_THAT(texts({.pattern = "a\nb", .literal = true}, "a\nb\n"), IsEmpty());
  EXPECT_THAT(texts({.pattern = "a\nb", .literal = true, .multiline = true}, "xa\nby\nc"), ElementsAre("xa\nby"));
}

TEST(Matcher, ignoring_case_folds_as_unicode_does) {
  EXPECT_THAT(texts({.pattern = "HeLLo", .ignore_case = true}, "hello\nHELLO\nhell"), ElementsAre("hello", "HELLO"));
  EXPECT_THAT(texts({.pattern = "ÉTÉ", .literal = true, .ignore_case = true}, "été\n"), ElementsAre("été"));
  EXPECT_THAT(texts({.pattern = "kelvins", .literal = true, .ignore_case = true}, "\u212AELVIN\u017F\n"),
              ElementsAre("\u212AELVIN\u017F"));
  EXPECT_THAT(texts({.pattern = "(?i)kelvins"}, "\u212AELVIN\u017F\n"), ElementsAre("\u212AELVIN\u017F"));
  EXPECT_THAT(texts({.pattern = "a(?i)bcd"}, "aBCD\nABCD\n"), ElementsAre("aBCD"));
}

TEST(Matcher, a_word_is_bounded_by_non_word_characters_of_any_script) {
  const SearchQuery query{.pattern = "foo", .word = true};
  EXPECT_THAT(texts(query, "foo\nfoobar\nxfoo\n(foo)\nfoo_\nfoobar foo\néfoo\nfoo\r\n"),
              ElementsAre("foo", "(foo)", "foobar foo", "foo\r"));
  EXPECT_THAT(texts({.pattern = "-x", .word = true}, "a -x\na-x\n"), ElementsAre("a -x"));
  EXPECT_THAT(texts({.pattern = "a|ab", .word = true}, "ab\nabc\n"), ElementsAre("ab"));
  EXPECT_THAT(find({.pattern = "foo", .word = true}, "foobar foo"), ElementsAre(LineHit{1, 8, 0, 10}));
  EXPECT_THAT(texts({.pattern = "foo", .word = true},
                    "\xFF"
                    "foo\xFF\n"),
              ElementsAre("\xFF"
                          "foo\xFF"));
}

TEST(Matcher, multiline_matches_span_lines_but_a_dot_stops_at_lf) {
  EXPECT_THAT(texts({.pattern = "b\\nc", .multiline = true}, "ab\ncd\nef\n"), ElementsAre("ab\ncd"));
  EXPECT_THAT(texts({.pattern = "b.c", .multiline = true}, "ab\ncd\n"), IsEmpty());
  EXPECT_THAT(texts({.pattern = "(?s)b.*f", .multiline = true}, "ab\ncd\nef\n"), ElementsAre("ab\ncd\nef"));
  EXPECT_THAT(texts({.pattern = "^c", .multiline = true}, "ab\ncd\n"), ElementsAre("cd"));
  EXPECT_THAT(texts({.pattern = "b\n", .multiline = true}, "ab\ncd\n"), ElementsAre("ab"));
  EXPECT_THAT(find({.pattern = "d$\\ne", .multiline = true}, "ab\r\ncd\r\nef"), ElementsAre(LineHit{2, 2, 4, 10}));
}

TEST(Matcher, without_multiline_a_match_never_spans_lines) {
  EXPECT_THAT(texts({.pattern = "b\\sc"}, "ab\ncd\n"), IsEmpty());
  EXPECT_THAT(texts({.pattern = "b[^x]c"}, "ab\ncd\n"), IsEmpty());
  EXPECT_THAT(texts({.pattern = "(?s)b.*d"}, "ab\ncd\nb d"), ElementsAre("b d"));
  EXPECT_THAT(texts({.pattern = "b\\Cc"}, "ab\ncd\nb!c"), ElementsAre("b!c"));
  EXPECT_THAT(texts({.pattern = "\\Ac"}, "ab\ncd\nb!c"), ElementsAre("cd"));
  EXPECT_THAT(texts({.pattern = "(?-m:^)c"}, "ab\ncd\nb!c"), ElementsAre("cd"));
}

TEST(Matcher, a_cr_before_lf_belongs_to_the_line_and_the_end_matches_before_it) {
  EXPECT_THAT(texts({.pattern = "foo$"}, "foo\r\nfoo\nfoox\r\n"), ElementsAre("foo\r", "foo"));
  EXPECT_THAT(texts({.pattern = "^$"}, "a\r\n\r\n"), ElementsAre("\r"));
  EXPECT_THAT(texts({.pattern = "\\r"}, "a\r\nb\n"), ElementsAre("a\r"));
  EXPECT_THAT(texts({.pattern = "o[$]$|\\$x$"}, "fo$\r\n$x\r\n"), ElementsAre("fo$\r", "$x\r"));
}

TEST(Matcher, C_SEARCH_1_bytes_that_are_not_utf8_read_as_one_character_each) {
  EXPECT_THAT(texts({.pattern = "caf. ok"}, "caf\xE9 ok\ncaf\xE9\xE9 ok\n"), ElementsAre("caf\xE9 ok"));
  EXPECT_THAT(texts({.pattern = "^....$"}, "\xFF\xFE\xFD!\nabc\n"), ElementsAre("\xFF\xFE\xFD!"));
  EXPECT_THAT(texts({.pattern = "é.x"}, "é\xFFx\n"), ElementsAre("é\xFFx"));
  EXPECT_THAT(find({.pattern = "x+"},
                   "\xFF\xFF"
                   "ax\n"),
              ElementsAre(LineHit{1, 4, 0, 4}));
  EXPECT_THAT(find({.pattern = "a.\\nx", .multiline = true},
                   "\xFF\n"
                   "a\xFF\nx\n"),
              ElementsAre(LineHit{2, 1, 2, 6}));
  EXPECT_THAT(texts({.pattern = "\uFFFD"}, "a\xFF\n"), ElementsAre("a\xFF"));
}

TEST(Matcher, no_more_hits_than_asked) {
  const auto matcher = Matcher::compile({.pattern = "a"});
  std::vector<LineHit> hits;
  matcher->find_lines("a\na\na\n", 0, hits);
  EXPECT_THAT(hits, IsEmpty());
  matcher->find_lines("a\na\na\n", 2, hits);
  EXPECT_THAT(hits, ElementsAre(LineHit{1, 1, 0, 1}, LineHit{2, 1, 2, 3}));
}

TEST(Matcher, context_lines_stop_at_the_ends_of_the_buffer) {
  const std::string buffer = "1\n2\n3\n4\n5";
  const auto hits = find({.pattern = "3"}, buffer);
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_EQ(make_match(Path(), buffer, hits[0], 1),
            (SearchMatch{.path = Path(), .line = 3, .column = 1, .text = "3", .before = {"2"}, .after = {"4"}}));
  EXPECT_EQ(
      make_match(Path(), buffer, hits[0], 9),
      (SearchMatch{.path = Path(), .line = 3, .column = 1, .text = "3", .before = {"1", "2"}, .after = {"4", "5"}}));
  EXPECT_EQ(make_match(Path(), "3\n\n", {1, 1, 0, 1}, 9).after, std::vector<Bytes>{""});
}

TEST(IsBinary, looks_for_a_nul_in_the_first_8_kib) {
  EXPECT_FALSE(is_binary(""));
  EXPECT_TRUE(is_binary(BytesView("a\0", 2)));
  EXPECT_TRUE(is_binary(std::string(8191, 'a') + '\0'));
  EXPECT_FALSE(is_binary(std::string(8192, 'a') + '\0'));
}

TEST(RequiredLiteral, is_the_longest_run_every_match_contains) {
  const auto required = [](const char* regex) { return required_literal(regex, CaseRule::sensitive).bytes; };
  EXPECT_EQ(required("needle_[0-9]+x"), "needle_");
  EXPECT_EQ(required("a(bc)+d"), "abc");
  EXPECT_EQ(required("(?:foo|bar)bazz"), "bazz");
  EXPECT_EQ(required("foo|bar"), "");
  EXPECT_EQ(required("ab?cd"), "cd");
  EXPECT_EQ(required("ab{0,3}cd"), "cd");
  EXPECT_EQ(required("a\\.b\\("), "a.b(");
  EXPECT_EQ(required("\\x41bc"), "bc");
  EXPECT_EQ(required("\\0123"), "3");
  EXPECT_EQ(required("(abc)?"), "");
  EXPECT_EQ(required("\\Qab\\E|c"), "");
  EXPECT_EQ(required("aé*bc"), "bc");
  EXPECT_EQ(required_literal("Task_Name", CaseRule::insensitive), (RequiredLiteral{"_name", true}));
}

/// A random regular expression; most are valid.
std::string random_regex(std::mt19937& random, int depth = 0) {
  static const std::vector<std::string> atoms{"a",     "b",     "ab",  "c",  ".", "[ab]", "[^a]",  "\\w",
                                              "\\d",   "\\.",   "k",   "S",  "é", "\\$",  "[]$a]", "[[:alpha:]$]",
                                              "\\x61", "\\s",   "\\b", "^",  "$", "\\n",  "x{",    "\\pL",
                                              "{2",    "\\141", "abc", "\\r"};
  std::string regex;
  for (std::size_t n = 1 + random() % 4; n > 0; --n) {
    std::string atom = atoms[random() % atoms.size()];
    if (depth < 3 && random() % 4 == 0) {
      static const std::vector<std::string> openings{"(", "(?:", "(?P<n", "(?i:", "(?s:", "(?U:"};
      const auto& opening = openings[random() % openings.size()];
      atom = opening + (opening == "(?P<n" ? std::to_string(random() % 1000000) + ">" : "") +
             random_regex(random, depth + 1) + ")";
    }
    static const std::vector<std::string> repeats{"",    "",      "",     "",   "*",  "+",  "?",
                                                  "{2}", "{0,2}", "{1,}", "*?", "+?", "{0}"};
    regex += atom + repeats[random() % repeats.size()];
    if (random() % 8 == 0) regex += "|";
  }
  return regex;
}

std::string random_text(std::mt19937& random, bool with_bad_bytes) {
  static const std::vector<std::string> pieces{"a", "b", "ab", "abc", "c", "K",      "s",  "é",  "\n",   "\r\n",
                                               "$", "1", " ",  ".",   "x", "\u212A", "{2", "x{", "\xE9", "\xFF"};
  std::string text;
  const std::size_t usable = pieces.size() - (with_bad_bytes ? 0 : 2);
  for (std::size_t n = random() % 30; n > 0; --n) text += pieces[random() % usable];
  return text;
}

TEST(Matcher, finds_what_plain_re2_finds_line_by_line) {
  std::mt19937 random(11);
  int compared = 0;
  int matched = 0;
  for (int i = 0; i < 3000; ++i) {
    SearchQuery query{.pattern = random_regex(random), .ignore_case = random() % 3 == 0};
    RE2::Options options;
    options.set_log_errors(false);
    options.set_case_sensitive(!query.ignore_case);
    options.set_never_nl(true);
    const RE2 bare(query.pattern, options);
    const RE2 plain("(?m:" + accept_cr_before_end(query.pattern) + ")", options);
    const auto matcher = Matcher::compile(query);
    ASSERT_EQ(bare.ok(), matcher.has_value()) << query.pattern;
    if (!bare.ok()) continue;
    ASSERT_TRUE(plain.ok()) << query.pattern;
    for (int j = 0; j < 10; ++j) {
      const std::string text = random_text(random, j % 2 == 0);
      std::vector<LineHit> expected;
      std::int64_t number = 0;
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        ++number;
        const std::string line = text.substr(begin, end - begin);
        const std::string shown = decode_utf8(line).text;
        re2::StringPiece group;
        const re2::StringPiece subject(shown);
        if (plain.Match(subject, 0, subject.size(), RE2::UNANCHORED, &group, 1)) {
          // Columns are bytes of the line: bring the stand-ins back to one byte.
          const auto column = Utf8Lens(line).original(static_cast<std::size_t>(group.data() - subject.data()));
          expected.push_back({number, static_cast<std::int64_t>(column) + 1, begin, end});
        }
        begin = end + 1;
      }
      ASSERT_EQ(find(*matcher, text), expected)
          << query.pattern << (query.ignore_case ? " (i)" : "") << " in " << ::testing::PrintToString(text);
      ++compared;
      matched += !expected.empty();
    }
  }
  EXPECT_GT(compared, 15000);
  EXPECT_GT(matched, 4000);
}

TEST(RequiredLiteral, never_loses_a_match) {
  std::mt19937 random(13);
  int held = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string regex = random_regex(random);
    const bool fold = random() % 2 == 0;
    RE2::Options options;
    options.set_log_errors(false);
    options.set_case_sensitive(!fold);
    const RE2 plain(regex, options);
    if (!plain.ok()) continue;
    const auto required = required_literal(regex, fold ? CaseRule::insensitive : CaseRule::sensitive);
    if (required.bytes.empty()) continue;
    const LiteralFinder finder(required.bytes,
                               required.folded ? LiteralFinder::Case::ascii_folded : LiteralFinder::Case::exact);
    for (int j = 0; j < 20; ++j) {
      const std::string text = random_text(random, false);
      if (!RE2::PartialMatch(text, plain)) continue;
      ASSERT_NE(finder.find(text, 0), LiteralFinder::kNotFound)
          << regex << " requires " << required.bytes << " in " << ::testing::PrintToString(text);
      ++held;
    }
  }
  EXPECT_GT(held, 5000);
}

TEST(LiteralFinder, finds_what_a_plain_search_finds) {
  std::mt19937 random(17);
  for (int i = 0; i < 20000; ++i) {
    std::string needle, text;
    for (std::size_t n = 1 + random() % 6; n > 0; --n) needle += "abAB_"[random() % 5];
    for (std::size_t n = random() % 300; n > 0; --n) text += "abAB_"[random() % 5];
    const std::size_t from = random() % (text.size() + 2);
    ASSERT_EQ(LiteralFinder(needle, LiteralFinder::Case::exact).find(text, from), text.find(needle, from))
        << needle << " in " << text;
    const auto lowered = [](std::string s) {
      for (auto& c : s) c = static_cast<char>(std::tolower(c));
      return s;
    };
    ASSERT_EQ(LiteralFinder(needle, LiteralFinder::Case::ascii_folded).find(text, from),
              lowered(text).find(lowered(needle), from));
  }
}

}  // namespace
}  // namespace berth::search
