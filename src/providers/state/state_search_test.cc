#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "providers/state/document_walk.h"
#include "providers/state/provider.h"
#include "store/memory_store.h"
#include "testing/matchers.h"

namespace berth::state {
namespace {

using namespace std::chrono_literals;
using berth::testing::FailsWith;
using berth::testing::IsOk;

Path at(std::string_view text) { return parse_path(text, {}).value(); }

class StateSearchTest : public ::testing::Test {
 protected:
  void put(std::string_view path, BytesView content) {
    ASSERT_THAT(backend_->writes()->write(Call{}, at(path), content, {}), IsOk());
  }

  std::vector<std::string> list(const ListQuery& query) {
    std::vector<std::string> texts;
    const ListPage page = backend_->search()->list(Call{}, query).value();
    for (const Path& path : page.paths) texts.push_back(path.text());
    return texts;
  }

  SearchResult search(const SearchQuery& query) { return backend_->search()->search(Call{}, query).value(); }

  static std::vector<std::string> places(const SearchResult& result) {
    std::vector<std::string> texts;
    for (const auto& match : result.lines) texts.push_back(match.path.text() + ":" + std::to_string(match.line));
    for (const auto& file : result.files) texts.push_back(file.path.text() + "=" + std::to_string(file.matches));
    return texts;
  }

  std::unique_ptr<Backend> backend_ = [] {
    std::shared_ptr<store::DocumentStore> store = store::make_memory_store();
    auto backend = StateProvider(std::move(store)).create().value();
    EXPECT_THAT(backend->ensure(Call{}), IsOk());
    return backend;
  }();
};

using Strings = std::vector<std::string>;

TEST(WalkDocument, C_VAL_2_a_walk_that_finds_nothing_does_not_outlast_the_call) {
  Document document;
  const auto file = std::make_shared<const StoredFile>();
  for (int i = 0; i < 2'000; ++i) document.put_file("d/" + std::to_string(i), file);
  const Path base;
  const WalkFilter filter;
  const Call late{Deadline::after(0s), {}, {}};
  for (const char* text : {"d/*.txt", "**/*"}) {
    const auto pattern = PathPattern::compile(text, PatternGrammar::list, LeadingDots::matched).value();
    const DocumentWalk walk{base, pattern, filter};
    EXPECT_THAT(walk_document({}, document, walk, [](const auto&, const auto&) { return WalkOn::yes; }), IsOk());
    EXPECT_THAT(walk_document(late, document, walk, [](const auto&, const auto&) { return WalkOn::yes; }),
                FailsWith(ErrorCode::timed_out));
  }
}

TEST_F(StateSearchTest, C_LIST_1_lists_files_by_bytes_with_pages) {
  for (const char* path : {"b.txt", "a/x.txt", "a-b/x.txt", "a.txt", "a/deep/er/y.md", ".hidden/z.txt"}) put(path, "");
  EXPECT_EQ(list({}), (Strings{".hidden/z.txt", "a-b/x.txt", "a.txt", "a/deep/er/y.md", "a/x.txt", "b.txt"}));
  EXPECT_EQ(list({.pattern = "*/*.txt"}), (Strings{".hidden/z.txt", "a-b/x.txt", "a/x.txt"}));
  EXPECT_EQ(list({.pattern = "**/*", .base = at("a")}), (Strings{"a/deep/er/y.md", "a/x.txt"}));
  EXPECT_EQ(list({.filter = {.hidden = false}}), (Strings{"a-b/x.txt", "a.txt", "a/deep/er/y.md", "a/x.txt", "b.txt"}));

  ListQuery query{.limit = 4};
  const ListPage first = backend_->search()->list(Call{}, query).value();
  EXPECT_EQ(first.total, 6);
  EXPECT_TRUE(first.truncated);
  EXPECT_TRUE(first.complete);
  EXPECT_EQ(first.paths.size(), 4U);
  query.cursor = first.cursor;
  const ListPage second = backend_->search()->list(Call{}, query).value();
  EXPECT_EQ(second.paths, (std::vector<Path>{at("a/x.txt"), at("b.txt")}));
  EXPECT_EQ(second.total, 6);
  EXPECT_FALSE(second.truncated);
  EXPECT_EQ(second.cursor, "");
  query.pattern = "*";
  EXPECT_THAT(backend_->search()->list(Call{}, query), FailsWith(ErrorCode::invalid_argument));
}

TEST_F(StateSearchTest, C_LIST_1_refuses_bad_questions) {
  put("file", "");
  const auto fails = [&](const ListQuery& query) { return backend_->search()->list(Call{}, query); };
  EXPECT_THAT(fails({.pattern = "[z-a]"}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(fails({.limit = 0}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(fails({.cursor = "not one"}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(fails({.base = at("none")}), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(fails({.base = at("file")}), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(fails({.base = at("file/x")}), FailsWith(ErrorCode::not_a_directory));
}

TEST_F(StateSearchTest, C_LIST_2_globs) {
  for (const char* path : {"src/a.py", "src/lib/b.py", "src/.c.py", ".github/d.py"}) put(path, "");
  const WalkFilter tool{.hidden = false, .ignored = false};
  const auto glob = [&](const char* pattern) {
    return list({.pattern = pattern, .grammar = PatternGrammar::glob, .filter = tool});
  };
  EXPECT_EQ(glob("src/**/*.py"), (Strings{"src/a.py", "src/lib/b.py"}));
  EXPECT_EQ(glob("src/{a,c}.py"), (Strings{"src/a.py"}));
  EXPECT_EQ(glob(".github/*"), (Strings{".github/d.py"}));
  EXPECT_EQ(glob("src/.*.py"), (Strings{"src/.c.py"}));
}

TEST_F(StateSearchTest, C_SEARCH_2_honours_ignore_files) {
  put(".gitignore", "*.log\nbuild/\n/only-top\n");
  put(".git/config", "");
  put(".git/info/exclude", "secret*\n");
  put("a.log", "");
  put("build/x", "");
  put("only-top", "");
  put("sub/only-top", "");
  put("sub/.gitignore", "!keep.log\n");
  put("sub/keep.log", "");
  put("sub/other.log", "");
  put("sub/.ignore", "tmp\n");
  put("sub/tmp/x", "");
  put("secret.txt", "");
  const WalkFilter filter{.hidden = true, .ignored = false};
  EXPECT_EQ(list({.filter = filter}),
            (Strings{".gitignore", "sub/.gitignore", "sub/.ignore", "sub/keep.log", "sub/only-top"}));
  EXPECT_EQ(list({.base = at("sub"), .filter = filter}),
            (Strings{"sub/.gitignore", "sub/.ignore", "sub/keep.log", "sub/only-top"}));
  EXPECT_EQ(list({.base = at("build"), .filter = filter}), (Strings{"build/x"}));
}

class LeavesOutPrivate final : public PathFilter {
 public:
  bool leaves_out(std::string_view path) const override { return path.find("private") != std::string_view::npos; }
};

TEST_F(StateSearchTest, a_policy_leaves_out_files_and_directories) {
  put("private/x", "needle");
  put("a/private", "needle");
  put("a/x", "needle");
  const LeavesOutPrivate filter;
  const ListPage page = backend_->search()->list(Call{}, {.filter_out = &filter}).value();
  EXPECT_EQ(page.paths, std::vector<Path>{at("a/x")});
  EXPECT_EQ(page.total, 1);
  EXPECT_EQ(places(search({.pattern = "needle", .filter_out = &filter})), Strings{"a/x:1"});
  EXPECT_THAT(backend_->search()->list(Call{}, {.base = at("private"), .filter_out = &filter}),
              FailsWith(ErrorCode::not_found));
  EXPECT_THAT(backend_->search()->search(Call{}, {.pattern = "x", .base = at("a/private"), .filter_out = &filter}),
              FailsWith(ErrorCode::not_found));
}

TEST_F(StateSearchTest, C_SEARCH_1_finds_lines_files_and_counts) {
  put("a.txt", "one needle\ntwo\nneedle needle\n");
  put("b/c.md", "x\nneedle\ny\n");
  put("binary", BytesView("needle\0", 7));
  put(".hidden", "needle");
  EXPECT_EQ(places(search({.pattern = "needle"})), (Strings{"a.txt:1", "a.txt:3", "b/c.md:2"}));
  EXPECT_EQ(places(search({.pattern = "needle", .mode = SearchQuery::Mode::files})), (Strings{"a.txt=1", "b/c.md=1"}));
  EXPECT_EQ(places(search({.pattern = "needle", .mode = SearchQuery::Mode::count})), (Strings{"a.txt=2", "b/c.md=1"}));
  EXPECT_EQ(places(search({.pattern = "needle", .glob = "*.md"})), Strings{"b/c.md:2"});
  EXPECT_EQ(places(search({.pattern = "needle", .glob = "b/*"})), Strings{"b/c.md:2"});
  EXPECT_EQ(places(search({.pattern = "needle", .base = at("b")})), Strings{"b/c.md:2"});
  EXPECT_EQ(places(search({.pattern = "needle", .base = at(".hidden")})), Strings{".hidden:1"});
  const SearchResult result = search({.pattern = "needle", .base = at("b"), .context = 1});
  EXPECT_EQ(result.lines, (std::vector<SearchMatch>{{at("b/c.md"), 2, 1, "needle", {"x"}, {"y"}}}));
  EXPECT_EQ(search({.pattern = "needle"}).files_binary, 1);
  EXPECT_EQ(search({.pattern = "needle"}).files_searched, 2);
  EXPECT_THAT(backend_->search()->search(Call{}, {.pattern = "("}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(backend_->search()->search(Call{}, {.pattern = "x", .base = at("none")}),
              FailsWith(ErrorCode::not_found));
}

TEST_F(StateSearchTest, C_SEARCH_3_says_which_bound_was_hit) {
  put("a", "needle\nneedle\nneedle\n");
  put("b", "needle\n");
  const SearchResult page = search({.pattern = "needle", .limit = 2});
  EXPECT_EQ(places(page), (Strings{"a:1", "a:2"}));
  EXPECT_EQ(page.stopped_by, SearchBound::results);
  EXPECT_EQ(page.next_offset, 2);
  const SearchResult rest = search({.pattern = "needle", .limit = 2, .offset = 2});
  EXPECT_EQ(places(rest), (Strings{"a:3", "b:1"}));
  EXPECT_EQ(rest.stopped_by, std::nullopt);
  EXPECT_EQ(rest.next_offset, std::nullopt);
  EXPECT_EQ(search({.pattern = "needle", .max_files = 1}).stopped_by, SearchBound::files);
  const SearchResult small = search({.pattern = "needle", .max_bytes = 13});
  EXPECT_EQ(places(small), (Strings{"a:1", "a:2"}));
  EXPECT_EQ(small.stopped_by, SearchBound::bytes);
  EXPECT_EQ(small.next_offset, 2);
  EXPECT_EQ(places(search({.pattern = "needle", .max_bytes = 1})), Strings{"a:1"});
  EXPECT_EQ(search({.pattern = "needle", .offset = 4}).lines.size(), 0U);
}

TEST_F(StateSearchTest, C_SEARCH_3_keeps_what_was_found_until_the_deadline) {
  put("a", "needle\n");
  const Call late{.deadline = Deadline::after(0ms)};
  const SearchResult result = backend_->search()->search(late, {.pattern = "needle"}).value();
  EXPECT_EQ(result.stopped_by, SearchBound::deadline);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(backend_->search()->search(Call{.stop = stop.get_token()}, {.pattern = "needle"}),
              FailsWith(ErrorCode::cancelled));
  EXPECT_THAT(backend_->search()->list(late, {}), FailsWith(ErrorCode::timed_out));
}

TEST_F(StateSearchTest, C_SEARCH_3_a_pattern_of_many_states_ends_with_the_deadline) {
  for (const std::uint32_t line_length : {1000U, 1'000'000U}) {
    std::string text;
    for (std::uint32_t i = 0, random = 1; i < 250'000; ++i) {
      random = random * 1664525 + 1013904223;
      text += i % line_length == line_length - 1 ? '\n' : "ab"[random >> 31];
    }
    put("a", text);
    for (const auto& base : {at("."), at("a")}) {
      const auto begin = Clock::now();
      const Call soon{.deadline = Deadline::after(50ms), .stop = {}, .trace_id = {}};
      const auto result = backend_->search()->search(soon, {.pattern = "(a|aa|aaa)*[ab]{900}c", .base = base});
      ASSERT_THAT(result, IsOk());
      EXPECT_EQ(result->stopped_by, SearchBound::deadline);
      EXPECT_LT(Clock::now() - begin, 1500ms);
    }
  }
}

TEST_F(StateSearchTest, C_SEARCH_1_lines_far_into_a_file_have_their_numbers) {
  std::string text;
  for (int i = 1; i <= 5000; ++i) text += i % 1000 == 0 ? "  needle\n" : "some other line\n";
  put("a", text + "needle");
  EXPECT_EQ(places(search({.pattern = "ne+dle"})),
            (Strings{"a:1000", "a:2000", "a:3000", "a:4000", "a:5000", "a:5001"}));
  EXPECT_EQ(search({.pattern = "ne+dle", .context = 1}).lines.at(4), (SearchMatch{.path = at("a"),
                                                                                  .line = 5000,
                                                                                  .column = 3,
                                                                                  .text = "  needle",
                                                                                  .before = {"some other line"},
                                                                                  .after = {"needle"}}));
  EXPECT_EQ(places(search({.pattern = "ne+dle", .mode = SearchQuery::Mode::count})), Strings{"a=6"});
}

}  // namespace
}  // namespace berth::state
