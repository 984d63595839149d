#include "surface/mcp/resource_watch.h"

#include <condition_variable>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

#include "surface/assemble.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::mcp {
namespace {

class Heard final : public ResourceWatch::Listener {
 public:
  void changed(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    ++count_[path];
    changed_.notify_all();
  }
  bool wait_for(const std::string& path, int times) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return count_[path] >= times; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int> count_;
};

class ResourceWatchTest : public ::testing::Test {
 protected:
  ResourceWatchTest() { dir_.write("a", "1"); }

  testing::TempDir dir_;
  std::unique_ptr<Workspace> workspace_ = assemble({.location = dir_.path()}).value();
  std::shared_ptr<Heard> heard_ = std::make_shared<Heard>();
  ResourceWatch watch_{*workspace_, {.interval = std::chrono::milliseconds(2), .max_files = 2}};
  Call call_;
};

TEST_F(ResourceWatchTest, a_change_an_appearance_and_an_end_are_told) {
  ASSERT_THAT(watch_.add(call_, "a", heard_), testing::IsOk());
  ASSERT_THAT(watch_.add(call_, "sub/new", heard_), testing::IsOk());
  dir_.write("a", "22");
  EXPECT_TRUE(heard_->wait_for("a", 1));
  dir_.write("sub/new", "");
  EXPECT_TRUE(heard_->wait_for("sub/new", 1));
  ASSERT_THAT(workspace_->remove(call_, "sub"), testing::IsOk());
  EXPECT_TRUE(heard_->wait_for("sub/new", 2));
}

TEST_F(ResourceWatchTest, watches_are_bounded_and_can_be_taken_back) {
  const auto first = watch_.add(call_, "a", heard_);
  ASSERT_THAT(first, testing::IsOk());
  ASSERT_THAT(watch_.add(call_, "a", heard_), testing::IsOk());
  EXPECT_THAT(watch_.add(call_, "a", heard_), testing::FailsWith(ErrorCode::rate_limited));
  watch_.remove(*first);
  EXPECT_THAT(watch_.add(call_, "a", heard_), testing::IsOk());
}

TEST_F(ResourceWatchTest, a_path_outside_is_refused) {
  EXPECT_THAT(watch_.add(call_, "../x", heard_), testing::FailsWith(ErrorCode::path_escape));
}

}  // namespace
}  // namespace berth::mcp
