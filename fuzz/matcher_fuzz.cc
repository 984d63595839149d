#include <fuzzer/FuzzedDataProvider.h>

#include <vector>

#include <re2/re2.h>

#include "fuzz/require.h"
#include "search/matcher.h"

using namespace berth;
using search::LineHit;
using search::Matcher;

namespace {

/// Lines that match, by one plain RE2 search in each.
std::vector<std::int64_t> model(const SearchQuery& query, BytesView content) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(!query.ignore_case);
  options.set_literal(query.literal);
  const RE2 regex(query.pattern, options);
  std::vector<std::int64_t> lines;
  std::int64_t number = 0;
  while (!content.empty()) {
    ++number;
    const auto end = content.find('\n');
    const BytesView line = content.substr(0, end);
    if (RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), regex)) lines.push_back(number);
    content.remove_prefix(end == BytesView::npos ? content.size() : end + 1);
  }
  return lines;
}

/// Patterns and contents on which lines and buffers mean the same to plain RE2.
bool is_plain(BytesView text, bool pattern) {
  for (const char c : text) {
    if (c == '\r' || c == '\0' || (c & 0x80) != 0) return false;
    if (pattern && c == '\n') return false;
  }
  if (!pattern) return true;
  for (const BytesView part :
       {"(?", "\\A", "\\z", "\\C", "\\Q", "\\x", "\\0", "\\1", "\\2", "\\3", "\\n", "\\p", "\\P"}) {
    if (text.find(part) != BytesView::npos) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  SearchQuery query;
  query.literal = input.ConsumeBool();
  query.ignore_case = input.ConsumeBool();
  query.word = input.ConsumeBool();
  query.multiline = input.ConsumeBool();
  query.pattern = input.ConsumeRandomLengthString(24);
  const Bytes content = input.ConsumeRemainingBytesAsString();
  const auto matcher = Matcher::compile(query);
  if (!matcher) {
    FUZZ_REQUIRE(matcher.error().code == ErrorCode::invalid_argument);
    return 0;
  }
  std::vector<LineHit> hits;
  matcher->find_lines(content, 1'000'000, hits);
  FUZZ_REQUIRE(matcher->matches(content) == !hits.empty());
  if (!query.multiline) FUZZ_REQUIRE(matcher->count_lines(content) == static_cast<std::int64_t>(hits.size()));
  std::int64_t previous = 0;
  for (const LineHit& hit : hits) {
    FUZZ_REQUIRE(hit.line > previous);
    FUZZ_REQUIRE(hit.begin <= hit.end && hit.end <= content.size());
    FUZZ_REQUIRE(hit.begin == 0 || content[hit.begin - 1] == '\n');
    FUZZ_REQUIRE(hit.end == content.size() || content[hit.end] == '\n');
    FUZZ_REQUIRE(hit.column >= 1);
    previous = hit.line;
  }
  if (query.word || query.multiline || !is_plain(query.pattern, true) || !is_plain(content, false)) return 0;
  std::vector<std::int64_t> lines;
  for (const LineHit& hit : hits) lines.push_back(hit.line);
  FUZZ_REQUIRE(lines == model(query, content));
  return 0;
}
