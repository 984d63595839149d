#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "path/path.h"

namespace berth::engine {

/// Keeps the first paths in byte order of many that come in any order, a directory at a time, and counts them all.
/// Memory: twice the page, or everything without a limit. One thread at a time.
class ListPageBuilder {
 public:
  ListPageBuilder(std::optional<std::int64_t> limit, std::string after) : limit_(limit), after_(std::move(after)) {}

  /// Note a file of a directory. All notes until the next `end_directory` are about one directory.
  void add(const Path& directory, std::string_view name);
  void end_directory(const Path& directory);

  std::int64_t total() const noexcept { return total_; }
  /// How many come after the cursor.
  std::int64_t following() const noexcept { return following_; }

  /// Merge what several builders kept into one page, in byte order.
  static std::vector<Path> merge(std::vector<ListPageBuilder>& builders, std::optional<std::int64_t> limit);

 private:
  using Run = std::vector<Path>;  ///< in byte order

  struct Name {
    std::uint64_t first_bytes;  ///< big-endian, so that most comparisons need no more
    std::uint32_t offset;
    std::uint32_t length;
  };

  static Run merge_runs(std::vector<Run> runs, std::size_t most);
  void compact();

  std::optional<std::int64_t> limit_;
  std::string after_;
  std::int64_t total_ = 0;
  std::int64_t following_ = 0;
  std::string text_;
  std::vector<Name> names_;
  std::vector<Run> runs_;
  std::size_t kept_ = 0;
  std::string bound_;  ///< with a limit: what does not come before it is not in the page; empty while unknown
};

/// The opaque cursor after `last`, bound to one query by `query_key`; and back. Anything else, altered or of another
/// query, is `invalid_argument`.
std::string make_list_cursor(std::string_view query_key, const Path& last);
Result<std::string> read_list_cursor(std::string_view query_key, std::string_view cursor);

}  // namespace berth::engine
