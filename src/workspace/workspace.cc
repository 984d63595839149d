#include "workspace/workspace.h"

#include <algorithm>

#include "workspace/argument_checks.h"
#include "workspace/path_errors.h"
#include "workspace/workspace_internal.h"

namespace berth {
namespace {

/// Where the first `..` component begins; npos when there is none.
std::size_t find_dot_dot(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('/', begin), text.size());
    if (text.substr(begin, end - begin) == "..") return begin;
    begin = end + 1;
  }
  return std::string_view::npos;
}

/// Resolve with the kernel's meaning of `..`: the parent of what the path before it leads to.
Result<Path> kernel_path(FileReads& reads, const Call& call, std::string_view text, const BackendInfo& info) {
  auto dots = find_dot_dot(text);
  const auto first = text.substr(0, dots);
  Path at;
  if (!first.empty()) {
    BERTH_TRY(at, parse_path(first, info.root_names));
  }
  for (;;) {
    BERTH_TRY(at, reads.real_path(call, at));
    if (dots == std::string_view::npos) return at;
    BERTH_TRY(const FileStat facts, reads.stat(call, at, FollowLeaf::no));
    if (facts.kind != FileKind::directory) {
      return make_error(ErrorCode::not_a_directory, "what stands before `..` is not a directory");
    }
    if (at.is_root()) return make_error(ErrorCode::path_escape, "the path leads out of the workspace");
    at = at.parent();
    text.remove_prefix(std::min(dots + 3, text.size()));
    dots = find_dot_dot(text);
    const auto next = text.substr(0, dots);
    if (!next.empty()) {
      BERTH_TRY(at, parse_path(at.text() + "/" + std::string(next), {}));
    }
  }
}

}  // namespace

Workspace::Workspace(std::unique_ptr<Backend> backend, PathRules rules) : backend_(std::move(backend)), rules_(rules) {}

Workspace::~Workspace() = default;

const BackendInfo& Workspace::info() const noexcept { return backend_->info(); }

std::optional<WorkspaceRef> Workspace::ref() const { return backend_->ref(); }

Capabilities Workspace::capabilities() const noexcept {
  return {.read_files = backend_->reads() != nullptr,
          .write_files = backend_->writes() != nullptr,
          .run_commands = backend_->commands() != nullptr,
          .search_files = backend_->search() != nullptr,
          .transactions = backend_->transactions() != nullptr,
          .jobs = backend_->jobs() != nullptr};
}

Result<void> Workspace::ensure(const Call& call) {
  BERTH_CHECK(call.check());
  return backend_->ensure(call);
}

Result<Path> Workspace::resolve(PathArg path) const { return parse_path(path.text, info().root_names, rules_); }

Result<ReadPage> Workspace::read(const Call& call, PathArg path, const ReadRange& range) {
  BERTH_TRY(auto* reads, offered(backend_->reads(), "reading files"));
  BERTH_TRY(const Path target, resolve(path));
  BERTH_CHECK(check_range(range));
  BERTH_CHECK(ensure(call));
  auto page = reads->read(call, target, range);
  if (!page) name_path(page.error(), path.text);
  return page;
}

Result<LinePage> Workspace::read_lines(const Call& call, PathArg path, const LineRange& range) {
  BERTH_TRY(auto* reads, offered(backend_->reads(), "reading files"));
  BERTH_TRY(const Path target, resolve(path));
  BERTH_CHECK(check_range(range));
  BERTH_CHECK(ensure(call));
  auto page = reads->read_lines(call, target, range);
  if (!page) name_path(page.error(), path.text);
  return page;
}

Result<FileStat> Workspace::stat(const Call& call, PathArg path, FollowLeaf follow) {
  BERTH_TRY(auto* reads, offered(backend_->reads(), "reading files"));
  BERTH_TRY(const Path target, resolve(path));
  BERTH_CHECK(ensure(call));
  auto facts = reads->stat(call, target, follow);
  if (!facts) name_path(facts.error(), path.text);
  return facts;
}

Result<bool> Workspace::exists(const Call& call, PathArg path) {
  auto facts = stat(call, path, FollowLeaf::no);
  if (facts) return true;
  // A file where a parent should be leaves nothing standing at the path.
  const auto code = facts.error().code;
  if (code == ErrorCode::not_found || code == ErrorCode::not_a_directory) return false;
  return std::move(facts).error();
}

Result<void> Workspace::require_absent(const Call& call, PathArg path) {
  BERTH_TRY(const bool there, exists(call, path));
  if (there) return make_error(ErrorCode::already_exists, "something stands at this path").at(path.text);
  return {};
}

Result<DirectoryListing> Workspace::list_directory(const Call& call, PathArg path) {
  BERTH_TRY(auto* reads, offered(backend_->reads(), "reading files"));
  BERTH_TRY(const Path target, resolve(path));
  BERTH_CHECK(ensure(call));
  auto listing = reads->list_directory(call, target);
  if (!listing) name_path(listing.error(), path.text);
  return listing;
}

Result<Path> Workspace::real_path(const Call& call, PathArg path) {
  BERTH_TRY(auto* reads, offered(backend_->reads(), "reading files"));
  const bool by_kernel = rules_.dot_dot == PathRules::DotDot::collapse && path.text.size() <= limits::kPathBytes &&
                         find_dot_dot(path.text) != std::string_view::npos;
  Path target;
  if (!by_kernel) {
    BERTH_TRY(target, resolve(path));
  }
  BERTH_CHECK(ensure(call));
  auto real = by_kernel ? kernel_path(*reads, call, path.text, info()) : reads->real_path(call, target);
  if (!real) name_path(real.error(), path.text);
  return real;
}

Result<ListPage> Workspace::list(const Call& call, std::string_view pattern, const ListOptions& options) {
  BERTH_TRY(auto* search, offered(backend_->search(), "listing files by pattern"));
  BERTH_CHECK(check_list_limit(options.limit));
  BERTH_CHECK(ensure(call));
  return search->list(call, ListQuery{.pattern = std::string(pattern),
                                      .grammar = PatternGrammar::list,
                                      .base = Path(),
                                      .filter = options.filter,
                                      .limit = options.limit,
                                      .cursor = options.cursor});
}

bool Workspace::can_survey() const noexcept { return backend_->survey() != nullptr; }

Result<void> Workspace::survey(const Call& call, SurveyVisitor& visitor) {
  BERTH_TRY(auto* survey, offered(backend_->survey(), "looking at every name"));
  BERTH_CHECK(ensure(call));
  return survey->survey(call, visitor);
}

Result<ListPage> Workspace::glob(const Call& call, std::string_view pattern, PathArg path, const ListOptions& options) {
  BERTH_TRY(auto* search, offered(backend_->search(), "listing files by pattern"));
  BERTH_TRY(Path base, resolve(path));
  BERTH_CHECK(check_list_limit(options.limit));
  BERTH_CHECK(ensure(call));
  auto page = search->list(call, ListQuery{.pattern = std::string(pattern),
                                           .grammar = PatternGrammar::glob,
                                           .base = std::move(base),
                                           .filter = options.filter,
                                           .limit = options.limit,
                                           .cursor = options.cursor});
  if (!page) name_search_path(page.error(), path.text);
  return page;
}

Result<SearchResult> Workspace::search(const Call& call, PathArg path, SearchQuery query) {
  BERTH_TRY(auto* search, offered(backend_->search(), "searching files"));
  BERTH_TRY(query.base, resolve(path));
  BERTH_CHECK(check_query(query));
  BERTH_CHECK(ensure(call));
  auto result = search->search(call, query);
  if (!result) name_search_path(result.error(), path.text);
  return result;
}

Result<CommandOutcome> Workspace::run(const Call& call, const CommandSpec& spec, OutputSink* sink) {
  BERTH_TRY(auto* commands, offered_to_change(backend_->commands(), info(), "running commands"));
  BERTH_CHECK(check_command(spec));
  BERTH_CHECK(ensure(call));
  auto outcome = commands->run(call, spec, sink);
  // The only path of a command that can be wrong is its directory.
  if (!outcome) name_search_path(outcome.error(), spec.cwd.text());
  return outcome;
}

}  // namespace berth
