// A writer is killed again and again; what it leaves must be one of the documents it wrote, whole, and no older than
// the last one it was told is stored.
#include <fcntl.h>
#include <signal.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "store/store_fixtures.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::store {
namespace {

using berth::testing::TempDir;

constexpr int kRounds = 200;
const std::string kId{kOnlyDocument};

/// Document number N: its number, and a body whose length and bytes follow from it.
Bytes numbered(std::uint64_t number) {
  const std::string text = std::to_string(number);
  Bytes content = text + "\n";
  const std::size_t size = 1000 + number * 7919 % 30000;
  while (content.size() < size) content += text;
  return content;
}

/// Put document after document, and report the number of each one that is stored.
int write_for_ever(std::string_view kind, const std::string& directory, int report) {
  const auto store = open_store(kind, directory);
  const StoredDocument start = store->get(Call{}, kId).value();
  Version version = start.version;
  for (std::uint64_t number = std::stoull(start.content) + 1;; ++number) {
    const auto put = store->put(Call{}, kId, numbered(number), version);
    if (!put) return 1;
    version = *put;
    if (::write(report, &number, sizeof number) != sizeof number) return 2;
  }
}

class CrashingStore : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Stores, CrashingStore, ::testing::Values("directory", "file", "sqlite"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(CrashingStore, holds_a_whole_document_and_loses_no_acknowledged_one) {
  const TempDir directory;
  std::mt19937 random(7);
  std::uint64_t last = 0;
  ASSERT_TRUE(open_store(GetParam(), directory.path())->create(Call{}, kId, numbered(0)));
  for (int round = 0; round < kRounds; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t writer = start_process([&] { return write_for_ever(GetParam(), directory.path(), ends[1]); });
    ::close(ends[1]);
    // Let it store a few, then kill it at no particular point of the next one.
    std::uint64_t acknowledged = last;
    for (unsigned i = random() % 3 + 1; i > 0; --i) {
      ASSERT_EQ(::read(ends[0], &acknowledged, sizeof acknowledged), ssize_t{sizeof acknowledged}) << "round " << round;
    }
    const auto end = Clock::now() + std::chrono::microseconds(random() % 1500);
    while (Clock::now() < end) {
    }
    ASSERT_EQ(::kill(writer, SIGKILL), 0);
    ASSERT_TRUE(WIFSIGNALED(wait_for(writer))) << "the writer failed by itself in round " << round;
    std::uint64_t more = 0;
    while (::read(ends[0], &more, sizeof more) == ssize_t{sizeof more}) acknowledged = more;
    ::close(ends[0]);

    const auto document = open_store(GetParam(), directory.path())->get(Call{}, kId);
    ASSERT_TRUE(document) << to_string(document.error());
    const std::uint64_t number = std::stoull(document->content);
    ASSERT_EQ(document->content, numbered(number));
    ASSERT_GE(number, acknowledged);
    ASSERT_LE(number, acknowledged + 1);
    ASSERT_GE(number, last);
    last = number;
  }
  EXPECT_GE(last, std::uint64_t{kRounds});
}

TEST(CrashingDirectoryStore, leaves_at_most_one_temporary_file_and_takes_it_away) {
  const TempDir directory;
  const auto count_files = [&] {
    return std::distance(std::filesystem::directory_iterator(directory.at("documents")), {});
  };
  const auto store = open_store("directory", directory.path());
  ASSERT_TRUE(store->create(Call{}, kId, numbered(0)));
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t writer = start_process([&] { return write_for_ever("directory", directory.path(), ends[1]); });
    ::close(ends[1]);
    std::uint64_t acknowledged = 0;
    ASSERT_EQ(::read(ends[0], &acknowledged, sizeof acknowledged), ssize_t{sizeof acknowledged});
    // Kill it at a moment when the temporary file is there, so that one is left.
    const auto give_up = Clock::now() + std::chrono::milliseconds(200);
    while (count_files() == 1 && Clock::now() < give_up) {
    }
    ASSERT_EQ(::kill(writer, SIGKILL), 0);
    wait_for(writer);
    ::close(ends[0]);
    EXPECT_LE(count_files(), 2) << "round " << round;
  }
  const StoredDocument document = store->get(Call{}, kId).value();
  ASSERT_TRUE(store->put(Call{}, kId, "the end", document.version));
  EXPECT_EQ(count_files(), 1);
}

}  // namespace
}  // namespace berth::store
