#include <algorithm>

#include "policy/rebase.h"
#include "policy/sensitive_files.h"

namespace berth {
namespace {

/// Leaves out what is kept back and what the caller's own filter leaves out, which knows the base by another name.
class KeptBack final : public PathFilter {
 public:
  KeptBack(const PathVerdicts& verdicts, const PathFilter* outer, const Path& real, const Path& given)
      : verdicts_(verdicts), outer_(outer, real, given), given_(given), real_(real) {}

  bool leaves_out(std::string_view path) const override {
    if (verdicts_.is_kept_back(path) || outer_.leaves_out(path)) return true;
    return given_ != real_ && verdicts_.is_kept_back(rebase(path, real_, given_));
  }

 private:
  const PathVerdicts& verdicts_;
  RebasedFilter outer_;
  const Path& given_;
  const Path& real_;
};

class SensitiveSearch final : public TreeSearch {
 public:
  SensitiveSearch(RealTargets targets, const PathVerdicts& verdicts) : targets_(targets), verdicts_(verdicts) {}

  Result<ListPage> list(const Call& call, const ListQuery& query) override {
    BERTH_CHECK(verdicts_.check_read(query.base));
    return targets_.read_at(call, query.base, Leaf::followed, may_read(verdicts_),
                            [&](const Path& real) -> Result<ListPage> {
                              const KeptBack filter(verdicts_, query.filter_out, real, query.base);
                              ListQuery asked = query;
                              asked.base = real;
                              asked.filter_out = &filter;
                              BERTH_TRY(auto page, targets_.search()->list(call, asked));
                              const auto dropped = std::erase_if(page.paths, [&](const Path& path) {
                                return filter.leaves_out(path.text()) || is_link_to_kept_back(call, path);
                              });
                              page.total -= static_cast<std::int64_t>(dropped);
                              drop_unreadable(page.unreadable, filter);
                              rebase(page, real, query.base);
                              return page;
                            });
  }

  Result<SearchResult> search(const Call& call, const SearchQuery& query) override {
    BERTH_CHECK(verdicts_.check_read(query.base));
    return targets_.read_at(
        call, query.base, Leaf::followed, may_read(verdicts_), [&](const Path& real) -> Result<SearchResult> {
          const KeptBack filter(verdicts_, query.filter_out, real, query.base);
          SearchQuery asked = query;
          asked.base = real;
          asked.filter_out = &filter;
          BERTH_TRY(auto result, targets_.search()->search(call, asked));
          // The walk has left these out already; what a policy promises does not rest on one place alone.
          std::erase_if(result.lines, [&](const SearchMatch& match) { return filter.leaves_out(match.path.text()); });
          std::erase_if(result.files, [&](const FileMatches& file) { return filter.leaves_out(file.path.text()); });
          drop_unreadable(result.unreadable, filter);
          rebase(result, real, query.base);
          return result;
        });
  }

 private:
  static void drop_unreadable(std::vector<Unreadable>& unreadable, const KeptBack& filter) {
    std::erase_if(unreadable, [&](const Unreadable& item) { return filter.leaves_out(item.path.text()); });
  }

  bool is_link_to_kept_back(const Call& call, const Path& path) const {
    const auto facts = targets_.reads()->stat(call, path, FollowLeaf::no);
    return facts && facts->kind == FileKind::symlink && leads_to_kept_back(call, targets_, verdicts_, path);
  }

  RealTargets targets_;
  const PathVerdicts& verdicts_;
};

}  // namespace

std::unique_ptr<TreeSearch> make_sensitive_search(RealTargets targets, const PathVerdicts& verdicts) {
  return std::make_unique<SensitiveSearch>(targets, verdicts);
}

}  // namespace berth
