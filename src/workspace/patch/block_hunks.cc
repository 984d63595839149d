#include <algorithm>

#include "workspace/patch/hunk_errors.h"
#include "workspace/patch/hunks.h"
#include "workspace/patch/line_places.h"
#include "workspace/patch/patch_errors.h"
#include "workspace/patch/patch_lines.h"

namespace berth {
namespace {

using LineKind = HunkLine::Kind;

std::vector<BytesView> texts_of(const std::vector<BytesView>& lines) {
  std::vector<BytesView> texts;
  texts.reserve(lines.size());
  for (const auto line : lines) texts.push_back(without_ending(line));
  return texts;
}

BytesView trimmed(BytesView text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == BytesView::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// A line of the result: its text, and its ending, which may be none only at the end.
struct OutLine {
  BytesView text;
  BytesView ending;
};

class BlockApply {
 public:
  BlockApply(BytesView content, std::span<const BlockHunk> hunks)
      : content_(content), hunks_(hunks), whole_(split_lines_keeping_ends(content)), text_(texts_of(whole_)) {}

  Result<Bytes> run() {
    for (std::size_t i = 0; i < hunks_.size(); ++i) BERTH_CHECK(hunk(i));
    for (; at_ < whole_.size(); ++at_) keep(at_);
    return render();
  }

 private:
  Result<void> hunk(std::size_t index) {
    const BlockHunk& hunk = hunks_[index];
    const Misfit misfit{content_, index, hunk.lines, {}};
    std::size_t from = at_;
    for (const auto& header : hunk.headers) {
      BERTH_TRY(from, below_header(misfit, header, from));
    }
    std::vector<BytesView> run;
    for (const auto& line : hunk.lines) {
      if (line.kind != LineKind::added) run.push_back(line.text);
    }
    std::size_t begin = whole_.size();
    if (run.empty()) {
      if (!hunk.at_end && !whole_.empty()) return no_context(misfit);
    } else {
      auto places = text_.find(run);
      std::erase_if(places, [&](std::size_t place) {
        return place < from || (hunk.at_end && place + run.size() != whole_.size());
      });
      if (places.empty()) return hunk_not_found(misfit, text_);
      if (places.size() > 1) return ambiguous_place(misfit, places);
      begin = places.front();
    }
    for (; at_ < begin; ++at_) keep(at_);
    put(hunk);
    return {};
  }

  /// The line after the only one that is the header.
  Result<std::size_t> below_header(const Misfit& misfit, const Bytes& header, std::size_t from) const {
    std::vector<std::size_t> places;
    for (std::size_t i = from; i < text_.lines().size(); ++i) {
      if (trimmed(text_.lines()[i]) == trimmed(header)) places.push_back(i);
    }
    if (places.size() == 1) return places.front() + 1;
    if (places.size() > 1) {
      auto error = ambiguous_place(misfit, places);
      error.message = "hunk " + std::to_string(misfit.hunk + 1) + ": the line of its `@@` stands at " +
                      std::to_string(places.size()) + " places";
      return error;
    }
    const auto number = static_cast<std::int64_t>(misfit.hunk) + 1;
    auto error =
        patch_rejected(PatchReason::not_found, "hunk " + std::to_string(number) +
                                                   ": the line of its `@@` is not in the file below the hunk before")
            .with("hunk", number);
    error.hint = "write the whole line after `@@ `, or leave it out";
    return error;
  }

  void keep(std::size_t line) { out_.push_back({text_.lines()[line], ending_of(whole_[line])}); }

  /// Write a hunk over the lines from `at_` on.
  void put(const BlockHunk& hunk) {
    std::size_t replaced = at_;  // the next line of a run of removed ones, whose ending a new line takes
    for (const auto& line : hunk.lines) {
      switch (line.kind) {
        case LineKind::context:
          keep(at_++);
          replaced = at_;
          break;
        case LineKind::removed: ++at_; break;
        case LineKind::added:
          out_.push_back({line.text, replaced < at_ ? ending_of(whole_[replaced++]) : neighbour_ending()});
          break;
      }
    }
  }

  /// The ending of the line above, else of the line below.
  BytesView neighbour_ending() const {
    if (!out_.empty() && !out_.back().ending.empty()) return out_.back().ending;
    for (const std::size_t near : {at_ > 0 ? at_ - 1 : at_, at_, std::size_t{0}}) {
      if (near < whole_.size() && !ending_of(whole_[near]).empty()) return ending_of(whole_[near]);
    }
    return "\n";
  }

  Bytes render() const {
    Bytes out;
    const bool ends_with_newline = whole_.empty() || whole_.back().ends_with('\n');
    const BytesView usual =
        whole_.empty() || ending_of(whole_.front()).empty() ? BytesView("\n") : ending_of(whole_.front());
    for (std::size_t i = 0; i < out_.size(); ++i) {
      out += out_[i].text;
      const bool last = i + 1 == out_.size();
      if (last && !ends_with_newline) break;
      out += out_[i].ending.empty() ? usual : out_[i].ending;
    }
    return out;
  }

  BytesView content_;
  std::span<const BlockHunk> hunks_;
  std::vector<BytesView> whole_;  ///< the file's lines with their endings
  LinePlaces text_;               ///< and without
  std::vector<OutLine> out_;
  std::size_t at_ = 0;  ///< the first line of the file that is not in `out_` or removed
};

}  // namespace

Result<Bytes> apply_block_hunks(BytesView content, std::span<const BlockHunk> hunks) {
  return BlockApply(content, hunks).run();
}

}  // namespace berth
