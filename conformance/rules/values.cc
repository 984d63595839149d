#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "conformance/operations.h"
#include "conformance/rules.h"

namespace berth::conformance {
namespace {

using testing::FailsWith;
using testing::IsOk;

BERTH_CHAPTER(Values);
BERTH_HOST_CHAPTER(ValuesOnHost);

TEST_P(Values, C_VAL_1_absence_is_a_value_where_it_is_asked_for) {
  const auto there = workspace().exists(soon(), "absent.txt");
  ASSERT_THAT(there, IsOk());
  EXPECT_FALSE(*there);
  EXPECT_THAT(workspace().require_absent(soon(), "absent.txt"), IsOk());
  if (!can_write()) return expect_refused(workspace().delete_file(soon(), "absent.txt"));
  const auto removed = workspace().delete_file(soon(), "absent.txt");
  ASSERT_THAT(removed, IsOk());
  EXPECT_EQ(*removed, RemoveOutcome{});
}

TEST_P(Values, C_VAL_1_a_failure_has_a_code_a_message_and_the_path_as_written) {
  for (const std::string_view written : {"absent.txt", "./absent.txt", "a//absent.txt", "d/../absent.txt"}) {
    const auto page = workspace().read(soon(), written);
    ASSERT_THAT(page, FailsWith(ErrorCode::not_found));
    EXPECT_EQ(page.error().path, written);
    EXPECT_FALSE(page.error().message.empty());
    EXPECT_FALSE(page.error().message.ends_with('.')) << page.error().message;
    EXPECT_FALSE(page.error().next_step().empty());
  }
}

TEST_P(ValuesOnHost, C_VAL_1_errors_hold_no_host_path_and_no_temporary_name) {
  put("file", "content");
  host().make_directory("directory");
  host().make_fifo("fifo");
  host().make_link("loop", "loop");
  host().make_link("out", host().outside());
  for (const Operation& operation : all_operations()) {
    for (const std::string_view path :
         {"absent/x", "file", "file/x", "directory", "fifo", "loop", "out/secret.txt", "."}) {
      if (operation.name == "remove" && path == "directory") continue;
      const auto result = operation.run(workspace(), soon(), path);
      if (result) continue;
      const std::string shown = to_string(result.error());
      EXPECT_EQ(shown.find(host().base()), std::string::npos) << operation.name << " " << shown;
      EXPECT_EQ(shown.find(host().outside()), std::string::npos) << operation.name << " " << shown;
      EXPECT_EQ(shown.find(".berth-tmp-"), std::string::npos) << operation.name << " " << shown;
    }
  }
}

TEST_P(Values, C_VAL_2_a_passed_deadline_is_timed_out_in_every_operation) {
  put("file", "a");
  Call late;
  late.deadline = Deadline::at(Clock::now() - std::chrono::seconds(1));
  for (const Operation& operation : operations_of(subject())) {
    const auto result = operation.run(workspace(), late, "file");
    EXPECT_THAT(result, FailsWith(ErrorCode::timed_out)) << operation.name;
  }
  EXPECT_EQ(content("file"), "a");
}

TEST_P(Values, C_VAL_2_a_stopped_call_is_cancelled_in_every_operation) {
  put("file", "a");
  std::stop_source source;
  source.request_stop();
  Call stopped;
  stopped.stop = source.get_token();
  for (const Operation& operation : operations_of(subject())) {
    const auto result = operation.run(workspace(), stopped, "file");
    EXPECT_THAT(result, FailsWith(ErrorCode::cancelled)) << operation.name;
  }
  EXPECT_EQ(content("file"), "a");
}

TEST_P(Values, C_VAL_2_a_command_ends_with_the_deadline_of_its_call) {
  Call call;
  call.deadline = Deadline::after(std::chrono::milliseconds(300));
  const auto begin = Clock::now();
  const auto outcome = workspace().run(call, script("echo begun; exec sleep 600"));
  if (!can_run()) return expect_refused(outcome);
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(350) + kSlack);
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->kind, CommandOutcome::Kind::timed_out);
  EXPECT_EQ(outcome->out.head, "begun\n");
}

TEST_P(Values, C_VAL_2_a_command_ends_when_its_call_is_stopped) {
  if (!can_run()) return expect_refused(workspace().run(soon(), script("exit 0")));
  std::stop_source source;
  Call call = soon();
  call.stop = source.get_token();

  /// Stops the call as soon as the command has shown that it runs.
  class Stopper final : public OutputSink {
   public:
    explicit Stopper(std::stop_source& stop) : stop_(stop) {}
    void write(Stream, BytesView) override { stop_.request_stop(); }

   private:
    std::stop_source& stop_;
  } stopper(source);

  const auto begin = Clock::now();
  const auto outcome = workspace().run(call, script("echo begun; exec sleep 600"), &stopper);
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(50) + kSlack);
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->kind, CommandOutcome::Kind::cancelled);
  EXPECT_EQ(outcome->out.head, "begun\n");
}

TEST_P(ValuesOnHost, C_VAL_2_a_write_that_waits_for_another_process_honours_its_deadline) {
  put("d/file", "a");
  if (!can_write()) return expect_refused(workspace().write(soon(), "d/file", "b"));
  const int directory = ::open(host().at("d").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(directory, 0);
  ASSERT_EQ(::flock(directory, LOCK_EX), 0);
  const Revision before = revision("d/file");
  Call call;
  call.deadline = Deadline::after(std::chrono::milliseconds(100));
  const auto begin = Clock::now();
  EXPECT_THAT(workspace().replace(call, "d/file", "b", before), FailsWith(ErrorCode::timed_out));
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(150) + kSlack);
  ::close(directory);
  EXPECT_EQ(host().read("d/file"), "a");
  EXPECT_THAT(workspace().replace(soon(), "d/file", "b", before), IsOk());
}

TEST_P(Values, C_VAL_3_content_is_bytes_end_to_end) {
  Bytes every;
  for (int round = 0; round < 3; ++round) {
    for (int byte = 0; byte < 256; ++byte) every.push_back(static_cast<char>(byte));
  }
  put("every", every);
  EXPECT_EQ(content("every"), every);
  const auto lines = workspace().read_lines(soon(), "every");
  ASSERT_THAT(lines, IsOk());
  EXPECT_EQ(lines->content, every);
  if (!can_write()) return expect_refused(workspace().write(soon(), "again", every));
  const Bytes lone("\xff\xfe\x00\xc3(\r\r\n\xed\xa0\x80", 11);
  for (const Bytes& bytes : {every, lone, Bytes(), Bytes("\0", 1), Bytes("\xef\xbb\xbf text")}) {
    const auto wrote = workspace().write(soon(), "again", bytes);
    ASSERT_THAT(wrote, IsOk());
    EXPECT_EQ(content("again"), bytes);
    EXPECT_EQ(revision("again"), wrote->revision);
    EXPECT_EQ(wrote->revision.text, "sha256:" + to_hex(sha256(bytes)));
  }
}

TEST_P(Values, C_VAL_4_threads_that_compare_and_swap_one_file_lose_nothing) {
  put("counter", "0");
  if (!can_write()) return expect_refused(workspace().write(soon(), "counter", "1"));
  constexpr int kThreads = 4;
  constexpr int kRounds = 10;
  const auto other = environment().open();
  std::atomic<int> failures = 0;
  const auto count = [&failures](Workspace& handle) {
    for (int done = 0; done < kRounds;) {
      const auto page = handle.read(soon(), "counter");
      if (!page || !page->revision) {
        ++failures;
        return;
      }
      const auto swapped =
          handle.replace(soon(), "counter", std::to_string(std::stoi(page->content) + 1), *page->revision);
      if (swapped) {
        ++done;
      } else if (swapped.error().code != ErrorCode::revision_mismatch) {
        ADD_FAILURE() << to_string(swapped.error());
        return;
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { count(i % 2 == 0 ? workspace() : *other); });
    }
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(content("counter"), std::to_string(kThreads * kRounds));
}

TEST_P(Values, C_VAL_4_threads_work_on_their_own_paths_at_once) {
  if (!can_write()) return expect_refused(workspace().write(soon(), "own", "x"));
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([this, i] {
        const std::string path = "own/" + std::to_string(i) + "/file";
        for (int round = 0; round < 10; ++round) {
          const Bytes text = path + std::to_string(round);
          const auto wrote = workspace().write(soon(), path, text);
          EXPECT_THAT(wrote, IsOk());
          const auto page = workspace().read(soon(), path);
          ASSERT_THAT(page, IsOk());
          EXPECT_EQ(page->content, text);
        }
      });
    }
  }
  const auto listed = workspace().list(soon(), "own/**");
  if (!can_search()) return expect_refused(listed);
  ASSERT_THAT(listed, IsOk());
  EXPECT_EQ(listed->paths.size(), 8u);
}

TEST_P(ValuesOnHost, C_VAL_4_a_lock_on_one_directory_does_not_hold_up_another) {
  put("held/file", "a");
  put("free/file", "a");
  if (!can_write()) return expect_refused(workspace().write(soon(), "free/file", "b"));
  const int directory = ::open(host().at("held").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(directory, 0);
  ASSERT_EQ(::flock(directory, LOCK_EX), 0);
  std::stop_source source;
  Call waits = soon();
  waits.stop = source.get_token();
  std::jthread waiting([&] {
    EXPECT_THAT(workspace().replace(waits, "held/file", "b", Revision{"sha256:" + to_hex(sha256("a"))}),
                FailsWith(ErrorCode::cancelled));
  });
  EXPECT_THAT(workspace().write(soon(), "free/file", "b"), IsOk());
  EXPECT_EQ(content("held/file"), "a");
  source.request_stop();
  waiting.join();
  ::close(directory);
}

}  // namespace
}  // namespace berth::conformance
