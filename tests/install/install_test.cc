#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/temp_dir.h"
#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Install, gives_a_program_that_works_alone_its_manual_and_its_completions) {
  const TempDir prefix;
  const auto installed = run_program({CMAKE_PROGRAM, "--install", BERTH_BINARY_DIR, "--prefix", prefix.path()});
  ASSERT_EQ(installed.status, 0) << installed.err;
  const auto program = prefix.at("bin/berth");
  const TempDir work;
  EXPECT_EQ(run_program({program, "-w", work.path(), "run", "--", "echo", "hello"}), (Ended{0, "hello\n", ""}));
  EXPECT_EQ(prefix.read("share/man/man1/berth.1"), run_program({program, "man"}).out);
  EXPECT_EQ(prefix.read("share/bash-completion/completions/berth"), run_program({program, "completion", "bash"}).out);
  EXPECT_EQ(prefix.read("share/zsh/site-functions/_berth"), run_program({program, "completion", "zsh"}).out);
  EXPECT_EQ(prefix.read("share/fish/vendor_completions.d/berth.fish"),
            run_program({program, "completion", "fish"}).out);
}

TEST(AddSubdirectory, gives_another_project_the_library_without_our_tests) {
  const TempDir build;
  const auto configured =
      run_program({CMAKE_PROGRAM, "-G", "Ninja", "-S", std::string(BERTH_SOURCE_DIR) + "/tests/install/embedding", "-B",
                   build.path(), std::string("-DBERTH_SOURCE_DIR=") + BERTH_SOURCE_DIR});
  ASSERT_EQ(configured.status, 0) << configured.err;
  const auto rules = build.read("build.ninja");
  EXPECT_THAT(rules, HasSubstr("build embedding: "));
  EXPECT_THAT(rules, HasSubstr("berth_surface"));
  EXPECT_THAT(rules, Not(HasSubstr("_test")));
  EXPECT_THAT(rules, Not(HasSubstr("-Werror")));
}

}  // namespace
}  // namespace berth::testing
