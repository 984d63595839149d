#include "path/rule_pattern.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <nlohmann/json.hpp>

#include "testing/cases.h"

namespace berth {
namespace {

TEST(RulePattern, C_POL_3_every_row_of_the_case_table) {
  const auto table = nlohmann::json::parse(testing::read_cases("permissions.json"));
  int rows = 0;
  for (const auto& row : table.at("patterns")) {
    const auto pattern = row.at("pattern").get<std::string>();
    const auto text = row.at("text").get<std::string>();
    EXPECT_EQ(RulePattern(pattern).matches(text), row.at("match").get<bool>()) << pattern << " on " << text;
    ++rows;
  }
  EXPECT_EQ(rows, 23);
}

TEST(RulePattern, APatternThatCannotBeCompiledMatchesNothing) {
  EXPECT_FALSE(RulePattern("[z-a]").is_valid());
  EXPECT_FALSE(RulePattern("[z-a]").matches("[z-a]"));
  EXPECT_FALSE(RulePattern("[z-a]").matches("b"));
}

TEST(RulePattern, SetsHaveRangesAndABracketAsTheirFirstMember) {
  EXPECT_TRUE(RulePattern("[a-c]x").matches("bx"));
  EXPECT_FALSE(RulePattern("[a-c]x").matches("Bx"));
  EXPECT_TRUE(RulePattern("[]a]").matches("]"));
  EXPECT_TRUE(RulePattern("[!]]").matches("a"));
  EXPECT_TRUE(RulePattern("[a-]").matches("-"));
  EXPECT_TRUE(RulePattern("[!]").matches("[!]"));
  EXPECT_TRUE(RulePattern("[\u00e0-\u00ff]").matches("\u00e9"));
  EXPECT_FALSE(RulePattern("a[!x]b").matches("a/b"));
}

TEST(RulePattern, AByteThatIsNoTextIsOneCharacter) {
  EXPECT_TRUE(
      RulePattern("a?b").matches("a\xFF"
                                 "b"));
  EXPECT_TRUE(RulePattern("\xFF*").matches("\xFF\xFE"));
  EXPECT_FALSE(RulePattern("\xFF").matches("\u00ff"));
}

TEST(RulePattern, TimeIsBoundedForEveryPattern) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(RulePattern(pattern + "b").matches(std::string(5000, 'a')));
  pattern.clear();
  for (int i = 0; i < 200; ++i) pattern += "**/";
  EXPECT_TRUE(RulePattern(pattern + "a").matches("x/y/a"));
}

/// The grammar as it reads, by trying everything.
bool model(std::string_view pattern, std::string_view text, bool starts_segment = true) {
  if (pattern.empty()) return text.empty();
  if (pattern.starts_with("**")) {
    std::string_view rest = pattern.substr(
        pattern.find_first_not_of('*') == std::string_view::npos ? pattern.size() : pattern.find_first_not_of('*'));
    if (starts_segment && rest.starts_with('/')) {
      rest.remove_prefix(1);
      if (model(rest, text, true)) return true;
      for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '/' && model(rest, text.substr(i + 1), true)) return true;
      }
      return false;
    }
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (model(rest, text.substr(i), false)) return true;
    }
    return false;
  }
  if (pattern.front() == '*') {
    for (std::size_t i = 0;; ++i) {
      if (model(pattern.substr(1), text.substr(i), false)) return true;
      if (i == text.size() || text[i] == '/') return false;
    }
  }
  if (text.empty()) return false;
  if (pattern.front() == '?' ? text.front() == '/' : pattern.front() != text.front()) return false;
  return model(pattern.substr(1), text.substr(1), pattern.front() == '/');
}

TEST(RulePattern, AgreesWithASlowModel) {
  std::mt19937 random(3);
  const auto some = [&](std::size_t max, std::string_view alphabet) {
    std::string text;
    for (std::size_t size = random() % (max + 1); size > 0; --size) text += alphabet[random() % alphabet.size()];
    return text;
  };
  for (int round = 0; round < 200'000; ++round) {
    const auto pattern = some(7, "ab/**?");
    const auto text = some(7, "ab//");
    ASSERT_EQ(RulePattern(pattern).matches(text), model(pattern, text)) << pattern << " on " << text;
  }
}

}  // namespace
}  // namespace berth
