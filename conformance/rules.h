#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "conformance/subject.h"
#include "testing/matchers.h"
#include "testing/paths.h"

namespace berth {

/// Shows a command's end by name where an expectation fails.
inline void PrintTo(CommandOutcome::Kind kind, std::ostream* stream) {
  constexpr const char* kNames[] = {"exited", "signaled", "timed_out", "output_limited", "cancelled", "lost"};
  *stream << kNames[static_cast<std::size_t>(kind)];
}

}  // namespace berth

namespace berth::conformance {

/// What every rule's test stands on: a fresh environment of its subject and one handle on it.
///
/// Tests are named after the rule: `C_READ_3_offset_at_end_is_an_empty_page`. A test whose subject lacks the capability
/// asserts the typed refusal with `expect_refused` and is done. A declared deviation turns the test around: it must
/// fail. Both are recorded for docs/providers.md.
class Rules : public ::testing::TestWithParam<Subject> {
 protected:
  void SetUp() override;
  void TearDown() override;

  const Subject& subject() const { return GetParam(); }
  Environment& environment() { return *environment_; }
  Workspace& workspace() { return *workspace_; }
  /// For subjects on a host directory only.
  const HostTree& host() const { return *environment_->host(); }

  bool can_write() const { return subject().capabilities.write_files; }
  bool can_run() const { return subject().capabilities.run_commands; }
  bool can_search() const { return subject().capabilities.search_files; }
  bool follows_links() const { return subject().links == Links::followed_inside; }

  void put(std::string_view path, BytesView content) { environment_->put(path, content); }
  /// The whole content, through the workspace; fails the test when it cannot be read.
  Bytes content(std::string_view path);
  Revision revision(std::string_view path);

  /// Assert that a capability that is not there is refused with the right code.
  template <typename T>
  void expect_refused(const Result<T>& result) {
    RecordProperty("outcome", "refused");
    EXPECT_THAT(result, testing::FailsWith(subject().access == Access::read_only ? ErrorCode::read_only
                                                                                 : ErrorCode::unsupported));
  }

 private:
  std::unique_ptr<Environment> environment_;
  std::unique_ptr<Workspace> workspace_;
  const Deviation* deviation_ = nullptr;
  ::testing::TestPartResultArray failures_;
  std::unique_ptr<::testing::ScopedFakeTestPartResultReporter> intercepted_;
};

/// A call that ends before a test would hang for ever.
Call soon();

/// What a machine under load may add to the times the contract promises.
inline constexpr std::chrono::milliseconds kSlack{1000};

/// `sh -c SCRIPT`, nothing else asked.
CommandSpec script(std::string_view text);

/// Forget the value of a result, keep whether it failed.
template <typename T>
Result<void> outcome_of(const Result<T>& result) {
  if (!result) return result.error();
  return {};
}

using testing::texts;

}  // namespace berth::conformance

/// Declare a chapter of rules for every subject, or only for those on a host directory.
#define BERTH_CHAPTER(Name)                                                               \
  class Name : public Rules {};                                                           \
  INSTANTIATE_TEST_SUITE_P(, Name, ::testing::ValuesIn(::berth::conformance::subjects()), \
                           [](const auto& parameter) { return parameter.param.name; })
#define BERTH_HOST_CHAPTER(Name)                                                               \
  class Name : public Rules {};                                                                \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Name);                                         \
  INSTANTIATE_TEST_SUITE_P(, Name, ::testing::ValuesIn(::berth::conformance::host_subjects()), \
                           [](const auto& parameter) { return parameter.param.name; })
