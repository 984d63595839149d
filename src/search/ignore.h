#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace berth::search {

/// Git's ignore rules of one directory level (C-SEARCH-2): immutable, shared by threads, chained to the parent's.
///
/// Rules nearer to the file win; within one level `.ignore` wins over `.gitignore`, which wins over
/// `.git/info/exclude` of the repository's top; within one file the last matching rule wins. A directory that is
/// ignored is not entered, so nothing below it can be taken back. The format is gitignore(5): comments, escapes,
/// trailing blanks, negation, anchoring by a slash, directory-only rules, `**`, classes. Lines that git would not
/// understand match nothing.
class IgnoreLevel {
 public:
  /// Of each text, what counts: every rule is compared with every name below its directory, so there may not be any
  /// number of them.
  static constexpr std::size_t kMaxTextBytes = 1024 * 1024;

  /// The rules of one directory. `directory` is root-relative ("." for the root); each text may be empty.
  static std::shared_ptr<const IgnoreLevel> make(std::shared_ptr<const IgnoreLevel> parent, std::string_view directory,
                                                 BytesView exclude_text, BytesView gitignore_text,
                                                 BytesView ignore_text);

  ~IgnoreLevel();
  IgnoreLevel(const IgnoreLevel&) = delete;
  IgnoreLevel& operator=(const IgnoreLevel&) = delete;

  enum class Kind { file, directory };

  /// Whether a path directly or indirectly below this level's directory is ignored by this level or the ones above.
  /// `path` is root-relative. The caller has already decided about the path's parents.
  bool is_ignored(std::string_view path, Kind kind) const;

  /// The rules of this level and of those above: what `is_ignored` may have to go through.
  std::size_t rule_count() const noexcept;

 private:
  struct Rules;
  explicit IgnoreLevel(std::unique_ptr<const Rules> rules);

  std::unique_ptr<const Rules> rules_;
};

}  // namespace berth::search
