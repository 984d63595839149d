#include "workspace/argument_checks.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace berth {
namespace {

using testing::FailsWith;
using testing::IsOk;
using namespace std::chrono_literals;

constexpr auto kRefused = ErrorCode::invalid_argument;

CommandSpec command(auto change) {
  CommandSpec spec{.argv = {"true"}};
  change(spec);
  return spec;
}

TEST(CheckCommand, C_RUN_1_exactly_one_of_argv_and_script_is_given) {
  EXPECT_THAT(check_command({.argv = {"true", ""}}), IsOk());
  EXPECT_THAT(check_command({.script = "true"}), IsOk());
  EXPECT_THAT(check_command({}), FailsWith(kRefused));
  EXPECT_THAT(check_command({.argv = {"true"}, .script = "true"}), FailsWith(kRefused));
  EXPECT_THAT(check_command({.argv = {""}}), FailsWith(kRefused));
}

TEST(CheckCommand, ANulByteIsRefusedInEveryWord) {
  const std::string nul("a\0b", 3);
  EXPECT_THAT(check_command({.argv = {"echo", nul}}), FailsWith(kRefused));
  EXPECT_THAT(check_command({.script = nul}), FailsWith(kRefused));
  EXPECT_THAT(check_command(command([&](auto& s) { s.env = {{"A", nul}}; })), FailsWith(kRefused));
  EXPECT_THAT(check_command(command([&](auto& s) { s.env = {{nul, "a"}}; })), FailsWith(kRefused));
  EXPECT_THAT(check_command(command([&](auto& s) { s.run_id = nul; })), FailsWith(kRefused));
  EXPECT_THAT(check_command(command([&](auto& s) { s.stdin_bytes = nul; })), IsOk());
}

TEST(CheckCommand, NamesOfVariablesAreNames) {
  EXPECT_THAT(check_command(command([](auto& s) { s.env = {{"", "a"}}; })), FailsWith(kRefused));
  EXPECT_THAT(check_command(command([](auto& s) { s.env = {{"A=B", "a"}}; })), FailsWith(kRefused));
  EXPECT_THAT(check_command(command([](auto& s) { s.env_remove = {"A="}; })), FailsWith(kRefused));
  EXPECT_THAT(check_command(command([](auto& s) { s.env = {{"A", "b=c"}}; })), IsOk());
}

TEST(CheckCommand, TimesAndBoundsCanBeMeant) {
  EXPECT_THAT(check_command(command([](auto& s) { s.timeout = 0ms; })), FailsWith(kRefused));
  EXPECT_THAT(check_command(command([](auto& s) { s.timeout = 1ms; })), IsOk());
  EXPECT_THAT(check_command(command([](auto& s) { s.output.limit = 0; })), FailsWith(kRefused));
  EXPECT_THAT(check_command(command([](auto& s) { s.output = {.kind = OutputPolicy::Kind::keep, .tail = -1}; })),
              FailsWith(kRefused));
  EXPECT_THAT(check_command(command([](auto& s) { s.run_id = std::string(256, 'r'); })), FailsWith(kRefused));
}

TEST(CheckRange, OffsetsLinesAndCountsAreChecked) {
  EXPECT_THAT(check_range(ReadRange{.offset = -1}), FailsWith(kRefused));
  EXPECT_THAT(check_range(ReadRange{.max_bytes = 0}), FailsWith(kRefused));
  EXPECT_THAT(check_range(ReadRange{.offset = 0, .max_bytes = 1}), IsOk());
  EXPECT_THAT(check_range(LineRange{.first = 0}), FailsWith(kRefused));
  EXPECT_THAT(check_range(LineRange{.count = 0}), FailsWith(kRefused));
  EXPECT_THAT(check_range(LineRange{.max_bytes = 0}), FailsWith(kRefused));
  EXPECT_THAT(check_range(LineRange{}), IsOk());
}

TEST(CheckQuery, NumbersAreChecked) {
  EXPECT_THAT(check_query({.context = -1}), FailsWith(kRefused));
  EXPECT_THAT(check_query({.limit = 0}), FailsWith(kRefused));
  EXPECT_THAT(check_query({.offset = -1}), FailsWith(kRefused));
  EXPECT_THAT(check_query({.max_files = 0}), FailsWith(kRefused));
  EXPECT_THAT(check_query({.max_bytes = 0}), FailsWith(kRefused));
  EXPECT_THAT(check_query({}), IsOk());
}

}  // namespace
}  // namespace berth
