#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workspace/git/git_command.h"

namespace berth::git {
namespace {

using ::testing::Contains;
using ::testing::Pair;

TEST(GitCommand, C_GIT_3_every_command_line_is_hardened) {
  const auto spec = git_command({.git_dir = "/g", .work_tree = "/w", .alternate = "/a:b\"c\\d\ne"}, {.words = {"x"}});
  for (const char* setting : {"core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "diff.external=",
                              "credential.helper=", "protocol.allow=never", "core.sshCommand=false"}) {
    const auto at = std::find(spec.argv.begin(), spec.argv.end(), setting);
    ASSERT_NE(at, spec.argv.end()) << setting;
    EXPECT_EQ(*(at - 1), "-c");
  }
  EXPECT_EQ(spec.argv.front(), "git");
  EXPECT_EQ(spec.argv.back(), "x");
  for (const char* variable : {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "HOME"}) {
    EXPECT_THAT(spec.env, Contains(Pair(variable, "/dev/null")));
  }
  EXPECT_THAT(spec.env, Contains(Pair("GIT_ALLOW_PROTOCOL", "")));
  EXPECT_THAT(spec.env, Contains(Pair("GIT_DIR", "/g")));
  EXPECT_THAT(spec.env, Contains(Pair("GIT_ALTERNATE_OBJECT_DIRECTORIES", "\"/a:b\\\"c\\\\d\\ne\"")));
  for (const char* variable :
       {"GIT_DIR", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_EXTERNAL_DIFF", "GIT_EXEC_PATH"}) {
    EXPECT_THAT(spec.env_remove, Contains(variable));
  }
  EXPECT_EQ(spec.env.end(), std::find_if(spec.env.begin(), spec.env.end(),
                                         [](const auto& variable) { return variable.first == "GIT_INDEX_FILE"; }))
      << "what is empty is not told";
}

}  // namespace
}  // namespace berth::git
