#include "values.h"

namespace berth::python {
namespace {

Shape list_shape("ListPage", {"paths", "total", "truncated", "cursor", "complete", "unreadable"});
Shape match_shape("SearchMatch", {"path", "line", "column", "text", "before", "after"});
Shape file_shape("FileMatches", {"path", "matches"});
Shape result_shape("SearchResult", {"lines", "files", "files_searched", "files_binary", "bytes_searched", "stopped_by",
                                    "next_offset", "unreadable"});

nb::object unreadable_of(const std::vector<Unreadable>& unreadable) {
  return tuple_of(unreadable, [](const Unreadable& one) { return to_python(one); });
}

nb::object bound_name(const std::optional<SearchBound>& bound) {
  if (!bound) return none();
  switch (*bound) {
    case SearchBound::deadline: return name_of("deadline");
    case SearchBound::files: return name_of("max_files");
    case SearchBound::bytes: return name_of("max_bytes");
    case SearchBound::results: break;
  }
  return name_of("limit");
}

nb::object match_of(const SearchMatch& match) {
  return match_shape.make(to_python(match.path), to_python(match.line), to_python(match.column), bytes_of(match.text),
                          tuple_of(match.before, bytes_of), tuple_of(match.after, bytes_of));
}

nb::object file_of(const FileMatches& file) { return file_shape.make(to_python(file.path), to_python(file.matches)); }

}  // namespace

nb::object to_python(const ListPage& page) {
  return list_shape.make(to_python(page.paths), to_python(page.total), to_python(page.truncated), text_of(page.cursor),
                         to_python(page.complete), unreadable_of(page.unreadable));
}

nb::object to_python(const SearchResult& result) {
  return result_shape.make(tuple_of(result.lines, match_of), tuple_of(result.files, file_of),
                           to_python(result.files_searched), to_python(result.files_binary),
                           to_python(result.bytes_searched), bound_name(result.stopped_by), maybe(result.next_offset),
                           unreadable_of(result.unreadable));
}

}  // namespace berth::python
