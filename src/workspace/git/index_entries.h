#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "contract/survey.h"

namespace berth::git {

/// What an index says of one file: a file that still looks like this holds what the entry names.
struct IndexEntry {
  BytesView path;          ///< from the top of the work tree
  BytesView object;        ///< the object's name, not in hexadecimal
  std::uint32_t mode = 0;  ///< git's: 0100644, 0100755 or 0120000
  std::uint32_t modified_s = 0;
  std::uint32_t modified_ns = 0;  ///< 0 when it was not written down
  std::uint32_t changed_s = 0;
  std::uint32_t changed_ns = 0;
  std::uint32_t inode = 0;  ///< numbers are cut to 32 bits
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  std::uint32_t size = 0;

  bool operator==(const IndexEntry&) const = default;
};

/// The entries of an index that alone say what is tracked.
struct PlainEntries {
  std::vector<IndexEntry> entries;  ///< by path; they point into the index, and into `paths` for version 4
  Bytes paths;
  BytesView tree;  ///< the name of the tree that they are, not in hexadecimal; empty when the index does not say

  PlainEntries() = default;
  PlainEntries(const PlainEntries&) = delete;
  PlainEntries& operator=(const PlainEntries&) = delete;
};

/// Read an index whose entries are sorted, and none of which has a flag, is in conflict, is a submodule, or is kept
/// elsewhere, into `plain`. False for any other index and a damaged one, and then `plain` holds nothing of use. Linear
/// in its size.
bool read_plain_entries(BytesView index, std::size_t object_bytes, PlainEntries& plain);

/// How a file in the work tree compares with its entry.
enum class Likeness : std::uint8_t {
  same,   ///< all facts are the same
  maybe,  ///< the content has to be looked at: it may be what the entry names
  other   ///< it holds something else
};

/// Compare as git does (`core.checkStat=default`), nanoseconds included where the entry has them. `index_time` is when
/// the index was written, in seconds: a file written in that second or later may have changed after it was compared.
Likeness likeness_of(const IndexEntry& entry, const SurveyedName& file, std::int64_t index_time) noexcept;

}  // namespace berth::git
