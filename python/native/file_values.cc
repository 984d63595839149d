#include "values.h"

namespace berth::python {
namespace {

Shape unreadable_shape("Unreadable", {"path", "code"});
Shape stat_shape("FileStat",
                 {"kind", "size", "modified_ns", "mode", "git_mode", "link_target", "target_is_directory", "token"});
Shape entry_shape("DirectoryEntry", {"name", "stat"});
Shape page_shape("ReadPage",
                 {"content", "offset", "total_bytes", "truncated", "next_offset", "revision", "git_mode", "token"});
Shape lines_shape("LinePage", {"content", "first_line", "line_count", "first_offset", "total_bytes", "total_lines",
                               "truncated", "line_cut", "next_line", "token"});
Shape write_shape("WriteOutcome", {"revision", "previous_revision", "created", "bytes", "token"});
Shape remove_shape("RemoveOutcome", {"removed"});
Shape move_shape("MoveOutcome", {"fidelity", "revision"});
Shape made_shape("MakeDirectoryOutcome", {"created"});
Shape prune_shape("PruneOutcome", {"removed"});

nb::object kind_name(FileKind kind) {
  switch (kind) {
    case FileKind::file: return name_of("file");
    case FileKind::directory: return name_of("directory");
    case FileKind::symlink: return name_of("symlink");
    case FileKind::other: break;
  }
  return name_of("other");
}

}  // namespace

nb::object to_python(const Path& path) { return text_of(path.text()); }

nb::object to_python(const std::vector<Path>& paths) {
  return tuple_of(paths, [](const Path& path) { return to_python(path); });
}

nb::object to_python(const Revision& revision) { return text_of(revision.text); }

nb::object to_python(GitMode mode) { return name_of(mode == GitMode::regular ? "100644" : "100755"); }

nb::object to_python(const Bytes& name) { return text_of(name); }

nb::object to_python(const std::vector<std::string>& names) { return tuple_of(names, text_of); }

nb::object to_python(const Content& content) { return bytes_of(content.bytes); }

nb::object to_python(const Unreadable& unreadable) {
  return unreadable_shape.make(to_python(unreadable.path), text_of(error_info(unreadable.code).name));
}

nb::object to_python(const FileStat& stat) {
  return stat_shape.make(kind_name(stat.kind), to_python(stat.size),
                         to_python(std::int64_t{stat.modified_at.time_since_epoch().count()}),
                         to_python(std::int64_t{stat.mode}), maybe(stat.git_mode), maybe(stat.link_target),
                         to_python(stat.target_is_directory), text_of(stat.token.text()));
}

nb::object to_python(const DirectoryListing& listing) {
  return tuple_of(listing.entries, [](const DirectoryEntry& entry) {
    return entry_shape.make(text_of(entry.name), to_python(entry.stat));
  });
}

nb::object to_python(const ReadPage& page) {
  return page_shape.make(bytes_of(page.content), to_python(page.offset), to_python(page.total_bytes),
                         to_python(page.truncated), maybe(page.next_offset), maybe(page.revision), maybe(page.git_mode),
                         text_of(page.token.text()));
}

nb::object to_python(const LinePage& page) {
  return lines_shape.make(bytes_of(page.content), to_python(page.first_line), to_python(page.line_count),
                          to_python(page.first_offset), to_python(page.total_bytes), maybe(page.total_lines),
                          to_python(page.truncated), to_python(page.line_cut), maybe(page.next_line),
                          text_of(page.token.text()));
}

nb::object to_python(const WriteOutcome& outcome) {
  return write_shape.make(to_python(outcome.revision), maybe(outcome.previous_revision), to_python(outcome.created),
                          to_python(outcome.bytes), text_of(outcome.token.text()));
}

nb::object to_python(const RemoveOutcome& outcome) { return remove_shape.make(to_python(outcome.removed)); }

nb::object to_python(const MoveOutcome& outcome) {
  return move_shape.make(
      name_of(outcome.fidelity == MoveOutcome::Fidelity::atomic_rename ? "atomic_rename" : "link_unlink"),
      to_python(outcome.revision));
}

nb::object to_python(const MakeDirectoryOutcome& outcome) { return made_shape.make(to_python(outcome.created)); }

nb::object to_python(const PruneOutcome& outcome) { return prune_shape.make(to_python(outcome.removed)); }

}  // namespace berth::python
