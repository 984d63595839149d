#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "conformance/rules.h"

namespace berth::conformance {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::IsOk;

BERTH_CHAPTER(Reading);
BERTH_HOST_CHAPTER(ReadingOnHost);

Revision revision_of(BytesView content) { return {"sha256:" + to_hex(sha256(content))}; }

std::int64_t number(const Error& error, std::string_view name) {
  const auto* value = error.field(name);
  if (value == nullptr || !std::holds_alternative<std::int64_t>(*value)) return -1;
  return std::get<std::int64_t>(*value);
}

TEST_P(Reading, C_READ_1_a_page_holds_what_its_numbers_say) {
  put("file", "0123456789");
  const auto whole = workspace().read(soon(), "file");
  ASSERT_THAT(whole, IsOk());
  ReadPage expected{.content = "0123456789", .offset = 0, .total_bytes = 10, .revision = revision_of("0123456789")};
  expected.git_mode = GitMode::regular;
  expected.token = whole->token;
  EXPECT_EQ(*whole, expected);

  const auto middle = workspace().read(soon(), "file", {.offset = 3, .max_bytes = 4});
  ASSERT_THAT(middle, IsOk());
  ReadPage page{.content = "3456", .offset = 3, .total_bytes = 10, .truncated = true, .next_offset = 7};
  page.token = whole->token;
  EXPECT_EQ(*middle, page);

  const auto rest = workspace().read(soon(), "file", {.offset = 7, .max_bytes = 4});
  ASSERT_THAT(rest, IsOk());
  page = {.content = "789", .offset = 7, .total_bytes = 10};
  page.token = whole->token;
  EXPECT_EQ(*rest, page);
}

TEST_P(Reading, C_READ_1_pages_put_together_are_the_file) {
  Bytes content;
  for (int i = 0; i < 3000; ++i) content += std::to_string(i * i) + "\n";
  put("file", content);
  Bytes together;
  std::int64_t offset = 0;
  for (int pages = 0; pages < 1000; ++pages) {
    const auto page = workspace().read(soon(), "file", {.offset = offset, .max_bytes = 777});
    ASSERT_THAT(page, IsOk());
    together += page->content;
    EXPECT_EQ(page->truncated, page->next_offset.has_value());
    if (!page->next_offset) break;
    EXPECT_GT(*page->next_offset, offset);
    offset = *page->next_offset;
  }
  EXPECT_EQ(together, content);
}

TEST_P(Reading, C_READ_2_revision_and_mode_come_with_complete_reads_only) {
  put("file", "0123456789");
  const auto exact = workspace().read(soon(), "file", {.max_bytes = 10});
  ASSERT_THAT(exact, IsOk());
  EXPECT_EQ(exact->revision, revision_of("0123456789"));
  EXPECT_EQ(exact->git_mode, GitMode::regular);
  for (const ReadRange& range : {ReadRange{.offset = 0, .max_bytes = 9}, ReadRange{.offset = 1, .max_bytes = {}}}) {
    const auto part = workspace().read(soon(), "file", range);
    ASSERT_THAT(part, IsOk());
    EXPECT_EQ(part->revision, std::nullopt);
    EXPECT_EQ(part->git_mode, std::nullopt);
  }
  const auto unhashed = workspace().read(soon(), "file", {.max_bytes = {}, .want_revision = WantRevision::no});
  ASSERT_THAT(unhashed, IsOk());
  EXPECT_EQ(unhashed->revision, std::nullopt);
}

TEST_P(Reading, C_READ_2_equal_bytes_have_equal_revisions) {
  put("a", "same");
  put("d/b", "same");
  put("c", "other");
  EXPECT_EQ(revision("a"), revision("d/b"));
  EXPECT_NE(revision("a"), revision("c"));
}

TEST_P(ReadingOnHost, C_READ_2_an_executable_file_says_so) {
  put("tool", "#!/bin/sh\n");
  host().chmod("tool", 0755);
  const auto page = workspace().read(soon(), "tool");
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->git_mode, GitMode::executable);
}

TEST_P(Reading, C_READ_3_offset_at_end_is_an_empty_page) {
  put("file", "0123456789");
  const auto page = workspace().read(soon(), "file", {.offset = 10, .max_bytes = 5});
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->content, "");
  EXPECT_EQ(page->total_bytes, 10);
  EXPECT_FALSE(page->truncated);
  put("empty", "");
  const auto empty = workspace().read(soon(), "empty");
  ASSERT_THAT(empty, IsOk());
  EXPECT_EQ(empty->content, "");
  EXPECT_EQ(empty->revision, revision_of(""));
}

TEST_P(Reading, C_READ_3_offset_past_the_end_is_out_of_range_with_both_numbers) {
  put("file", "0123456789");
  const auto page = workspace().read(soon(), "file", {.offset = 11, .max_bytes = {}});
  ASSERT_THAT(page, FailsWith(ErrorCode::offset_out_of_range));
  EXPECT_EQ(number(page.error(), "offset"), 11);
  EXPECT_EQ(number(page.error(), "total_bytes"), 10);
}

TEST_P(Reading, C_READ_3_numbers_that_make_no_sense_are_invalid_argument) {
  put("file", "0123456789");
  for (const ReadRange& range : {ReadRange{.offset = 0, .max_bytes = 0}, ReadRange{.offset = 0, .max_bytes = -1},
                                 ReadRange{.offset = -1, .max_bytes = {}}}) {
    EXPECT_THAT(workspace().read(soon(), "file", range), FailsWith(ErrorCode::invalid_argument));
  }
  for (const LineRange& range :
       {LineRange{.first = 0, .count = {}}, LineRange{.first = -3, .count = {}}, LineRange{.first = 1, .count = 0},
        LineRange{.first = 1, .count = {}, .max_bytes = 0}}) {
    EXPECT_THAT(workspace().read_lines(soon(), "file", range), FailsWith(ErrorCode::invalid_argument));
  }
}

TEST_P(Reading, C_READ_4_what_stands_in_the_way_has_its_own_code) {
  put("d/file", "x");
  EXPECT_THAT(workspace().read(soon(), "absent"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(workspace().read(soon(), "absent/below"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(workspace().read(soon(), "d"), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(workspace().read(soon(), "."), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(workspace().read(soon(), "d/file/below"), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(workspace().read_lines(soon(), "absent"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(workspace().read_lines(soon(), "d"), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(workspace().stat(soon(), "absent"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(workspace().stat(soon(), "d/file/below"), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(workspace().list_directory(soon(), "absent"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(workspace().list_directory(soon(), "d/file"), FailsWith(ErrorCode::not_a_directory));
}

TEST_P(ReadingOnHost, C_READ_4_no_permission_is_permission_denied) {
  put("locked", "x");
  put("closed/file", "x");
  host().chmod("locked", 0);
  host().chmod("closed", 0);
  Result<ReadPage> locked = Error{};
  Result<ReadPage> closed = Error{};
  Result<DirectoryListing> listing = Error{};
  {
    const Unprivileged user;
    const auto handle = environment().open();
    locked = handle->read(soon(), "locked");
    closed = handle->read(soon(), "closed/file");
    listing = handle->list_directory(soon(), "closed");
  }
  host().chmod("closed", 0755);
  EXPECT_THAT(locked, FailsWith(ErrorCode::permission_denied));
  EXPECT_THAT(closed, FailsWith(ErrorCode::permission_denied));
  EXPECT_THAT(listing, FailsWith(ErrorCode::permission_denied));
}

TEST_P(ReadingOnHost, C_READ_5_a_page_never_contradicts_its_own_numbers) {
  host().write("file", "aaaa");
  std::jthread writer([this](const std::stop_token& stop) {
    for (std::size_t i = 1; !stop.stop_requested(); ++i) {
      host().write("file", Bytes(i % 7 * 5000, static_cast<char>('a' + i % 26)));
    }
  });
  std::int64_t complete = 0;
  const Deadline end = Deadline::after(std::chrono::milliseconds(300));
  while (!end.passed()) {
    const auto page = workspace().read(soon(), "file");
    if (!page) {
      EXPECT_THAT(page, FailsWith(ErrorCode::changed_during_read));
      continue;
    }
    ++complete;
    EXPECT_EQ(static_cast<std::int64_t>(page->content.size()), page->total_bytes);
    EXPECT_EQ(page->revision, revision_of(page->content));
    EXPECT_EQ(page->content.find_first_not_of(page->content.substr(0, 1)), Bytes::npos) << "a mix of two versions";
    if (::testing::Test::HasFailure()) break;
  }
  RecordProperty("complete_reads", std::to_string(complete));
}

TEST_P(Reading, C_READ_6_lines_end_with_lf_only_and_count_from_1) {
  put("file", "one\ntwo\r\nthr\ree\fx\xe2\x80\xa8y\nlast");
  const auto all = workspace().read_lines(soon(), "file");
  ASSERT_THAT(all, IsOk());
  LinePage expected{.content = "one\ntwo\r\nthr\ree\fx\xe2\x80\xa8y\nlast", .first_line = 1, .line_count = 4};
  expected.total_bytes = static_cast<std::int64_t>(expected.content.size());
  expected.total_lines = 4;
  expected.token = all->token;
  EXPECT_EQ(*all, expected);

  const auto middle = workspace().read_lines(soon(), "file", {.first = 2, .count = 1});
  ASSERT_THAT(middle, IsOk());
  EXPECT_EQ(middle->content, "two\r\n");
  EXPECT_EQ(middle->first_line, 2);
  EXPECT_EQ(middle->line_count, 1);
  EXPECT_EQ(middle->first_offset, 4);
  EXPECT_TRUE(middle->truncated);
  EXPECT_EQ(middle->next_line, 3);
}

TEST_P(Reading, C_READ_6_the_number_of_lines_is_given_at_the_end_or_when_asked) {
  put("file", "1\n2\n3\n4\n5\n");
  const auto unasked = workspace().read_lines(soon(), "file", {.first = 1, .count = 2});
  ASSERT_THAT(unasked, IsOk());
  EXPECT_EQ(unasked->content, "1\n2\n");
  const auto asked = workspace().read_lines(soon(), "file", {.first = 1, .count = 2, .count_lines = true});
  ASSERT_THAT(asked, IsOk());
  EXPECT_EQ(asked->total_lines, 5);
  const auto end = workspace().read_lines(soon(), "file", {.first = 4, .count = {}});
  ASSERT_THAT(end, IsOk());
  EXPECT_EQ(end->content, "4\n5\n");
  EXPECT_EQ(end->total_lines, 5);
  EXPECT_FALSE(end->truncated);
  const auto past = workspace().read_lines(soon(), "file", {.first = 7, .count = {}});
  ASSERT_THAT(past, FailsWith(ErrorCode::offset_out_of_range));
  EXPECT_EQ(number(past.error(), "first"), 7);
  EXPECT_EQ(number(past.error(), "total_lines"), 5);
  put("empty", "");
  const auto empty = workspace().read_lines(soon(), "empty");
  ASSERT_THAT(empty, IsOk());
  EXPECT_EQ(empty->content, "");
  EXPECT_EQ(empty->line_count, 0);
  EXPECT_FALSE(empty->truncated);
}

TEST_P(Reading, C_READ_6_a_page_of_lines_always_makes_progress) {
  put("file", "short\n" + Bytes(100, 'x') + "\nend\n");
  const auto first = workspace().read_lines(soon(), "file", {.first = 1, .count = {}, .max_bytes = 20});
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(first->content, "short\n");
  EXPECT_EQ(first->next_line, 2);
  const auto cut = workspace().read_lines(soon(), "file", {.first = 2, .count = {}, .max_bytes = 20});
  ASSERT_THAT(cut, IsOk());
  EXPECT_EQ(cut->content, Bytes(20, 'x'));
  EXPECT_TRUE(cut->line_cut);
  EXPECT_EQ(cut->next_line, 3);
  const auto last = workspace().read_lines(soon(), "file", {.first = 3, .count = {}, .max_bytes = 20});
  ASSERT_THAT(last, IsOk());
  EXPECT_EQ(last->content, "end\n");
  EXPECT_FALSE(last->truncated);
}

TEST_P(Reading, C_READ_7_stat_tells_what_stands_there) {
  put("d/file", "12345");
  const auto file = workspace().stat(soon(), "d/file");
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->kind, FileKind::file);
  EXPECT_EQ(file->size, 5);
  EXPECT_EQ(file->git_mode, GitMode::regular);
  EXPECT_NE(file->token, ChangeToken{});
  const auto directory = workspace().stat(soon(), "d");
  ASSERT_THAT(directory, IsOk());
  EXPECT_EQ(directory->kind, FileKind::directory);
  EXPECT_EQ(directory->git_mode, std::nullopt);
  const auto root = workspace().stat(soon(), ".");
  ASSERT_THAT(root, IsOk());
  EXPECT_EQ(root->kind, FileKind::directory);
}

TEST_P(Reading, C_READ_7_a_directory_lists_its_own_entries_sorted_by_bytes) {
  put("d/b", "1");
  put("d/B", "22");
  put("d/a/deep", "333");
  put("d/\xc3\xa9", "4444");
  put("d/.hidden", "");
  const auto listing = workspace().list_directory(soon(), "d");
  ASSERT_THAT(listing, IsOk());
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : listing->entries) {
    names.push_back(entry.name);
    const auto stat = workspace().stat(soon(), "d/" + entry.name, FollowLeaf::no);
    ASSERT_THAT(stat, IsOk());
    EXPECT_EQ(entry.stat, *stat) << entry.name;
  }
  EXPECT_THAT(names, ElementsAre(".hidden", "B", "a", "b", "\xc3\xa9"));
}

TEST_P(Reading, C_READ_7_the_token_changes_with_a_write) {
  put("file", "one");
  const auto before = workspace().stat(soon(), "file");
  ASSERT_THAT(before, IsOk());
  const auto same = workspace().stat(soon(), "file");
  ASSERT_THAT(same, IsOk());
  EXPECT_EQ(before->token, same->token);
  const auto page = workspace().read(soon(), "file");
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->token, before->token);
  if (!can_write()) return expect_refused(workspace().write(soon(), "file", "two"));
  const auto wrote = workspace().write(soon(), "file", "two");
  ASSERT_THAT(wrote, IsOk());
  const auto after = workspace().stat(soon(), "file");
  ASSERT_THAT(after, IsOk());
  EXPECT_NE(after->token, before->token);
  EXPECT_EQ(after->token, wrote->token);
}

TEST_P(ReadingOnHost, C_READ_7_the_token_changes_with_chmod_and_replacement) {
  put("file", "one");
  const auto first = workspace().stat(soon(), "file");
  host().chmod("file", 0755);
  const auto second = workspace().stat(soon(), "file");
  put("other", "one");
  ASSERT_EQ(::rename(host().at("other").c_str(), host().at("file").c_str()), 0);
  const auto third = workspace().stat(soon(), "file");
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  ASSERT_THAT(third, IsOk());
  EXPECT_NE(first->token, second->token);
  EXPECT_NE(second->token, third->token);
  EXPECT_NE(first->token, third->token);
}

TEST_P(ReadingOnHost, C_READ_7_links_are_entries_and_a_loop_is_no_error) {
  put("d/target/file", "x");
  put("d/plain", "x");
  host().make_link("d/to-directory", "target");
  host().make_link("d/to-file", "plain");
  host().make_link("d/loop", "loop");
  host().make_link("d/dangling", "absent");
  host().make_link("d/out", host().outside());
  host().make_fifo("d/fifo");
  const auto listing = workspace().list_directory(soon(), "d");
  ASSERT_THAT(listing, IsOk());
  std::vector<std::string> seen;
  for (const DirectoryEntry& entry : listing->entries) {
    std::string line = entry.name + " " + std::to_string(static_cast<int>(entry.stat.kind));
    if (entry.stat.link_target) line += " -> " + *entry.stat.link_target;
    if (entry.stat.target_is_directory) line += " directory";
    seen.push_back(line);
  }
  const std::string to_directory = follows_links() ? "to-directory 2 -> target directory" : "to-directory 2 -> target";
  EXPECT_THAT(seen, ElementsAre("dangling 2 -> absent", "fifo 3", "loop 2 -> loop", "out 2 -> " + host().outside(),
                                "plain 0", "target 1", to_directory, "to-file 2 -> plain"));
  const auto loop = workspace().stat(soon(), "d/loop", FollowLeaf::no);
  ASSERT_THAT(loop, IsOk());
  EXPECT_EQ(loop->kind, FileKind::symlink);
  const auto there = workspace().exists(soon(), "d/dangling");
  ASSERT_THAT(there, IsOk());
  EXPECT_TRUE(*there);
}

TEST_P(ReadingOnHost, C_READ_8_a_cached_revision_is_never_stale) {
  host().write("file", "0000");
  for (int i = 0; i < 300; ++i) {
    const std::string text = std::to_string(1000 + i);
    // In place, same size, as close to the read as a foreign program can get.
    const int fd = ::open(host().at("file").c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(::pwrite(fd, text.data(), text.size(), 0), 4);
    ::close(fd);
    ASSERT_EQ(revision("file"), revision_of(text)) << i;
  }
}

}  // namespace
}  // namespace berth::conformance
