#include <algorithm>
#include <utility>

#include "workspace/git/candidates.h"
#include "workspace/git/comparison.h"
#include "workspace/git/git_repository.h"
#include "workspace/git/work_tree.h"

namespace berth::git {
namespace {

using Why = StageOutcome::Skipped::Why;

Why why_skipped(NotShown::Why why) {
  switch (why) {
    case NotShown::Why::too_large: return Why::too_large;
    case NotShown::Why::nested_repository: return Why::nested_repository;
    case NotShown::Why::special_file: return Why::special_file;
    default: return Why::unreadable;
  }
}

/// Append one line of `update-index --index-info`; mode 0 takes the path out.
void put(Bytes& lines, std::string_view mode, std::string_view object, BytesView path) {
  lines += mode;
  lines += ' ';
  lines += object;
  lines += '\t';
  lines += path;
  lines += '\0';
}

/// Write a link's target, which no attribute converts.
Result<std::string> write_link(const GitContext& context, const Bytes& target) {
  BERTH_TRY(const GitOutput output,
            context.scratch.run_for_repository(
                context.call, {.words = {"hash-object", "-w", "--no-filters", "--stdin"}, .input = target}));
  if (output.cut || output.exit_code != 0) return make_error(ErrorCode::io, "git cannot write an object");
  return std::string(without_newline(output.out));
}

Result<void> update_index(const GitContext& context, Bytes lines) {
  BERTH_TRY(const GitOutput output,
            context.scratch.run_for_repository(
                context.call, {.words = {"update-index", "--add", "--remove", "--replace", "-z", "--index-info"},
                               .input = std::move(lines)}));
  if (!output.cut && output.exit_code == 0) return {};
  if (output.err.find("index.lock") != Bytes::npos) {
    auto error = make_error(ErrorCode::conflict, "another program is changing the index of the repository");
    error.hint = "try again; a lock that a crashed git left behind is `index.lock` beside the index";
    return error;
  }
  return make_error(ErrorCode::io, "git cannot change the index of the repository");
}

}  // namespace

Result<StageOutcome> GitRepository::stage(const Call& call, std::span<const Path> paths) const {
  BERTH_TRY(const auto made, scratch(call, IndexFrom::repository));
  const GitContext context{call, workspace_, place_, *made, not_checked_out_, baseline_tree_};
  BERTH_TRY(const auto candidates, find_candidates(context, Untracked::all));

  StageOutcome outcome;
  WorkTree tree(workspace_);
  std::vector<const Candidate*> chosen;
  for (const auto& path : paths) {
    const auto count = chosen.size();
    for (const auto& candidate : candidates) {
      if (candidate.path.is_within(path)) chosen.push_back(&candidate);
    }
    if (chosen.size() != count) continue;
    // Nothing changed there: that is fine for what the index holds.
    BERTH_TRY(const Found found, tree.look(call, path));
    if (found.kind == Found::Kind::nothing) {
      outcome.skipped.push_back({.path = path, .why = found.why ? why_skipped(*found.why) : Why::missing});
      continue;
    }
    BERTH_TRY(const bool ignored, is_ignored(call, path));
    if (ignored) outcome.skipped.push_back({.path = path, .why = Why::ignored});
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());

  const std::string nothing(place_.object_format == "sha256" ? 64 : 40, '0');
  Bytes lines;
  for (const Candidate* candidate : chosen) {
    const Bytes name = place_.prefix + candidate->path.text();
    const auto skip = [&](Why why) { outcome.skipped.push_back({.path = candidate->path, .why = why}); };
    if (candidate->nested_repository) {
      skip(Why::nested_repository);
      continue;
    }
    BERTH_TRY(Found found, tree.read(call, candidate->path, kDiffContentBytes));
    if (found.why) {
      skip(why_skipped(*found.why));
      continue;
    }
    if (found.kind == Found::Kind::directory) {
      BERTH_TRY(const auto commit, submodule_commit(context, candidate->path));
      if (commit) {
        put(lines, "160000", *commit, name);
      } else if (candidate->unstaged == 'D') {
        put(lines, "0", nothing, name);
      } else {
        continue;
      }
    } else if (found.kind == Found::Kind::nothing) {
      put(lines, "0", nothing, name);
    } else {
      BERTH_TRY(const std::string object,
                found.kind == Found::Kind::link
                    ? write_link(context, found.content)
                    : write_object(context, candidate->path, found.content, WriteTo::repository));
      put(lines,
          found.kind == Found::Kind::link ? "120000"
          : found.mode == 0100755         ? "100755"
                                          : "100644",
          object, name);
    }
    outcome.staged.push_back(candidate->path);
  }
  if (!lines.empty()) BERTH_CHECK(update_index(context, std::move(lines)));
  return outcome;
}

}  // namespace berth::git
