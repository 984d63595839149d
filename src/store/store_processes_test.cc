// Several processes compare and swap one document.
#include <gtest/gtest.h>

#include "store/store_fixtures.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::store {
namespace {

using berth::testing::TempDir;

constexpr int kProcesses = 4;
constexpr int kIncrements = 40;
const std::string kId{kOnlyDocument};

int count_up(std::string_view kind, const std::string& directory) {
  const auto store = open_store(kind, directory);
  for (int done = 0; done < kIncrements;) {
    const auto document = store->get(Call{}, kId);
    if (!document) return 1;
    const auto put = store->put(Call{}, kId, std::to_string(std::stoi(document->content) + 1), document->version);
    if (put) {
      ++done;
    } else if (put.error().code != ErrorCode::conflict) {
      return 2;
    }
  }
  return 0;
}

class SharedStore : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Stores, SharedStore, ::testing::Values("directory", "file", "sqlite"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(SharedStore, loses_no_update_of_several_processes) {
  const TempDir directory;
  ASSERT_TRUE(open_store(GetParam(), directory.path())->create(Call{}, kId, "0"));
  std::vector<pid_t> processes;
  for (int i = 0; i < kProcesses; ++i) {
    processes.push_back(start_process([&] { return count_up(GetParam(), directory.path()); }));
  }
  for (const pid_t process : processes) EXPECT_EQ(wait_for(process), 0);
  EXPECT_EQ(open_store(GetParam(), directory.path())->get(Call{}, kId).value().content,
            std::to_string(kProcesses * kIncrements));
}

TEST_P(SharedStore, is_made_once_by_processes_that_open_it_at_the_same_time) {
  for (int round = 0; round < 5; ++round) {
    const TempDir directory;
    std::vector<pid_t> processes;
    for (int i = 0; i < kProcesses; ++i) {
      processes.push_back(start_process(
          [&] { return open_store(GetParam(), directory.path())->create(Call{}, kId, std::to_string(i)) ? 7 : 0; }));
    }
    int created = 0;
    for (const pid_t process : processes) {
      const int status = wait_for(process);
      ASSERT_TRUE(WIFEXITED(status));
      created += WEXITSTATUS(status) == 7 ? 1 : 0;
    }
    EXPECT_EQ(created, 1);
  }
}

}  // namespace
}  // namespace berth::store
