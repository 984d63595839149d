#include "workspace/git/candidates.h"

#include <algorithm>
#include <map>
#include <utility>

#include "workspace/git/survey_status.h"
#include "workspace/git/tree_records.h"

namespace berth::git {
namespace {

constexpr std::int64_t kStatusBytes = std::int64_t{256} * 1024 * 1024;
constexpr std::size_t kArgumentBytes = 64 * 1024;

bool is_not_checked_out(const std::vector<Bytes>& names, BytesView path) {
  if (names.empty()) return false;
  const auto holds = [&names](BytesView name) { return std::binary_search(names.begin(), names.end(), name); };
  if (holds(path)) return true;
  for (auto slash = path.find('/'); slash != BytesView::npos; slash = path.find('/', slash + 1)) {
    if (holds(path.substr(0, slash + 1))) return true;
  }
  return false;
}

Result<std::vector<StatusRecord>> read_status(const GitContext& context, Untracked untracked) {
  GitRun run{.words = {"status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=dirty",
                       untracked == Untracked::all ? "--untracked-files=all" : "--untracked-files=no"},
             .max_output = kStatusBytes};
  if (!context.place.prefix.empty()) run.words.insert(run.words.end(), {"--", "."});
  BERTH_TRY(GitOutput output, context.scratch.run(context.call, run));
  if (!output.cut && output.exit_code != 0) {
    // The copied index may be damaged where only git looks.
    BERTH_CHECK(context.scratch.rebuild_index(context.call));
    BERTH_TRY(output, context.scratch.run(context.call, std::move(run)));
  }
  if (output.cut) {
    auto error = make_error(ErrorCode::too_large, "too many files differ from the baseline to be listed");
    error.hint = "let `.gitignore` leave out what is built";
    return error;
  }
  if (output.exit_code != 0) {
    auto error = make_error(ErrorCode::io, "git cannot compare the work tree with the baseline");
    error.hint = "`git fsck` and `git status` in the workspace say why";
    return error;
  }
  return parse_status(output.out);
}

/// Ask the baseline for the entries of paths.
Result<void> add_baselines(const GitContext& context, std::map<Bytes, StatusRecord*>& wanted) {
  for (auto next = wanted.begin(); next != wanted.end();) {
    GitRun run{.words = {"ls-tree", "-z", "--full-tree", "HEAD", "--"}};
    for (std::size_t bytes = 0; next != wanted.end() && bytes < kArgumentBytes; ++next) {
      bytes += next->first.size() + 1;
      run.words.push_back(next->first);
    }
    BERTH_TRY(const GitOutput output, context.scratch.run(context.call, std::move(run)));
    // No commit: nothing is in the baseline.
    if (output.cut || output.exit_code != 0) continue;
    BERTH_TRY(auto entries, parse_tree(output.out));
    for (auto& [path, entry] : entries) {
      const auto at = wanted.find(path);
      constexpr std::uint32_t kTree = 040000;
      if (at != wanted.end() && entry.mode != kTree) at->second->baseline = std::move(entry);
    }
  }
  return {};
}

Result<std::vector<Candidate>> candidates_from(const GitContext& context, std::vector<StatusRecord> records) {
  std::map<Bytes, StatusRecord*> unmerged;
  for (auto& record : records) {
    if (record.unmerged) unmerged.emplace(record.path, &record);
  }
  BERTH_CHECK(add_baselines(context, unmerged));

  std::vector<Candidate> candidates;
  for (const auto& record : records) {
    const BytesView full = record.path;
    if (!full.starts_with(context.place.prefix)) continue;
    // Absent only: what a sparse checkout left out and somebody wrote is a change.
    if (record.unstaged == 'D' && is_not_checked_out(context.not_checked_out, full)) continue;
    const Bytes absolute = (context.place.top == "/" ? "" : context.place.top) + "/" + record.path;
    if (context.scratch.directory() == absolute || absolute.starts_with(context.scratch.directory() + "/")) continue;
    const auto below = full.substr(context.place.prefix.size());
    if (below.empty()) continue;
    BERTH_TRY(Path path, path_from_git(below));
    candidates.push_back({.path = std::move(path),
                          .baseline = record.baseline,
                          .staged = record.unmerged ? 'U' : record.staged,
                          .unstaged = record.unstaged,
                          .untracked = record.staged == '?',
                          .nested_repository = record.nested_repository});
  }

  // A file taken out of the index only has two records: deleted, and untracked.
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& left, const Candidate& right) {
    return left.path != right.path ? left.path < right.path : left.untracked < right.untracked;
  });
  std::vector<Candidate> merged;
  merged.reserve(candidates.size());
  for (auto& candidate : candidates) {
    if (!merged.empty() && merged.back().path == candidate.path) {
      merged.back().unstaged = candidate.unstaged;
      merged.back().untracked |= candidate.untracked;
      merged.back().nested_repository |= candidate.nested_repository;
    } else {
      merged.push_back(std::move(candidate));
    }
  }
  return merged;
}

}  // namespace

Result<Path> path_from_git(BytesView bytes) {
  auto path = parse_path(bytes, {});
  if (!path) return make_error(ErrorCode::io, "the repository holds a path that no file can have");
  return path;
}

Result<std::vector<Candidate>> find_candidates(const GitContext& context, Untracked untracked) {
  BERTH_TRY(auto records, read_status(context, untracked));
  return candidates_from(context, std::move(records));
}

Result<std::vector<Candidate>> find_likely_candidates(const GitContext& context, const DiffOptions& options) {
  if (!context.scratch.has_index()) {
    BERTH_TRY(auto records, survey_status(context, options));
    if (records) return candidates_from(context, *std::move(records));
    BERTH_CHECK(context.scratch.copy_index(context.call));
  }
  return find_candidates(context, Untracked::all);
}

}  // namespace berth::git
