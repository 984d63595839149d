#include <algorithm>
#include <array>
#include <span>

#include "policy/rebase.h"
#include "policy/rules/rulings.h"

namespace berth {
namespace {

constexpr std::array kListing{Operation::glob};
constexpr std::array kSearching{Operation::grep, Operation::read};

/// Leaves out what any of some operations is denied for, by either name of the base, and what the caller leaves out. A
/// directory that is denied itself is entered when something below it may pass.
class Denied final : public PathFilter {
 public:
  Denied(const Call& call, FileReads& reads, const Rulings& rulings, std::span<const Operation> operations,
         const PathFilter* outer, const Path& real, const Path& given)
      : call_(call),
        reads_(reads),
        rulings_(rulings),
        operations_(operations),
        outer_(outer, real, given),
        given_(given),
        real_(real) {}

  bool leaves_out(std::string_view path) const override {
    if (outer_.leaves_out(path)) return true;
    if (!denies(path)) return false;
    const bool holds_nothing = any_name(
        path, [this](Operation operation, std::string_view name) { return !rulings_.may_pass_below(operation, name); });
    return holds_nothing || !is_directory(path);
  }

  bool denies(std::string_view path) const {
    return any_name(path,
                    [this](Operation operation, std::string_view name) { return rulings_.denies(operation, name); });
  }

 private:
  template <typename Says>
  bool any_name(std::string_view path, const Says& says) const {
    const auto any = [&](std::string_view name) {
      return std::ranges::any_of(operations_, [&](Operation operation) { return says(operation, name); });
    };
    return any(path) || (given_ != real_ && any(rebase(path, real_, given_)));
  }

  // A walk does not tell directories from files.
  bool is_directory(std::string_view name) const {
    const auto path = parse_path(name, {});
    if (!path) return false;
    const auto facts = reads_.stat(call_, *path, FollowLeaf::no);
    return facts && facts->kind == FileKind::directory;
  }

  const Call& call_;
  FileReads& reads_;
  const Rulings& rulings_;
  std::span<const Operation> operations_;
  RebasedFilter outer_;
  const Path& given_;
  const Path& real_;
};

class RuledSearch final : public TreeSearch {
 public:
  RuledSearch(RealTargets targets, TreeSearch& plain, const Rulings& rulings)
      : targets_(targets), plain_(plain), rulings_(rulings) {}

  Result<ListPage> list(const Call& call, const ListQuery& query) override {
    if (!rulings_.may_deny(Operation::glob)) return plain_.list(call, query);
    BERTH_CHECK(rulings_.check_base(Operation::glob, query.base));
    return targets_.read_at(
        call, query.base, Leaf::followed,
        [this](const Path& real) { return rulings_.check_base(Operation::glob, real); },
        [&](const Path& real) -> Result<ListPage> {
          const Denied filter(call, *targets_.reads(), rulings_, kListing, query.filter_out, real, query.base);
          ListQuery asked = query;
          asked.base = real;
          asked.filter_out = &filter;
          BERTH_TRY(auto page, targets_.search()->list(call, asked));
          const auto dropped = std::erase_if(page.paths, [&](const Path& path) {
            return filter.denies(path.text()) || is_link_to_denied(call, path);
          });
          page.total -= static_cast<std::int64_t>(dropped);
          drop_unreadable(page.unreadable, filter);
          rebase(page, real, query.base);
          return page;
        });
  }

  Result<SearchResult> search(const Call& call, const SearchQuery& query) override {
    if (!rulings_.may_deny(Operation::grep) && !rulings_.may_deny(Operation::read)) return plain_.search(call, query);
    BERTH_CHECK(rulings_.check_base(Operation::grep, query.base));
    return targets_.read_at(
        call, query.base, Leaf::followed, [&](const Path& real) { return check_base(call, query.base, real); },
        [&](const Path& real) -> Result<SearchResult> {
          const Denied filter(call, *targets_.reads(), rulings_, kSearching, query.filter_out, real, query.base);
          SearchQuery asked = query;
          asked.base = real;
          asked.filter_out = &filter;
          BERTH_TRY(auto result, targets_.search()->search(call, asked));
          // The walk has left these out already; what a policy promises does not rest on one place alone.
          std::erase_if(result.lines, [&](const SearchMatch& match) { return filter.denies(match.path.text()); });
          std::erase_if(result.files, [&](const FileMatches& file) { return filter.denies(file.path.text()); });
          drop_unreadable(result.unreadable, filter);
          rebase(result, real, query.base);
          return result;
        });
  }

 private:
  // A file that is searched is read; a directory is not, and may hold what can be.
  Result<void> check_base(const Call& call, const Path& given, const Path& real) const {
    BERTH_CHECK(rulings_.check_base(Operation::grep, real));
    if (!rulings_.denies(Operation::read, given.text()) && !rulings_.denies(Operation::read, real.text())) return {};
    const auto facts = targets_.reads()->stat(call, real, FollowLeaf::no);
    if (facts && facts->kind == FileKind::directory) {
      BERTH_CHECK(rulings_.check_base(Operation::read, given));
      return rulings_.check_base(Operation::read, real);
    }
    BERTH_CHECK(rulings_.check(Operation::read, given));
    return rulings_.check(Operation::read, real);
  }

  static void drop_unreadable(std::vector<Unreadable>& unreadable, const Denied& filter) {
    std::erase_if(unreadable, [&](const Unreadable& item) { return filter.leaves_out(item.path.text()); });
  }

  bool is_link_to_denied(const Call& call, const Path& path) const {
    const auto facts = targets_.reads()->stat(call, path, FollowLeaf::no);
    if (!facts || facts->kind != FileKind::symlink) return false;
    return rulings_.denies(Operation::glob, targets_.target_of_link(call, path).text());
  }

  RealTargets targets_;
  TreeSearch& plain_;
  const Rulings& rulings_;
};

}  // namespace

std::unique_ptr<TreeSearch> make_ruled_search(RealTargets targets, TreeSearch& plain, const Rulings& rulings) {
  return std::make_unique<RuledSearch>(targets, plain, rulings);
}

}  // namespace berth
