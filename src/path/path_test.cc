#include "path/path.h"

#include <deque>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "testing/cases.h"
#include "testing/matchers.h"

namespace berth {
namespace {

using testing::FailsWith;
using testing::IsOk;

const std::vector<std::string> kRoots{"/srv/ws"};

Path path(std::string_view text) { return parse_path(text, {}).value(); }

std::string with_root(std::string text) {
  if (const auto at = text.find("ROOT"); at != std::string::npos) text.replace(at, 4, kRoots.front());
  return text;
}

std::string outcome(std::string_view as_written, PathRules rules) {
  const auto parsed = parse_path(as_written, kRoots, rules);
  if (parsed) return parsed->text();
  EXPECT_EQ(parsed.error().path, as_written);
  return std::string(error_info(parsed.error().code).name);
}

TEST(ParsePath, C_PATH_1_2_3_every_row_of_the_table) {
  const auto table = nlohmann::json::parse(testing::read_cases("paths.json"));
  ASSERT_EQ(table.at("rows").size(), 33U);
  for (const auto& row : table.at("rows")) {
    const auto input = with_root(row.at("input").get<std::string>());
    SCOPED_TRACE(input);
    EXPECT_EQ(outcome(input, {}), row.at("normal").get<std::string>());
    EXPECT_EQ(outcome(input, {PathRules::DotDot::refuse}), row.at("strict").get<std::string>());
  }
}

TEST(ParsePath, C_PATH_1_bounds_the_path_and_each_name) {
  EXPECT_THAT(parse_path(std::string(255, 'n'), kRoots), IsOk());
  EXPECT_THAT(parse_path(std::string(256, 'n'), kRoots), FailsWith(ErrorCode::name_too_long));
  EXPECT_THAT(parse_path(std::string(256, 'n') + "/..", kRoots), FailsWith(ErrorCode::name_too_long));
  std::string long_path;
  while (long_path.size() < 4096) long_path += "0123456/";
  EXPECT_THAT(parse_path(long_path, kRoots), IsOk());
  EXPECT_THAT(parse_path(long_path + "x", kRoots), FailsWith(ErrorCode::invalid_argument));
}

TEST(ParsePath, C_PATH_3_matches_roots_component_by_component) {
  const std::vector<std::string> roots{"/srv/ws", "/real/place"};
  EXPECT_EQ(parse_path("/srv//./ws/a/b/", roots).value().text(), "a/b");
  EXPECT_EQ(parse_path("/real/place", roots).value(), Path());
  EXPECT_THAT(parse_path("/srv", roots), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(parse_path("/srv/wsx", roots), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(parse_path("/srv/x/../ws/a", roots), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(parse_path("/srv/ws/../ws/a", roots), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(parse_path("/srv/ws/a", {}), FailsWith(ErrorCode::path_escape));
}

TEST(ParsePath, C_PATH_3_everything_absolute_lies_below_the_root_slash) {
  const std::vector<std::string> roots{"/"};
  EXPECT_EQ(parse_path("/", roots).value(), Path());
  EXPECT_EQ(parse_path("/etc/passwd", roots).value().text(), "etc/passwd");
  EXPECT_THAT(parse_path("/..", roots), FailsWith(ErrorCode::path_escape));
}

TEST(ParsePath, TheDeeperOfTwoNestedRootNamesIsMeant) {
  const std::vector<std::string> roots{"/a", "/a/b"};
  EXPECT_EQ(parse_path("/a/b/c", roots).value().text(), "c");
  EXPECT_EQ(parse_path("/a/c", roots).value().text(), "c");
}

TEST(ParsePath, AnyOtherByteIsAnOrdinaryNameByte) {
  const std::string bytes = "\x01\xff\xfe\x80*?[]{}\"'|&;<>!#%";
  EXPECT_EQ(parse_path(bytes, kRoots).value().text(), bytes);
}

TEST(Path, TakesPathsApartAndPutsThemTogether) {
  EXPECT_EQ(path("a/b/c").name(), "c");
  EXPECT_EQ(path("a").name(), "a");
  EXPECT_EQ(Path().name(), ".");
  EXPECT_EQ(path("a/b/c").parent(), path("a/b"));
  EXPECT_EQ(path("a").parent(), Path());
  EXPECT_EQ(Path().parent(), Path());
  EXPECT_EQ(Path().child("a").child("b"), path("a/b"));
  EXPECT_EQ(path("a/b/c").components(), (std::vector<std::string_view>{"a", "b", "c"}));
  EXPECT_TRUE(Path().components().empty());
}

TEST(Path, IsWithinItselfAndWhatIsAbove) {
  EXPECT_TRUE(path("a/b").is_within(path("a/b")));
  EXPECT_TRUE(path("a/b").is_within(path("a")));
  EXPECT_TRUE(path("a/b").is_within(Path()));
  EXPECT_TRUE(Path().is_within(Path()));
  EXPECT_FALSE(path("ab").is_within(path("a")));
  EXPECT_FALSE(path("a").is_within(path("a/b")));
  EXPECT_FALSE(Path().is_within(path("a")));
}

TEST(IsComponent, RefusesWhatNamesNoSingleEntry) {
  for (const auto& good : {std::string("a"), std::string("..."), std::string(" "), std::string(255, 'x')}) {
    EXPECT_TRUE(is_component(good)) << good;
  }
  using namespace std::string_literals;
  for (const auto& bad : {""s, "."s, ".."s, "a/b"s, "/"s, "a\0b"s, std::string(256, 'x')}) {
    EXPECT_FALSE(is_component(bad)) << bad;
  }
}

/// The model: a stack of names, and whether it was ever popped when empty.
std::optional<std::string> model(const std::vector<std::string>& parts) {
  std::deque<std::string> stack;
  for (const auto& part : parts) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      stack.push_back(part);
    } else if (stack.empty()) {
      return std::nullopt;
    } else {
      stack.pop_back();
    }
  }
  std::string text;
  for (const auto& name : stack) text += (text.empty() ? "" : "/") + name;
  return text.empty() ? "." : text;
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : "/") + parts[i];
  return text;
}

rc::Gen<std::vector<std::string>> any_parts() {
  return rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("", ".", "..", "...", "a", "b", "..a", "\xff", "srv", "ws"));
}

RC_GTEST_PROP(ParsePath, AgreesWithAStackOfNames, ()) {
  const auto parts = *any_parts();
  const auto written = "./" + join(parts);
  const auto expected = model(parts);
  for (const auto& spelled : {written, "/srv/ws/" + join(parts)}) {
    const auto parsed = parse_path(spelled, kRoots);
    RC_ASSERT(parsed.has_value() == expected.has_value());
    if (parsed) {
      RC_ASSERT(parsed->text() == *expected);
    } else {
      RC_ASSERT(parsed.error().code == ErrorCode::path_escape);
    }
  }
}

RC_GTEST_PROP(ParsePath, WhatItGivesIsNormalAndReadsBackAsItself, ()) {
  const auto parsed = parse_path(join(*any_parts()), kRoots);
  if (!parsed) return;
  RC_ASSERT(parse_path(parsed->text(), kRoots, {PathRules::DotDot::refuse}).value() == *parsed);
  Path rebuilt;
  for (const auto component : parsed->components()) {
    RC_ASSERT(is_component(component));
    rebuilt = rebuilt.child(component);
  }
  RC_ASSERT(rebuilt == *parsed);
  RC_ASSERT(parsed->is_within(parsed->parent()));
}

}  // namespace
}  // namespace berth
