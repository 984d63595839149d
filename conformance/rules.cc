#include "conformance/rules.h"

#include <cstdio>
#include <utility>

namespace berth::conformance {

void Rules::SetUp() {
  environment_ = subject().make();
  workspace_ = environment_->open();
  std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  test.resize(test.find('/'));
  deviation_ = find_deviation(subject().name, test);
  if (deviation_ == nullptr) return;
  RecordProperty("deviation", std::string(deviation_->reason));
  std::printf("deviation of %s from %s: %s\n", subject().name.c_str(), test.c_str(),
              std::string(deviation_->reason).c_str());
  intercepted_ = std::make_unique<::testing::ScopedFakeTestPartResultReporter>(
      ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures_);
}

void Rules::TearDown() {
  workspace_.reset();
  environment_.reset();
  if (deviation_ == nullptr) return;
  intercepted_.reset();
  for (int i = 0; i < failures_.size(); ++i) {
    if (failures_.GetTestPartResult(i).failed()) return;
  }
  ADD_FAILURE() << "the rule is kept: the deviation should be taken out of the table";
}

Bytes Rules::content(std::string_view path) {
  auto page = workspace().read(soon(), path);
  EXPECT_THAT(page, testing::IsOk()) << path;
  return page ? std::move(page).value().content : Bytes();
}

Revision Rules::revision(std::string_view path) {
  const auto page = workspace().read(soon(), path);
  EXPECT_THAT(page, testing::IsOk()) << path;
  return page && page->revision ? *page->revision : Revision();
}

Call soon() {
  Call call;
  call.deadline = Deadline::after(std::chrono::seconds(30));
  return call;
}

CommandSpec script(std::string_view text) {
  CommandSpec spec;
  spec.script = Bytes(text);
  return spec;
}

}  // namespace berth::conformance
