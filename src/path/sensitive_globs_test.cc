#include "path/sensitive_globs.h"

#include <gmock/gmock.h>

#include <random>
#include <vector>
#include <nlohmann/json.hpp>

#include "testing/cases.h"
#include "testing/matchers.h"

namespace berth {
namespace {

using Globs = std::vector<std::string>;

const nlohmann::json& table() {
  static const auto parsed = nlohmann::json::parse(testing::read_cases("sensitive_paths.json"));
  return parsed;
}

SensitiveGlobs globs(const Globs& deny, const Globs& allow = {}) {
  return std::move(SensitiveGlobs::compile(deny, allow)).value();
}

TEST(SensitiveGlobs, C_POL_2_every_row_of_the_matcher_table) {
  const auto& matcher = table().at("matcher");
  const auto guard = globs(matcher.at("globs").get<Globs>());
  for (const auto& row : matcher.at("rows")) {
    const auto path = row.at("path").get<std::string>();
    EXPECT_EQ(guard.matches(path), row.at("sensitive").get<bool>()) << path;
  }
  EXPECT_EQ(matcher.at("rows").size(), 31U);
}

TEST(SensitiveGlobs, C_POL_2_every_row_of_the_slash_table) {
  ASSERT_EQ(table().at("slash_globs").size(), 9U);
  for (const auto& row : table().at("slash_globs")) {
    const auto guard = globs({row.at("glob").get<std::string>()});
    EXPECT_EQ(guard.matches(row.at("path").get<std::string>()), row.at("match").get<bool>()) << row;
  }
}

TEST(SensitiveGlobs, C_POL_2_every_row_of_the_default_table) {
  const auto guard = globs(table().at("default_deny").get<Globs>(), table().at("default_allow").get<Globs>());
  ASSERT_EQ(table().at("default_rows").size(), 27U);
  for (const auto& row : table().at("default_rows")) {
    const auto path = row.at("path").get<std::string>();
    EXPECT_EQ(guard.matches(path), row.at("sensitive").get<bool>()) << path;
  }
}

TEST(SensitiveGlobs, AnAllowGlobTakesBackOnlyWhatItMatches) {
  const auto guard = globs({".env.*", ".ssh", "config/*"}, {".env.example", "*.sample", "config/public/*"});
  EXPECT_FALSE(guard.matches("app/.env.example"));
  EXPECT_TRUE(guard.matches(".ssh/.env.example"));
  EXPECT_TRUE(guard.matches(".env.example/.env.local"));
  EXPECT_FALSE(guard.matches("config/x.sample"));
  EXPECT_TRUE(guard.matches("config/private/x"));
  EXPECT_FALSE(guard.matches("config/public/x"));
}

TEST(SensitiveGlobs, WhatLiesBelowADeniedPathIsDenied) {
  const auto guard = globs({"private/data"});
  EXPECT_TRUE(guard.matches("private/data"));
  EXPECT_TRUE(guard.matches("Private/Data/x/y"));
  EXPECT_FALSE(guard.matches("private"));
  EXPECT_FALSE(guard.matches("private/database"));
}

TEST(SensitiveGlobs, SlashesAtTheEndsOfAGlobAreRead) {
  EXPECT_TRUE(globs({"secrets/"}).matches("a/secrets/x"));
  EXPECT_TRUE(globs({"/secrets"}).matches("secrets/x"));
  EXPECT_FALSE(globs({"/secrets"}).matches("a/secrets"));
  EXPECT_TRUE(globs({"./a/b"}).matches("a/b"));
}

TEST(SensitiveGlobs, AListThatWouldGuardNothingIsRefused) {
  EXPECT_THAT(SensitiveGlobs::compile(Globs{""}, Globs{}), testing::FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(SensitiveGlobs::compile(Globs{"/"}, Globs{}), testing::FailsWith(ErrorCode::invalid_argument));
  const auto reversed = SensitiveGlobs::compile(Globs{"x[z-a]"}, Globs{});
  ASSERT_THAT(reversed, testing::FailsWith(ErrorCode::invalid_argument));
  EXPECT_EQ(*reversed.error().field("glob"), ErrorField::Value("x[z-a]"));
}

TEST(SensitiveGlobs, TheRootIsNeverKeptBack) {
  EXPECT_FALSE(globs({"*"}).matches("."));
  EXPECT_TRUE(globs({"*"}).matches("a"));
  EXPECT_TRUE(globs({}).empty());
}

TEST(SensitiveGlobs, TheFastFormsAnswerAsTheGeneralOne) {
  std::mt19937 random(5);
  const auto some = [&](std::size_t max, std::string_view alphabet) {
    std::string text;
    for (std::size_t size = random() % (max + 1); size > 0; --size) text += alphabet[random() % alphabet.size()];
    return text;
  };
  for (int round = 0; round < 100'000; ++round) {
    const auto glob = some(4, "aB*?");
    if (glob.empty()) continue;
    // The same glob with a slash at any depth takes the general way; `*` must then not be given a slash to take.
    const auto name = some(5, "AbB");
    if (name.empty()) continue;
    EXPECT_EQ(globs({glob}).matches(name), globs({"**/" + glob}).matches(name)) << glob << " on " << name;
  }
}

}  // namespace
}  // namespace berth
