#include "workspace/git/index_entries.h"

#include <sys/stat.h>

#include "workspace/git/index_reader.h"

namespace berth::git {
namespace {

bool is_same_time(std::uint32_t entry_s, std::uint32_t entry_ns, std::int64_t file_s, std::uint32_t file_ns) noexcept {
  return entry_s == static_cast<std::uint32_t>(file_s) && (entry_ns == 0 || entry_ns == file_ns);
}

}  // namespace

bool read_plain_entries(BytesView index, std::size_t object_bytes, PlainEntries& plain) {
  auto reader = IndexReader::open(index, object_bytes);
  if (!reader || reader->count() > index.size() / (IndexReader::kStatBytes + object_bytes)) return false;
  plain.entries.reserve(reader->count());
  const bool is_compressed = reader->version() == 4;
  Bytes before;
  IndexReader::Entry raw;
  for (std::uint32_t i = 0; i < reader->count(); ++i) {
    if (!reader->next(raw)) return false;
    // Beside the length there may be no flag: assumed unchanged, extended, or a stage of a conflict.
    if ((raw.flags & ~IndexReader::kNameMask) != 0) return false;
    const IndexEntry entry{.path = raw.path,
                           .object = index.substr(raw.at + IndexReader::kStatBytes, object_bytes),
                           .mode = reader->number(raw.at + 24),
                           .modified_s = reader->number(raw.at + 8),
                           .modified_ns = reader->number(raw.at + 12),
                           .changed_s = reader->number(raw.at),
                           .changed_ns = reader->number(raw.at + 4),
                           .inode = reader->number(raw.at + 20),
                           .owner = reader->number(raw.at + 28),
                           .group = reader->number(raw.at + 32),
                           .size = reader->number(raw.at + 36)};
    if (entry.mode != 0100644 && entry.mode != 0100755 && entry.mode != 0120000) return false;
    if (i > 0 && (is_compressed ? BytesView(before) : plain.entries.back().path) >= entry.path) return false;
    if (is_compressed) {
      before = entry.path;
      plain.paths += entry.path;
    }
    plain.entries.push_back(entry);
  }
  if (!reader->extensions_are_optional()) return false;
  plain.tree = reader->known_tree();
  if (is_compressed) {
    BytesView rest = plain.paths;
    for (auto& entry : plain.entries) {
      entry.path = rest.substr(0, entry.path.size());
      rest.remove_prefix(entry.path.size());
    }
  }
  return true;
}

Likeness likeness_of(const IndexEntry& entry, const SurveyedName& file, std::int64_t index_time) noexcept {
  const bool is_link = S_ISLNK(file.mode);
  if (is_link != (entry.mode == 0120000) || (!is_link && !S_ISREG(file.mode))) return Likeness::other;
  if (!is_link && (entry.mode == 0100755) != ((file.mode & S_IXUSR) != 0)) return Likeness::other;
  // Size 0 also stands for "not known": git writes it where a file changed in the second of the index.
  const bool same_size = entry.size == static_cast<std::uint32_t>(file.size);
  if (!same_size && entry.size != 0) return Likeness::other;
  const bool same = same_size && entry.inode == static_cast<std::uint32_t>(file.inode) && entry.owner == file.owner &&
                    entry.group == file.group &&
                    is_same_time(entry.modified_s, entry.modified_ns, file.modified_s, file.modified_ns) &&
                    is_same_time(entry.changed_s, entry.changed_ns, file.changed_s, file.changed_ns);
  const bool is_settled = static_cast<std::int64_t>(entry.modified_s) < index_time;
  return same && is_settled ? Likeness::same : Likeness::maybe;
}

}  // namespace berth::git
