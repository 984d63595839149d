#include "call_binding.h"

namespace berth::python {
namespace {

Started list(const Handle& handle, std::string pattern, bool hidden, bool ignored, std::optional<std::int64_t> limit,
             std::string cursor) {
  return on(handle, Takes::a_while,
            [pattern = std::move(pattern), options = ListOptions{.filter = {.hidden = hidden, .ignored = ignored},
                                                                 .limit = limit,
                                                                 .cursor = std::move(cursor)}](
                Workspace& workspace, const Call& call) { return workspace.list(call, pattern, options); });
}

Started glob(const Handle& handle, std::string pattern, TextArg path, bool hidden, bool ignored,
             std::optional<std::int64_t> limit, std::string cursor) {
  return on(
      handle, Takes::a_while,
      [pattern = std::move(pattern), path = std::move(path.text),
       options =
           ListOptions{.filter = {.hidden = hidden, .ignored = ignored}, .limit = limit, .cursor = std::move(cursor)}](
          Workspace& workspace, const Call& call) { return workspace.glob(call, pattern, path, options); });
}

SearchQuery::Mode mode_arg(const std::string& mode) {
  if (mode == "lines") return SearchQuery::Mode::lines;
  if (mode == "files") return SearchQuery::Mode::files;
  if (mode == "count") return SearchQuery::Mode::count;
  throw nb::value_error("mode is 'lines', 'files' or 'count'");
}

Started search(const Handle& handle, TextArg path, ContentArg pattern, std::string glob, bool literal, bool ignore_case,
               bool word, bool multiline, const std::string& mode, bool hidden, bool ignored, std::int64_t context,
               std::optional<std::int64_t> limit, std::int64_t offset, std::optional<std::int64_t> max_files,
               std::int64_t max_bytes) {
  SearchQuery query;
  query.pattern = std::move(pattern.bytes);
  query.glob = std::move(glob);
  query.literal = literal;
  query.ignore_case = ignore_case;
  query.word = word;
  query.multiline = multiline;
  query.mode = mode_arg(mode);
  query.filter = {.hidden = hidden, .ignored = ignored};
  query.context = context;
  query.limit = limit;
  query.offset = offset;
  query.max_files = max_files;
  query.max_bytes = max_bytes;
  return on(handle, Takes::a_while,
            [path = std::move(path.text), query = std::move(query)](Workspace& workspace, const Call& call) {
              return workspace.search(call, path, query);
            });
}

}  // namespace

void bind_finding(nb::class_<Handle>& handle) {
  handle.def("list", list, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
      .def("glob", glob, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
      .def("search", search, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg());
}

}  // namespace berth::python
