#include "engine/tree/search_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "engine/tree/ordered_walk.h"
#include "engine/tree/search_collector.h"

namespace berth::engine {
namespace {

constexpr int kFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

Result<void> check_numbers(const SearchQuery& query) {
  const auto refuse = [](const char* why) { return make_error(ErrorCode::invalid_argument, why); };
  if (query.limit && *query.limit <= 0) return refuse("the limit must be more than 0");
  if (query.offset < 0) return refuse("the offset must not be negative");
  if (query.context < 0) return refuse("the context must not be negative");
  if (query.max_files && *query.max_files <= 0) return refuse("max_files must be more than 0");
  if (query.max_bytes <= 0) return refuse("max_bytes must be more than 0");
  return {};
}

/// One search of a directory tree: batches are taken from the walk in order, searched side by side, collected in order.
class TreeSearchRun {
 public:
  TreeSearchRun(const Call& call, const SearchQuery& query, const search::Matcher& matcher, WalkScope& scope)
      : call_(call), query_(query), matcher_(matcher), walk_(scope), collector_(query) {}

  Result<SearchResult> run(int threads) {
    {
      FileSearcher searcher(matcher_, query_);
      std::vector<std::jthread> helpers;
      // A small tree is done before a thread has started.
      if (one_batch(searcher) && !walk_.at_end()) {
        for (int i = 1; i < threads; ++i) helpers.emplace_back([this] { work(); });
        while (one_batch(searcher)) {
        }
      }
    }
    if (failure_) return *std::move(failure_);
    return collector_.finish(ended_by_);
  }

 private:
  struct Numbered {
    std::int64_t number;
    FileBatch files;
  };

  void work() {
    FileSearcher searcher(matcher_, query_);
    while (one_batch(searcher)) {
    }
  }

  bool one_batch(FileSearcher& searcher) {
    auto batch = take_batch();
    if (!batch || !collector_.wait_for_room(batch->number)) return false;
    BatchFindings findings(std::move(batch->files.unreadable));
    const auto ended = search_batch(searcher, batch->files, findings);
    collector_.hand_in(batch->number, std::move(findings));
    if (ended) stop(*ended);
    return !ended && !collector_.done();
  }

  std::optional<Numbered> take_batch() {
    const std::lock_guard lock(mutex_);
    if (stopped_ || walk_.at_end()) return std::nullopt;
    auto batch = walk_.next(call_);
    if (!batch) {
      note_end(batch.error());
      return std::nullopt;
    }
    const auto left = query_.max_files ? *query_.max_files - files_taken_ : std::ssize(batch->names);
    if (std::ssize(batch->names) > left) {
      batch->names.resize(static_cast<std::size_t>(left));
      ended_by_ = SearchBound::files;
      stopped_ = true;
    }
    files_taken_ += std::ssize(batch->names);
    return Numbered{batches_taken_++, *std::move(batch)};
  }

  /// Returns why the batch was not finished.
  std::optional<Error> search_batch(FileSearcher& searcher, const FileBatch& batch, BatchFindings& findings) {
    for (const auto& name : batch.names) {
      if (auto going_on = call_.check(); !going_on) return std::move(going_on).error();
      const FilePlace place{batch.directory->path, name};
      auto in_file = search_file(searcher, batch.directory->fd.get(), place);
      auto ended = std::move(in_file.ended);
      findings.add(query_, place, std::move(in_file));
      if (ended) return ended;
      // More than a whole result can hold (it always holds one record): what follows would be cut off.
      if (query_.offset == 0 && findings.records() > 1 && findings.text() > query_.max_bytes) break;
    }
    return std::nullopt;
  }

  FileFindings search_file(FileSearcher& searcher, int directory, const FilePlace& place) {
    const std::string name(place.name);
    os::Fd file;
    do {
      file.reset(::openat(directory, name.c_str(), kFile));
    } while (!file && errno == EINTR);
    if (file) return searcher.search(call_, file, place);
    FileFindings findings;
    // Gone, or a link or special file by now: no file of this walk any more.
    const bool is_no_file = errno == ENOENT || errno == ELOOP || errno == ENXIO || errno == ENODEV;
    findings.outcome = is_no_file ? FileFindings::Outcome::passed_over : FileFindings::Outcome::unreadable;
    findings.code = errno_error(errno, "open the file").code;
    return findings;
  }

  void stop(const Error& why) {
    const std::lock_guard lock(mutex_);
    note_end(why);
  }

  void note_end(const Error& why) {
    stopped_ = true;
    if (why.code == ErrorCode::timed_out) {
      ended_by_ = SearchBound::deadline;
    } else if (!failure_) {
      failure_ = why;
    }
  }

  const Call& call_;
  const SearchQuery& query_;
  const search::Matcher& matcher_;
  std::mutex mutex_;  ///< the walk and what follows
  OrderedWalk walk_;
  std::int64_t batches_taken_ = 0;
  std::int64_t files_taken_ = 0;
  bool stopped_ = false;
  std::optional<SearchBound> ended_by_;
  std::optional<Error> failure_;
  SearchCollector collector_;
};

/// Search the base itself when it is a file.
Result<SearchResult> search_one_file(const Call& call, const os::Root& root, const SearchQuery& query,
                                     const search::Matcher& matcher) {
  BERTH_TRY(const auto file, root.open_path(call, query.base, O_RDONLY | O_NONBLOCK));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return make_error(ErrorCode::not_regular, "this is neither a regular file nor a directory");
  }
  FileSearcher searcher(matcher, query);
  const FilePlace place{query.base, {}};
  auto in_file = searcher.search(call, file, place);
  std::optional<SearchBound> ended_by;
  if (in_file.ended) {
    if (in_file.ended->code != ErrorCode::timed_out) return *std::move(in_file.ended);
    ended_by = SearchBound::deadline;
  }
  BatchFindings findings({});
  findings.add(query, place, std::move(in_file));
  SearchCollector collector(query);
  collector.hand_in(0, std::move(findings));
  return collector.finish(ended_by);
}

}  // namespace

Result<SearchResult> search_files(const Call& call, const os::Root& root, const SearchQuery& query, int threads) {
  BERTH_CHECK(check_numbers(query));
  BERTH_TRY(const auto matcher, search::Matcher::compile(query));
  std::string glob = query.glob.empty() ? "**/*" : query.glob;
  if (glob.find('/') == std::string::npos) glob = "**/" + glob;
  BERTH_TRY(const auto pattern, PathPattern::compile(glob, PatternGrammar::glob,
                                                     query.filter.hidden ? LeadingDots::matched : LeadingDots::named));
  if (const auto going_on = call.check(); !going_on) {
    if (going_on.error().code != ErrorCode::timed_out) return going_on.error();
    return SearchResult{.stopped_by = SearchBound::deadline};
  }
  auto scope = WalkScope::open(call, root,
                               {.base = query.base,
                                .pattern = pattern,
                                .filter = query.filter,
                                .filter_out = query.filter_out,
                                .links = LinkFiles::are_passed_over});
  if (!scope) {
    if (scope.error().code == ErrorCode::not_a_directory) return search_one_file(call, root, query, matcher);
    return std::move(scope).error();
  }
  return TreeSearchRun(call, query, matcher, **scope).run(threads);
}

}  // namespace berth::engine
