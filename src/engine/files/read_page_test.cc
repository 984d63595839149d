#include "engine/files/read_page.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "engine/files/files_fixture.h"
#include "engine/files/revision_cache.h"
#include "os/fd.h"
#include "testing/cases.h"

namespace berth::engine {
namespace {

using berth::testing::FailsWith;
using berth::testing::IsOk;

class ReadPageTest : public FilesTest {};
BERTH_FOR_EVERY_FEATURE_SET(ReadPageTest);

TEST_P(ReadPageTest, C_READ_1_a_whole_file_comes_with_its_numbers) {
  dir.write("a/b.txt", "hello");
  const auto page = read("a/b.txt");
  ASSERT_THAT(page, IsOk());
  const ReadPage expected{.content = "hello",
                          .offset = 0,
                          .total_bytes = 5,
                          .truncated = false,
                          .next_offset = {},
                          .revision = revision_of("hello"),
                          .git_mode = GitMode::regular,
                          .token = stat("a/b.txt")->token};
  EXPECT_EQ(*page, expected);
}

TEST_P(ReadPageTest, C_READ_7_a_token_is_the_same_after_it_was_told_and_read_back) {
  dir.write("f", "x");
  const auto token = read("f")->token;
  EXPECT_EQ(ChangeToken::try_parse(token.text()), token);
  EXPECT_EQ(ChangeToken::try_parse(ChangeToken{}.text()), ChangeToken{});
  for (const std::string& text :
       {std::string(), std::string("x"), token.text() + "-", token.text() + "-0", "-" + token.text(),
        token.text() + "g", std::string("1-2-3-4-5"), std::string("1-2-3-4-5-11111111111111111"),
        std::string("1-2-3-4-5- 6"), std::string("1--2-3-4-5-6")}) {
    EXPECT_EQ(ChangeToken::try_parse(text), std::nullopt) << text;
  }
}

TEST_P(ReadPageTest, C_READ_1_pages_follow_each_other_to_the_end) {
  const std::string content = "0123456789abcdef";
  dir.write("f", content);
  std::string joined;
  std::optional<std::int64_t> offset = 0;
  while (offset) {
    const auto page = read("f", {.offset = *offset, .max_bytes = 5});
    ASSERT_THAT(page, IsOk());
    EXPECT_EQ(page->offset, *offset);
    EXPECT_EQ(page->total_bytes, 16);
    EXPECT_EQ(page->truncated, page->next_offset.has_value());
    joined += page->content;
    offset = page->next_offset;
  }
  EXPECT_EQ(joined, content);
}

// A file that was left alone for long takes another way than one that was just written.
TEST_P(ReadPageTest, C_READ_1_pages_of_settled_files_are_what_the_file_holds) {
  const std::string below = "testing/cases";
  const auto old_root = *os::Root::open({testing::source_path(below)}, {{}, GetParam().features});
  const auto old_files = HostFiles::make(old_root, {});
  for (const char* name : {"paths.json", "edits.json", "list_patterns.json"}) {
    const std::string whole = testing::read_cases(name);
    const auto size = static_cast<std::int64_t>(whole.size());
    ASSERT_GT(size, 300);
    for (int round = 0; round < 2; ++round) {
      const auto page = old_files->read({}, path_of(name), {});
      ASSERT_THAT(page, IsOk());
      const ReadPage expected{.content = whole,
                              .offset = 0,
                              .total_bytes = size,
                              .truncated = false,
                              .next_offset = {},
                              .revision = revision_of(whole),
                              .git_mode = GitMode::regular,
                              .token = old_files->stat({}, path_of(name), FollowLeaf::yes)->token};
      EXPECT_EQ(*page, expected) << name;
    }
    for (const ReadRange range : {ReadRange{0, 100}, ReadRange{0, size}, ReadRange{0, size + 1}, ReadRange{7, 100},
                                  ReadRange{size - 5, 100}, ReadRange{size, {}}, ReadRange{3, {}}}) {
      const auto page = old_files->read({}, path_of(name), range);
      ASSERT_THAT(page, IsOk());
      const std::string expected = whole.substr(static_cast<std::size_t>(range.offset),
                                                static_cast<std::size_t>(range.max_bytes.value_or(size)));
      const std::int64_t end = range.offset + static_cast<std::int64_t>(expected.size());
      EXPECT_EQ(page->content, expected);
      EXPECT_EQ(page->total_bytes, size);
      EXPECT_EQ(page->truncated, end < size);
      EXPECT_EQ(page->next_offset, end < size ? std::optional(end) : std::nullopt);
      EXPECT_EQ(page->revision.has_value(), range.offset == 0 && end == size);
      EXPECT_EQ(page->git_mode.has_value(), range.offset == 0 && end == size);
    }
    EXPECT_THAT(old_files->read({}, path_of(name), {.offset = size + 1}), FailsWith(ErrorCode::offset_out_of_range));
  }
}

TEST_P(ReadPageTest, C_READ_2_revision_and_mode_only_on_complete_reads_from_the_start) {
  dir.write("f", "0123456789");
  chmod("f", 0755);
  EXPECT_EQ(read("f")->revision, revision_of("0123456789"));
  EXPECT_EQ(read("f")->git_mode, GitMode::executable);
  EXPECT_EQ(read("f", {.max_bytes = 10})->revision, revision_of("0123456789"));
  EXPECT_EQ(read("f", {.max_bytes = 9})->revision, std::nullopt);
  EXPECT_EQ(read("f", {.max_bytes = 9})->git_mode, std::nullopt);
  EXPECT_EQ(read("f", {.offset = 1})->revision, std::nullopt);
  EXPECT_EQ(read("f", {.want_revision = WantRevision::no})->revision, std::nullopt);
  EXPECT_EQ(read("f", {.want_revision = WantRevision::no})->git_mode, GitMode::executable);
  EXPECT_EQ(revision_of("").text, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_P(ReadPageTest, C_READ_3_offset_at_end_is_an_empty_page) {
  dir.write("f", "abc");
  const auto page = read("f", {.offset = 3});
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->content, "");
  EXPECT_EQ(page->total_bytes, 3);
  EXPECT_FALSE(page->truncated);
  EXPECT_FALSE(page->revision);
}

TEST_P(ReadPageTest, C_READ_3_offset_beyond_the_end_is_out_of_range_with_both_numbers) {
  dir.write("f", "abc");
  const auto page = read("f", {.offset = 4});
  ASSERT_THAT(page, FailsWith(ErrorCode::offset_out_of_range));
  EXPECT_EQ(*page.error().field("offset"), ErrorField::Value(std::int64_t{4}));
  EXPECT_EQ(*page.error().field("total_bytes"), ErrorField::Value(std::int64_t{3}));
}

TEST_P(ReadPageTest, C_READ_3_bad_ranges_are_invalid_arguments) {
  dir.write("f", "abc");
  EXPECT_THAT(read("f", {.offset = -1}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(read("f", {.max_bytes = 0}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(read("f", {.max_bytes = -1}), FailsWith(ErrorCode::invalid_argument));
}

TEST_P(ReadPageTest, C_READ_3_an_empty_file_is_an_empty_complete_page) {
  dir.write("f", "");
  const auto page = read("f");
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->content, "");
  EXPECT_EQ(page->revision, revision_of(""));
  EXPECT_EQ(page->git_mode, GitMode::regular);
}

TEST_P(ReadPageTest, C_READ_4_says_what_stands_in_the_way) {
  dir.write("file", "x");
  dir.make_directory("directory");
  EXPECT_THAT(read("missing"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(read("missing/below"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(read("directory"), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(read("."), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(read("file/below"), FailsWith(ErrorCode::not_a_directory));
}

TEST_P(ReadPageTest, C_PATH_5_links_inside_are_followed_and_links_out_are_escapes) {
  dir.write("sub/file", "inside");
  dir.make_link("link", "sub/file");
  dir.make_link("absolute", dir.at("sub/file"));
  dir.make_link("out", "/etc/passwd");
  dir.make_link("out_dangling", "../not/there");
  dir.make_link("dangling", "nothing");
  dir.make_link("loop", "loop");
  EXPECT_EQ(read("link")->content, "inside");
  EXPECT_EQ(read("absolute")->content, "inside");
  EXPECT_THAT(read("out"), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(read("out_dangling"), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(read("dangling"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(read("loop"), FailsWith(ErrorCode::symlink_loop));
}

TEST_P(ReadPageTest, C_PATH_8_fifo_socket_and_device_are_refused_at_once) {
  make_fifo("fifo");
  const os::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  dir.at("socket").copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const Call call{Deadline::after(std::chrono::seconds(5)), {}, {}};
  for (const char* name : {"fifo", "socket"}) {
    EXPECT_THAT(files->read(call, path_of(name), {}), FailsWith(ErrorCode::not_regular)) << name;
    EXPECT_THAT(files->read_lines(call, path_of(name), {}), FailsWith(ErrorCode::not_regular)) << name;
  }
  if (geteuid() == 0) {
    ASSERT_EQ(mknod(dir.at("null").c_str(), S_IFCHR | 0666, makedev(1, 3)), 0);
    EXPECT_THAT(files->read(call, path_of("null"), {}), FailsWith(ErrorCode::not_regular));
  }
}

TEST_P(ReadPageTest, C_PATH_7_names_that_are_not_utf8_and_names_of_255_bytes_are_read) {
  const std::string odd = "\xff\xfe\n \\";
  const std::string longest(255, 'n');
  dir.write(odd, "odd");
  dir.write(longest, "long");
  EXPECT_EQ(read(odd)->content, "odd");
  EXPECT_EQ(read(longest)->content, "long");
}

TEST_P(ReadPageTest, C_VAL_2_a_stopped_or_late_call_reads_nothing) {
  dir.write("f", "abc");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(files->read({Deadline::never(), stop.get_token(), {}}, path_of("f"), {}),
              FailsWith(ErrorCode::cancelled));
  EXPECT_THAT(files->read({Deadline::at(Clock::now()), {}, {}}, path_of("f"), {}), FailsWith(ErrorCode::timed_out));
}

TEST(ReadPage, files_whose_size_the_kernel_does_not_know_are_read_to_their_end) {
  const auto root = *os::Root::open({"/proc"}, {os::LinkPolicy::follow_inside, os::Features::probe()});
  const auto files = HostFiles::make(root, {});
  const auto page = files->read({}, path_of("version"), {});
  ASSERT_THAT(page, IsOk());
  EXPECT_TRUE(page->content.starts_with("Linux version"));
  EXPECT_EQ(page->total_bytes, static_cast<std::int64_t>(page->content.size()));
  EXPECT_EQ(files->read({}, path_of("version"), {.offset = 6, .max_bytes = 7})->content, "version");
  EXPECT_EQ(files->read_lines({}, path_of("version"), {})->content, page->content);
}

TEST(ReadPage, C_READ_5_a_file_swapped_by_rename_is_read_whole_from_one_of_the_two) {
  Scratch scratch;
  const std::string a(100'000, 'a');
  const std::string b(70'000, 'b');
  scratch.dir.write("f", a);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      scratch.dir.write("next", i % 2 == 0 ? b : a);
      ASSERT_EQ(rename(scratch.dir.at("next").c_str(), scratch.dir.at("f").c_str()), 0);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    const auto page = scratch.read("f");
    ASSERT_THAT(page, IsOk());
    ASSERT_TRUE(page->content == a || page->content == b);
    ASSERT_EQ(page->total_bytes, static_cast<std::int64_t>(page->content.size()));
    ASSERT_EQ(page->revision, revision_of(page->content));
  }
  stop = true;
  writer.join();
}

TEST(ReadPage, C_READ_5_a_file_that_grows_and_shrinks_never_gives_a_page_that_contradicts_its_numbers) {
  Scratch scratch;
  scratch.dir.write("f", "");
  const os::Fd fd(open(scratch.dir.at("f").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    const std::string line(1000, 'x');
    for (int i = 0; !stop; ++i) {
      if (i % 100 == 0) {
        ASSERT_EQ(ftruncate(fd.get(), 0), 0);
      }
      ASSERT_EQ(write(fd.get(), line.data(), line.size()), 1000);
    }
  });
  int pages = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto page = scratch.read("f", {.max_bytes = 30'000});
    if (!page) {
      ASSERT_THAT(page, FailsWith(ErrorCode::changed_during_read));
      continue;
    }
    ++pages;
    ASSERT_EQ(static_cast<std::int64_t>(page->content.size()), std::min<std::int64_t>(30'000, page->total_bytes));
    ASSERT_EQ(page->truncated, page->total_bytes > 30'000);
    ASSERT_EQ(page->content, std::string(page->content.size(), 'x'));
  }
  stop = true;
  writer.join();
  EXPECT_GT(pages, 0);
}

TEST(ReadPage, the_last_page_of_a_huge_file_costs_no_more_than_a_page) {
  Scratch scratch;
  scratch.dir.write("f", "");
  constexpr std::int64_t kSize = std::int64_t{1} << 40;
  ASSERT_EQ(truncate(scratch.dir.at("f").c_str(), kSize), 0);
  const auto page = scratch.read("f", {.offset = kSize - 10});
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->content, std::string(10, '\0'));
  EXPECT_EQ(page->total_bytes, kSize);
}

}  // namespace
}  // namespace berth::engine
