#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "providers/local/local.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"
#include "tests/soak/process_state.h"
#include "workspace/workspace.h"

namespace berth::soak {
namespace {

using testing::IsOk;

constexpr int kThreads = 64;
constexpr int kCounters = 8;
/// Of freed memory. AddressSanitizer keeps 256 MiB of it to recognise late uses; ThreadSanitizer's records of accesses
/// grow with the addresses that were ever used.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::int64_t kAllocatorKeeps = 288 << 20;
#else
constexpr std::int64_t kAllocatorKeeps = 32 << 20;
#endif

/// Five seconds in `make test`; `make soak` sets BERTH_SOAK_SECONDS.
std::chrono::seconds duration() {
  const char* given = std::getenv("BERTH_SOAK_SECONDS");
  return std::chrono::seconds(given == nullptr ? 5 : std::atoi(given));
}

std::unique_ptr<Workspace> open(const std::string& directory) {
  local::LocalOptions options;
  options.features = os::Features::probe();
  auto backend = local::open_local({directory}, options);
  EXPECT_THAT(backend, IsOk());
  return backend ? std::make_unique<Workspace>(std::move(backend).value()) : nullptr;
}

std::string counter_path(int number) { return "counters/c" + std::to_string(number); }

/// What all threads together did.
struct Work {
  std::array<std::atomic<std::int64_t>, kCounters> increments{};
  std::atomic<std::int64_t> reads = 0;
  std::atomic<std::int64_t> writes = 0;
  std::atomic<std::int64_t> lists = 0;
  std::atomic<std::int64_t> searches = 0;
  std::atomic<std::int64_t> commands = 0;
  std::atomic<std::int64_t> refused = 0;  ///< swaps that lost a race
};

Call patient() {
  Call call;
  call.deadline = Deadline::after(std::chrono::seconds(60));
  return call;
}

/// Add 1 to a counter by compare and swap, once; a lost race is tried again with what is there then.
void increment(Workspace& workspace, int number, Work& work) {
  const std::string path = counter_path(number);
  for (;;) {
    const auto page = workspace.read(patient(), path);
    ASSERT_THAT(page, IsOk());
    const auto swapped =
        workspace.replace(patient(), path, std::to_string(std::stoll(page->content) + 1), *page->revision);
    if (swapped) break;
    ASSERT_EQ(swapped.error().code, ErrorCode::revision_mismatch) << to_string(swapped.error());
    ++work.refused;
  }
  ++work.increments[static_cast<std::size_t>(number)];
}

void write_and_read(Workspace& workspace, int thread, std::mt19937& random, Work& work) {
  const std::string path = "own/t" + std::to_string(thread) + "/f" + std::to_string(random() % 10);
  const Bytes text(random() % 20'000, static_cast<char>('a' + thread % 26));
  ASSERT_THAT(workspace.write(patient(), path, text), IsOk());
  ++work.writes;
  const auto page = workspace.read(patient(), path);
  ASSERT_THAT(page, IsOk());
  ASSERT_EQ(page->content, text) << "a write was lost or torn";
  ++work.reads;
  if (random() % 4 == 0) {
    ASSERT_THAT(workspace.remove(patient(), path), IsOk());
  }
}

void list_and_search(Workspace& workspace, int thread, Work& work) {
  const auto listed = workspace.list(patient(), "own/t" + std::to_string(thread) + "/*");
  ASSERT_THAT(listed, IsOk());
  for (const Path& path : listed->paths) ASSERT_EQ(path.text().find("berth-tmp"), std::string::npos);
  ++work.lists;
  SearchQuery query;
  query.pattern = "zebra";
  query.mode = SearchQuery::Mode::files;
  ASSERT_THAT(workspace.search(patient(), "counters", query), IsOk());
  ++work.searches;
}

void command(Workspace& workspace, int thread, std::mt19937& random, Work& work) {
  CommandSpec spec;
  const std::string word = "thread " + std::to_string(thread) + " " + std::to_string(random());
  switch (random() % 3) {
    case 0: spec.argv = {"echo", word}; break;
    case 1: spec.script = "echo " + word; break;
    default:
      // One that has to be ended, with a child in its own session.
      spec.script = "setsid sleep 300 & echo " + word + "; exec sleep 300";
      spec.timeout = std::chrono::milliseconds(300);
  }
  const auto outcome = workspace.run(patient(), spec);
  ASSERT_THAT(outcome, IsOk());
  if (spec.timeout) {
    ASSERT_EQ(outcome->kind, CommandOutcome::Kind::timed_out);
    ASSERT_EQ(outcome->survivors, 0);
  } else {
    ASSERT_EQ(outcome->kind, CommandOutcome::Kind::exited);
    ASSERT_EQ(outcome->exit_code, 0);
    ASSERT_EQ(outcome->out.head, word + "\n");
  }
  ++work.commands;
}

/// Keep `kThreads` threads at mixed work until the deadline.
void mix(Workspace& workspace, Deadline end, unsigned seed, Work& work) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&workspace, &work, end, seed, thread] {
      std::mt19937 random(seed + static_cast<unsigned>(thread));
      while (!end.passed() && !::testing::Test::HasFatalFailure()) {
        switch (random() % 8) {
          case 0:
          case 1: increment(workspace, static_cast<int>(random() % kCounters), work); break;
          case 2: command(workspace, thread, random, work); break;
          case 3: list_and_search(workspace, thread, work); break;
          default: write_and_read(workspace, thread, random, work);
        }
      }
    });
  }
}

TEST(Soak, sixty_four_threads_lose_nothing_and_leak_nothing) {
  const testing::TempDir directory;
  const ProcessState empty = process_state();
  {
    const auto workspace = open(directory.path());
    ASSERT_NE(workspace, nullptr);
    for (int i = 0; i < kCounters; ++i) ASSERT_THAT(workspace->write(patient(), counter_path(i), "0"), IsOk());

    Work work;
    // A first round makes what is made once: the supervisor, caches, the allocator's arenas of 64 threads.
    mix(*workspace, Deadline::after(duration() / 3), 1, work);
    const ProcessState warm = process_state();
    mix(*workspace, Deadline::after(duration() - duration() / 3), 1000, work);
    const ProcessState after = process_state();

    std::printf("reads %lld writes %lld lists %lld searches %lld commands %lld, lost races %lld\n",
                static_cast<long long>(work.reads), static_cast<long long>(work.writes),
                static_cast<long long>(work.lists), static_cast<long long>(work.searches),
                static_cast<long long>(work.commands), static_cast<long long>(work.refused));
    std::printf("open files %lld, then %lld; processes %lld, then %lld; resident %lld KiB, then %lld KiB\n",
                static_cast<long long>(warm.open_files), static_cast<long long>(after.open_files),
                static_cast<long long>(warm.descendants), static_cast<long long>(after.descendants),
                static_cast<long long>(warm.resident_bytes >> 10), static_cast<long long>(after.resident_bytes >> 10));

    for (int i = 0; i < kCounters; ++i) {
      const auto page = workspace->read(patient(), counter_path(i));
      ASSERT_THAT(page, IsOk());
      EXPECT_EQ(page->content, std::to_string(work.increments[static_cast<std::size_t>(i)])) << "an update was lost";
    }
    EXPECT_GT(work.commands, 0);
    // How many idle keepers are kept, each with a descriptor, varies with how the threads fell; a leak grows with the
    // work done.
    EXPECT_LE(after.open_files, warm.open_files + 16);
    EXPECT_LE(after.descendants, warm.descendants + 16);
    // Freed memory that the allocator keeps varies with how the threads fell; a leak grows with the work done.
    EXPECT_LT(after.resident_bytes, warm.resident_bytes + kAllocatorKeeps);
    EXPECT_TRUE(temporary_files(directory.path()).empty());
  }
  const ProcessState closed = process_state();
  EXPECT_EQ(closed.open_files, empty.open_files);
  EXPECT_EQ(closed.descendants, empty.descendants);
}

}  // namespace
}  // namespace berth::soak
