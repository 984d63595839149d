#include <atomic>
#include <barrier>
#include <functional>
#include <set>
#include <thread>

#include "engine/files/files_fixture.h"
#include "engine/files/revision_cache.h"
#include "testing/processes.h"

namespace berth::engine {
namespace {

using berth::testing::FailsWith;
using berth::testing::IsOk;

void in_threads(int count, const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

/// Add one to the number in a file by compare and swap, until it works.
void increment(HostFiles& files, const Path& path) {
  for (;;) {
    const auto page = files.read({}, path, {});
    ASSERT_THAT(page, IsOk());
    const auto outcome = files.write({}, path, std::to_string(std::stoi(page->content) + 1),
                                     {.when = WriteSpec::When::revision_matches, .expected_revision = *page->revision});
    if (outcome) return;
    ASSERT_THAT(outcome, FailsWith(ErrorCode::revision_mismatch));
  }
}

class ConcurrencyTest : public FilesTest {};
BERTH_FOR_EVERY_FEATURE_SET(ConcurrencyTest);

TEST_P(ConcurrencyTest, C_WRITE_6_of_many_swaps_with_one_revision_exactly_one_wins) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 50;
  dir.write("f", "start");
  std::string current = "start";
  std::vector<int> winners(kRounds, -1);
  std::atomic<int> wins = 0;
  std::barrier round_ends(kThreads, [&]() noexcept { current = dir.read("f"); });
  in_threads(kThreads, [&](int me) {
    for (int round = 0; round < kRounds; ++round) {
      const auto outcome = replace("f", std::to_string(round) + ":" + std::to_string(me), revision_of(current));
      if (outcome) {
        ++wins;
        winners[static_cast<std::size_t>(round)] = me;
      } else {
        EXPECT_THAT(outcome, FailsWith(ErrorCode::revision_mismatch));
      }
      round_ends.arrive_and_wait();
    }
  });
  EXPECT_EQ(wins, kRounds);
  EXPECT_EQ(dir.read("f"), std::to_string(kRounds - 1) + ":" + std::to_string(winners.back()));
}

TEST_P(ConcurrencyTest, C_WRITE_6_counting_by_compare_and_swap_loses_nothing) {
  dir.write("n", "0");
  in_threads(4, [&](int) {
    for (int i = 0; i < 40; ++i) increment(*files, path_of("n"));
  });
  EXPECT_EQ(dir.read("n"), "160");
}

TEST_P(ConcurrencyTest, C_WRITE_12_processes_exclude_each_other_too) {
  dir.write("n", "0");
  testing::in_children(3, [&](int) {
    const auto own_root = *os::Root::open({dir.path()}, {os::LinkPolicy::follow_inside, GetParam().features});
    const auto own_files = HostFiles::make(own_root, {});
    for (int n = 0; n < 40; ++n) increment(*own_files, path_of("n"));
  });
  EXPECT_EQ(dir.read("n"), "120");
  EXPECT_EQ(tree(), std::vector<std::string>{"n"});
}

TEST_P(ConcurrencyTest, C_VAL_4_plain_writes_and_swaps_on_one_file_form_one_line) {
  // Every content is written once, so two swaps that start from one content, or a swap that starts from a content that
  // a plain write had already replaced, would show as a content that was followed twice.
  dir.write("f", "first");
  std::mutex mutex;
  std::multiset<std::string> followed;
  in_threads(4, [&](int me) {
    for (int i = 0; i < 100; ++i) {
      const std::string content = std::to_string(me) + "/" + std::to_string(i);
      if (me == 0) {
        EXPECT_THAT(write("f", content), IsOk());
        continue;
      }
      const auto page = read("f");
      ASSERT_THAT(page, IsOk());
      const auto outcome = replace("f", content, *page->revision);
      if (!outcome) continue;
      EXPECT_EQ(outcome->previous_revision, page->revision);
      const std::lock_guard lock(mutex);
      followed.insert(page->content);
    }
  });
  for (const std::string& content : followed) EXPECT_EQ(followed.count(content), 1u) << content;
}

TEST_P(ConcurrencyTest, C_WRITE_5_of_many_creates_exactly_one_wins) {
  for (int round = 0; round < 20; ++round) {
    const std::string name = "sub" + std::to_string(round) + "/f";
    std::atomic<int> wins = 0;
    in_threads(4, [&](int me) {
      const auto outcome = create(name, std::to_string(me));
      if (outcome) ++wins;
      EXPECT_TRUE(outcome || outcome.error().code == ErrorCode::already_exists);
    });
    EXPECT_EQ(wins, 1);
  }
}

TEST_P(ConcurrencyTest, C_WRITE_1_readers_see_old_or_new_content_and_never_a_temporary_name) {
  const std::string a(50'000, 'a');
  const std::string b(90'000, 'b');
  dir.write("d/f", a);
  std::atomic<bool> stop = false;
  in_threads(3, [&](int me) {
    if (me == 0) {
      for (int i = 0; i < 100; ++i) EXPECT_THAT(write("d/f", i % 2 == 0 ? b : a), IsOk());
      stop = true;
      return;
    }
    while (!stop) {
      if (me == 1) {
        const auto page = read("d/f");
        ASSERT_THAT(page, IsOk());
        ASSERT_TRUE(page->content == a || page->content == b);
        ASSERT_EQ(page->revision, revision_of(page->content));
      } else {
        const auto listing = list("d");
        ASSERT_THAT(listing, IsOk());
        ASSERT_EQ(listing->entries.size(), 1u);
      }
    }
  });
}

TEST_P(ConcurrencyTest, C_WRITE_7_moves_in_opposite_directions_neither_deadlock_nor_lose_the_file) {
  dir.make_directory("a");
  dir.make_directory("b");
  dir.write("a/f", "x");
  dir.write("b/g", "y");
  const Call call{Deadline::after(std::chrono::seconds(60)), {}, {}};
  const auto swing = [&](const char* one, const char* other, const char* content) {
    for (int i = 0; i < 100; ++i) {
      const auto outcome = files->move(call, path_of(i % 2 == 0 ? one : other), path_of(i % 2 == 0 ? other : one),
                                       {.expected_revision = revision_of(content)});
      ASSERT_THAT(outcome, IsOk());
    }
  };
  in_threads(2, [&](int me) {
    if (me == 0) swing("a/f", "b/f", "x");
    if (me == 1) swing("b/g", "a/g", "y");
  });
  EXPECT_EQ(tree(), (std::vector<std::string>{"a/", "a/f", "b/", "b/g"}));
}

TEST_P(ConcurrencyTest, writes_into_directories_that_come_and_go_succeed) {
  std::atomic<bool> stop = false;
  in_threads(2, [&](int me) {
    if (me == 0) {
      for (int i = 0; i < 200; ++i) {
        EXPECT_THAT(write("a/b/f", std::to_string(i)), IsOk());
      }
      stop = true;
      return;
    }
    while (!stop) {
      const auto outcome = remove_tree("a");
      EXPECT_TRUE(outcome || outcome.error().code == ErrorCode::not_found) << to_string(outcome.error());
    }
  });
}

TEST_P(ConcurrencyTest, no_descriptor_is_left_open) {
  const auto work = [&] {
    (void)write("a/b/f", "x");
    (void)create("a/b/f", "x");
    (void)replace("a/b/f", "y", revision_of("no"));
    (void)replace("a/b/f", "y", revision_of("x"));
    (void)read("a/b/f");
    (void)read("missing/f");
    (void)read_lines("a/b/f");
    (void)list("a");
    (void)stat("a/b/f", FollowLeaf::no);
    (void)move("a/b/f", "c/d/f", {.expected_revision = revision_of("no")});
    (void)move("a/b/f", "c/d/f", {.expected_revision = revision_of("y")});
    (void)make_directory("x/y/z");
    (void)prune("x");
    (void)remove_tree("c");
    (void)remove("a", {});
    (void)remove_tree("a");
  };
  work();
  const std::size_t before = open_descriptors();
  in_threads(2, [&](int) {
    for (int i = 0; i < 20; ++i) work();
  });
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace berth::engine
