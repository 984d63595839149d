#include <filesystem>
#include <random>
#include <thread>

#include "engine/tree/file_search.h"
#include "engine/tree/tree_fixture.h"
#include "testing/open_files.h"

namespace berth::engine {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;
using Mode = SearchQuery::Mode;

class SearchFiles : public TreeTest {};
INSTANTIATE_TEST_SUITE_P(, SearchFiles, ::testing::Values(Way::kernel, Way::walk), way_name);

TEST_P(SearchFiles, C_SEARCH_1_gives_records_by_path_then_line) {
  write("b", "two\none two\n");
  write("a/x", "two");
  write("a-", "none\n");
  EXPECT_THAT(found({.pattern = "two"}), ElementsAre("a/x:1:1:two", "b:1:1:two", "b:2:5:one two"));
  EXPECT_THAT(found({.pattern = "two", .mode = Mode::files}), ElementsAre("a/x:1", "b:1"));
  EXPECT_THAT(found({.pattern = "two", .mode = Mode::count}), ElementsAre("a/x:1", "b:2"));
}

TEST_P(SearchFiles, gives_context_lines) {
  write("a", "1\n2\n3\n4\n5\n");
  const auto result = search({.pattern = "3", .context = 1});
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->lines,
              ElementsAre(SearchMatch{
                  .path = path("a"), .line = 3, .column = 1, .text = "3", .before = {"2"}, .after = {"4"}}));
}

TEST_P(SearchFiles, the_base_may_be_one_file) {
  write("a/b", "x\n");
  write("a/c", "x\n");
  EXPECT_THAT(found({.pattern = "x", .base = path("a/b"), .glob = "*.none"}), ElementsAre("a/b:1:1:x"));
  EXPECT_THAT(search({.pattern = "x", .base = path("nothing")}), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(search({.pattern = "x", .base = path("a/b/c")}), FailsWith(ErrorCode::not_a_directory));
}

TEST_P(SearchFiles, C_PATH_8_special_files_are_passed_over_and_refused_as_a_base) {
  ASSERT_EQ(::mkfifo(dir_.at("ws/fifo").c_str(), 0600), 0);
  write("a", "x\n");
  EXPECT_THAT(found({.pattern = "x"}), ElementsAre("a:1:1:x"));
  EXPECT_THAT(search({.pattern = "x", .base = path("fifo")}), FailsWith(ErrorCode::not_regular));
}

TEST_P(SearchFiles, a_glob_without_a_slash_holds_at_any_depth) {
  write("a.c", "x");
  write("d/b.c", "x");
  write("d/b.h", "x");
  EXPECT_THAT(found({.pattern = "x", .glob = "*.c"}), ElementsAre("a.c:1:1:x", "d/b.c:1:1:x"));
  EXPECT_THAT(found({.pattern = "x", .glob = "d/*.{c,h}"}), ElementsAre("d/b.c:1:1:x", "d/b.h:1:1:x"));
  EXPECT_THAT(found({.pattern = "x", .base = path("d"), .glob = "*.h"}), ElementsAre("d/b.h:1:1:x"));
}

TEST_P(SearchFiles, passes_over_hidden_and_ignored_files_unless_asked) {
  write(".gitignore", "skip\n");
  write("skip", "x");
  write(".h", "x");
  write("a", "x");
  EXPECT_THAT(found({.pattern = "x"}), ElementsAre("a:1:1:x"));
  EXPECT_THAT(found({.pattern = "x", .filter = {.hidden = true, .ignored = true}}),
              ElementsAre(".h:1:1:x", "a:1:1:x", "skip:1:1:x"));
  EXPECT_THAT(found({.pattern = "x", .glob = ".h"}), ElementsAre(".h:1:1:x"));
}

TEST_P(SearchFiles, links_are_not_opened) {
  dir_.write("out/secret", "x");
  write("a", "x");
  link("inside", "a");
  link("outside", "../out/secret");
  link("directory", ".");
  EXPECT_THAT(found({.pattern = "x"}), ElementsAre("a:1:1:x"));
}

TEST_P(SearchFiles, what_a_policy_leaves_out_is_not_searched) {
  for (const char* name : {"a/x", "b/x", "c"}) write(name, "x");
  const NamedOut filter({"a", "c"});
  const auto result = search({.pattern = "x", .filter_out = &filter});
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(shown(*result), ElementsAre("b/x:1:1:x"));
  EXPECT_EQ(result->files_searched, 1);
  EXPECT_THAT(search({.pattern = "x", .base = path("c"), .filter_out = &filter}), FailsWith(ErrorCode::not_found));
}

TEST_P(SearchFiles, binary_files_are_skipped_and_counted) {
  write("a", "x\n");
  write("b", std::string_view("x\0x", 3));
  const auto result = search({.pattern = "x"});
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(shown(*result), ElementsAre("a:1:1:x"));
  EXPECT_EQ(result->files_searched, 1);
  EXPECT_EQ(result->files_binary, 1);
  EXPECT_EQ(result->bytes_searched, 2);
  EXPECT_EQ(result->stopped_by, std::nullopt);
}

TEST_P(SearchFiles, unreadable_files_and_directories_are_reported) {
  write("open", "x\n");
  write("shut", "x\n");
  write("wall/x", "x\n");
  ::chmod(dir_.at("ws/shut").c_str(), 0600);
  ::chmod(dir_.at("ws/wall").c_str(), 0700);
  const int outcome = as_nobody([&] {
    const auto result = search({.pattern = "x"});
    return result && shown(*result) == std::vector<std::string>{"open:1:1:x"} &&
                   result->unreadable == std::vector<Unreadable>{{path("shut"), ErrorCode::permission_denied},
                                                                 {path("wall"), ErrorCode::permission_denied}}
               ? 0
               : 1;
  });
  EXPECT_EQ(outcome, 0);
}

TEST_P(SearchFiles, bad_arguments_are_refused) {
  for (const SearchQuery& query :
       {SearchQuery{.pattern = "("}, SearchQuery{.pattern = "a", .glob = "../x"},
        SearchQuery{.pattern = "a", .limit = 0}, SearchQuery{.pattern = "a", .offset = -1},
        SearchQuery{.pattern = "a", .context = -1}, SearchQuery{.pattern = "a", .max_files = 0},
        SearchQuery{.pattern = "a", .max_bytes = 0}}) {
    EXPECT_THAT(search(query), FailsWith(ErrorCode::invalid_argument));
  }
}

TEST_P(SearchFiles, C_SEARCH_3_a_passed_deadline_keeps_what_was_found_and_a_stop_is_an_error) {
  write("a", "x");
  const auto late = search_with(2)->search({.deadline = Deadline::after({})}, {.pattern = "x"});
  ASSERT_THAT(late, IsOk());
  EXPECT_EQ(late->stopped_by, SearchBound::deadline);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(search_with(2)->search({.stop = stop.get_token()}, {.pattern = "x"}), FailsWith(ErrorCode::cancelled));
}

TEST_P(SearchFiles, C_SEARCH_3_a_deadline_in_the_middle_ends_the_search_in_time) {
  write("a", "x\n");
  const std::string large(1 << 20, 'y');
  write("b", large);
  for (int i = 0; i < 400; ++i) std::filesystem::create_hard_link(dir_.at("ws/b"), dir_.at("ws/b" + std::to_string(i)));
  const auto begun = Clock::now();
  const auto result =
      search_with(2)->search({.deadline = Deadline::after(std::chrono::milliseconds(30))}, {.pattern = "[x].*[z]|x"});
  const auto took = Clock::now() - begun;
  ASSERT_THAT(result, IsOk());
  if (result->stopped_by) {
    EXPECT_EQ(result->stopped_by, SearchBound::deadline);
    EXPECT_LT(took, std::chrono::seconds(2));
  }
}

TEST_P(SearchFiles, C_SEARCH_3_max_files_ends_the_search_after_the_first_files_in_order) {
  for (int i = 0; i < 200; ++i) write("f" + std::to_string(1000 + i), "x");
  const auto result = search({.pattern = "x", .mode = Mode::files, .max_files = 70});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->files_searched, 70);
  EXPECT_EQ(result->files.back().path.text(), "f1069");
  EXPECT_EQ(result->stopped_by, SearchBound::files);
  EXPECT_EQ(search({.pattern = "x", .max_files = 200})->stopped_by, std::nullopt);
}

TEST_P(SearchFiles, a_record_that_is_larger_than_max_bytes_still_gets_on_the_page) {
  write("a", "xxxxxxxxxx\nx\n");
  const auto result = search({.pattern = "x", .max_bytes = 3});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->lines.size(), 1U);
  EXPECT_EQ(result->stopped_by, SearchBound::bytes);
  EXPECT_EQ(result->next_offset, 1);
}

TEST_P(SearchFiles, bounded_results_are_a_part_of_the_whole_for_any_number_of_threads) {
  std::mt19937 random(3);
  for (int i = 0; i < 400; ++i) {
    std::string text;
    for (std::size_t n = random() % 8; n > 0; --n)
      text += random() % 3 == 0 ? "needle " + std::to_string(i) + "\n" : "hay\n";
    write("d" + std::to_string(random() % 20) + (random() % 3 == 0 ? "/e/f" : "/f") + std::to_string(i), text);
  }
  const auto whole = search({.pattern = "needle", .filter = {.hidden = true, .ignored = true}}, 1);
  ASSERT_THAT(whole, IsOk());
  ASSERT_GT(whole->lines.size(), 300U);
  for (int i = 0; i < 60; ++i) {
    SearchQuery query{.pattern = "needle", .filter = {.hidden = true, .ignored = true}};
    query.offset = static_cast<std::int64_t>(random() % 300);
    if (random() % 3 != 0) query.limit = 1 + random() % 300;
    if (random() % 2 == 0) query.max_bytes = 1 + static_cast<std::int64_t>(random() % 4000);
    SCOPED_TRACE(query.offset);
    const auto one = search(query, 1);
    ASSERT_THAT(one, IsOk());
    for (const int threads : {2, 8}) EXPECT_EQ(search(query, threads), one);
    // The page is a stretch of the whole, and the next one goes on behind it.
    const auto begin = std::min<std::size_t>(static_cast<std::size_t>(query.offset), whole->lines.size());
    ASSERT_LE(begin + one->lines.size(), whole->lines.size());
    EXPECT_TRUE(
        std::equal(one->lines.begin(), one->lines.end(), whole->lines.begin() + static_cast<std::ptrdiff_t>(begin)));
    const auto end = static_cast<std::int64_t>(begin + one->lines.size());
    if (one->stopped_by) {
      EXPECT_EQ(one->next_offset, end);
      EXPECT_LT(end, std::ssize(whole->lines));
    } else {
      EXPECT_EQ(end, std::ssize(whole->lines));
    }
  }
}

TEST_P(SearchFiles, a_large_file_is_searched_in_pieces_with_the_same_result) {
  std::mt19937 random(9);
  std::string text;
  while (text.size() < 3 * FileSearcher::kMaxBuffer) {
    const std::size_t length = random() % 50 == 0 ? random() % 100000 : random() % 60;
    text += std::string(length, 'h');
    if (random() % 40 == 0) text += "needle";
    text += random() % 10 == 0 ? "\r\n" : "\n";
  }
  write("large", text);
  for (const std::int64_t context : {0, 2, 50}) {
    SearchQuery query{.pattern = "needle$", .context = context};
    query.max_bytes = 1 << 30;
    const auto matcher = search::Matcher::compile(query);
    std::vector<search::LineHit> hits;
    matcher->find_lines(text, 1 << 30, hits);
    const auto result = search(query);
    ASSERT_THAT(result, IsOk());
    ASSERT_EQ(result->lines.size(), hits.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      ASSERT_EQ(result->lines[i], search::make_match(path("large"), text, hits[i], context)) << i;
    }
    EXPECT_EQ(result->bytes_searched, std::ssize(text));
  }
  EXPECT_EQ(
      search({.pattern = "needle$", .mode = Mode::count})->files,
      (std::vector<FileMatches>{{path("large"), search::Matcher::compile({.pattern = "needle$"})->count_lines(text)}}));
}

TEST_P(SearchFiles, a_line_longer_than_the_buffer_is_searched_in_pieces) {
  const std::size_t at = 2 * FileSearcher::kMaxBuffer + 1000;
  std::string text = "first\n" + std::string(at, 'h') + "needle\nneedle\n";
  write("long", text);
  const auto result = search({.pattern = "needle"});
  ASSERT_THAT(result, IsOk());
  ASSERT_EQ(result->lines.size(), 2U);
  EXPECT_EQ(result->lines[0].line, 2);
  EXPECT_EQ(result->lines[0].column, static_cast<std::int64_t>(at) + 1);
  EXPECT_EQ(result->lines[1].line, 3);
  EXPECT_EQ(result->lines[1].column, 1);
}

TEST_P(SearchFiles, C_SEARCH_3_a_pattern_of_many_states_ends_with_the_deadline) {
  // In short lines, in one long line, and in a piece for a multiline match.
  for (const std::uint32_t line_length : {1000U, 1'000'000U}) {
    std::string text;
    for (std::uint32_t i = 0, random = 1; i < 250'000; ++i) {
      random = random * 1664525 + 1013904223;
      text += i % line_length == line_length - 1 ? '\n' : "ab"[random >> 31];
    }
    write("a", text);
    for (const bool multiline : {false, true}) {
      const auto begin = Clock::now();
      const Call soon{.deadline = Deadline::after(std::chrono::milliseconds(50)), .stop = {}, .trace_id = {}};
      const auto result = search_with(2)->search(soon, {.pattern = "(a|aa|aaa)*[ab]{900}c", .multiline = multiline});
      ASSERT_THAT(result, IsOk());
      EXPECT_EQ(result->stopped_by, SearchBound::deadline);
      // Matching all of it takes seconds on a machine with nothing else to do.
      EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(1500));
    }
  }
}

TEST_P(SearchFiles, C_SEARCH_3_a_long_line_is_matched_whole_when_there_is_time) {
  const std::string line = std::string(100'000, 'x') + "needle" + std::string(100'000, 'y') + "end";
  write("a", line + "\n");
  const Call call{.deadline = Deadline::after(std::chrono::seconds(60)), .stop = {}, .trace_id = {}};
  const auto result = search_with(2)->search(call, {.pattern = "x{9}needle.*end$"});
  ASSERT_THAT(result, IsOk());
  ASSERT_EQ(result->lines.size(), 1U);
  EXPECT_EQ(result->lines[0].column, 99'992);
  EXPECT_EQ(result->lines[0].text, line);
  EXPECT_EQ(result->stopped_by, std::nullopt);
}

TEST_P(SearchFiles, multiline_matches_span_lines) {
  write("a", "one\ntwo\nthree\n");
  EXPECT_THAT(found({.pattern = "one\\ntwo", .multiline = true}), ElementsAre("a:1:1:one\ntwo"));
  EXPECT_THAT(found({.pattern = "one\\ntwo"}), IsEmpty());
}

TEST_P(SearchFiles, a_multiline_match_reaches_across_the_pieces_a_file_is_read_in) {
  const std::string text = std::string(FileSearcher::kPiece - 5, '\n') + "one\ntwo\n" +
                           std::string(FileSearcher::kPiece, '\n') + "one\ntwo\n";
  write("a", text);
  EXPECT_THAT(found({.pattern = "one\\ntwo", .multiline = true}),
              ElementsAre("a:262140:1:one\ntwo", "a:524286:1:one\ntwo"));
  write("a", std::string(5 * FileSearcher::kPiece * 4, '\n') + "one\ntwo\n");
  EXPECT_THAT(found({.pattern = "one\\ntwo", .multiline = true}), ElementsAre("a:5242881:1:one\ntwo"));
}

TEST_P(SearchFiles, C_ENV_2_a_root_that_was_deleted_is_gone) {
  const auto host = search_with(2);
  std::filesystem::remove_all(dir_.at("ws"));
  EXPECT_THAT(host->list(call_, {}), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(host->search(call_, {.pattern = "x"}), FailsWith(ErrorCode::environment_gone));
}

TEST_P(SearchFiles, leaves_no_descriptor_open) {
  for (int i = 0; i < 100; ++i) write("d" + std::to_string(i % 7) + "/" + std::to_string(i), "x\n");
  const auto before = testing::open_files();
  EXPECT_THAT(search({.pattern = "x"}), IsOk());
  EXPECT_THAT(search({.pattern = "x", .limit = 1}), IsOk());
  EXPECT_THAT(list({}), IsOk());
  EXPECT_EQ(testing::open_files(), before);
}

}  // namespace
}  // namespace berth::engine
