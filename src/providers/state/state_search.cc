#include "providers/state/state_search.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/tree/list_page.h"
#include "providers/state/document_walk.h"
#include "providers/state/state_files.h"
#include "search/matcher.h"
#include "search/trial.h"

namespace berth::state {
namespace {

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

Result<void> check_base(const Path& base, const PathFilter* filter_out) {
  if (!base.is_root() && filter_out != nullptr && filter_out->leaves_out(base.text())) {
    return make_error(ErrorCode::not_found, "nothing stands there");
  }
  return {};
}

Path path_of(const std::string& text) { return parse_path(text, {}).value(); }

LeadingDots dots_of(const WalkFilter& filter) { return filter.hidden ? LeadingDots::matched : LeadingDots::named; }

/// What a cursor belongs to.
std::string cursor_key(const ListQuery& query) {
  std::string key = query.grammar == PatternGrammar::glob ? "glob" : "list";
  key += query.filter.hidden ? "+hidden" : "-hidden";
  key += query.filter.ignored ? "+ignored" : "-ignored";
  return key + '\0' + query.base.text() + '\0' + query.pattern;
}

/// Gathers the records of a search until a bound is hit.
class Collector {
 public:
  explicit Collector(const Call& call, const SearchQuery& query, const search::Matcher& matcher)
      : call_(call), query_(query), matcher_(matcher) {}

  WalkOn look_at(const std::string& path, BytesView content) {
    if (query_.max_files && result_.files_searched + result_.files_binary >= *query_.max_files) {
      return stop(SearchBound::files);
    }
    if (search::is_binary(content)) {
      ++result_.files_binary;
      return WalkOn::yes;
    }
    ++result_.files_searched;
    result_.bytes_searched += static_cast<std::int64_t>(content.size());
    if (query_.mode == SearchQuery::Mode::lines) return add_lines(path, content);
    std::int64_t matches = 0;
    for (const BytesView part : parts_of(content)) {
      if (!lasts_for(part)) break;
      if (query_.mode == SearchQuery::Mode::count) {
        matches += matcher_.count_lines(part);
      } else if (matcher_.matches(part)) {
        matches = 1;
        break;
      }
    }
    const auto walk_on = matches > 0 ? add_file(path, matches) : WalkOn::yes;
    return in_time_ ? walk_on : WalkOn::no;
  }

  WalkOn stop(SearchBound bound) {
    result_.stopped_by = bound;
    if (bound == SearchBound::results || bound == SearchBound::bytes) result_.next_offset = query_.offset + taken_;
    return WalkOn::no;
  }

  /// Why the search ended inside a file, if the call did not last for it.
  const Result<void>& in_time() const noexcept { return in_time_; }

  SearchResult finish() { return std::move(result_); }

 private:
  /// What is searched between two looks at the call: whole lines, as some patterns take microseconds a byte.
  std::vector<BytesView> parts_of(BytesView content) const {
    if (query_.multiline) return {content};
    std::vector<BytesView> parts;
    while (content.size() > search::kStepBytes) {
      const auto lf = content.find('\n', search::kStepBytes - 1);
      if (lf == BytesView::npos) break;
      parts.push_back(content.substr(0, lf + 1));
      content.remove_prefix(lf + 1);
    }
    if (!content.empty() || parts.empty()) parts.push_back(content);
    return parts;
  }

  bool lasts_for(BytesView part) {
    in_time_ = call_.check();
    if (in_time_) in_time_ = search::try_out(call_, matcher_, part);
    return in_time_.has_value();
  }

  std::vector<search::LineHit> hits_in(BytesView content) {
    std::vector<search::LineHit> hits;
    std::int64_t lines = 0;
    for (const BytesView part : parts_of(content)) {
      if (!lasts_for(part)) break;
      const auto first = hits.size();
      matcher_.find_lines(part, most_hits() - std::ssize(hits), hits);
      const auto begin = static_cast<std::size_t>(part.data() - content.data());
      for (auto i = first; i < hits.size(); ++i) {
        hits[i].line += lines;
        hits[i].begin += begin;
        hits[i].end += begin;
      }
      if (std::ssize(hits) >= most_hits()) break;
      lines += std::count(part.begin(), part.end(), '\n');
    }
    return hits;
  }

  WalkOn add_lines(const std::string& path, BytesView content) {
    for (const search::LineHit& hit : hits_in(content)) {
      if (seen_++ < query_.offset) continue;
      SearchMatch match = search::make_match(path_of(path), content, hit, query_.context);
      std::int64_t bytes = std::ssize(match.text);
      for (const auto* lines : {&match.before, &match.after}) {
        for (const Bytes& line : *lines) bytes += std::ssize(line);
      }
      if (const auto full = take_room(bytes)) return stop(*full);
      result_.lines.push_back(std::move(match));
    }
    return in_time_ ? WalkOn::yes : WalkOn::no;
  }

  WalkOn add_file(const std::string& path, std::int64_t matches) {
    if (seen_++ < query_.offset) return WalkOn::yes;
    if (const auto full = take_room(std::ssize(path))) return stop(*full);
    result_.files.push_back({path_of(path), matches});
    return WalkOn::yes;
  }

  /// How many hits of a file are of use; one more than fits tells whether more records follow.
  std::int64_t most_hits() const noexcept {
    if (!query_.limit) return kAll;
    const std::int64_t skipped = std::max<std::int64_t>(query_.offset - seen_, 0);
    const std::int64_t left = *query_.limit - taken_;
    return left < kAll - skipped ? skipped + left + 1 : kAll;
  }

  /// Take room for a record, or say which bound is hit. The first record always has room, so that paging gets further.
  std::optional<SearchBound> take_room(std::int64_t bytes) {
    if (query_.limit && taken_ == *query_.limit) return SearchBound::results;
    if (taken_ > 0 && bytes_ + bytes > query_.max_bytes) return SearchBound::bytes;
    ++taken_;
    bytes_ += bytes;
    return std::nullopt;
  }

  const Call& call_;
  const SearchQuery& query_;
  const search::Matcher& matcher_;
  SearchResult result_;
  Result<void> in_time_;
  std::int64_t seen_ = 0;  ///< records, skipped ones too
  std::int64_t taken_ = 0;
  std::int64_t bytes_ = 0;  ///< of text in the result
};

Result<void> check_query(const SearchQuery& query) {
  const auto refuse = [](const char* what) { return make_error(ErrorCode::invalid_argument, what); };
  if (query.limit && *query.limit <= 0) return refuse("the limit must be more than 0");
  if (query.offset < 0) return refuse("the offset is negative");
  if (query.context < 0) return refuse("the number of context lines is negative");
  if (query.max_files && *query.max_files <= 0) return refuse("max_files must be more than 0");
  if (query.max_bytes <= 0) return refuse("max_bytes must be more than 0");
  return {};
}

/// What was found until the deadline is worth having; who cancelled does not want it.
Result<SearchResult> ended(Collector& collector, const Result<void>& in_time) {
  if (!in_time) {
    if (in_time.error().code != ErrorCode::timed_out) return in_time.error();
    collector.stop(SearchBound::deadline);
  }
  return collector.finish();
}

std::string pattern_of(const std::string& glob) {
  if (glob.empty()) return "**/*";
  return glob.find('/') == std::string::npos ? "**/" + glob : glob;
}

}  // namespace

Result<ListPage> StateSearch::list(const Call& call, const ListQuery& query) {
  if (query.limit && *query.limit <= 0) return make_error(ErrorCode::invalid_argument, "the limit must be more than 0");
  BERTH_TRY(const PathPattern pattern, PathPattern::compile(query.pattern, query.grammar, dots_of(query.filter)));
  std::string after;
  if (!query.cursor.empty()) {
    BERTH_TRY(after, engine::read_list_cursor(cursor_key(query), query.cursor));
  }
  BERTH_TRY(const auto snapshot, session_.read(call));
  const Document& document = *snapshot.document;
  BERTH_CHECK(check_base(query.base, query.filter_out));
  if (document.find_file(query.base.text()) != nullptr) {
    return make_error(ErrorCode::not_a_directory, "this is not a directory");
  }
  if (!document.is_directory(query.base.text())) return nothing_at(document, query.base);

  ListPage page;
  BERTH_CHECK(walk_document(call, document, {query.base, pattern, query.filter, query.filter_out},
                            [&](const std::string& path, const StoredFile&) {
                              ++page.total;
                              if (path <= after) return WalkOn::yes;
                              if (query.limit && std::ssize(page.paths) == *query.limit) {
                                page.truncated = true;
                              } else {
                                page.paths.push_back(path_of(path));
                              }
                              return WalkOn::yes;
                            }));
  if (page.truncated) page.cursor = engine::make_list_cursor(cursor_key(query), page.paths.back());
  return page;
}

Result<SearchResult> StateSearch::search(const Call& call, const SearchQuery& query) {
  BERTH_CHECK(check_query(query));
  BERTH_TRY(const search::Matcher matcher, search::Matcher::compile(query));
  BERTH_TRY(const PathPattern pattern,
            PathPattern::compile(pattern_of(query.glob), PatternGrammar::glob, dots_of(query.filter)));
  if (const auto going_on = call.check(); !going_on) {
    if (going_on.error().code != ErrorCode::timed_out) return going_on.error();
    return SearchResult{.stopped_by = SearchBound::deadline};
  }
  BERTH_TRY(const auto snapshot, session_.read(call));
  const Document& document = *snapshot.document;
  BERTH_CHECK(check_base(query.base, query.filter_out));

  Collector collector(call, query, matcher);
  if (const StoredFile* const file = document.find_file(query.base.text())) {
    collector.look_at(query.base.text(), file->content);
    return ended(collector, collector.in_time());
  }
  if (!document.is_directory(query.base.text())) return nothing_at(document, query.base);

  const auto walked = walk_document(
      call, document, {query.base, pattern, query.filter, query.filter_out},
      [&](const std::string& path, const StoredFile& file) { return collector.look_at(path, file.content); });
  return ended(collector, walked ? collector.in_time() : walked);
}

}  // namespace berth::state
