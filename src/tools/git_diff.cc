#include "tools/git_diff.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools {
namespace {

constexpr std::size_t kGapsShown = 20;   ///< in the text
constexpr std::size_t kGapsGiven = 100;  ///< in the structured answer

std::string summary_of(const GitDiffResponse& response) {
  std::string text;
  std::int64_t added = 0;
  std::int64_t removed = 0;
  for (const auto& file : response.files) {
    text += fmt::format("{} ", enum_name(file.change));
    if (file.from) text += fmt::format("{} -> ", shown_name(file.from->text()));
    text += shown_name(file.path.text());
    if (file.added_lines || file.removed_lines) {
      added += file.added_lines.value_or(0);
      removed += file.removed_lines.value_or(0);
      text += fmt::format(" +{} -{}\n", file.added_lines.value_or(0), file.removed_lines.value_or(0));
    } else {
      text += " (binary)\n";
    }
  }
  return text + fmt::format("{} changed, +{} -{}\n", counted(static_cast<std::int64_t>(response.files.size()), "file"),
                            added, removed);
}

}  // namespace

const Fields<GitDiffRequest>& GitDiffRequest::fields() {
  static const auto table = Fields<GitDiffRequest>()
                                .field("summary", &GitDiffRequest::summary, "The files and their numbers of lines only")
                                .field("max_bytes", &GitDiffRequest::max_bytes, "Cut the text after this many bytes",
                                       {.minimum = 1, .maximum = limits::kPageBytes});
  return table;
}

const Fields<GitDiffResponse>& GitDiffResponse::fields() {
  static const auto table =
      Fields<GitDiffResponse>()
          .field("baseline", &GitDiffResponse::baseline, "The commit compared with; absent: there is none yet")
          .field("files", &GitDiffResponse::files, "By path")
          .bytes("text", &GitDiffResponse::text, "git's unified format")
          .field("truncated", &GitDiffResponse::truncated, "The text was cut, or files were left out")
          .field("left_out", &GitDiffResponse::left_out, "Changed files that are not in `files`")
          .field("not_shown", &GitDiffResponse::not_shown, "Changes without their content, the first by path")
          .field("not_shown_total", &GitDiffResponse::not_shown_total, "How many there are of these");
  return table;
}

Result<GitDiffResponse> git_diff(const Call& call, ToolSession& session, const GitDiffRequest& request) {
  // It shows lines of any file, as a search does.
  BERTH_CHECK(session.permit(call, Operation::grep, "."));
  BERTH_TRY(const auto* repository, session.git(call));
  const auto most = session.options().max_page_bytes;
  BERTH_TRY(auto diff, repository->diff(call, {.max_bytes = std::min(request.max_bytes.value_or(most), most)}));
  GitDiffResponse response{.baseline = git::commit_of(repository->baseline()),
                           .files = std::move(diff.files),
                           .truncated = diff.truncated,
                           .left_out = diff.left_out,
                           .not_shown = std::move(diff.not_shown)};
  response.not_shown_total = static_cast<std::int64_t>(response.not_shown.size());
  if (response.not_shown.size() > kGapsGiven) response.not_shown.resize(kGapsGiven);
  const auto entries = static_cast<std::size_t>(session.options().max_list_entries);
  if (response.files.size() > entries) {
    response.left_out += static_cast<std::int64_t>(response.files.size() - entries);
    response.truncated = true;
    response.files.resize(entries);
  }
  if (!request.summary) response.text = std::move(diff.text);
  return response;
}

std::string render(const GitDiffResponse& response) {
  if (response.files.empty() && response.not_shown.empty() && response.left_out == 0) return "Nothing changed";
  std::string text = response.text ? decode_utf8(*response.text).text : summary_of(response);
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  for (std::size_t i = 0; i < std::min(response.not_shown.size(), kGapsShown); ++i) {
    const auto& gap = response.not_shown[i];
    text += fmt::format("(not shown: {}, {})\n", shown_name(gap.path.text()), enum_name(gap.why));
  }
  const auto more = response.not_shown_total - static_cast<std::int64_t>(kGapsShown);
  if (more > 0) text += fmt::format("(and {} more not shown)\n", more);
  if (response.left_out > 0) text += fmt::format("... ({} left out)\n", counted(response.left_out, "changed file"));
  if (response.text && response.truncated) text += "... (the diff is cut; see the list with summary=true)\n";
  if (!text.empty()) text.pop_back();
  return text;
}

std::unique_ptr<Tool> git_diff_tool() {
  return make_tool<GitDiffRequest, GitDiffResponse>(
      {.name = "git_diff",
       .title = "Show what changed",
       .description =
           "Show the work tree against the commit that was checked out when this tool or git_status was first "
           "called, staged or not, "
           "untracked files too. Nothing that the repository configures is run.",
       .annotations = {.read_only = true, .idempotent = true},
       .needs = {.reads = true, .commands = true},
       .uses = {Operation::grep}},
      git_diff, render);
}

}  // namespace berth::tools
