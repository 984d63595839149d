#include "engine/tree/list_files.h"

#include <numeric>

#include "engine/tree/list_page.h"
#include "engine/tree/parallel_walk.h"

namespace berth::engine {
namespace {

class PageSink final : public FileSink {
 public:
  explicit PageSink(ListPageBuilder& page) : page_(page) {}

  void file(const Path& directory, std::string_view name) override { page_.add(directory, name); }
  void end_directory(const Path& directory) override { page_.end_directory(directory); }

 private:
  ListPageBuilder& page_;
};

/// What a cursor belongs to.
std::string query_key(const ListQuery& query) {
  std::string key = query.grammar == PatternGrammar::glob ? "glob" : "list";
  key += query.filter.hidden ? "+hidden" : "-hidden";
  key += query.filter.ignored ? "+ignored" : "-ignored";
  return key + '\0' + query.base.text() + '\0' + query.pattern;
}

}  // namespace

Result<ListPage> list_files(const Call& call, const os::Root& root, const ListQuery& query, int threads) {
  if (query.limit && *query.limit <= 0) return make_error(ErrorCode::invalid_argument, "the limit must be more than 0");
  const auto dots = query.filter.hidden ? LeadingDots::matched : LeadingDots::named;
  BERTH_TRY(const auto pattern, PathPattern::compile(query.pattern, query.grammar, dots));
  std::string after;
  if (!query.cursor.empty()) {
    BERTH_TRY(after, read_list_cursor(query_key(query), query.cursor));
  }
  BERTH_TRY(const auto scope, WalkScope::open(call, root,
                                              {.base = query.base,
                                               .pattern = pattern,
                                               .filter = query.filter,
                                               .filter_out = query.filter_out,
                                               .links = LinkFiles::are_files}));

  std::vector<ListPageBuilder> pages(static_cast<std::size_t>(threads), ListPageBuilder(query.limit, after));
  std::vector<PageSink> sinks(pages.begin(), pages.end());
  std::vector<FileSink*> sink_pointers;
  sink_pointers.reserve(sinks.size());
  for (auto& sink : sinks) sink_pointers.push_back(&sink);
  ParallelWalk walk(*scope);
  BERTH_CHECK(walk.run(call, sink_pointers));

  ListPage page;
  std::int64_t following = 0;
  for (const auto& part : pages) {
    page.total += part.total();
    following += part.following();
  }
  page.paths = ListPageBuilder::merge(pages, query.limit);
  page.truncated = following > std::ssize(page.paths);
  if (page.truncated) page.cursor = make_list_cursor(query_key(query), page.paths.back());
  page.unreadable = walk.take_unreadable();
  page.complete = page.unreadable.empty();
  return page;
}

}  // namespace berth::engine
