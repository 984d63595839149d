#include "workspace/edit/anchor.h"

#include <string.h>

#include <algorithm>
#include <limits>

namespace berth {
namespace {

constexpr std::size_t kPlaces = 5;
constexpr std::size_t kMatchesPerCheck = 16 * 1024;
constexpr std::size_t kSnippetBytes = 120;
constexpr std::size_t kBytesBeforeMatch = 40;
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

/// memmem is linear for every input (two-way), string_view::find is not.
std::size_t find_bytes(BytesView text, BytesView needle, std::size_t from) {
  const auto* found =
      static_cast<const char*>(memmem(text.data() + from, text.size() - from, needle.data(), needle.size()));
  return found == nullptr ? BytesView::npos : static_cast<std::size_t>(found - text.data());
}

bool is_white(char byte) noexcept { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

Bytes strip_white_space(BytesView text) {
  Bytes stripped;
  stripped.reserve(text.size());
  std::ranges::copy_if(text, std::back_inserter(stripped), [](char byte) { return !is_white(byte); });
  return stripped;
}

bool is_continuation(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The line around a match, cut to what a person needs to recognise it.
std::string snippet(BytesView text, std::size_t match) {
  const auto before = match == 0 ? BytesView::npos : text.rfind('\n', match - 1);
  std::size_t begin = before == BytesView::npos ? 0 : before + 1;
  if (match - begin > kBytesBeforeMatch) {
    begin = match - kBytesBeforeMatch;
    for (int i = 0; i < 3 && is_continuation(text[begin]); ++i) ++begin;
  }
  BytesView line = text.substr(begin, kSnippetBytes);
  line = line.substr(0, line.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() == kSnippetBytes) line = utf8_prefix(line, kSnippetBytes - 1);
  return decode_utf8(line).text;
}

/// Writes places given in ascending order, each line once, up to the bound.
class PlaceWriter {
 public:
  explicit PlaceWriter(BytesView text) : text_(text) {}

  bool is_full() const noexcept { return places_.size() == kPlaces; }

  void add(std::size_t at) {
    const auto line = line_ + std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    counted_ = at;
    if (line == line_ && !places_.empty()) return;
    line_ = line;
    places_.push_back(std::to_string(line_) + ": " + snippet(text_, at));
  }

  std::vector<std::string> take() { return std::move(places_); }

 private:
  BytesView text_;
  std::size_t counted_ = 0;
  std::ptrdiff_t line_ = 1;
  std::vector<std::string> places_;
};

}  // namespace

AnchorText::AnchorText(BytesView original)
    : original_(original), last_newline_(original.rfind('\n')), newline_at_(original.find('\n')) {
  if (find_bytes(original, "\r\n", 0) == BytesView::npos) return;
  without_cr_.reserve(original.size());
  for (std::size_t i = 0; i < original.size(); ++i) {
    if (original[i] == '\r' && i + 1 < original.size() && original[i + 1] == '\n') {
      crlf_at_.push_back(without_cr_.size());
      continue;
    }
    without_cr_.push_back(original[i]);
  }
}

bool AnchorText::takes_crlf(BytesView anchor) const noexcept {
  return !crlf_at_.empty() && anchor.find('\n') != BytesView::npos && anchor.find('\r') == BytesView::npos;
}

Result<std::vector<Span>> AnchorText::find(const Call& call, BytesView anchor) const {
  return find(call, anchor, kAll);
}

bool AnchorText::contains(BytesView anchor) const {
  const auto spans = find(Call(), anchor, 1);
  return spans && !spans->empty();
}

Result<std::vector<Span>> AnchorText::find(const Call& call, BytesView anchor, std::size_t max_spans) const {
  std::vector<Span> spans;
  const bool translate = takes_crlf(anchor);
  const BytesView text = translate ? BytesView(without_cr_) : original_;
  // Offsets in the text without CR grow by the CRs that stood before them; matches come in order, so one pass does.
  std::size_t dropped = 0;
  const auto place = [&](std::size_t offset) {
    while (dropped < crlf_at_.size() && crlf_at_[dropped] < offset) ++dropped;
    return offset + dropped;
  };
  for (std::size_t at = find_bytes(text, anchor, 0); at != BytesView::npos && spans.size() < max_spans;
       at = find_bytes(text, anchor, at + anchor.size())) {
    if (spans.size() % kMatchesPerCheck == 0) BERTH_CHECK(call.check());
    if (translate) {
      const std::size_t begin = place(at);
      spans.push_back({begin, place(at + anchor.size())});
    } else {
      spans.push_back({at, at + anchor.size()});
    }
  }
  return spans;
}

std::size_t AnchorText::next_newline(std::size_t from) {
  // A long line with many matches in it is searched for its end once.
  if (from < searched_from_ || from > newline_at_) {
    searched_from_ = from;
    newline_at_ = original_.find('\n', from);
  }
  return newline_at_;
}

bool AnchorText::ends_with_crlf_around(const Span& span) {
  const BytesView match = original_.substr(span.begin, span.end - span.begin);
  // A match that ends its last line has that line's ending; else the ending comes after the match.
  auto newline = match.ends_with('\n') ? span.end - 1 : next_newline(span.end);
  if (newline == BytesView::npos) newline = last_newline_;
  return newline != BytesView::npos && newline > 0 && original_[newline - 1] == '\r';
}

void AnchorText::append_with_endings(const Edit& edit, const Span& span, Bytes& out) {
  const BytesView added = edit.new_text;
  if (crlf_at_.empty() || edit.old_text.find('\r') != Bytes::npos || added.find('\n') == BytesView::npos) {
    out.append(added);
    return;
  }
  const bool last_ending = ends_with_crlf_around(span);
  std::size_t replaced = span.begin;
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (added[i] == '\n') {
      const auto newline = next_newline(replaced);
      const bool in_match = newline < span.end;
      const bool crlf = in_match ? newline > 0 && original_[newline - 1] == '\r' : last_ending;
      if (in_match) replaced = newline + 1;
      if (crlf && (i == 0 || added[i - 1] != '\r')) out.push_back('\r');
    }
    out.push_back(added[i]);
  }
}

std::vector<std::string> AnchorText::places(const std::vector<Span>& spans) const {
  PlaceWriter writer(original_);
  for (auto span = spans.begin(); span != spans.end() && !writer.is_full(); ++span) writer.add(span->begin);
  return writer.take();
}

std::vector<std::string> AnchorText::places_but_for_white_space(BytesView anchor) const {
  const Bytes wanted = strip_white_space(anchor);
  if (wanted.empty()) return {};
  const Bytes stripped = strip_white_space(original_);
  PlaceWriter writer(original_);
  std::size_t at = 0;       // in the original
  std::size_t visible = 0;  // bytes before `at` that are not white space
  for (std::size_t match = find_bytes(stripped, wanted, 0); match != BytesView::npos && !writer.is_full();
       match = find_bytes(stripped, wanted, match + wanted.size())) {
    while (visible < match || is_white(original_[at])) {
      if (!is_white(original_[at])) ++visible;
      ++at;
    }
    writer.add(at);
  }
  return writer.take();
}

}  // namespace berth
