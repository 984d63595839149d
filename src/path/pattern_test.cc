#include "path/pattern.h"

#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "path/brace_expand.h"
#include "path/pattern_segments.h"
#include "testing/cases.h"
#include "testing/matchers.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::IsOk;

bool match(std::string_view pattern, std::string_view path, PatternGrammar grammar,
           LeadingDots dots = LeadingDots::by_grammar) {
  auto compiled = PathPattern::compile(pattern, grammar, dots);
  if (!compiled) {
    ADD_FAILURE() << pattern << ": " << to_string(compiled.error());
    return false;
  }
  return compiled->matches(path);
}

bool list(std::string_view pattern, std::string_view path) { return match(pattern, path, PatternGrammar::list); }
bool glob(std::string_view pattern, std::string_view path) { return match(pattern, path, PatternGrammar::glob); }

TEST(PathPattern, C_LIST_1_every_row_of_the_case_table) {
  const auto table = nlohmann::json::parse(testing::read_cases("list_patterns.json"));
  ASSERT_EQ(table.at("rows").size(), 138U);
  ASSERT_EQ(table.at("refused").size(), 8U);
  for (const auto& row : table.at("rows")) {
    const auto pattern = row.at("pattern").get<std::string>();
    const auto path = row.at("path").get<std::string>();
    if (row.at("match").is_string()) {
      EXPECT_THAT(PathPattern::compile(pattern, PatternGrammar::list), FailsWith(ErrorCode::invalid_argument))
          << pattern;
    } else {
      EXPECT_EQ(list(pattern, path), row.at("match").get<bool>()) << pattern << " on " << path;
    }
  }
  for (const auto& row : table.at("refused")) {
    EXPECT_THAT(PathPattern::compile(row.at("pattern").get<std::string>(), PatternGrammar::list),
                FailsWith(ErrorCode::invalid_argument))
        << row;
  }
}

TEST(PathPattern, glob_expands_braces_also_nested_ones) {
  EXPECT_TRUE(glob("*.{cc,h}", "a.cc"));
  EXPECT_TRUE(glob("*.{cc,h}", "a.h"));
  EXPECT_FALSE(glob("*.{cc,h}", "a.hh"));
  EXPECT_TRUE(glob("src/{a,b/{c,d}}/*.cc", "src/b/d/x.cc"));
  EXPECT_TRUE(glob("a{,b}", "a"));
  EXPECT_TRUE(glob("{a}", "{a}"));
  EXPECT_TRUE(glob("{a,b", "{a,b"));
  EXPECT_TRUE(glob("[{]a,b}", "{a,b}"));
  EXPECT_THAT(*expand_braces("x{1,2}{a,b}"), ElementsAre("x1a", "x1b", "x2a", "x2b"));
  EXPECT_THAT(*expand_braces("{{a,b},c}"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(*expand_braces("{{a,b}"), ElementsAre("{a", "{b"));
}

TEST(PathPattern, more_than_1024_alternatives_are_refused_without_making_them) {
  std::string ten;
  for (int i = 0; i < 10; ++i) ten += "{a,b}";
  EXPECT_EQ(expand_braces(ten)->size(), 1024U);
  EXPECT_THAT(expand_braces(ten + "{a,b}"), FailsWith(ErrorCode::invalid_argument));
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "{a,b}";
  EXPECT_THAT(PathPattern::compile(many, PatternGrammar::glob), FailsWith(ErrorCode::invalid_argument));
}

TEST(PathPattern, glob_negates_a_class_with_both_signs) {
  EXPECT_FALSE(glob("[^x]", "x"));
  EXPECT_TRUE(glob("[^x]", "y"));
  EXPECT_FALSE(glob("[!x]", "x"));
  EXPECT_TRUE(glob("[a^]", "^"));
}

TEST(PathPattern, glob_wildcards_do_not_match_a_leading_dot_unless_the_segment_is_written_with_one) {
  EXPECT_FALSE(glob("*", ".a"));
  EXPECT_FALSE(glob("?a", ".a"));
  EXPECT_FALSE(glob("[.]a", ".a"));
  EXPECT_TRUE(glob(".*", ".a"));
  EXPECT_FALSE(glob("**/*", ".git/config"));
  EXPECT_FALSE(glob("**/config", ".git/config"));
  EXPECT_TRUE(glob(".git/**", ".git/config"));
  EXPECT_FALSE(glob(".git/**", ".git/.x"));
  EXPECT_TRUE(glob("**/.github/*.yml", "a/.github/b.yml"));
  EXPECT_TRUE(glob("a*", "a.b"));
}

TEST(PathPattern, leading_dots_can_be_asked_for_whatever_the_grammar) {
  EXPECT_TRUE(match("**/*.{a,b}", ".x/.y.a", PatternGrammar::glob, LeadingDots::matched));
  EXPECT_FALSE(match("**/*", ".x/y", PatternGrammar::list, LeadingDots::named));
  EXPECT_TRUE(match(".x/*", ".x/y", PatternGrammar::list, LeadingDots::named));
}

TEST(PathPattern, glob_refuses_what_list_refuses_in_any_alternative) {
  for (const char* pattern : {"", " \t", "/a", "../a", "{a,../b}", "{a,/b}", "[b-a]", "{a,[z-x]}"}) {
    EXPECT_THAT(PathPattern::compile(pattern, PatternGrammar::glob), FailsWith(ErrorCode::invalid_argument)) << pattern;
  }
  EXPECT_THAT(PathPattern::compile(std::string_view("a\0b", 3), PatternGrammar::list),
              FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(PathPattern::compile(std::string(16 * 1024 + 1, 'a'), PatternGrammar::list),
              FailsWith(ErrorCode::invalid_argument));
}

TEST(PathPattern, a_wildcard_takes_one_utf8_character_or_one_byte_that_is_none) {
  EXPECT_TRUE(list("?", "é"));
  EXPECT_TRUE(list("?", "\xF0\x9F\x98\x80"));
  EXPECT_TRUE(list("a?b",
                   "a\xFF"
                   "b"));
  EXPECT_FALSE(list("?", "\xE2\x82"));
  EXPECT_TRUE(list("??", "\xE2\x82"));
  EXPECT_FALSE(list("*?b", "b"));
  EXPECT_FALSE(list("*??", "é"));
  EXPECT_FALSE(list("*\xA9", "é"));
  EXPECT_TRUE(list("[à-ü]", "é"));
  EXPECT_FALSE(list("[!à-ü]", "é"));
  EXPECT_TRUE(list("[!a]", "\xFF"));
  EXPECT_TRUE(list("[\x80-\xFF]", "\xC1"));
}

TEST(PathPattern, names_hidden_says_whether_a_segment_starts_with_a_dot) {
  const auto names_hidden = [](const char* pattern) {
    return PathPattern::compile(pattern, PatternGrammar::glob)->names_hidden();
  };
  EXPECT_TRUE(names_hidden(".github/*"));
  EXPECT_TRUE(names_hidden("{a,b/.c}/d"));
  EXPECT_FALSE(names_hidden("./a.b/*"));
}

TEST(PathPattern, literal_prefix_is_the_directories_before_the_first_wildcard) {
  const auto prefix = [](const char* pattern) {
    return PathPattern::compile(pattern, PatternGrammar::glob)->literal_prefix();
  };
  EXPECT_EQ(prefix("src/lib/*.cc"), "src/lib");
  EXPECT_EQ(prefix("./src//lib/a.cc"), "src/lib");
  EXPECT_EQ(prefix("*.cc"), ".");
  EXPECT_EQ(prefix("**/a"), ".");
  EXPECT_EQ(prefix("a"), ".");
  EXPECT_EQ(prefix("src/{lib,libx}/*.cc"), "src");
  EXPECT_EQ(prefix("{src/a,src/a/b}/*"), "src/a");
  EXPECT_EQ(prefix("{src,tests}/*"), ".");
}

// The model: plain recursion over characters and segments, as the grammar reads.
struct Model {
  PatternGrammar grammar;
  bool dots;

  bool name(std::string_view pattern, std::string_view text) const {
    if (pattern.empty()) return text.empty();
    if (pattern[0] == '*') return name(pattern.substr(1), text) || (!text.empty() && name(pattern, text.substr(1)));
    if (text.empty()) return false;
    if (pattern[0] == '?') return name(pattern.substr(1), text.substr(1));
    if (pattern[0] == '[') {
      std::size_t at = 1;
      const bool negated = pattern[1] == '!' || (pattern[1] == '^' && grammar == PatternGrammar::glob);
      if (negated) ++at;
      const auto close = pattern.find(']', at + 1);
      if (close != std::string_view::npos) {
        const bool member = pattern.substr(at, close - at).find(text[0]) != std::string_view::npos;
        return member != negated && name(pattern.substr(close + 1), text.substr(1));
      }
    }
    return pattern[0] == text[0] && name(pattern.substr(1), text.substr(1));
  }

  static std::pair<std::string_view, std::string_view> cut(std::string_view path) {
    const auto slash = path.find('/');
    return slash == std::string_view::npos ? std::pair{path, std::string_view{}}
                                           : std::pair{path.substr(0, slash), path.substr(slash + 1)};
  }

  bool path(std::string_view pattern, std::string_view text) const {
    if (pattern.empty() || text.empty()) return pattern.empty() && text.empty();
    const auto [part, more] = cut(pattern);
    const auto [first, rest] = cut(text);
    const bool hidden = first.starts_with('.') && !dots;
    if (part == "**") {
      if (!more.empty() && path(more, text)) return true;
      if (hidden) return false;
      return (more.empty() && rest.empty()) || (!rest.empty() && path(pattern, rest));
    }
    if (hidden && !part.starts_with('.')) return false;
    return name(part, first) && path(more, rest);
  }
};

std::string random_text(std::mt19937& random, const std::vector<std::string>& pieces, std::size_t most) {
  std::string text;
  for (std::size_t n = 1 + random() % most; n > 0; --n) text += pieces[random() % pieces.size()];
  // What the model does not read: empty and dot segments.
  std::string clean;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto [part, more] = Model::cut(rest);
    if (!part.empty() && part != "." && part != "..") {
      if (!clean.empty()) clean += '/';
      clean += part;
    }
    rest = more;
  }
  return clean.empty() ? "a" : clean;
}

TEST(PathPattern, matches_what_plain_recursion_matches) {
  std::mt19937 random(20240601);
  const std::vector<std::string> pattern_pieces{"a", "b",    ".a",   "*",   "**/",  "/**/", "/",
                                                "?", "[ab]", "[!a]", "/**", "[^b]", "[",    "*"};
  const std::vector<std::string> path_pieces{"a", "b", ".a", "/", "/a", "/.b", "c", "^"};
  int matched = 0;
  for (int i = 0; i < 60000; ++i) {
    const std::string pattern = random_text(random, pattern_pieces, 7);
    const std::string path = random_text(random, path_pieces, 7);
    for (const auto grammar : {PatternGrammar::list, PatternGrammar::glob}) {
      for (const auto dots : {LeadingDots::matched, LeadingDots::named}) {
        auto compiled = PathPattern::compile(pattern, grammar, dots);
        ASSERT_THAT(compiled, IsOk()) << pattern;
        const bool expected = Model{grammar, dots == LeadingDots::matched}.path(pattern, path);
        ASSERT_EQ(compiled->matches(path), expected) << pattern << " on " << path << (dots == LeadingDots::matched);
        matched += expected;
        if (!expected) continue;
        // Pruning never loses a match.
        ASSERT_TRUE(compiled->may_match_below("."));
        for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
          ASSERT_TRUE(compiled->may_match_below(path.substr(0, slash)))
              << pattern << " below " << path.substr(0, slash);
        }
        const auto& prefix = compiled->literal_prefix();
        ASSERT_TRUE(prefix == "." || path.starts_with(prefix + "/")) << pattern << " on " << path;
      }
    }
  }
  EXPECT_GT(matched, 10000);
}

TEST(PathPattern, may_match_below_prunes) {
  auto pattern = PathPattern::compile("src/*/x.cc", PatternGrammar::list);
  EXPECT_TRUE(pattern->may_match_below("src/a"));
  EXPECT_FALSE(pattern->may_match_below("src/a/b"));
  EXPECT_FALSE(pattern->may_match_below("lib"));
}

TEST(PathPattern, matching_is_linear_in_the_path_whatever_the_pattern) {
  const auto repeat = [](std::string_view piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
  };
  const std::string a_name = repeat("a", 255);
  const std::string many_names = repeat("a/", 2047) + "a";
  const struct {
    std::string pattern;
    std::string path;
  } rows[] = {
      {repeat("a*", 100) + "b", a_name},           {repeat("*a", 120) + "*b", a_name},
      {repeat("**/", 1000) + "b", many_names},     {repeat("**/a/", 1000) + "b", many_names},
      {repeat("**/*a*/", 500) + "*b", many_names}, {repeat("?*", 120) + "b", a_name},
      {repeat("[!b]*", 120) + "b", a_name},
  };
  for (const auto& row : rows) {
    auto pattern = SegmentedPattern::parse(row.pattern, PatternGrammar::list, LeadingDots::matched);
    ASSERT_THAT(pattern, IsOk());
    std::size_t steps = 0;
    EXPECT_FALSE(pattern->matches(row.path, steps)) << row.pattern;
    EXPECT_LE(steps, 2 * (row.path.size() + 1) * (row.pattern.size() + 1)) << row.pattern;
  }
  // A class costs one look-up, however many members it was written with.
  const std::string huge = "[" + repeat("a-bc-de-f", 1500) + "]";
  EXPECT_TRUE(list(huge, "d"));
  EXPECT_FALSE(list(huge, "g"));
}

}  // namespace
}  // namespace berth
