#include "tools/git_status.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools {

const Fields<GitStatusRequest>& GitStatusRequest::fields() {
  static const auto table = Fields<GitStatusRequest>()
                                .field("offset", &GitStatusRequest::offset, "Files to pass over", {.minimum = 0})
                                .field("limit", &GitStatusRequest::limit, "At most this many files",
                                       {.minimum = 1, .maximum = limits::kListEntries});
  return table;
}

const Fields<GitStatusResponse>& GitStatusResponse::fields() {
  static const auto table =
      Fields<GitStatusResponse>()
          .field("baseline", &GitStatusResponse::baseline, "The commit compared with; absent: there is none yet")
          .field("files", &GitStatusResponse::files, "By path; a rename is a deleted and an added file")
          .field("total", &GitStatusResponse::total, "")
          .field("truncated", &GitStatusResponse::truncated, "")
          .field("next_offset", &GitStatusResponse::next_offset, "Where to go on");
  return table;
}

Result<GitStatusResponse> git_status(const Call& call, ToolSession& session, const GitStatusRequest& request) {
  BERTH_CHECK(session.permit(call, Operation::glob, "."));
  BERTH_TRY(const auto* repository, session.git(call));
  BERTH_TRY(const auto entries, repository->status_paths(call));
  GitStatusResponse response{.baseline = git::commit_of(repository->baseline()),
                             .total = static_cast<std::int64_t>(entries.size())};
  const auto most = session.options().max_list_entries;
  const auto begin = std::min(request.offset, response.total);
  const auto end = std::min(response.total, begin + std::min(request.limit.value_or(most), most));
  response.files.assign(entries.begin() + begin, entries.begin() + end);
  response.truncated = end < response.total;
  if (response.truncated) response.next_offset = end;
  return response;
}

std::string render(const GitStatusResponse& response) {
  if (response.total == 0) return "Nothing changed";
  std::string text;
  for (const auto& file : response.files) {
    text += fmt::format("{} {}{}\n", enum_name(file.change), shown_name(file.path.text()),
                        file.untracked ? " (untracked)" : "");
  }
  if (response.next_offset) {
    text += fmt::format("... ({} more; go on with offset={})\n", response.total - *response.next_offset,
                        *response.next_offset);
  } else if (response.files.empty()) {
    text += fmt::format("(no more; {} changed)\n", counted(response.total, "file"));
  }
  text.pop_back();
  return text;
}

std::unique_ptr<Tool> git_status_tool() {
  return make_tool<GitStatusRequest, GitStatusResponse>(
      {.name = "git_status",
       .title = "List changed files",
       .description =
           "List the files that differ from the commit that was checked out when this tool or git_diff was first "
           "called, staged or "
           "not, untracked ones too. Nothing that the repository configures is run.",
       .annotations = {.read_only = true, .idempotent = true},
       .needs = {.reads = true, .commands = true},
       .uses = {Operation::glob}},
      git_status, render);
}

}  // namespace berth::tools
