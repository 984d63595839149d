#include "workspace/git/git_repository.h"

#include <algorithm>
#include <utility>

#include "workspace/git/candidates.h"
#include "workspace/git/comparison.h"
#include "workspace/git/index_file.h"
#include "workspace/git/tree_records.h"
#include "workspace/git/work_tree.h"

namespace berth::git {
namespace {

constexpr std::int64_t kIndexBytes = std::int64_t{256} * 1024 * 1024;
constexpr std::size_t kNamedPaths = 5;

// $1 the index. Its first bytes: the last of them is the version.
constexpr std::string_view kReadVersion = R"sh([ -f "$1" ] || exit 0; exec dd if="$1" bs=8 count=1 2>/dev/null)sh";
constexpr std::string_view kReadIndex = R"sh([ -f "$1" ] || exit 0; exec cat -- "$1")sh";

/// The entries of the repository's index that are not checked out. Version 2 has none.
Result<std::vector<Bytes>> find_not_checked_out(const Call& call, Workspace& workspace, const RepositoryPlace& place) {
  const Bytes index = place.git_dir + "/index";
  BERTH_TRY(const GitOutput begin, run_script(call, workspace, kReadVersion, {index}));
  if (begin.out.size() < 8 || begin.out[7] == 2) return std::vector<Bytes>{};
  BERTH_TRY(GitOutput all, run_script(call, workspace, kReadIndex, {index}, {}, kIndexBytes));
  return clean_index(all.out, place.object_format == "sha256" ? 32 : 20).not_checked_out;
}

Result<void> check_bounds(const DiffOptions& options) {
  const auto refuse = [](const char* what) {
    return make_error(ErrorCode::invalid_argument, std::string(what) + " must be greater than 0");
  };
  // Far more than any answer, and small enough to be added to.
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (options.max_bytes <= 0 || options.max_bytes > kMost) return refuse("max_bytes");
  if (options.max_files <= 0 || options.max_files > kMost) return refuse("max_files");
  if (options.max_file_bytes <= 0 || options.max_file_bytes > kMost) return refuse("max_file_bytes");
  if (options.max_content_bytes <= 0 || options.max_content_bytes > kMost) return refuse("max_content_bytes");
  return {};
}

/// What is known of a candidate without comparing content.
enum class Verdict { compare, changed, unchanged };

Verdict judge(const Candidate& candidate, Change& change) {
  if (candidate.nested_repository && candidate.baseline.mode == 0) return Verdict::unchanged;
  if (candidate.baseline.mode == 0 && candidate.staged != 'U') {
    change = Change::added;
    return candidate.unstaged == 'D' ? Verdict::unchanged : Verdict::changed;
  }
  // The index has what the baseline has, so an absence or another type that git found holds for both. A modification
  // need be none: git does not convert line endings before it says so.
  if (candidate.staged == '.' && (candidate.unstaged == 'D' || candidate.unstaged == 'T')) {
    change = candidate.unstaged == 'D' ? Change::deleted : Change::type_changed;
    return Verdict::changed;
  }
  return Verdict::compare;
}

}  // namespace

std::string_view change_name(Change change) noexcept {
  switch (change) {
    case Change::added: return "added";
    case Change::modified: return "modified";
    case Change::deleted: return "deleted";
    case Change::renamed: return "renamed";
    case Change::type_changed: return "type_changed";
  }
  return "modified";
}

std::string_view why_name(NotShown::Why why) noexcept {
  switch (why) {
    case NotShown::Why::too_large: return "too_large";
    case NotShown::Why::withheld: return "withheld";
    case NotShown::Why::nested_repository: return "nested_repository";
    case NotShown::Why::special_file: return "special_file";
    case NotShown::Why::unreadable: return "unreadable";
  }
  return "unreadable";
}

Result<std::unique_ptr<GitRepository>> GitRepository::open(const Call& call, Workspace& workspace) {
  std::unique_ptr<GitRepository> repository(new GitRepository(workspace));
  BERTH_TRY(auto place, find_repository(call, workspace));
  if (!place) return repository;
  repository->place_ = *std::move(place);
  BERTH_TRY(auto commit, head_commit(call, workspace, repository->place_));
  repository->baseline_ = {.kind = commit ? Baseline::Kind::commit : Baseline::Kind::no_commit,
                           .commit = commit.value_or("")};
  if (commit) {
    BERTH_TRY(repository->baseline_tree_, tree_of(call, workspace, repository->place_, *commit));
  }
  BERTH_TRY(repository->not_checked_out_, find_not_checked_out(call, workspace, repository->place_));
  return repository;
}

Result<std::unique_ptr<ScratchRepository>> GitRepository::scratch(const Call& call, IndexFrom index) const {
  BERTH_CHECK(call.check());
  if (baseline_.kind == Baseline::Kind::no_repository) {
    auto error = make_error(ErrorCode::not_found, "the workspace is in no git repository");
    error.hint = "make one with `git init`, and open the workspace again";
    return error;
  }
  return ScratchRepository::make(
      call, workspace_, place_,
      baseline_.kind == Baseline::Kind::commit ? std::optional(baseline_.commit) : std::nullopt, index);
}

Result<Diff> GitRepository::diff(const Call& call, const DiffOptions& options) const {
  BERTH_CHECK(check_bounds(options));
  BERTH_TRY(const auto made,
            scratch(call, options.trust == IndexTrust::none ? IndexFrom::baseline : IndexFrom::nothing));
  const GitContext context{call, workspace_, place_, *made, not_checked_out_, baseline_tree_};
  BERTH_TRY(const auto candidates, find_likely_candidates(context, options));
  return compare(context, candidates, options, Detail::content);
}

Result<std::vector<StatusEntry>> GitRepository::status_paths(const Call& call) const {
  BERTH_TRY(const auto made, scratch(call, IndexFrom::nothing));
  const GitContext context{call, workspace_, place_, *made, not_checked_out_, baseline_tree_};
  BERTH_TRY(const auto candidates, find_likely_candidates(context, {}));

  std::vector<StatusEntry> entries;
  std::vector<Candidate> unsure;
  for (const auto& candidate : candidates) {
    StatusEntry entry{.path = candidate.path, .untracked = candidate.untracked};
    switch (judge(candidate, entry.change)) {
      case Verdict::changed: entries.push_back(std::move(entry)); break;
      case Verdict::compare: unsure.push_back(candidate); break;
      case Verdict::unchanged: break;
    }
  }
  DiffOptions everything;
  everything.max_files = static_cast<std::int64_t>(unsure.size()) + 1;
  BERTH_TRY(const Diff compared, compare(context, unsure, everything, Detail::paths));
  const auto is_untracked = [&unsure](const Path& path) {
    const auto at =
        std::lower_bound(unsure.begin(), unsure.end(), path,
                         [](const Candidate& candidate, const Path& other) { return candidate.path < other; });
    return at != unsure.end() && at->path == path && at->untracked;
  };
  for (const auto& file : compared.files) {
    entries.push_back({.path = file.path, .change = file.change, .untracked = is_untracked(file.path)});
  }
  // What cannot be compared is not known to be unchanged.
  for (const auto& hidden : compared.not_shown) {
    entries.push_back({.path = hidden.path, .change = Change::modified, .untracked = is_untracked(hidden.path)});
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end(),
                            [](const StatusEntry& left, const StatusEntry& right) { return left.path == right.path; }),
                entries.end());
  return entries;
}

Result<std::vector<Path>> GitRepository::baseline_paths(const Call& call) const {
  std::vector<Path> paths;
  if (baseline_.kind == Baseline::Kind::no_commit) return paths;
  BERTH_TRY(const auto made, scratch(call, IndexFrom::nothing));
  GitRun run{.words = {"ls-tree", "-r", "-z", "--full-tree", "HEAD"}, .max_output = kIndexBytes};
  if (!place_.prefix.empty()) run.words.insert(run.words.end(), {"--", place_.prefix});
  BERTH_TRY(const GitOutput output, made->run(call, std::move(run)));
  if (output.cut) return make_error(ErrorCode::too_large, "the baseline holds too many files to be listed");
  if (output.exit_code != 0) return make_error(ErrorCode::io, "git cannot read the baseline commit");
  BERTH_TRY(const auto entries, parse_tree(output.out));
  for (const auto& [path, entry] : entries) {
    // A submodule's files are another repository's.
    constexpr std::uint32_t kSubmodule = 0160000;
    if (entry.mode == kSubmodule || !path.starts_with(place_.prefix)) continue;
    BERTH_TRY(Path below, path_from_git(BytesView(path).substr(place_.prefix.size())));
    paths.push_back(std::move(below));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<Snapshot> GitRepository::snapshot(const Call& call) const {
  BERTH_TRY(const auto entries, status_paths(call));
  WorkTree tree(workspace_);
  Snapshot snapshot;
  for (const auto& entry : entries) {
    BERTH_TRY(Found found, tree.look(call, entry.path));
    snapshot.changed.emplace(entry.path, std::move(found.token));
  }
  return snapshot;
}

Result<std::vector<Path>> GitRepository::changed_since(const Call& call, const Snapshot& before) const {
  BERTH_TRY(const Snapshot now, snapshot(call));
  std::vector<Path> paths;
  for (const auto& [path, token] : now.changed) {
    const auto old = before.changed.find(path);
    if (old == before.changed.end() || old->second != token) paths.push_back(path);
  }
  // Brought back to what the baseline holds.
  for (const auto& [path, token] : before.changed) {
    if (!now.changed.contains(path)) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<bool> GitRepository::is_ignored(const Call& call, const Path& path) const {
  if (path.is_root()) return false;
  BERTH_TRY(const auto made, scratch(call, IndexFrom::repository));
  // check-ignore takes no literal pathspecs; a leading `./` keeps a name from being read as a pattern, and it reads no
  // other.
  BERTH_TRY(const GitOutput output,
            made->run(call, {.words = {"--no-literal-pathspecs", "check-ignore", "-z", "--stdin"},
                             .input = "./" + path.text() + '\0'}));
  if (!output.cut && output.exit_code == 0) return true;
  if (!output.cut && output.exit_code == 1) return false;
  // Nothing beyond a link or inside a submodule is this repository's, so its rules do not speak of it.
  if (output.err.find("beyond a symbolic link") != Bytes::npos || output.err.find("in submodule") != Bytes::npos) {
    return false;
  }
  return make_error(ErrorCode::io, "git cannot read the ignore rules");
}

Result<void> GitRepository::require_clean(const Call& call) const {
  BERTH_TRY(const auto made, scratch(call, IndexFrom::repository));
  const GitContext context{call, workspace_, place_, *made, not_checked_out_, baseline_tree_};
  BERTH_TRY(const auto candidates, find_candidates(context, Untracked::none));
  if (candidates.empty()) return {};
  std::vector<std::string> names;
  for (const auto& candidate : candidates) {
    if (names.size() == kNamedPaths) break;
    names.push_back(decode_utf8(candidate.path.text()).text);
  }
  return make_error(ErrorCode::dirty_workspace, "the workspace holds changes that are not committed")
      .with("count", static_cast<std::int64_t>(candidates.size()))
      .with("paths", std::move(names));
}

}  // namespace berth::git
