#include "search/matcher.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <re2/re2.h>

#include "search/literal_finder.h"
#include "search/regex_syntax.h"
#include "search/utf8_lens.h"

namespace berth::search {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
/// A shorter literal is in too many lines for looking at them one by one.
constexpr std::size_t kMinPrefilterBytes = 3;
constexpr std::int64_t kRegexMemory = 32 << 20;
/// What bounds a word: no letter, mark, digit or underscore in any script.
constexpr std::string_view kNoWord = "[^\\pL\\pM\\pN_]";

re2::StringPiece piece(BytesView bytes) noexcept { return {bytes.data(), bytes.size()}; }

std::size_t line_begin(BytesView buffer, std::size_t at) noexcept {
  const void* lf = at == 0 ? nullptr : memrchr(buffer.data(), '\n', at);
  return lf == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(lf) - buffer.data()) + 1;
}

std::size_t line_end(BytesView buffer, std::size_t at) noexcept {
  const void* lf = at == buffer.size() ? nullptr : std::memchr(buffer.data() + at, '\n', buffer.size() - at);
  return lf == nullptr ? buffer.size() : static_cast<std::size_t>(static_cast<const char*>(lf) - buffer.data());
}

std::string wrap(std::string_view regex, const SearchQuery& query) {
  std::string lines = "(?m:" + accept_cr_before_end(regex) + ")";
  if (!query.word) return lines;
  return "(?m:^|" + std::string(kNoWord) + ")(" + lines + ")(?m:$|" + std::string(kNoWord) + ")";
}

Result<std::unique_ptr<RE2>> compile_regex(std::string_view regex, const SearchQuery& query) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(!query.ignore_case);
  options.set_never_nl(!query.multiline);
  options.set_max_mem(kRegexMemory);
  const auto refuse = [](const std::string& why) {
    return make_error(ErrorCode::invalid_argument, "the pattern is not a regular expression: " + why);
  };
  // Alone first: wrapped, an unbalanced parenthesis could find a partner.
  if (RE2 alone(piece(regex), options); !alone.ok()) return refuse(alone.error());
  options.set_never_capture(!query.word);
  auto wrapped = std::make_unique<RE2>(wrap(regex, query), options);
  if (!wrapped->ok()) return refuse(wrapped->error());
  return wrapped;
}

bool is_plain_literal(std::string_view regex) noexcept {
  return regex.find_first_of("\\.+*?()|[]{}^$") == kNone && regex.find("\xEF\xBF\xBD") == kNone && is_plain_utf8(regex);
}

/// Letters whose other case is ASCII too (the Kelvin sign folds to k, the long s to s).
bool folds_within_ascii(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }) &&
         text.find_first_of("kKsS") == kNone;
}

/// What a pattern is compiled to.
struct Compiled {
  std::optional<LiteralFinder> finder;  ///< every match contains this
  std::unique_ptr<RE2> regex;           ///< absent: what the finder finds is a match
  bool word = false;
  bool multiline = false;
  bool single_lines = false;  ///< the regex must be shown one line at a time
  bool never = false;         ///< nothing can match

  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  std::optional<Span> match(BytesView text, std::size_t from) const {
    re2::StringPiece groups[2];
    const int wanted = word ? 2 : 1;
    if (!regex->Match(piece(text), from, text.size(), RE2::UNANCHORED, groups, wanted)) return std::nullopt;
    const re2::StringPiece& group = groups[wanted - 1];
    const auto begin = static_cast<std::size_t>(group.data() - text.data());
    return Span{begin, begin + group.size()};
  }
};

/// Where a match is: the line or lines it is in, without the last line ending, and where it begins.
struct Found {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t at = 0;
};

/// Goes through the matching lines of one buffer.
class Scan {
 public:
  Scan(const Compiled& compiled, BytesView buffer) : compiled_(compiled), buffer_(buffer) {
    if (compiled_.never || (compiled_.finder && compiled_.finder->find(buffer, 0) == kNone)) {
      position_ = buffer.size();
    } else if (compiled_.multiline && compiled_.regex) {
      lens_.emplace(buffer);
    } else if (!compiled_.finder) {
      line_by_line_ = compiled_.single_lines || !is_plain_utf8(buffer);
    }
  }

  std::optional<Found> next() {
    if (position_ >= buffer_.size()) return std::nullopt;
    const auto found = compiled_.multiline ? next_anywhere() : compiled_.finder ? next_candidate() : next_line();
    position_ = found ? found->end + 1 : buffer_.size();
    return found;
  }

 private:
  /// Look only at the lines that hold the literal.
  std::optional<Found> next_candidate() const {
    for (std::size_t from = position_;;) {
      const std::size_t at = compiled_.finder->find(buffer_, from);
      if (at == kNone) return std::nullopt;
      const std::size_t begin = line_begin(buffer_, at);
      const std::size_t end = line_end(buffer_, at);
      if (!compiled_.regex) return Found{begin, end, at};
      if (const auto in_line = match_line(begin, end)) return Found{begin, end, *in_line};
      from = end + 1;
    }
  }

  std::optional<Found> next_line() const {
    if (!line_by_line_) {
      // In lines a match never holds LF, and the rest of the buffer begins a line: looking at it all is the same.
      const auto span = compiled_.match(buffer_.substr(position_), 0);
      return span ? lines_around({position_ + span->begin, position_ + span->end}) : std::nullopt;
    }
    for (std::size_t begin = position_; begin < buffer_.size();) {
      const std::size_t end = line_end(buffer_, begin);
      if (const auto at = match_line(begin, end)) return Found{begin, end, *at};
      begin = end + 1;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> match_line(std::size_t begin, std::size_t end) const {
    const Utf8Lens lens(buffer_.substr(begin, end - begin));
    const auto span = compiled_.match(lens.shown(), 0);
    if (!span) return std::nullopt;
    return begin + lens.original(span->begin);
  }

  std::optional<Found> next_anywhere() const {
    if (!compiled_.regex) {
      const std::size_t at = compiled_.finder->find(buffer_, position_);
      if (at == kNone) return std::nullopt;
      return lines_around({at, at + compiled_.finder->literal().size()});
    }
    const auto span = compiled_.match(lens_->shown(), lens_->shown_at(position_));
    if (!span) return std::nullopt;
    return lines_around({lens_->original(span->begin), lens_->original(span->end)});
  }

  std::optional<Found> lines_around(Compiled::Span span) const {
    // There is no line after the last LF.
    if (span.begin == buffer_.size() && buffer_.ends_with('\n')) return std::nullopt;
    const bool ends_a_line = span.end > span.begin && buffer_[span.end - 1] == '\n';
    return Found{line_begin(buffer_, span.begin), ends_a_line ? span.end - 1 : line_end(buffer_, span.end), span.begin};
  }

  const Compiled& compiled_;
  BytesView buffer_;
  std::size_t position_ = 0;
  std::optional<Utf8Lens> lens_;  ///< multiline: over the whole buffer
  bool line_by_line_ = false;
};

Result<Compiled> compile_pattern(const SearchQuery& query) {
  Compiled compiled;
  compiled.word = query.word;
  compiled.multiline = query.multiline;
  std::string regex = query.pattern;
  if (query.literal) {
    regex = RE2::QuoteMeta(query.pattern);
    compiled.never = !query.multiline && query.pattern.find('\n') != kNone;
  }
  const bool literal = !query.pattern.empty() && (query.literal || is_plain_literal(query.pattern));
  if (literal && !query.word && !compiled.never) {
    const bool fits = query.pattern.size() <= LiteralFinder::kMaxFoldedBytes && folds_within_ascii(query.pattern);
    if (!query.ignore_case || fits) {
      compiled.finder.emplace(query.pattern,
                              query.ignore_case ? LiteralFinder::Case::ascii_folded : LiteralFinder::Case::exact);
      return compiled;
    }
  }
  BERTH_TRY(compiled.regex, compile_regex(regex, query));
  compiled.single_lines = !query.multiline && needs_single_lines(regex);
  auto required = required_literal(regex, query.ignore_case ? CaseRule::insensitive : CaseRule::sensitive);
  if (required.bytes.size() >= kMinPrefilterBytes) {
    compiled.finder.emplace(std::move(required.bytes),
                            required.folded ? LiteralFinder::Case::ascii_folded : LiteralFinder::Case::exact);
  }
  return compiled;
}

}  // namespace

struct Matcher::Program {
  Compiled compiled;
};

Matcher::Matcher(std::unique_ptr<const Program> program) : program_(std::move(program)) {}
Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

Result<Matcher> Matcher::compile(const SearchQuery& query) {
  BERTH_TRY(auto compiled, compile_pattern(query));
  return Matcher(std::make_unique<const Program>(Program{std::move(compiled)}));
}

bool Matcher::matches(BytesView buffer) const { return Scan(program_->compiled, buffer).next().has_value(); }

void Matcher::find_lines(BytesView buffer, std::int64_t max_hits, std::vector<LineHit>& hits) const {
  Scan scan(program_->compiled, buffer);
  std::int64_t line = 1;
  std::size_t counted = 0;
  for (std::int64_t taken = 0; taken < max_hits; ++taken) {
    const auto found = scan.next();
    if (!found) return;
    line += std::count(buffer.begin() + static_cast<std::ptrdiff_t>(counted),
                       buffer.begin() + static_cast<std::ptrdiff_t>(found->begin), '\n');
    counted = found->begin;
    hits.push_back({.line = line,
                    .column = static_cast<std::int64_t>(found->at - found->begin) + 1,
                    .begin = found->begin,
                    .end = found->end});
  }
}

std::int64_t Matcher::count_lines(BytesView buffer) const {
  Scan scan(program_->compiled, buffer);
  std::int64_t lines = 0;
  while (scan.next()) ++lines;
  return lines;
}

bool is_binary(BytesView content) noexcept {
  constexpr std::size_t kLookedAt = 8 * 1024;
  const BytesView start = content.substr(0, kLookedAt);
  return !start.empty() && std::memchr(start.data(), '\0', start.size()) != nullptr;
}

SearchMatch make_match(const Path& path, BytesView buffer, const LineHit& hit, std::int64_t context) {
  SearchMatch match{.path = path,
                    .line = hit.line,
                    .column = hit.column,
                    .text = Bytes(buffer.substr(hit.begin, hit.end - hit.begin)),
                    .before = {},
                    .after = {}};
  for (std::size_t begin = hit.begin; begin > 0 && std::ssize(match.before) < context;) {
    const std::size_t end = begin - 1;
    begin = line_begin(buffer, end);
    match.before.emplace_back(buffer.substr(begin, end - begin));
  }
  std::reverse(match.before.begin(), match.before.end());
  for (std::size_t begin = hit.end + 1; begin < buffer.size() && std::ssize(match.after) < context;) {
    const std::size_t end = line_end(buffer, begin);
    match.after.emplace_back(buffer.substr(begin, end - begin));
    begin = end + 1;
  }
  return match;
}

}  // namespace berth::search
