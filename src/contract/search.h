#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"
#include "contract/files.h"
#include "path/path.h"
#include "path/pattern.h"

namespace berth {

/// Which files a walk passes over besides the pattern.
struct WalkFilter {
  bool hidden = true;   ///< take names that start with a dot
  bool ignored = true;  ///< take what git's ignore rules leave out; `.git` itself is then walked too

  bool operator==(const WalkFilter&) const = default;
};

/// A policy's say in a walk. Asked from several threads at once; must be fast.
class PathFilter {
 public:
  virtual ~PathFilter() = default;

  /// Whether the walk goes on as if nothing stood at this root-relative path; of a directory: with all that it holds.
  virtual bool leaves_out(std::string_view path) const = 0;
};

/// A question for files by name (C-LIST-1, C-LIST-2).
struct ListQuery {
  std::string pattern = "**/*";
  PatternGrammar grammar = PatternGrammar::list;
  Path base;  ///< the pattern is matched against the path below it
  WalkFilter filter;
  std::optional<std::int64_t> limit;       ///< entries in the page; > 0; absent: all
  std::string cursor;                      ///< from the page before; empty: from the start
  const PathFilter* filter_out = nullptr;  ///< asked about every directory and file; not owned, outlives the call

  bool operator==(const ListQuery&) const = default;
};

/// A page of files (regular files and links to them, never directories), sorted by bytes.
struct ListPage {
  std::vector<Path> paths;  ///< root-relative
  std::int64_t total = 0;   ///< matches over all pages; exact when `complete`
  bool truncated = false;   ///< more pages follow
  std::string cursor;       ///< when truncated
  bool complete = true;     ///< false: something was unreadable or a bound was hit
  std::vector<Unreadable> unreadable;

  bool operator==(const ListPage&) const = default;
};

/// A question for files by content (C-SEARCH-1). Files are searched under their own names: links are not opened.
struct SearchQuery {
  enum class Mode : std::uint8_t { lines, files, count };

  std::string pattern;  ///< RE2 syntax, or plain bytes when `literal`
  Path base;            ///< a directory, or one file
  std::string glob;     ///< glob grammar, matched below `base`; without a slash: at any depth
  bool literal = false;
  bool ignore_case = false;
  bool word = false;       ///< the match is bounded by non-word characters
  bool multiline = false;  ///< a match may span lines; `.` still stops at LF
  Mode mode = Mode::lines;
  WalkFilter filter{.hidden = false, .ignored = false};
  std::int64_t context = 0;                       ///< lines before and after each match
  std::optional<std::int64_t> limit;              ///< records in the page
  std::int64_t offset = 0;                        ///< records to skip
  std::optional<std::int64_t> max_files;          ///< to look into
  std::int64_t max_bytes = limits::kSearchBytes;  ///< of text in the result
  const PathFilter* filter_out = nullptr;  ///< asked about every directory and file; not owned, outlives the call

  bool operator==(const SearchQuery&) const = default;
};

/// One matching line.
struct SearchMatch {
  Path path;
  std::int64_t line = 0;      ///< from 1
  std::int64_t column = 0;    ///< byte column of the first match in the line, from 1
  Bytes text;                 ///< the line without its ending; several lines for a multiline match
  std::vector<Bytes> before;  ///< context lines, in file order
  std::vector<Bytes> after;

  bool operator==(const SearchMatch&) const = default;
};

/// One matching file.
struct FileMatches {
  Path path;
  std::int64_t matches = 0;  ///< matching lines; in files mode 1: at least one

  bool operator==(const FileMatches&) const = default;
};

/// Which bound ended a search early.
enum class SearchBound : std::uint8_t { deadline, files, bytes, results };

struct SearchResult {
  std::vector<SearchMatch> lines;  ///< mode lines: by path, then line
  std::vector<FileMatches> files;  ///< modes files and count: by path
  std::int64_t files_searched = 0;
  std::int64_t files_binary = 0;  ///< skipped: a NUL byte
  std::int64_t bytes_searched = 0;
  std::optional<SearchBound> stopped_by;    ///< absent: everything was looked at
  std::optional<std::int64_t> next_offset;  ///< when more records follow
  std::vector<Unreadable> unreadable;

  bool operator==(const SearchResult&) const = default;
};

}  // namespace berth
