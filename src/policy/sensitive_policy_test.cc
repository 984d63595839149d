#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "policy/path_verdicts.h"
#include "testing/cases.h"
#include "testing/matchers.h"

namespace berth {
namespace {

TEST(DefaultSensitivePolicy, DeniesAndAllowsWhatTheCaseTableSays) {
  const auto table = nlohmann::json::parse(testing::read_cases("sensitive_paths.json"));
  const auto policy = default_sensitive_policy();
  EXPECT_EQ(policy.deny, table.at("default_deny").get<std::vector<std::string>>());
  EXPECT_EQ(policy.allow, table.at("default_allow").get<std::vector<std::string>>());
}

TEST(DefaultSensitivePolicy, ProtectsWhatRunsForItsWriter) {
  const auto verdicts = PathVerdicts::compile(default_sensitive_policy());
  ASSERT_THAT(verdicts, testing::IsOk());
  for (const char* path : {".git", ".git/config", "sub/.git/hooks/pre-commit", ".GIT/config", ".vscode/tasks.json",
                           ".idea/x", ".mcp.json", ".claude/settings.json", ".cursor/mcp.json", ".ripgreprc",
                           ".gitconfig", ".gitmodules", ".berth/state", "a/b/.bashrc", "my.code-workspace"}) {
    EXPECT_EQ(verdicts->kind(path), PathVerdicts::Kind::is_protected) << path;
  }
  for (const char* path : {"Makefile", ".github/workflows/ci.yml", ".gitignore", "src/main.cc", ".clang-format"}) {
    EXPECT_EQ(verdicts->kind(path), PathVerdicts::Kind::open) << path;
  }
}

TEST(PathVerdicts, TheStrictestSetCounts) {
  const auto verdicts =
      PathVerdicts::compile({.deny = {"a", "b"}, .allow = {}, .protect = {"a", "b", "c"}, .hide = {"b"}});
  ASSERT_THAT(verdicts, testing::IsOk());
  EXPECT_EQ(verdicts->kind("a"), PathVerdicts::Kind::sensitive);
  EXPECT_EQ(verdicts->kind("b"), PathVerdicts::Kind::hidden);
  EXPECT_EQ(verdicts->kind("c"), PathVerdicts::Kind::is_protected);
  EXPECT_EQ(verdicts->kind("."), PathVerdicts::Kind::open);
}

}  // namespace
}  // namespace berth
