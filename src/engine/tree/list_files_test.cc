#include <sys/resource.h>
#include <sys/syscall.h>

#include <filesystem>
#include <random>
#include <thread>

#include "base/base64.h"
#include "engine/tree/tree_fixture.h"
#include "testing/open_files.h"

namespace berth::engine {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class ListFiles : public TreeTest {};
INSTANTIATE_TEST_SUITE_P(, ListFiles, ::testing::Values(Way::kernel, Way::walk), way_name);

TEST_P(ListFiles, C_LIST_1_gives_files_only_sorted_by_bytes) {
  for (const char* name : {"b", "a/c", "a.txt", "a-b", "a/b/c", ".h/x", "a0"}) write(name);
  dir_.make_directory("ws/empty");
  EXPECT_THAT(listed({}), ElementsAre(".h/x", "a-b", "a.txt", "a/b/c", "a/c", "a0", "b"));
  EXPECT_THAT(listed({.pattern = "a*"}), ElementsAre("a-b", "a.txt", "a0"));
  EXPECT_THAT(listed({.pattern = "a/**"}), ElementsAre("a/b/c", "a/c"));
}

TEST_P(ListFiles, C_LIST_2_links_to_files_inside_are_files_and_no_other_link_is) {
  dir_.write("out/secret", "");
  write("real/file");
  link("to_file", "real/file");
  link("to_directory", "real");
  link("dangling", "nothing");
  link("loop", "loop");
  link("to_outside_file", "../out/secret");
  link("to_outside_directory", "../out");
  link("absolute_outside", dir_.at("out/secret"));
  ASSERT_EQ(::mkfifo(dir_.at("ws/fifo").c_str(), 0600), 0);
  EXPECT_THAT(listed({}), ElementsAre("real/file", "to_file"));
}

TEST_P(ListFiles, hidden_names_are_passed_over_unless_the_pattern_names_them) {
  for (const char* name : {"a", ".b", ".c/d", "e/.f"}) write(name);
  const WalkFilter visible{.hidden = false, .ignored = true};
  EXPECT_THAT(listed({.filter = visible}), ElementsAre("a"));
  EXPECT_THAT(listed({.pattern = ".c/*", .filter = visible}), ElementsAre(".c/d"));
  EXPECT_THAT(listed({.pattern = "**/.*", .filter = visible}), ElementsAre(".b", "e/.f"));
  EXPECT_THAT(listed({.pattern = "**/{a,d}", .grammar = PatternGrammar::glob}), ElementsAre(".c/d", "a"));
}

TEST_P(ListFiles, C_SEARCH_2_ignore_rules_are_read_on_the_way_and_git_itself_is_skipped) {
  write(".git/info/exclude", "excluded\n");
  write(".gitignore", "*.log\nbuild/\n");
  write(".ignore", "!keep.log\n");
  write("sub/.gitignore", "/local\n");
  for (const char* name :
       {"a.log", "keep.log", "excluded", "build/x", "sub/local", "sub/deep/local", "sub/b.log", "code"})
    write(name);
  const WalkFilter tidy{.hidden = false, .ignored = false};
  EXPECT_THAT(listed({.filter = tidy}), ElementsAre("code", "keep.log", "sub/deep/local"));
  // The rules above a base hold below it.
  EXPECT_THAT(listed({.base = path("sub"), .filter = tidy}), ElementsAre("sub/deep/local"));
  EXPECT_THAT(listed({.filter = {.hidden = true, .ignored = false}}),
              ElementsAre(".gitignore", ".ignore", "code", "keep.log", "sub/.gitignore", "sub/deep/local"));
}

TEST_P(ListFiles, an_ignore_file_that_is_a_link_or_a_pipe_has_no_rules) {
  dir_.write("out/rules", "*\n");
  write("a");
  write("sub/b");
  link(".gitignore", "../out/rules");
  ASSERT_EQ(::mkfifo(dir_.at("ws/sub/.gitignore").c_str(), 0600), 0);
  EXPECT_THAT(listed({.filter = {.hidden = false, .ignored = false}}), ElementsAre("a", "sub/b"));
}

TEST_P(ListFiles, the_pattern_is_matched_below_the_base) {
  for (const char* name : {"a/b/x.c", "a/x.c", "x.c", "a/b/y.h"}) write(name);
  EXPECT_THAT(listed({.pattern = "*.c", .base = path("a")}), ElementsAre("a/x.c"));
  EXPECT_THAT(listed({.pattern = "**/*.c", .base = path("a")}), ElementsAre("a/b/x.c", "a/x.c"));
  EXPECT_THAT(list({.base = path("missing")}), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(list({.base = path("x.c")}), FailsWith(ErrorCode::not_a_directory));
  dir_.make_directory("out");
  link("out", "../out");
  EXPECT_THAT(list({.base = path("out")}), FailsWith(ErrorCode::path_escape));
}

TEST_P(ListFiles, what_a_policy_leaves_out_is_neither_listed_nor_counted_nor_entered) {
  for (const char* name : {"a/x", "b/x", "c"}) write(name);
  const NamedOut filter({"a", "c"});
  EXPECT_THAT(listed({.filter_out = &filter}), ElementsAre("b/x"));
  EXPECT_THAT(list({.base = path("a"), .filter_out = &filter}), FailsWith(ErrorCode::not_found));
}

TEST_P(ListFiles, C_WRITE_1_our_own_temporary_files_never_show) {
  write(".berth-tmp-0123456789abcdef0123456789abcdef");
  write(".berth-tmp-other");
  EXPECT_THAT(listed({}), ElementsAre(".berth-tmp-other"));
  EXPECT_THAT(listed({.pattern = ".berth-tmp-*"}), ElementsAre(".berth-tmp-other"));
}

TEST_P(ListFiles, C_PATH_7_names_that_are_not_utf8_are_listed) {
  write("caf\xE9");
  write("d\xFF/x");
  EXPECT_THAT(listed({}), ElementsAre("caf\xE9", "d\xFF/x"));
}

TEST_P(ListFiles, bad_arguments_are_refused) {
  EXPECT_THAT(list({.pattern = "../*"}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(list({.limit = 0}), FailsWith(ErrorCode::invalid_argument));
}

TEST_P(ListFiles, a_cursor_that_was_altered_or_belongs_to_another_query_is_refused) {
  for (const char* name : {"a", "b", "c"}) write(name);
  const auto page = list({.limit = 1});
  ASSERT_THAT(page, IsOk());
  ASSERT_TRUE(page->truncated);
  EXPECT_THAT(list({.limit = 2, .cursor = page->cursor}), IsOk());
  EXPECT_THAT(list({.pattern = "*", .cursor = page->cursor}), FailsWith(ErrorCode::invalid_argument));
  for (const std::string& cursor :
       {std::string("x"), page->cursor + "A", encode_base64("0123456789ab/etc"), std::string("=")}) {
    EXPECT_THAT(list({.cursor = cursor}), FailsWith(ErrorCode::invalid_argument)) << cursor;
  }
  for (std::size_t i = 0; i < page->cursor.size(); ++i) {
    std::string altered = page->cursor;
    altered[i] = altered[i] == 'A' ? 'B' : 'A';
    EXPECT_THAT(list({.cursor = altered}), FailsWith(ErrorCode::invalid_argument)) << altered;
  }
}

TEST_P(ListFiles, C_VAL_2_a_call_that_ended_is_an_error) {
  write("a");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(search_with(2)->list({.stop = stop.get_token()}, {}), FailsWith(ErrorCode::cancelled));
  EXPECT_THAT(search_with(2)->list({.deadline = Deadline::after({})}, {}), FailsWith(ErrorCode::timed_out));
}

TEST_P(ListFiles, a_directory_that_cannot_be_read_is_named_and_the_page_is_not_complete) {
  write("open/a");
  write("shut/b");
  ::chmod(dir_.at("ws/shut").c_str(), 0700);
  const int outcome = as_nobody([&] {
    const auto page = list({});
    return page && !page->complete && names(page->paths) == std::vector<std::string>{"open/a"} && page->total == 1 &&
                   page->unreadable == std::vector<Unreadable>{{path("shut"), ErrorCode::permission_denied}}
               ? 0
               : 1;
  });
  EXPECT_EQ(outcome, 0);
}

TEST_P(ListFiles, a_path_that_would_be_too_long_makes_the_page_incomplete) {
  const std::string name(250, 'n');
  os::Fd at(::open(dir_.at("ws").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < 17; ++i) {
    os::Fd(::openat(at.get(), "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0700), 0);
    at.reset(::openat(at.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  const auto page = list({});
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->total, 17);
  EXPECT_FALSE(page->complete);
  ASSERT_EQ(page->unreadable.size(), 1U);
  EXPECT_EQ(page->unreadable[0].code, ErrorCode::name_too_long);
}

TEST_P(ListFiles, a_deep_tree_needs_few_descriptors) {
  // Two directories and a file in each level, so that every level waits for the one below it.
  std::string at = "ws";
  constexpr int kDepth = 150;
  for (int i = 0; i < kDepth; ++i) {
    dir_.write(at + "/a/x", "needle");
    dir_.write(at + "/z/x", "needle");
    at += "/m";
  }
  const auto before = testing::open_files();
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit low{.rlim_cur = before + 110, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  const auto page = list({});
  const auto result =
      search({.pattern = "needle", .mode = SearchQuery::Mode::files, .filter = {.hidden = true, .ignored = true}});
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  ASSERT_THAT(page, IsOk());
  EXPECT_TRUE(page->complete);
  EXPECT_EQ(page->total, 2 * kDepth);
  ASSERT_THAT(result, IsOk());
  for (const auto& one : result->unreadable)
    ADD_FAILURE() << one.path.text().size() << " " << error_info(one.code).name;
  EXPECT_EQ(result->files_searched, 2 * kDepth);
  EXPECT_EQ(testing::open_files(), before);
}

std::vector<std::string> make_random_tree(const testing::TempDir& dir, std::mt19937& random) {
  const std::vector<std::string> pieces{"a", "b", "a-", "a.", "a0", "ab", "abcdefgh", "abcdefgh-", "abcdefghi", "z"};
  std::vector<std::string> files;
  for (int i = 0; i < 300; ++i) {
    std::string file;
    for (std::size_t depth = random() % 5; depth > 0; --depth) file += pieces[random() % pieces.size()] + "/";
    file += pieces[random() % pieces.size()] + "f" + std::to_string(random() % 50);
    dir.write("ws/" + file, "x");
    files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

TEST_P(ListFiles, pages_put_together_are_the_whole_for_any_number_of_threads) {
  std::mt19937 random(5);
  const auto files = make_random_tree(dir_, random);
  for (const int threads : {1, 2, 8}) {
    EXPECT_EQ(names(list({}, threads)->paths), files);
    for (const std::int64_t limit : {1, 7, 64, 299, 1000}) {
      if (limit == 1 && threads != 2) continue;
      std::vector<std::string> together;
      std::string cursor;
      do {
        const auto page = list({.limit = limit, .cursor = cursor}, threads);
        ASSERT_THAT(page, IsOk());
        EXPECT_EQ(page->total, std::ssize(files));
        EXPECT_LE(std::ssize(page->paths), limit);
        EXPECT_EQ(page->truncated, !page->cursor.empty());
        for (auto& name : names(page->paths)) together.push_back(std::move(name));
        cursor = page->cursor;
      } while (!cursor.empty());
      EXPECT_EQ(together, files) << limit;
    }
  }
}

TEST_P(ListFiles, C_VAL_2_a_directory_under_many_ignore_rules_is_left_at_the_deadline) {
  std::string rules;
  for (int i = 0; i < 80'000; ++i) rules += "*a" + std::to_string(i) + "*b?\n";
  write(".gitignore", rules);
  for (int i = 0; i < 400; ++i) write("aaaaaaaaaaaaaaaaaaaa" + std::to_string(i));
  const Call soon{.deadline = Deadline::after(std::chrono::milliseconds(200)), .stop = {}, .trace_id = {}};
  EXPECT_THAT(search_with(2)->list(soon, {.filter = {.hidden = false, .ignored = false}}),
              FailsWith(ErrorCode::timed_out));
}

TEST_P(ListFiles, C_PATH_6_a_directory_swapped_for_a_link_is_never_listed_or_read_through) {
  dir_.write("out/d/outside", "secret");
  write("d/d/inside", "content");
  write("d/e/inside", "content");
  link("trap", "../out");
  std::jthread attacker([this](const std::stop_token& stop) {
    const auto a = dir_.at("ws/d");
    const auto b = dir_.at("ws/trap");
    while (!stop.stop_requested())
      ::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), 2 /* RENAME_EXCHANGE */);
  });
  const auto host = search_with(2);
  int seen = 0;
  for (const auto end = Deadline::after(std::chrono::milliseconds(1000)); !end.passed() && !HasFailure();) {
    const auto page = host->list(call_, {});
    ASSERT_THAT(page, IsOk());
    for (const auto& name : names(page->paths)) EXPECT_TRUE(name.ends_with("inside")) << name;
    const auto result = host->search(call_, {.pattern = ""});
    ASSERT_THAT(result, IsOk());
    for (const auto& match : result->lines) EXPECT_EQ(match.text, "content");
    const auto based = host->search(call_, {.pattern = "", .base = path("d")});
    if (based) {
      for (const auto& match : based->lines) EXPECT_EQ(match.text, "content");
    }
    seen += static_cast<int>(page->paths.size() + result->lines.size());
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace berth::engine
