#include "workspace/git/scratch_repository.h"

#include <chrono>
#include <utility>

#include "workspace/git/index_file.h"

namespace berth::git {
namespace {

// 256 MiB hold an index of two million files.
constexpr std::int64_t kIndexBytes = std::int64_t{256} * 1024 * 1024;
constexpr std::chrono::seconds kRemovalTime{2};

// $1 configuration, $2 HEAD, $3 the repository's exclude file, $4 its index. The copy keeps the index's time, by which
// git knows entries that were written in the same moment as their files. Prints the directory and NUL, then the copy.
constexpr std::string_view kMake = R"sh(
umask 077
dir=$(mktemp -d "${TMPDIR:-/tmp}/berth-git-XXXXXXXXXX") || exit 3
trap 'rm -rf "$dir"' HUP INT TERM
mkdir "$dir/objects" "$dir/objects/info" "$dir/objects/pack" "$dir/refs" "$dir/info" &&
  printf '%s' "$1" > "$dir/config" && printf '%s\n' "$2" > "$dir/HEAD" || { rm -rf "$dir"; exit 3; }
printf '%s\0' "$dir"
[ -f "$3" ] && cp "$3" "$dir/info/exclude" 2>/dev/null
[ -f "$4" ] && cp -p "$4" "$dir/index" 2>/dev/null && cat "$dir/index"
exit 0
)sh";

// $1 the scratch directory, $2 the repository's index.
constexpr std::string_view kCopyIndex = R"sh(
[ -f "$2" ] && cp -p "$2" "$1/index" 2>/dev/null && cat "$1/index"
exit 0
)sh";

// $1 the index of the scratch repository, $2 the repository's own, whose time the new content keeps.
constexpr std::string_view kReplaceIndex = R"sh(cat > "$1" && touch -r "$2" "$1")sh";

Bytes configuration(const std::string& object_format) {
  Bytes text = "[core]\n\trepositoryformatversion = ";
  text += object_format == "sha256" ? "1" : "0";
  text += "\n\tbare = false\n";
  if (object_format == "sha256") text += "[extensions]\n\tobjectformat = sha256\n";
  return text;
}

}  // namespace

Result<std::unique_ptr<ScratchRepository>> ScratchRepository::make(const Call& call, Workspace& workspace,
                                                                   const RepositoryPlace& place,
                                                                   const std::optional<std::string>& commit,
                                                                   IndexFrom index_from) {
  std::unique_ptr<ScratchRepository> scratch(new ScratchRepository(workspace, place, commit));
  const Bytes index = index_from == IndexFrom::repository ? scratch->repository_index() : "";
  BERTH_TRY(GitOutput made, run_script(call, workspace, kMake,
                                       {configuration(place.object_format), commit.value_or("ref: refs/heads/unborn"),
                                        place.common_dir + "/info/exclude", index},
                                       {}, kIndexBytes));
  const auto nul = made.out.find('\0');
  if (nul == Bytes::npos || nul == 0) {
    auto error = make_error(ErrorCode::unavailable, "no temporary directory can be made for git");
    error.hint = "see that TMPDIR of the workspace's commands can be written";
    return error;
  }
  scratch->place_ = {.git_dir = made.out.substr(0, nul),
                     .work_tree = place.top,
                     .index_file = {},
                     .object_directory = {},
                     .alternate = place.common_dir + "/objects"};
  switch (index_from) {
    case IndexFrom::nothing: scratch->has_index_ = false; break;
    case IndexFrom::baseline: BERTH_CHECK(scratch->rebuild_index(call)); break;
    case IndexFrom::repository:
      made.out.erase(0, nul + 1);
      BERTH_CHECK(scratch->clean_copy(call, std::move(made)));
      break;
  }
  return scratch;
}

Bytes ScratchRepository::repository_index() const { return repository_.git_dir + "/index"; }

void ScratchRepository::use_index_in_place() {
  place_.index_file = repository_index();
  has_index_ = true;
}

Result<void> ScratchRepository::copy_index(const Call& call) {
  place_.index_file.clear();
  has_index_ = true;
  BERTH_TRY(GitOutput copied,
            run_script(call, workspace_, kCopyIndex, {directory(), repository_index()}, {}, kIndexBytes));
  return clean_copy(call, std::move(copied));
}

Result<void> ScratchRepository::clean_copy(const Call& call, GitOutput copied) {
  auto facts = clean_index(copied.out, repository_.object_format == "sha256" ? 32 : 20);
  not_checked_out_ = std::move(facts.not_checked_out);
  if (facts.use == IndexFacts::Use::cleaned && !copied.cut) {
    BERTH_TRY(const GitOutput written, run_script(call, workspace_, kReplaceIndex,
                                                  {directory() + "/index", repository_index()}, std::move(copied.out)));
    if (written.exit_code != 0 || written.cut) facts.use = IndexFacts::Use::unusable;
  }
  if (facts.use == IndexFacts::Use::unusable || copied.cut) BERTH_CHECK(rebuild_index(call));
  return {};
}

ScratchRepository::~ScratchRepository() {
  if (place_.git_dir.empty()) return;
  // What is left when this fails is a temporary directory without secrets of ours.
  static_cast<void>(run_script(Call{Deadline::after(kRemovalTime), {}, {}}, workspace_, R"sh(exec rm -rf -- "$1")sh",
                               {place_.git_dir}));
}

Result<GitOutput> ScratchRepository::run(const Call& call, GitRun run) const {
  return run_git(call, workspace_, place_, std::move(run));
}

Result<GitOutput> ScratchRepository::run_without_index(const Call& call, GitRun run) const {
  auto place = place_;
  place.index_file = directory() + "/no-index";
  return run_git(call, workspace_, place, std::move(run));
}

Result<GitOutput> ScratchRepository::run_for_repository(const Call& call, GitRun run) const {
  auto place = place_;
  place.index_file = repository_index();
  place.object_directory = repository_.common_dir + "/objects";
  place.alternate.clear();
  return run_git(call, workspace_, place, std::move(run));
}

Result<void> ScratchRepository::rebuild_index(const Call& call) const {
  BERTH_CHECK(run_script(call, workspace_, R"sh(rm -f -- "$1")sh", {place_.git_dir + "/index"}));
  if (!commit_) return {};
  BERTH_TRY(const GitOutput read, run(call, {.words = {"read-tree", *commit_}}));
  if (read.cut || read.exit_code != 0) {
    auto error = make_error(ErrorCode::io, "git cannot read the baseline commit");
    error.hint = "objects are missing or damaged; `git fsck` names them, `git fetch` completes a partial clone";
    return error;
  }
  return {};
}

}  // namespace berth::git
