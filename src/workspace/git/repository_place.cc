#include "workspace/git/repository_place.h"

#include <algorithm>
#include <utility>

#include "workspace/git/git_command.h"

namespace berth::git {
namespace {

// Prints the root, NUL, and the directory with `.git`, if any. What makes a directory a repository is what git asks of
// one in is_git_directory (setup.c).
constexpr std::string_view kWalk = R"sh(
pwd -P || exit 3
printf '\0'
while :; do
  if [ -f .git ] || { [ -d .git ] && { [ -e .git/HEAD ] || [ -h .git/HEAD ]; } && [ -d .git/refs ] &&
                      { [ -d .git/objects ] || [ -f .git/commondir ]; }; }; then
    pwd -P
    exit 0
  fi
  [ "$(pwd -P)" = / ] && exit 0
  cd -P .. 2>/dev/null || exit 0
done
)sh";

GitPlace own_place(const RepositoryPlace& place) { return {.git_dir = place.git_dir, .work_tree = place.top}; }

Error unreadable_repository() {
  auto error = make_error(ErrorCode::io, "what `.git` names is no repository that git can read");
  error.hint = "run `git status` in the workspace to see why";
  return error;
}

Result<Bytes> rev_parse(const Call& call, Workspace& workspace, const GitPlace& place, std::vector<Bytes> words) {
  words.insert(words.begin(), "rev-parse");
  BERTH_TRY(const GitOutput output, run_git(call, workspace, place, {.words = std::move(words)}));
  if (output.cut || output.exit_code != 0) return unreadable_repository();
  return Bytes(without_newline(output.out));
}

std::vector<Bytes> lines_of(BytesView text) {
  std::vector<Bytes> lines;
  for (;;) {
    const auto newline = text.find('\n');
    lines.emplace_back(text.substr(0, newline));
    if (newline == BytesView::npos) return lines;
    text.remove_prefix(newline + 1);
  }
}

bool holds_git_directory(BytesView prefix) {
  for (std::size_t begin = 0; begin < prefix.size();) {
    const auto end = std::min(prefix.find('/', begin), prefix.size());
    if (prefix.substr(begin, end - begin) == ".git") return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

Result<std::optional<RepositoryPlace>> find_repository(const Call& call, Workspace& workspace) {
  BERTH_TRY(const GitOutput walked, run_script(call, workspace, kWalk, {}));
  if (walked.cut || walked.exit_code != 0) {
    return make_error(ErrorCode::unavailable, "the shell of the workspace cannot look for a repository");
  }
  const auto nul = walked.out.find('\0');
  if (nul == Bytes::npos) return make_error(ErrorCode::internal, "the walk for a repository printed no root");
  const auto root = without_newline(BytesView(walked.out).substr(0, nul));
  RepositoryPlace place{.top = Bytes(without_newline(BytesView(walked.out).substr(nul + 1)))};
  if (place.top.empty()) return std::optional<RepositoryPlace>{};
  if (root != place.top) {
    const auto skip = place.top == "/" ? 1 : place.top.size() + 1;
    if (!root.starts_with(place.top) || root.size() <= skip) {
      return make_error(ErrorCode::internal, "the repository does not hold the workspace");
    }
    place.prefix = Bytes(root.substr(skip)) + '/';
  }
  if (holds_git_directory(place.prefix)) return std::optional<RepositoryPlace>{};

  const Bytes dot_git = (place.top == "/" ? "" : place.top) + "/.git";
  const GitPlace at{.git_dir = dot_git, .work_tree = place.top};
  BERTH_TRY(auto facts,
            rev_parse(call, workspace, at,
                      {"--show-object-format", "--absolute-git-dir", "--path-format=absolute", "--git-common-dir"}));
  auto lines = lines_of(facts);
  if (lines.size() != 3) {
    // A name holds a newline: ask for one after the other.
    BERTH_TRY(Bytes format, rev_parse(call, workspace, at, {"--show-object-format"}));
    BERTH_TRY(Bytes git_dir, rev_parse(call, workspace, at, {"--absolute-git-dir"}));
    BERTH_TRY(Bytes common_dir, rev_parse(call, workspace, at, {"--path-format=absolute", "--git-common-dir"}));
    lines = {std::move(format), std::move(git_dir), std::move(common_dir)};
  }
  place.object_format = lines[0];
  place.git_dir = std::move(lines[1]);
  place.common_dir = std::move(lines[2]);
  if (place.object_format != "sha1" && place.object_format != "sha256") return unreadable_repository();
  if (!place.git_dir.starts_with('/') || !place.common_dir.starts_with('/')) return unreadable_repository();
  return std::optional<RepositoryPlace>{std::move(place)};
}

Result<std::optional<std::string>> head_commit(const Call& call, Workspace& workspace, const RepositoryPlace& place) {
  const auto at = own_place(place);
  BERTH_TRY(const GitOutput head,
            run_git(call, workspace, at, {.words = {"rev-parse", "--verify", "--quiet", "HEAD"}}));
  const auto is_hex = [](char byte) { return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f'); };
  const auto id = without_newline(head.out);
  if (head.exit_code == 0 && id.size() >= 40 && std::all_of(id.begin(), id.end(), is_hex)) {
    return std::optional<std::string>{std::string(id)};
  }

  // No commit yet is a branch that does not exist. A branch that git cannot read is something else; git warns of it.
  const auto damaged = [] {
    auto error = make_error(ErrorCode::io, "HEAD of the repository names no commit and no new branch");
    error.hint = "repair the repository, for example with `git checkout`";
    return error;
  };
  BERTH_TRY(const GitOutput branch, run_git(call, workspace, at, {.words = {"symbolic-ref", "--quiet", "HEAD"}}));
  if (branch.exit_code != 0) return damaged();
  BERTH_TRY(const GitOutput listed,
            run_git(call, workspace, at,
                    {.words = {"for-each-ref", "--format=%(refname)", "--", Bytes(without_newline(branch.out))}}));
  if (listed.exit_code != 0 || !listed.out.empty() || !listed.err.empty()) return damaged();
  return std::optional<std::string>{};
}

Result<std::string> tree_of(const Call& call, Workspace& workspace, const RepositoryPlace& place,
                            const std::string& commit) {
  BERTH_TRY(const GitOutput tree, run_git(call, workspace, own_place(place),
                                          {.words = {"rev-parse", "--verify", "--quiet", commit + "^{tree}"}}));
  return tree.cut || tree.exit_code != 0 ? std::string() : std::string(without_newline(tree.out));
}

}  // namespace berth::git
