#include <algorithm>

#include "engine/files/line_pager.h"
#include "providers/state/call_watch.h"
#include "providers/state/state_files.h"

namespace berth::state {
namespace {

FileStat stat_of(const StoredFile& file) {
  FileStat stat;
  stat.kind = FileKind::file;
  stat.size = static_cast<std::int64_t>(file.content.size());
  if (const auto time = try_parse_timestamp(file.modified_at)) stat.modified_at = *time;
  stat.mode = file.git_mode == GitMode::executable ? 0755 : 0644;
  stat.git_mode = file.git_mode;
  stat.token = file.token();
  return stat;
}

/// A directory has no facts of its own, so its token is the document's: it may change when the directory does not.
FileStat stat_of_directory(const store::Version& version) {
  FileStat stat;
  stat.kind = FileKind::directory;
  stat.mode = 0755;
  stat.token = token_of(version.text);
  return stat;
}

/// Of describing an entry, in the bytes that take as long.
constexpr std::size_t kEntryCost = 1024;

/// Call `visit(name, entry)` for each entry of a directory; `paths` is one of the document's maps.
template <typename Paths, typename PathOf, typename Visit>
Result<void> visit_entries(CallWatch& watch, const Paths& paths, const std::string& prefix, PathOf path_of,
                           Visit visit) {
  auto [entry, end] = range_below(paths, prefix);
  while (entry != end) {
    BERTH_CHECK(watch.spend(kEntryCost));
    const std::string_view rest = std::string_view(path_of(*entry)).substr(prefix.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) {
      visit(rest, *entry);
      ++entry;
      continue;
    }
    // Everything below this subdirectory is stepped over at once.
    entry = paths.lower_bound(prefix + std::string(rest.substr(0, slash)) + '0');
  }
  return {};
}

Result<void> check_lines(const LineRange& range) {
  if (range.first < 1) return make_error(ErrorCode::invalid_argument, "the first line must be 1 or more");
  if (range.count && *range.count <= 0) {
    return make_error(ErrorCode::invalid_argument, "the number of lines must be greater than 0");
  }
  if (range.max_bytes <= 0) return make_error(ErrorCode::invalid_argument, "max_bytes must be greater than 0");
  return {};
}

}  // namespace

Error nothing_at(const Document& document, const Path& path) {
  if (document.has_file_above(path.text())) {
    return make_error(ErrorCode::not_a_directory, "this is not a directory");
  }
  return make_error(ErrorCode::not_found, "nothing stands there");
}

Result<const StoredFile*> require_file(const Document& document, const Path& path) {
  if (const StoredFile* const file = document.find_file(path.text())) return file;
  if (document.is_directory(path.text())) return make_error(ErrorCode::is_a_directory, "this is a directory");
  return nothing_at(document, path);
}

Result<ReadPage> StateReads::read(const Call& call, const Path& path, const ReadRange& range) {
  if (range.offset < 0) return make_error(ErrorCode::invalid_argument, "the offset is negative");
  if (range.max_bytes && *range.max_bytes <= 0) {
    return make_error(ErrorCode::invalid_argument, "max_bytes must be greater than 0");
  }
  BERTH_TRY(const auto snapshot, session_.read(call));
  BERTH_TRY(const StoredFile* const file, require_file(*snapshot.document, path));
  const auto total = static_cast<std::int64_t>(file->content.size());
  if (range.offset > total) {
    return make_error(ErrorCode::offset_out_of_range, "the offset lies behind the end of the file")
        .with("offset", range.offset)
        .with("total_bytes", total);
  }
  const std::int64_t length = std::min(range.max_bytes.value_or(total), total - range.offset);
  ReadPage page;
  page.content = file->content.substr(static_cast<std::size_t>(range.offset), static_cast<std::size_t>(length));
  page.offset = range.offset;
  page.total_bytes = total;
  page.truncated = range.offset + length < total;
  if (page.truncated) page.next_offset = range.offset + length;
  if (range.offset == 0 && !page.truncated) {
    page.git_mode = file->git_mode;
    if (range.want_revision == WantRevision::yes) page.revision = file->revision;
  }
  page.token = file->token();
  return page;
}

Result<LinePage> StateReads::read_lines(const Call& call, const Path& path, const LineRange& range) {
  BERTH_CHECK(check_lines(range));
  BERTH_TRY(const auto snapshot, session_.read(call));
  BERTH_TRY(const StoredFile* const file, require_file(*snapshot.document, path));
  engine::LinePager pager(range, {});
  CallWatch watch(call);
  for (BytesView rest = file->content; !rest.empty() && !pager.done();) {
    const BytesView piece = rest.substr(0, CallWatch::kLookBytes);
    pager.feed(piece);
    rest.remove_prefix(piece.size());
    BERTH_CHECK(watch.spend(piece.size()));
  }
  BERTH_TRY(LinePage page, pager.finish(static_cast<std::int64_t>(file->content.size())));
  page.token = file->token();
  return page;
}

Result<FileStat> StateReads::stat(const Call& call, const Path& path, FollowLeaf) {
  BERTH_TRY(const auto snapshot, session_.read(call));
  if (const StoredFile* const file = snapshot.document->find_file(path.text())) return stat_of(*file);
  if (snapshot.document->is_directory(path.text())) return stat_of_directory(snapshot.version);
  return nothing_at(*snapshot.document, path);
}

Result<DirectoryListing> StateReads::list_directory(const Call& call, const Path& path) {
  BERTH_TRY(const auto snapshot, session_.read(call));
  const Document& document = *snapshot.document;
  if (document.find_file(path.text()) != nullptr) return make_error(ErrorCode::not_a_directory, "this is a file");
  if (!document.is_directory(path.text())) return nothing_at(document, path);
  DirectoryListing listing;
  const std::string prefix = below(path.text());
  CallWatch watch(call);
  BERTH_CHECK(visit_entries(
      watch, document.files(), prefix, [](const auto& entry) -> const std::string& { return entry.first; },
      [&](std::string_view name, const auto& entry) {
        listing.entries.push_back({Bytes(name), stat_of(*entry.second)});
      }));
  BERTH_CHECK(visit_entries(
      watch, document.directories(), prefix, [](const std::string& entry) -> const std::string& { return entry; },
      [&](std::string_view name, const std::string&) {
        listing.entries.push_back({Bytes(name), stat_of_directory(snapshot.version)});
      }));
  std::sort(listing.entries.begin(), listing.entries.end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  return listing;
}

Result<Path> StateReads::real_path(const Call& call, const Path& path) {
  BERTH_TRY(const auto snapshot, session_.read(call));
  if (snapshot.document->has_file_above(path.text())) return nothing_at(*snapshot.document, path);
  return path;
}

}  // namespace berth::state
