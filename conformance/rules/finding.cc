#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "conformance/rules.h"
#include "testing/cases.h"

namespace berth::conformance {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;

BERTH_CHAPTER(Finding);
BERTH_HOST_CHAPTER(FindingOnHost);

SearchQuery pattern(std::string text) {
  SearchQuery query;
  query.pattern = std::move(text);
  return query;
}

TEST_P(Finding, C_LIST_1_every_row_of_the_pattern_table) {
  const auto table = nlohmann::json::parse(testing::read_cases("list_patterns.json"));
  for (const auto& row : table["rows"]) {
    const auto glob = row["pattern"].get<std::string>();
    SCOPED_TRACE("pattern " + glob);
    if (row.contains("error") || row["match"].is_string()) {
      const auto code = try_error_code((row.contains("error") ? row["error"] : row["match"]).get<std::string>());
      ASSERT_TRUE(code.has_value());
      EXPECT_THAT(workspace().list(soon(), glob), FailsWith(*code));
      continue;
    }
    const auto path = row["path"].get<std::string>();
    // A table row may use one name as a file and as a directory, so each has its own environment.
    const auto fresh = subject().make();
    fresh->put(path, "x");
    const auto listed = fresh->open()->list(soon(), glob);
    ASSERT_THAT(listed, IsOk());
    const std::vector<std::string> expected = row["match"].get<bool>() ? std::vector{path} : std::vector<std::string>{};
    EXPECT_EQ(texts(listed->paths), expected) << path;
    EXPECT_EQ(listed->total, static_cast<std::int64_t>(expected.size()));
  }
}

TEST_P(Finding, C_LIST_1_files_only_sorted_by_bytes_with_an_exact_total) {
  for (const std::string_view path : {"b", "a/z", "a/B", "a.b", "a-b", "\xc3\xa9", ".hidden/x", "Z"}) put(path, "x");
  if (can_write()) {
    ASSERT_THAT(workspace().make_directory(soon(), "empty/below"), IsOk());
  }
  const auto listed = workspace().list(soon());
  ASSERT_THAT(listed, IsOk());
  EXPECT_THAT(texts(listed->paths), ElementsAre(".hidden/x", "Z", "a-b", "a.b", "a/B", "a/z", "b", "\xc3\xa9"));
  EXPECT_EQ(listed->total, 8);
  EXPECT_FALSE(listed->truncated);
  EXPECT_TRUE(listed->complete);
}

TEST_P(Finding, C_LIST_1_pages_put_together_are_the_list) {
  for (int i = 0; i < 57; ++i) put("d" + std::to_string(i % 5) + "/f" + std::to_string(i), "x");
  const auto whole = workspace().list(soon());
  ASSERT_THAT(whole, IsOk());
  ASSERT_EQ(whole->paths.size(), 57u);
  std::vector<Path> together;
  ListOptions options;
  options.limit = 10;
  for (int page = 0; page < 6; ++page) {
    const auto part = workspace().list(soon(), "**/*", options);
    ASSERT_THAT(part, IsOk());
    EXPECT_EQ(part->total, 57);
    EXPECT_EQ(part->truncated, page < 5);
    EXPECT_EQ(part->cursor.empty(), page == 5);
    together.insert(together.end(), part->paths.begin(), part->paths.end());
    options.cursor = part->cursor;
  }
  EXPECT_EQ(together, whole->paths);
}

TEST_P(Finding, C_LIST_1_a_limit_or_cursor_that_makes_no_sense_is_invalid_argument) {
  put("file", "x");
  for (const std::int64_t limit : {0, -1}) {
    ListOptions options;
    options.limit = limit;
    EXPECT_THAT(workspace().list(soon(), "**/*", options), FailsWith(ErrorCode::invalid_argument)) << limit;
  }
}

TEST_P(Finding, C_LIST_1_matching_is_linear_whatever_the_pattern) {
  put(std::string(200, 'a'), "x");
  std::string hard;
  for (int i = 0; i < 100; ++i) hard += "*a";
  Call call;
  call.deadline = Deadline::after(std::chrono::seconds(5));
  const auto listed = workspace().list(call, hard + "b");
  ASSERT_THAT(listed, IsOk());
  EXPECT_THAT(listed->paths, IsEmpty());
}

TEST_P(Finding, C_LIST_2_braces_expand_and_double_stars_match_no_directory) {
  for (const std::string_view path : {"a.cc", "a.h", "src/b.cc", "src/deep/c.h", "src/d.py", ".dot/e.cc", "src/.f.cc"})
    put(path, "x");
  const auto found = [this](std::string_view glob, std::string_view path = ".") {
    const auto page = workspace().glob(soon(), glob, path);
    EXPECT_THAT(page, IsOk()) << glob;
    return page ? texts(page->paths) : std::vector<std::string>{};
  };
  EXPECT_THAT(found("**/*.{cc,h}"), ElementsAre("a.cc", "a.h", "src/b.cc", "src/deep/c.h"));
  EXPECT_THAT(found("src/**/*.h"), ElementsAre("src/deep/c.h"));
  EXPECT_THAT(found("src/**/b.cc"), ElementsAre("src/b.cc"));
  EXPECT_THAT(found("*.cc", "src"), ElementsAre("src/b.cc"));
  EXPECT_THAT(found("**/.*.cc"), ElementsAre("src/.f.cc"));
  EXPECT_THAT(found(".dot/*"), ElementsAre(".dot/e.cc"));
  EXPECT_THAT(workspace().glob(soon(), "*", "absent"), FailsWith(ErrorCode::not_found));
}

TEST_P(Finding, C_LIST_2_ignore_files_are_honoured_unless_asked_not_to) {
  put(".gitignore", "build/\n*.log\n!keep.log\n");
  put("build/out.o", "x");
  put("a.log", "x");
  put("keep.log", "x");
  put("src/a.cc", "x");
  const auto page = workspace().glob(soon(), "**/*");
  ASSERT_THAT(page, IsOk());
  EXPECT_THAT(texts(page->paths), ElementsAre("keep.log", "src/a.cc"));
  ListOptions everything;
  const auto all = workspace().glob(soon(), "**/*", ".", everything);
  ASSERT_THAT(all, IsOk());
  EXPECT_THAT(texts(all->paths), ElementsAre(".gitignore", "a.log", "build/out.o", "keep.log", "src/a.cc"));
}

TEST_P(FindingOnHost, C_LIST_2_no_directory_link_is_ever_entered) {
  put("d/file", "needle\n");
  host().make_link("to-d", "d");
  host().make_link("d/up", "..");
  host().make_link("out", host().outside());
  const auto listed = workspace().list(soon());
  ASSERT_THAT(listed, IsOk());
  EXPECT_THAT(texts(listed->paths), ElementsAre("d/file"));
  const auto globbed = workspace().glob(soon(), "**/*");
  ASSERT_THAT(globbed, IsOk());
  EXPECT_THAT(texts(globbed->paths), ElementsAre("d/file"));
  const auto found = workspace().search(soon(), ".", pattern("needle|SECRET"));
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->lines.size(), 1u);
}

TEST_P(FindingOnHost, C_LIST_2_a_directory_that_cannot_be_read_is_named) {
  put("open/file", "x");
  put("closed/file", "x");
  host().chmod("closed", 0);
  Result<ListPage> listed = Error{};
  Result<SearchResult> found = Error{};
  {
    const Unprivileged user;
    const auto handle = environment().open();
    listed = handle->list(soon());
    found = handle->search(soon(), ".", pattern("x"));
  }
  host().chmod("closed", 0755);
  ASSERT_THAT(listed, IsOk());
  EXPECT_THAT(texts(listed->paths), ElementsAre("open/file"));
  EXPECT_FALSE(listed->complete);
  ASSERT_EQ(listed->unreadable.size(), 1u);
  EXPECT_EQ(listed->unreadable.front().path.text(), "closed");
  EXPECT_EQ(listed->unreadable.front().code, ErrorCode::permission_denied);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->lines.size(), 1u);
  ASSERT_EQ(found->unreadable.size(), 1u);
  EXPECT_EQ(found->unreadable.front().path.text(), "closed");
}

TEST_P(Finding, C_SEARCH_1_results_are_records) {
  put("src/a.cc", "int one;\nint two; int two;\n\tlast two");
  put("src/b.cc", "nothing\n");
  put("c.h", "two\r\n");
  const auto found = workspace().search(soon(), ".", pattern("t[w]o"));
  ASSERT_THAT(found, IsOk());
  ASSERT_EQ(found->lines.size(), 3u);
  const auto record = [](const SearchMatch& match) {
    return match.path.text() + ":" + std::to_string(match.line) + ":" + std::to_string(match.column) + ":" + match.text;
  };
  EXPECT_EQ(record(found->lines[0]), "c.h:1:1:two\r");
  EXPECT_EQ(record(found->lines[1]), "src/a.cc:2:5:int two; int two;");
  EXPECT_EQ(record(found->lines[2]), "src/a.cc:3:7:\tlast two");
  EXPECT_EQ(found->files_searched, 3);
  EXPECT_EQ(found->stopped_by, std::nullopt);
}

TEST_P(Finding, C_SEARCH_1_options) {
  put("a.txt", "Word words\nfoo.bar\nfooXbar\n");
  put("b.md", "word\n");
  const auto lines = [this](SearchQuery query) {
    const auto found = workspace().search(soon(), ".", std::move(query));
    EXPECT_THAT(found, IsOk());
    std::vector<std::string> seen;
    if (found) {
      for (const SearchMatch& match : found->lines)
        seen.push_back(match.path.text() + ":" + std::to_string(match.line));
    }
    return seen;
  };
  SearchQuery query = pattern("foo.bar");
  EXPECT_THAT(lines(query), ElementsAre("a.txt:2", "a.txt:3"));
  query.literal = true;
  EXPECT_THAT(lines(query), ElementsAre("a.txt:2"));
  query = pattern("WORD");
  EXPECT_THAT(lines(query), IsEmpty());
  query.ignore_case = true;
  EXPECT_THAT(lines(query), ElementsAre("a.txt:1", "b.md:1"));
  query = pattern("words?");
  query.word = true;
  EXPECT_THAT(lines(query), ElementsAre("a.txt:1", "b.md:1"));
  query.glob = "*.md";
  EXPECT_THAT(lines(query), ElementsAre("b.md:1"));
  query = pattern("words\\nfoo");
  EXPECT_THAT(lines(query), IsEmpty());
  query.multiline = true;
  EXPECT_THAT(lines(query), ElementsAre("a.txt:1"));
}

TEST_P(Finding, C_SEARCH_1_modes_context_and_pages) {
  put("a", "x\n1\nx\n2\n");
  put("b", "x\n");
  SearchQuery files = pattern("x");
  files.mode = SearchQuery::Mode::files;
  const auto which = workspace().search(soon(), ".", files);
  ASSERT_THAT(which, IsOk());
  ASSERT_EQ(which->files.size(), 2u);
  EXPECT_EQ(which->files[0].path.text(), "a");
  SearchQuery count = pattern("x");
  count.mode = SearchQuery::Mode::count;
  const auto counted = workspace().search(soon(), ".", count);
  ASSERT_THAT(counted, IsOk());
  ASSERT_EQ(counted->files.size(), 2u);
  EXPECT_EQ(counted->files[0].matches, 2);
  EXPECT_EQ(counted->files[1].matches, 1);

  SearchQuery context = pattern("1");
  context.context = 1;
  const auto around = workspace().search(soon(), "a", context);
  ASSERT_THAT(around, IsOk());
  ASSERT_EQ(around->lines.size(), 1u);
  EXPECT_THAT(around->lines[0].before, ElementsAre("x"));
  EXPECT_THAT(around->lines[0].after, ElementsAre("x"));

  SearchQuery first = pattern("x");
  first.limit = 2;
  const auto page = workspace().search(soon(), ".", first);
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->lines.size(), 2u);
  EXPECT_EQ(page->stopped_by, SearchBound::results);
  ASSERT_EQ(page->next_offset, 2);
  first.offset = 2;
  const auto rest = workspace().search(soon(), ".", first);
  ASSERT_THAT(rest, IsOk());
  ASSERT_EQ(rest->lines.size(), 1u);
  EXPECT_EQ(rest->lines[0].path.text(), "b");
  EXPECT_EQ(rest->next_offset, std::nullopt);
}

TEST_P(Finding, C_SEARCH_1_binary_files_are_skipped_and_counted) {
  put("binary", Bytes("needle\0needle", 13));
  put("text", "needle\n");
  const auto found = workspace().search(soon(), ".", pattern("needle"));
  ASSERT_THAT(found, IsOk());
  ASSERT_EQ(found->lines.size(), 1u);
  EXPECT_EQ(found->lines[0].path.text(), "text");
  EXPECT_EQ(found->files_binary, 1);
}

TEST_P(FindingOnHost, C_SEARCH_1_an_unreadable_file_is_reported_not_passed_over) {
  put("file", "needle\n");
  put("locked", "needle\n");
  host().chmod("locked", 0);
  Result<SearchResult> found = Error{};
  {
    const Unprivileged user;
    const auto handle = environment().open();
    found = handle->search(soon(), ".", pattern("needle"));
  }
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->lines.size(), 1u);
  ASSERT_EQ(found->unreadable.size(), 1u);
  EXPECT_EQ(found->unreadable.front().path.text(), "locked");
}

TEST_P(Finding, C_SEARCH_1_a_bad_pattern_or_path_is_refused) {
  put("file", "x");
  EXPECT_THAT(workspace().search(soon(), ".", pattern("(")), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace().search(soon(), ".", pattern("(?P<n>a)\\1")), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(workspace().search(soon(), "absent", pattern("x")), FailsWith(ErrorCode::not_found));
  SearchQuery query = pattern("x");
  query.limit = 0;
  EXPECT_THAT(workspace().search(soon(), ".", query), FailsWith(ErrorCode::invalid_argument));
}

TEST_P(Finding, C_SEARCH_2_ignore_rules_are_gits) {
  put(".gitignore", "*.log\n/anchored\ndir/\n!important.log\n\\#odd\n");
  put("sub/.gitignore", "!b.log\nlocal\n");
  put(".ignore", "private.txt\n");
  for (const std::string_view path :
       {"a.log", "important.log", "sub/b.log", "sub/c.log", "anchored", "sub/anchored", "dir/x", "sub/dir/x",
        "sub/local", "local", "#odd", "private.txt", "file", "dirx"}) {
    put(path, "needle\n");
  }
  SearchQuery query = pattern("needle");
  query.mode = SearchQuery::Mode::files;
  const auto found = workspace().search(soon(), ".", query);
  ASSERT_THAT(found, IsOk());
  std::vector<std::string> seen;
  for (const FileMatches& file : found->files) seen.push_back(file.path.text());
  EXPECT_THAT(seen, ElementsAre("dirx", "file", "important.log", "local", "sub/anchored", "sub/b.log"));
  query.filter = {.hidden = false, .ignored = true};
  const auto all = workspace().search(soon(), ".", query);
  ASSERT_THAT(all, IsOk());
  EXPECT_EQ(all->files.size(), 14u);
}

TEST_P(Finding, C_SEARCH_3_a_bound_keeps_what_was_found_and_is_named) {
  for (int i = 0; i < 20; ++i) put("f" + std::to_string(100 + i), Bytes(50, 'x') + "\n");
  SearchQuery files = pattern("x");
  files.max_files = 5;
  const auto some = workspace().search(soon(), ".", files);
  ASSERT_THAT(some, IsOk());
  EXPECT_EQ(some->stopped_by, SearchBound::files);
  EXPECT_EQ(some->lines.size(), 5u);
  SearchQuery bytes = pattern("x");
  bytes.max_bytes = 200;
  const auto few = workspace().search(soon(), ".", bytes);
  ASSERT_THAT(few, IsOk());
  EXPECT_EQ(few->stopped_by, SearchBound::bytes);
  EXPECT_GE(few->lines.size(), 1u);
  EXPECT_LE(few->lines.size(), 4u);
}

TEST_P(Finding, C_SEARCH_3_a_pattern_that_looks_like_an_option_is_a_pattern) {
  put("file", "--pre=/bin/false\n-e\n");
  for (const std::string_view text : {"--pre=/bin/false", "-e", "-f/etc/passwd"}) {
    const auto found = workspace().search(soon(), ".", pattern(std::string(text)));
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(found->lines.size(), text.starts_with("-f") ? 0u : 1u) << text;
  }
}

}  // namespace
}  // namespace berth::conformance
