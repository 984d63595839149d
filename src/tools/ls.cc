#include "tools/ls.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/make_tool.h"
#include "tools/text.h"
#include "tools/value_fields.h"

namespace berth::tools {

const Fields<LsRequest>& LsRequest::fields() {
  static const auto table = Fields<LsRequest>()
                                .bytes("path", &LsRequest::path, "The directory")
                                .field("offset", &LsRequest::offset, "Entries to pass over", {.minimum = 0})
                                .field("limit", &LsRequest::limit, "At most this many entries",
                                       {.minimum = 1, .maximum = limits::kListEntries});
  return table;
}

const Fields<LsEntry>& LsEntry::fields() {
  static const auto table = Fields<LsEntry>().bytes("name", &LsEntry::name, "").inlined(&LsEntry::stat);
  return table;
}

const Fields<LsResponse>& LsResponse::fields() {
  static const auto table = Fields<LsResponse>()
                                .bytes("path", &LsResponse::path, "")
                                .field("entries", &LsResponse::entries, "Sorted by name; links are not followed")
                                .field("total", &LsResponse::total, "Entries of the directory")
                                .field("truncated", &LsResponse::truncated, "")
                                .field("next_offset", &LsResponse::next_offset, "Where to go on");
  return table;
}

Result<LsResponse> ls(const Call& call, ToolSession& session, const LsRequest& request) {
  BERTH_CHECK(session.permit(call, Operation::ls, request.path));
  return permitted_ls(call, session, request);
}

Result<LsResponse> permitted_ls(const Call& call, ToolSession& session, const LsRequest& request) {
  BERTH_TRY(const auto listing, session.workspace().list_directory(call, request.path));
  LsResponse response{.path = request.path, .total = static_cast<std::int64_t>(listing.entries.size())};
  const auto most = session.options().max_list_entries;
  const auto begin = std::min(request.offset, response.total);
  const auto end = std::min(response.total, begin + std::min(request.limit.value_or(most), most));
  for (auto i = begin; i < end; ++i) {
    const auto& entry = listing.entries[static_cast<std::size_t>(i)];
    response.entries.push_back({entry.name, entry.stat});
  }
  response.truncated = end < response.total;
  if (response.truncated) response.next_offset = end;
  return response;
}

std::string render(const LsResponse& response) {
  if (response.total == 0) return "(empty directory)";
  std::string text;
  for (const auto& [name, stat] : response.entries) {
    text += shown_name(name);
    switch (stat.kind) {
      case FileKind::directory: text += "/"; break;
      case FileKind::symlink:
        text += fmt::format(" -> {}{}", shown_name(stat.link_target.value_or("")), stat.target_is_directory ? "/" : "");
        break;
      case FileKind::file: text += fmt::format(" ({})", counted(stat.size, "byte")); break;
      case FileKind::other: text += " (special file)"; break;
    }
    text += "\n";
  }
  if (response.next_offset) {
    text += fmt::format("... ({} more; go on with offset={})\n", response.total - *response.next_offset,
                        *response.next_offset);
  } else if (response.entries.empty()) {
    text += fmt::format("(no more entries; the directory has {})\n", response.total);
  }
  text.pop_back();
  return text;
}

bool leads_to_directory(const LsEntry& entry) noexcept {
  return entry.stat.kind == FileKind::directory || entry.stat.target_is_directory;
}

std::optional<std::int64_t> file_size_of(const Call& call, ToolSession& session, const Bytes& directory,
                                         const LsEntry& entry) {
  if (entry.stat.kind == FileKind::file) return entry.stat.size;
  if (entry.stat.kind != FileKind::symlink || leads_to_directory(entry)) return std::nullopt;
  const auto target = session.workspace().stat(call, directory + "/" + entry.name);
  if (!target || target->kind != FileKind::file) return std::nullopt;
  return target->size;
}

std::unique_ptr<Tool> ls_tool() {
  return make_tool<LsRequest, LsResponse>(
      {.name = "ls",
       .title = "List a directory",
       .description =
           "List one directory: a name a line, `name/` for a directory, `name -> target` for a link, sizes of "
           "files. Hidden names are shown.",
       .annotations = {.read_only = true, .idempotent = true},
       .needs = {.reads = true},
       .uses = {Operation::ls}},
      ls, render);
}

}  // namespace berth::tools
