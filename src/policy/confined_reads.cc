#include "policy/confined_view.h"

namespace berth {
namespace {

class ConfinedReads final : public FileReads {
 public:
  ConfinedReads(RealTargets targets, ConfinedView& view) : targets_(targets), view_(view) {}

  Result<ReadPage> read(const Call& call, const Path& path, const ReadRange& range) override {
    return at(call, path, Leaf::followed,
              [&](const Path& real, const Path&) { return targets_.reads()->read(call, real, range); });
  }

  Result<LinePage> read_lines(const Call& call, const Path& path, const LineRange& range) override {
    return at(call, path, Leaf::followed,
              [&](const Path& real, const Path&) { return targets_.reads()->read_lines(call, real, range); });
  }

  Result<FileStat> stat(const Call& call, const Path& path, FollowLeaf follow) override {
    const auto leaf = follow == FollowLeaf::yes ? Leaf::followed : Leaf::itself;
    return at(call, path, leaf, [&](const Path& real, const Path& base) -> Result<FileStat> {
      BERTH_TRY(auto facts, targets_.reads()->stat(call, real, follow));
      complete_inside(call, base, real, facts);
      return facts;
    });
  }

  Result<DirectoryListing> list_directory(const Call& call, const Path& path) override {
    return at(call, path, Leaf::followed, [&](const Path& real, const Path& base) -> Result<DirectoryListing> {
      BERTH_TRY(auto listing, targets_.reads()->list_directory(call, real));
      for (auto& entry : listing.entries) complete_inside(call, base, real.child(entry.name), entry.stat);
      return listing;
    });
  }

  Result<Path> real_path(const Call& call, const Path& path) override {
    return at(call, path, Leaf::followed, [&](const Path& real, const Path& base) -> Result<Path> {
      BERTH_TRY(const Path resolved, targets_.reads()->real_path(call, real));
      BERTH_CHECK(check_inside(base, resolved));
      return rebase(resolved, base, Path());
    });
  }

 private:
  template <typename Read>
  auto at(const Call& call, const Path& path, Leaf leaf, const Read& read)
      -> std::invoke_result_t<Read, const Path&, const Path&> {
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_TRY(const Path whole, join(*base, path));
    return targets_.read_at(
        call, whole, leaf, [&](const Path& real) { return check_inside(*base, real); },
        [&](const Path& real) { return read(real, *base); });
  }

  /// A link says where it leads only as far as the view goes.
  void complete_inside(const Call& call, const Path& base, const Path& link, FileStat& facts) const {
    targets_.complete(call, link, facts);
    if (!facts.target_is_directory) return;
    if (!targets_.target_of_link(call, link).is_within(base)) facts.target_is_directory = false;
  }

  RealTargets targets_;
  ConfinedView& view_;
};

class ConfinedSearch final : public TreeSearch {
 public:
  ConfinedSearch(RealTargets targets, ConfinedView& view) : targets_(targets), view_(view) {}

  Result<ListPage> list(const Call& call, const ListQuery& query) override {
    return at(call, query, [&](const ListQuery& asked) { return targets_.search()->list(call, asked); });
  }

  Result<SearchResult> search(const Call& call, const SearchQuery& query) override {
    return at(call, query, [&](const SearchQuery& asked) { return targets_.search()->search(call, asked); });
  }

 private:
  template <typename Query, typename Ask>
  auto at(const Call& call, const Query& query, const Ask& ask) -> std::invoke_result_t<Ask, const Query&> {
    using Answer = std::invoke_result_t<Ask, const Query&>;
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_TRY(const Path whole, join(*base, query.base));
    return targets_.read_at(
        call, whole, Leaf::followed, [&](const Path& real) { return check_inside(*base, real); },
        [&](const Path& real) -> Answer {
          const RebasedFilter filter(query.filter_out, real, query.base);
          Query asked = query;
          asked.base = real;
          asked.filter_out = query.filter_out == nullptr ? nullptr : &filter;
          BERTH_TRY(auto answer, ask(asked));
          rebase(answer, real, query.base);
          return answer;
        });
  }

  RealTargets targets_;
  ConfinedView& view_;
};

}  // namespace

std::unique_ptr<FileReads> make_confined_reads(RealTargets targets, ConfinedView& view) {
  return std::make_unique<ConfinedReads>(targets, view);
}

std::unique_ptr<TreeSearch> make_confined_search(RealTargets targets, ConfinedView& view) {
  return std::make_unique<ConfinedSearch>(targets, view);
}

}  // namespace berth
