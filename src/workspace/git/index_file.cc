#include "workspace/git/index_file.h"

#include <algorithm>

#include "workspace/git/index_reader.h"

namespace berth::git {
namespace {

void put16(Bytes& bytes, std::size_t at, unsigned value) {
  bytes[at] = static_cast<char>(value >> 8);
  bytes[at + 1] = static_cast<char>(value & 0xff);
}

}  // namespace

IndexFacts clean_index(Bytes& index, std::size_t object_bytes) {
  const IndexFacts damaged{.use = IndexFacts::Use::unusable, .not_checked_out = {}};
  auto reader = IndexReader::open(index, object_bytes);
  if (!reader) return damaged;

  IndexFacts facts;
  IndexReader::Entry entry;
  for (std::uint32_t i = 0; i < reader->count(); ++i) {
    if (!reader->next(entry)) return damaged;
    const auto flags = entry.flags;
    const auto extended = entry.extended;
    if ((extended & IndexReader::kSkipWorktree) != 0) facts.not_checked_out.emplace_back(entry.path);
    constexpr auto kHiding = IndexReader::kSkipWorktree | IndexReader::kIntentToAdd;
    if ((flags & IndexReader::kAssumeValid) != 0 || (extended & kHiding) != 0) {
      put16(index, entry.flags_at, flags & ~IndexReader::kAssumeValid);
      if ((flags & IndexReader::kExtended) != 0) put16(index, entry.flags_at + 2, extended & ~kHiding);
      facts.use = IndexFacts::Use::cleaned;
    }
  }
  if (!reader->extensions_are_optional()) facts.use = IndexFacts::Use::unusable;
  std::sort(facts.not_checked_out.begin(), facts.not_checked_out.end());
  return facts;
}

}  // namespace berth::git
