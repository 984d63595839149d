#include "engine/tree/list_page.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <queue>

#include "base/base64.h"
#include "base/hash.h"

namespace berth::engine {
namespace {

/// A directory is taken in pieces of this many names.
constexpr std::size_t kPieceNames = 64 * 1024;
constexpr std::size_t kCursorCheckBytes = 12;

std::uint64_t first_bytes_of(std::string_view name) noexcept {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, name.data(), std::min<std::size_t>(name.size(), sizeof bytes));
  if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
  return bytes;
}

std::string cursor_check(std::string_view query_key, std::string_view last) {
  const auto digest = sha256(std::string(query_key) + '\0' + std::string(last));
  return {reinterpret_cast<const char*>(digest.bytes.data()), kCursorCheckBytes};
}

}  // namespace

void ListPageBuilder::add(const Path& directory, std::string_view name) {
  if (names_.size() == kPieceNames) end_directory(directory);
  ++total_;
  names_.push_back(
      {first_bytes_of(name), static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(name.size())});
  text_ += name;
}

void ListPageBuilder::end_directory(const Path& directory) {
  const auto name_of = [&](const Name& name) { return std::string_view(text_).substr(name.offset, name.length); };
  const std::string prefix = directory.is_root() ? "" : directory.text() + "/";
  // Cut to the page before sorting: most names of a large tree are outside it.
  std::string path = prefix;
  const auto path_of = [&](const Name& name) -> const std::string& {
    path.resize(prefix.size());
    return path += name_of(name);
  };
  if (!after_.empty()) {
    std::erase_if(names_, [&](const Name& name) { return path_of(name) <= after_; });
  }
  following_ += std::ssize(names_);
  if (!bound_.empty()) {
    std::erase_if(names_, [&](const Name& name) { return path_of(name) >= bound_; });
  }
  std::sort(names_.begin(), names_.end(), [&](const Name& a, const Name& b) {
    return a.first_bytes != b.first_bytes ? a.first_bytes < b.first_bytes : name_of(a) < name_of(b);
  });
  if (limit_ && std::ssize(names_) > *limit_) names_.resize(static_cast<std::size_t>(*limit_));
  if (!names_.empty()) {
    Run run;
    run.reserve(names_.size());
    for (const auto& name : names_) run.push_back(directory.child(name_of(name)));
    kept_ += run.size();
    runs_.push_back(std::move(run));
  }
  names_.clear();
  text_.clear();
  if (limit_ && static_cast<std::int64_t>(kept_ / 2) >= *limit_) compact();
}

void ListPageBuilder::compact() {
  Run page = merge_runs(std::move(runs_), static_cast<std::size_t>(*limit_));
  runs_.clear();
  kept_ = page.size();
  bound_ = page.back().text();
  runs_.push_back(std::move(page));
}

// Runs of different directories overlap only where one lies below the other, so few are active at a time: each step
// takes from the first run for as long as no other one comes before it.
ListPageBuilder::Run ListPageBuilder::merge_runs(std::vector<Run> runs, std::size_t most) {
  struct Active {
    Run* run;
    std::size_t next;
    const std::string& head() const { return (*run)[next].text(); }
  };
  std::size_t all = 0;
  for (const auto& run : runs) all += run.size();
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.front() < b.front(); });
  const auto later = [](const Active& a, const Active& b) { return a.head() > b.head(); };
  std::priority_queue<Active, std::vector<Active>, decltype(later)> active(later);
  Run merged;
  merged.reserve(std::min(all, most));
  std::size_t waiting = 0;
  while (merged.size() < most && (!active.empty() || waiting < runs.size())) {
    if (active.empty() || (waiting < runs.size() && runs[waiting].front().text() < active.top().head())) {
      active.push({&runs[waiting++], 0});
    }
    Active first = active.top();
    active.pop();
    const std::string* bound = active.empty() ? nullptr : &active.top().head();
    if (waiting < runs.size() && (bound == nullptr || runs[waiting].front().text() < *bound)) {
      bound = &runs[waiting].front().text();
    }
    do {
      merged.push_back(std::move((*first.run)[first.next++]));
    } while (merged.size() < most && first.next < first.run->size() && (bound == nullptr || first.head() < *bound));
    if (first.next < first.run->size()) active.push(first);
  }
  return merged;
}

std::vector<Path> ListPageBuilder::merge(std::vector<ListPageBuilder>& builders, std::optional<std::int64_t> limit) {
  std::vector<Run> runs;
  for (auto& builder : builders) std::move(builder.runs_.begin(), builder.runs_.end(), std::back_inserter(runs));
  return merge_runs(std::move(runs),
                    limit ? static_cast<std::size_t>(*limit) : std::numeric_limits<std::size_t>::max());
}

std::string make_list_cursor(std::string_view query_key, const Path& last) {
  return encode_base64(cursor_check(query_key, last.text()) + last.text());
}

Result<std::string> read_list_cursor(std::string_view query_key, std::string_view cursor) {
  auto decoded = try_decode_base64(cursor);
  if (!decoded || decoded->size() <= kCursorCheckBytes ||
      cursor_check(query_key, std::string_view(*decoded).substr(kCursorCheckBytes)) !=
          decoded->substr(0, kCursorCheckBytes)) {
    return make_error(ErrorCode::invalid_argument, "the cursor is not one that this listing gave");
  }
  return decoded->substr(kCursorCheckBytes);
}

}  // namespace berth::engine
