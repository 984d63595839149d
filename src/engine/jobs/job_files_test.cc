#include <fcntl.h>

#include <random>

#include <gtest/gtest.h>

#include "engine/jobs/job_record.h"
#include "engine/jobs/journal_reader.h"
#include "os/fd.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::engine {
namespace {

using testing::IsOk;

JobSpecRecord some_spec() {
  return {.name = "a name\nwith \\ two lines",
          .argv = {"printf", "", "a=b\n", "\\n", "\xff"},
          .script = "",
          .cwd = *parse_path("some/where", {}),
          .run_id = "id",
          .boot_id = "boot",
          .terminal = TerminalSize{.rows = 3, .columns = 4},
          .started_at = std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(1234567890123))};
}

TEST(JobRecord, a_spec_is_read_as_it_was_written) {
  auto spec = some_spec();
  EXPECT_EQ(parse_spec_record(render(spec)), spec);
  spec.argv.clear();
  spec.script = "echo\n\n";
  spec.terminal.reset();
  EXPECT_EQ(parse_spec_record(render(spec)), spec);
}

TEST(JobRecord, an_exit_is_read_as_it_was_written) {
  const JobExitRecord record{.state = JobState::signaled,
                             .number = 9,
                             .ended_by = JobEndedBy::timeout,
                             .reason = "why\nnot",
                             .survivors = 2,
                             .process = 77,
                             .ended_at = std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(5)),
                             .duration = std::chrono::milliseconds(6),
                             .out = {.total_bytes = 7, .dropped_bytes = 8},
                             .err = {.total_bytes = 9, .dropped_bytes = 10}};
  EXPECT_EQ(parse_exit_record(render(record)), record);
  // The keeper fills the room that it took with empty lines.
  EXPECT_EQ(parse_exit_record(render(record) + std::string(100, '\n')), record);
}

TEST(JobRecord, what_is_no_record_is_none) {
  const auto good = render(some_spec());
  EXPECT_FALSE(parse_spec_record(""));
  EXPECT_FALSE(parse_exit_record(""));
  EXPECT_FALSE(parse_spec_record("version=2\nword=a\n"));
  EXPECT_FALSE(parse_exit_record("version=1\nstate=running\n"));
  EXPECT_FALSE(parse_exit_record("version=1\nstate=exited\nnumber=x\n"));
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    auto text = good;
    for (int change = 0; change < 3; ++change) text[random() % text.size()] = static_cast<char>(random());
    text.resize(random() % (text.size() + 1));
    (void)parse_spec_record(text);
    (void)parse_exit_record(text);
  }
}

class Journal : public ::testing::Test {
 protected:
  void segment(std::int64_t begin, std::string_view content) {
    auto digits = std::to_string(begin);
    directory_.write("out." + std::string(20 - digits.size(), '0') + digits, content);
  }
  JournalPage read(std::int64_t offset, std::int64_t max_bytes, std::int64_t end) {
    auto page = read_journal(fd_.get(), JobStream::out, offset, max_bytes, end);
    EXPECT_THAT(page, IsOk());
    return page ? *std::move(page) : JournalPage{};
  }

  testing::TempDir directory_;
  os::Fd fd_{::open(directory_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

TEST_F(Journal, a_page_goes_on_over_segments_that_follow_each_other) {
  segment(0, "abc");
  segment(3, "def");
  segment(6, "ghi");
  EXPECT_EQ(read(0, 100, 9), (JournalPage{.content = "abcdefghi", .offset = 0}));
  EXPECT_EQ(read(2, 5, 9), (JournalPage{.content = "cdefg", .offset = 2}));
  EXPECT_EQ(read(2, 5, 4), (JournalPage{.content = "cd", .offset = 2}));
  EXPECT_EQ(read(9, 5, 9), (JournalPage{.content = "", .offset = 9}));
}

TEST_F(Journal, a_page_ends_where_output_was_dropped_and_the_next_one_begins_behind_it) {
  segment(0, "abc");
  segment(10, "klm");
  segment(13, "nop");
  EXPECT_EQ(read(1, 100, 16), (JournalPage{.content = "bc", .offset = 1}));
  EXPECT_EQ(read(3, 100, 16), (JournalPage{.content = "klmnop", .offset = 10}));
  EXPECT_EQ(read(7, 2, 16), (JournalPage{.content = "kl", .offset = 10}));
  EXPECT_EQ(read(14, 100, 20), (JournalPage{.content = "op", .offset = 14}));
  EXPECT_EQ(read(16, 100, 20), (JournalPage{.content = "", .offset = 20}));
}

TEST_F(Journal, every_page_agrees_with_a_simple_model) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    testing::TempDir directory;
    const os::Fd fd(::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::string model(40, '\0');  // NUL: dropped
    for (std::int64_t at = static_cast<std::int64_t>(random() % 3); at < 40;) {
      const auto size = std::min<std::int64_t>(1 + static_cast<std::int64_t>(random() % 8), 40 - at);
      std::string content(static_cast<std::size_t>(size), ' ');
      for (auto& c : content) c = static_cast<char>('a' + random() % 26);
      model.replace(static_cast<std::size_t>(at), content.size(), content);
      auto digits = std::to_string(at);
      directory.write("out." + std::string(20 - digits.size(), '0') + digits, content);
      at += size + (random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random() % 6));
    }
    for (std::int64_t offset = 0; offset <= 40; ++offset) {
      for (const std::int64_t max_bytes : {1, 3, 100}) {
        auto begin = static_cast<std::size_t>(offset);
        while (begin < 40 && model[begin] == '\0') ++begin;
        auto end = begin;
        while (end < 40 && model[end] != '\0' && end - begin < static_cast<std::size_t>(max_bytes)) ++end;
        const auto page = read_journal(fd.get(), JobStream::out, offset, max_bytes, 40);
        ASSERT_THAT(page, IsOk());
        EXPECT_EQ(*page, (JournalPage{.content = model.substr(begin, end - begin),
                                      .offset = static_cast<std::int64_t>(begin)}))
            << "offset " << offset << " max " << max_bytes;
      }
    }
  }
}

TEST_F(Journal, what_is_held_is_measured) {
  EXPECT_EQ(*measure_journal(fd_.get(), JobStream::out), JobStreamTotals{});
  segment(0, "abc");
  segment(10, "klm");
  EXPECT_EQ(*measure_journal(fd_.get(), JobStream::out), (JobStreamTotals{.total_bytes = 13, .dropped_bytes = 7}));
  EXPECT_EQ(*measure_journal(fd_.get(), JobStream::err), JobStreamTotals{});
}

}  // namespace
}  // namespace berth::engine
