#include "tools/list_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/make_tool.h"
#include "tools/text.h"
#include "tools/value_fields.h"

namespace berth::tools {
namespace {

constexpr std::size_t kUnreadableShown = 5;
constexpr Rule kLimit{.minimum = 1, .maximum = limits::kListEntries};

ListOptions options_of(const ToolSession& session, const auto& request) {
  const auto most = session.options().max_list_entries;
  return {.filter = {.hidden = request.hidden, .ignored = request.ignored},
          .limit = std::min(request.limit.value_or(most), most),
          .cursor = request.cursor};
}

ListFilesResponse response_of(ListPage page) {
  ListFilesResponse response{.total = page.total,
                             .truncated = page.truncated,
                             .complete = page.complete,
                             .unreadable = std::move(page.unreadable)};
  for (auto& path : page.paths) response.files.push_back({std::move(path)});
  if (page.truncated) response.cursor = std::move(page.cursor);
  return response;
}

}  // namespace

const Fields<ListFilesRequest>& ListFilesRequest::fields() {
  static const auto table =
      Fields<ListFilesRequest>()
          .field("pattern", &ListFilesRequest::pattern,
                 "Matched against the whole path: `*` `?` `[…]` within a name, `**` for any directories")
          .field("limit", &ListFilesRequest::limit, "At most this many files", kLimit)
          .field("cursor", &ListFilesRequest::cursor, "From the page before, to go on")
          .field("hidden", &ListFilesRequest::hidden, "Take names that start with a dot")
          .field("ignored", &ListFilesRequest::ignored, "Take what git ignores");
  return table;
}

const Fields<GlobRequest>& GlobRequest::fields() {
  static const auto table =
      Fields<GlobRequest>()
          .field("pattern", &GlobRequest::pattern,
                 "`*` `?` `[…]` within a name, `**` for any directories, `{a,b}` for either", kRequired)
          .bytes("path", &GlobRequest::path, "The directory to look below")
          .field("limit", &GlobRequest::limit, "At most this many files", kLimit)
          .field("cursor", &GlobRequest::cursor, "From the page before, to go on")
          .field("hidden", &GlobRequest::hidden, "Take names that start with a dot")
          .field("ignored", &GlobRequest::ignored, "Take what git ignores");
  return table;
}

const Fields<ListedFile>& ListedFile::fields() {
  static const auto table = Fields<ListedFile>().bytes("path", &ListedFile::path, "");
  return table;
}

const Fields<ListFilesResponse>& ListFilesResponse::fields() {
  static const auto table =
      Fields<ListFilesResponse>()
          .field("files", &ListFilesResponse::files, "Sorted by path")
          .field("total", &ListFilesResponse::total, "Matches over all pages")
          .field("truncated", &ListFilesResponse::truncated, "")
          .field("cursor", &ListFilesResponse::cursor, "Where to go on")
          .field("complete", &ListFilesResponse::complete, "False: something could not be looked at")
          .field("unreadable", &ListFilesResponse::unreadable, "");
  return table;
}

Result<ListFilesResponse> list_files(const Call& call, ToolSession& session, const ListFilesRequest& request) {
  BERTH_CHECK(session.permit(call, Operation::glob, "."));
  BERTH_TRY(auto page, session.workspace().list(call.until(Deadline::after(limits::kSearchTime)), request.pattern,
                                                options_of(session, request)));
  return response_of(std::move(page));
}

Result<ListFilesResponse> glob(const Call& call, ToolSession& session, const GlobRequest& request) {
  BERTH_CHECK(session.permit(call, Operation::glob, request.path));
  BERTH_TRY(auto page, session.workspace().glob(call.until(Deadline::after(limits::kSearchTime)), request.pattern,
                                                request.path, options_of(session, request)));
  return response_of(std::move(page));
}

std::string unreadable_note(const std::vector<Unreadable>& unreadable) {
  std::string text;
  for (std::size_t i = 0; i < std::min(unreadable.size(), kUnreadableShown); ++i) {
    text += fmt::format("(could not be read: {}, {})\n", shown_name(unreadable[i].path.text()),
                        error_info(unreadable[i].code).name);
  }
  if (unreadable.size() > kUnreadableShown) {
    text += fmt::format("(and {} more)\n", unreadable.size() - kUnreadableShown);
  }
  return text;
}

std::string render(const ListFilesResponse& response) {
  std::string text;
  for (const auto& file : response.files) text += shown_name(file.path.text()) + "\n";
  if (response.files.empty()) text += "No files match\n";
  if (response.cursor) {
    text += fmt::format("... ({} of {} shown; go on with cursor={})\n", response.files.size(), response.total,
                        *response.cursor);
  }
  text += unreadable_note(response.unreadable);
  text.pop_back();
  return text;
}

std::unique_ptr<Tool> list_files_tool() {
  return make_tool<ListFilesRequest, ListFilesResponse>(
      {.name = "list_files",
       .title = "List all files",
       .description =
           "List every file whose whole path matches a pattern, hidden and ignored ones too, sorted, with an "
           "exact total. For everyday searches by name, use glob.",
       .annotations = {.read_only = true, .idempotent = true},
       .needs = {.reads = true, .search = true},
       .uses = {Operation::glob}},
      list_files, render);
}

std::unique_ptr<Tool> glob_tool() {
  return make_tool<GlobRequest, ListFilesResponse>(
      {.name = "glob",
       .title = "Find files by name",
       .description =
           "Find files whose path below `path` matches a pattern, such as `**/*_test.{cc,h}`. Hidden files and "
           "what git ignores are passed over unless asked for.",
       .annotations = {.read_only = true, .idempotent = true},
       .needs = {.reads = true, .search = true},
       .uses = {Operation::glob}},
      glob, render);
}

}  // namespace berth::tools
