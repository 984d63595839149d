#include "workspace/edit/edit.h"

#include <algorithm>
#include <optional>

#include "workspace/edit/anchor.h"

namespace berth {
namespace {

constexpr std::size_t kReplacementsPerCheck = 16 * 1024;

struct Replacement {
  Span span;
  std::size_t edit;
};

/// The errors of one edit name it by number only where there are several.
Error edit_error(ErrorCode code, std::size_t edit, std::size_t edit_count, std::string message) {
  if (edit_count > 1) message = "edit " + std::to_string(edit + 1) + ": " + message;
  return make_error(code, std::move(message)).with("edit", static_cast<std::int64_t>(edit));
}

Result<void> check_edit(const Edit& edit, std::size_t index, std::size_t edit_count) {
  if (edit.old_text.empty()) {
    return edit_error(ErrorCode::empty_anchor, index, edit_count, "an empty text stands everywhere");
  }
  if (edit.count == Edit::Count::exactly && edit.expected_count <= 0) {
    return edit_error(ErrorCode::invalid_argument, index, edit_count, "expected_count must be greater than 0");
  }
  return {};
}

Error not_found(const AnchorText& text, const Edit& edit, std::size_t index, std::size_t edit_count) {
  auto places = text.places_but_for_white_space(edit.old_text);
  auto error = edit_error(ErrorCode::match_not_found, index, edit_count, "the text to be replaced is not in the file");
  if (!places.empty()) {
    error.hint = "text that differs only in white space stands at line " + places.front();
    std::move(error).with("places", std::move(places));
  }
  if (!edit.new_text.empty() && text.contains(edit.new_text)) {
    if (error.hint.empty()) error.hint = "the new text is already in the file";
    std::move(error).with("already_present", "true");
  }
  return error;
}

Error wrong_count(const AnchorText& text, const Edit& edit, const std::vector<Span>& spans, std::size_t index,
                  std::size_t edit_count) {
  return edit_error(ErrorCode::ambiguous_match, index, edit_count,
                    "the text to be replaced occurs " + std::to_string(spans.size()) + " times where " +
                        std::to_string(edit.expected_count) +
                        (edit.expected_count == 1 ? " is expected" : " are expected"))
      .with("count", static_cast<std::int64_t>(spans.size()))
      .with("expected_count", edit.expected_count)
      .with("places", text.places(spans));
}

}  // namespace

Result<EditedContent> apply_edits(BytesView original, std::span<const Edit> edits, const Call& call) {
  if (edits.empty()) return make_error(ErrorCode::invalid_argument, "no edit is given");
  for (std::size_t i = 0; i < edits.size(); ++i) BERTH_CHECK(check_edit(edits[i], i, edits.size()));

  AnchorText text(original);
  EditedContent edited;
  std::vector<Replacement> replacements;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    BERTH_CHECK(call.check());
    BERTH_TRY(const auto spans, text.find(call, edits[i].old_text));
    if (spans.empty()) return not_found(text, edits[i], i, edits.size());
    if (edits[i].count == Edit::Count::exactly && static_cast<std::int64_t>(spans.size()) != edits[i].expected_count) {
      return wrong_count(text, edits[i], spans, i, edits.size());
    }
    edited.counts.push_back(static_cast<std::int64_t>(spans.size()));
    for (const Span& span : spans) replacements.push_back({span, i});
  }

  BERTH_CHECK(call.check());
  // The matches of one edit are in order already.
  const auto begin_of = [](const Replacement& r) { return r.span.begin; };
  if (edits.size() > 1) std::ranges::sort(replacements, {}, begin_of);
  for (std::size_t i = 1; i < replacements.size(); ++i) {
    if (replacements[i - 1].span.end > replacements[i].span.begin) {
      const auto [first, second] = std::minmax(replacements[i - 1].edit, replacements[i].edit);
      return make_error(ErrorCode::invalid_argument,
                        "edits " + std::to_string(first + 1) + " and " + std::to_string(second + 1) + " overlap")
          .with("edit", static_cast<std::int64_t>(second));
    }
  }

  std::size_t done = 0;
  std::size_t replaced = 0;
  for (const auto& [span, edit] : replacements) {
    if (replaced++ % kReplacementsPerCheck == 0) BERTH_CHECK(call.check());
    edited.content.append(original.substr(done, span.begin - done));
    text.append_with_endings(edits[edit], span, edited.content);
    done = span.end;
  }
  edited.content.append(original.substr(done));
  if (edited.content == original) return make_error(ErrorCode::invalid_argument, "the edits change nothing");
  return edited;
}

}  // namespace berth
