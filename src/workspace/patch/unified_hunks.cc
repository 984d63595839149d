#include <algorithm>
#include <optional>

#include "workspace/patch/hunk_errors.h"
#include "workspace/patch/hunks.h"
#include "workspace/patch/line_places.h"
#include "workspace/patch/patch_lines.h"

namespace berth {
namespace {

using LineKind = HunkLine::Kind;

/// A run of the file's lines and the hunk that stands there.
struct Placed {
  std::size_t begin = 0;
  std::size_t count = 0;
  std::size_t new_count = 0;
  std::size_t hunk = 0;

  std::size_t end() const noexcept { return begin + count; }
};

class UnifiedApply {
 public:
  UnifiedApply(BytesView content, std::span<const UnifiedHunk> hunks)
      : content_(content), hunks_(hunks), text_(split_lines_keeping_ends(content)) {}

  Result<Bytes> run() {
    for (std::size_t i = 0; i < hunks_.size(); ++i) {
      BERTH_TRY(const std::size_t begin, place(i));
      std::size_t count = 0;
      std::size_t new_count = 0;
      for (const auto& line : hunks_[i].lines) {
        count += line.kind != LineKind::added;
        new_count += line.kind != LineKind::removed;
      }
      const Placed placed{begin, count, new_count, i};
      const auto after = std::ranges::upper_bound(placed_, begin, {}, &Placed::begin);
      placed_.insert(after, placed);
    }
    return render();
  }

 private:
  Result<std::size_t> place(std::size_t index) {
    const UnifiedHunk& hunk = hunks_[index];
    std::vector<BytesView> run;
    for (const auto& line : hunk.lines) {
      if (line.kind != LineKind::added) run.push_back(line.text);
    }
    const std::size_t size = text_.lines().size();
    // As git does: a hunk that says so stands at the start, one without lines after its last change at the end.
    const bool at_start = hunk.old_line <= 1;
    const bool at_end = hunk.lines.back().kind != LineKind::context;
    const auto expected = expected_place(hunk);
    Misfit misfit{content_, index, hunk.lines, {}};
    if (expected) misfit.expected_line = *expected + 1;
    if (run.empty()) {
      if (size == 0 && at_start) return std::size_t{0};
      if (hunk.old_line == 0) return hunk_not_found(misfit, text_);
      return no_context(misfit);
    }
    const auto fits = [&](std::size_t at) {
      return (!at_start || at == 0) && (!at_end || at + run.size() == size) && is_free(at, run.size());
    };
    if (expected && fits(*expected) && text_.stands_at(run, *expected)) return *expected;
    auto places = text_.find(run);
    std::erase_if(places, [&](std::size_t at) { return !fits(at); });
    if (places.empty()) return hunk_not_found(misfit, text_);
    if (places.size() > 1) return ambiguous_place(misfit, places);
    return places.front();
  }

  /// Where the new line number of a hunk is in the file as it was, given the hunks that have a place; nothing when it
  /// is inside one of them.
  std::optional<std::size_t> expected_place(const UnifiedHunk& hunk) const {
    const std::int64_t wanted = hunk.new_line > 0 ? hunk.new_line - 1 : 0;
    std::int64_t shift = 0;
    for (const auto& placed : placed_) {
      const std::int64_t begin = static_cast<std::int64_t>(placed.begin) + shift;
      if (wanted < begin) break;
      if (wanted < begin + static_cast<std::int64_t>(placed.new_count)) return std::nullopt;
      shift += static_cast<std::int64_t>(placed.new_count) - static_cast<std::int64_t>(placed.count);
    }
    return static_cast<std::size_t>(wanted - shift);
  }

  bool is_free(std::size_t begin, std::size_t count) const {
    return std::ranges::none_of(
        placed_, [&](const Placed& placed) { return begin < placed.end() && placed.begin < begin + count; });
  }

  Bytes render() const {
    Bytes out;
    std::size_t at = 0;
    const auto& lines = text_.lines();
    for (const auto& placed : placed_) {
      for (; at < placed.begin; ++at) out += lines[at];
      for (const auto& line : hunks_[placed.hunk].lines) {
        if (line.kind != LineKind::removed) out += line.text;
      }
      at = placed.end();
    }
    for (; at < lines.size(); ++at) out += lines[at];
    return out;
  }

  BytesView content_;
  std::span<const UnifiedHunk> hunks_;
  LinePlaces text_;
  std::vector<Placed> placed_;  ///< in the order of the file
};

enum class Endings { none, lf, crlf, mixed };

/// The endings of lines; one without any, as the last line of a file, says nothing.
template <typename Lines>
Endings endings_of(const Lines& lines, Endings known = Endings::none) {
  for (const BytesView line : lines) {
    if (!line.ends_with('\n')) continue;
    const auto own = line.ends_with("\r\n") ? Endings::crlf : Endings::lf;
    if (known != Endings::none && known != own) return Endings::mixed;
    known = own;
  }
  return known;
}

std::vector<UnifiedHunk> with_endings(std::span<const UnifiedHunk> hunks, Endings endings) {
  std::vector<UnifiedHunk> changed(hunks.begin(), hunks.end());
  for (auto& hunk : changed) {
    for (auto& line : hunk.lines) {
      const bool ended = line.text.ends_with('\n');
      if (ended) line.text.pop_back();
      if (endings == Endings::lf && line.text.ends_with('\r')) line.text.pop_back();
      if (ended) line.text += endings == Endings::crlf ? "\r\n" : "\n";
    }
  }
  return changed;
}

}  // namespace

Result<Bytes> apply_unified_hunks(BytesView content, std::span<const UnifiedHunk> hunks) {
  auto applied = UnifiedApply(content, hunks).run();
  if (applied) return applied;
  std::vector<BytesView> patch_lines;
  for (const auto& hunk : hunks) {
    for (const auto& line : hunk.lines) patch_lines.emplace_back(line.text);
  }
  const auto of_file = endings_of(split_lines_keeping_ends(content));
  const auto of_patch = endings_of(patch_lines);
  const bool differ =
      (of_file == Endings::crlf && of_patch == Endings::lf) || (of_file == Endings::lf && of_patch == Endings::crlf);
  if (!differ) return applied;
  return UnifiedApply(content, with_endings(hunks, of_file)).run();
}

}  // namespace berth
