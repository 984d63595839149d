#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "contract/files.h"
#include "path/path.h"

namespace berth::state {

/// A file in a document. Never changed once it is in one, so documents share their files.
struct StoredFile {
  Bytes content;
  std::string created_at;  ///< as written, ISO 8601
  std::string modified_at;
  GitMode git_mode = GitMode::regular;
  std::string extra;  ///< members we do not know, as written: `"name": value`, comma-separated
  Revision revision;  ///< of the content

  bool operator==(const StoredFile&) const = default;

  /// From the times, mode and content: differs after any write, also when the content is the same.
  ChangeToken token() const;
};

Revision revision_of(BytesView content);

/// The token of what these facts describe.
ChangeToken token_of(std::string_view facts);

/// A file system as a value: the files and directories of one document.
///
/// Invariants: every parent of a file or directory is in `directories`; no path is both. Paths are `Path::text()`s, so
/// the byte order of the maps is the order of listings. The root is not in `directories`.
class Document {
 public:
  using Files = std::map<std::string, std::shared_ptr<const StoredFile>, std::less<>>;
  using Directories = std::set<std::string, std::less<>>;

  const Files& files() const noexcept { return files_; }
  const Directories& directories() const noexcept { return directories_; }
  /// Members of the document we do not know, as written.
  const std::string& extra() const noexcept { return extra_; }
  void set_extra(std::string extra) { extra_ = std::move(extra); }

  const StoredFile* find_file(std::string_view path) const;
  bool is_directory(std::string_view path) const;
  bool exists(std::string_view path) const { return find_file(path) != nullptr || is_directory(path); }
  /// Whether a file stands where a parent of the path should be.
  bool has_file_above(std::string_view path) const;

  /// Store a file and record its parents. No file may be above it, no directory at it.
  void put_file(std::string_view path, std::shared_ptr<const StoredFile> file);
  /// Record a directory and its parents. No file may be above or at it.
  void put_directory(std::string_view path);
  void erase_file(std::string_view path);
  /// Take away a directory and everything below it; gives how many files and directories.
  std::int64_t erase_tree(std::string_view path);

  /// How many bytes the names of all directories take.
  std::size_t directory_bytes() const noexcept { return directory_bytes_; }

  /// Deep: files are equal when what they hold is.
  friend bool operator==(const Document& a, const Document& b);

 private:
  Files files_;
  Directories directories_;
  std::string extra_;
  std::size_t directory_bytes_ = 0;
};

/// What paths below a directory start with; empty for the root.
std::string below(std::string_view directory);

/// The paths of a map or set that start with `prefix`, in order.
template <typename Paths>
auto range_below(Paths& paths, std::string_view prefix) {
  const auto begin = paths.lower_bound(prefix);
  auto end = paths.end();
  if (!prefix.empty()) {
    // The prefix ends with '/', and '0' is the byte after it.
    std::string after(prefix);
    after.back() = '0';
    end = paths.lower_bound(after);
  }
  return std::pair(begin, end);
}

}  // namespace berth::state
