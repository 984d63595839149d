#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/tree/host_search.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::engine {

/// Path resolution by the kernel, and by the walk that stands in for it.
enum class Way { kernel, walk };

inline std::string way_name(const ::testing::TestParamInfo<Way>& way) {
  return way.param == Way::kernel ? "openat2" : "walk";
}

inline Path path(std::string_view text) { return parse_path(text, {}).value(); }

/// A workspace `ws`, empty, in a directory that also has what lies outside it.
class TreeTest : public ::testing::TestWithParam<Way> {
 protected:
  TreeTest() { dir_.make_directory("ws"); }

  void write(std::string_view name, std::string_view content = "") const {
    dir_.write("ws/" + std::string(name), content);
  }
  void link(std::string_view name, std::string_view target) const { dir_.make_link("ws/" + std::string(name), target); }

  std::unique_ptr<TreeSearch> search_with(int threads) const {
    auto root = os::Root::open({dir_.at("ws")}, {.features = os::Features{.openat2 = GetParam() == Way::kernel}});
    return make_host_search(std::move(root).value(), {.threads = threads});
  }

  Result<ListPage> list(const ListQuery& query, int threads = 2) const {
    return search_with(threads)->list(call_, query);
  }
  Result<SearchResult> search(const SearchQuery& query, int threads = 2) const {
    return search_with(threads)->search(call_, query);
  }

  static std::vector<std::string> names(const std::vector<Path>& paths) {
    std::vector<std::string> texts;
    for (const auto& one : paths) texts.push_back(one.text());
    return texts;
  }

  std::vector<std::string> listed(const ListQuery& query) const {
    auto page = list(query);
    EXPECT_THAT(page, testing::IsOk());
    if (!page) return {};
    EXPECT_EQ(page->total, std::ssize(page->paths));
    return names(page->paths);
  }

  /// `path:line:column:text` of every match.
  static std::vector<std::string> shown(const SearchResult& result) {
    std::vector<std::string> lines;
    for (const auto& match : result.lines) {
      lines.push_back(match.path.text() + ":" + std::to_string(match.line) + ":" + std::to_string(match.column) + ":" +
                      match.text);
    }
    for (const auto& file : result.files) lines.push_back(file.path.text() + ":" + std::to_string(file.matches));
    return lines;
  }

  std::vector<std::string> found(const SearchQuery& query) const {
    auto result = search(query);
    EXPECT_THAT(result, testing::IsOk());
    return result ? shown(*result) : std::vector<std::string>{};
  }

  /// Run steps in a child as a user without privileges; gives what they return, 100 when the user cannot be changed.
  template <typename Steps>
  int as_nobody(const Steps& steps) const {
    ::chmod(dir_.path().c_str(), 0755);
    const auto child = ::fork();
    if (child == 0) {
      if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(100);
      ::_exit(steps());
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  testing::TempDir dir_;
  Call call_;
};

/// Leaves out what is named.
class NamedOut final : public PathFilter {
 public:
  explicit NamedOut(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  bool leaves_out(std::string_view path) const override { return std::ranges::find(paths_, path) != paths_.end(); }

 private:
  std::vector<std::string> paths_;
};

}  // namespace berth::engine
