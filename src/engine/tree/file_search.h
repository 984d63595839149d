#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/call.h"
#include "contract/search.h"
#include "os/fd.h"
#include "search/matcher.h"

namespace berth::engine {

/// Where a file is, put together only when something is found in it.
struct FilePlace {
  const Path& directory;
  std::string_view name;  ///< empty: the path is `directory` itself

  Path path() const { return name.empty() ? directory : directory.child(name); }
};

/// What was found in one file.
struct FileFindings {
  enum class Outcome : std::uint8_t { searched, binary, passed_over, unreadable };

  Outcome outcome = Outcome::searched;
  ErrorCode code = ErrorCode::io;  ///< of unreadable
  std::int64_t bytes = 0;          ///< read
  std::int64_t matches = 0;        ///< matching lines; in files mode at most 1
  std::vector<SearchMatch> lines;  ///< in lines mode
  std::optional<Error> ended;      ///< the call ended before the file did
};

/// Searches open files, one after the other, with one buffer. One thread at a time.
///
/// A file is read with read(2) in pieces, so memory is bounded whatever its size: a line longer than `kMaxBuffer` is
/// searched in pieces that each count as a line, and a multiline match does not reach across the ends of pieces of
/// `kMaxMultilineBuffer`.
///
/// The call is looked at every `search::kStepBytes`, between lines. What must be matched in one go, a longer line or a
/// multiline piece, is tried out first (search/trial.h): the search ends before a piece that its deadline is too near
/// for. A stop can wait for one such piece.
class FileSearcher {
 public:
  static constexpr std::size_t kPiece = 256 * 1024;
  static constexpr std::size_t kMaxBuffer = 1024 * 1024;
  static constexpr std::size_t kMaxMultilineBuffer = 4 * 1024 * 1024;

  FileSearcher(const search::Matcher& matcher, const SearchQuery& query);

  /// Search a file that is open for reading. Collects no more lines, and no more text, than one result can hold.
  FileFindings search(const Call& call, const os::Fd& file, const FilePlace& place);

 private:
  struct Position;

  bool fill(const os::Fd& file, std::size_t expected, Position& at, FileFindings& findings);
  std::size_t searchable_end(const Position& at) const;
  std::size_t step_end(std::size_t end, const Position& at) const;
  bool search_region(std::size_t end, const Position& at, const FilePlace& place, FileFindings& findings);
  void advance(std::size_t end, Position& at) const;
  void carry_over(Position& at);

  const search::Matcher& matcher_;
  const SearchQuery& query_;
  std::size_t max_buffer_;
  std::int64_t max_records_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_;
  std::int64_t text_bytes_ = 0;
  std::vector<search::LineHit> hits_;
};

/// The bytes of a record that count against `SearchQuery::max_bytes`.
std::int64_t text_bytes(const SearchMatch& match) noexcept;

}  // namespace berth::engine
