#include "workspace/patch/hunk_errors.h"

#include <algorithm>

#include "workspace/edit/anchor.h"
#include "workspace/patch/patch_errors.h"
#include "workspace/patch/patch_lines.h"

namespace berth {
namespace {

constexpr std::size_t kPlaces = 5;
constexpr std::size_t kSnippetBytes = 120;

Error misfit_error(PatchReason reason, const Misfit& misfit, const std::string& message) {
  const auto number = static_cast<std::int64_t>(misfit.hunk) + 1;
  Error error = patch_rejected(reason, "hunk " + std::to_string(number) + ": " + message).with("hunk", number);
  if (!misfit.expected_line) return error;
  return std::move(error).with("expected_line", static_cast<std::int64_t>(*misfit.expected_line));
}

std::string place(const std::vector<BytesView>& lines, std::size_t at) {
  return std::to_string(at + 1) + ": " + decode_utf8(utf8_prefix(without_ending(lines[at]), kSnippetBytes)).text;
}

}  // namespace

Error no_context(const Misfit& misfit) {
  auto error = misfit_error(PatchReason::no_context, misfit, "no line says where it belongs");
  error.hint = "give lines of the file around the new ones";
  return error;
}

Error ambiguous_place(const Misfit& misfit, const std::vector<std::size_t>& places) {
  const auto lines = split_lines_keeping_ends(misfit.content);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(places.size(), kPlaces); ++i) shown.push_back(place(lines, places[i]));
  auto error = misfit_error(PatchReason::ambiguous_place, misfit,
                            "its lines stand at " + std::to_string(places.size()) + " places")
                   .with("count", static_cast<std::int64_t>(places.size()))
                   .with("places", std::move(shown));
  error.hint = "add lines around the change until the place is unique";
  return error;
}

Error hunk_not_found(const Misfit& misfit, LinePlaces& text) {
  std::vector<BytesView> after;
  Bytes before;
  bool adds = false;
  for (const auto& line : misfit.lines) {
    if (line.kind != HunkLine::Kind::removed) after.push_back(line.text);
    if (line.kind == HunkLine::Kind::added) adds = true;
    if (line.kind == HunkLine::Kind::added) continue;
    before += line.text;
    if (!line.text.ends_with('\n')) before.push_back('\n');
  }
  if (adds) {
    if (const auto found = text.find(after); !found.empty()) {
      auto error = misfit_error(PatchReason::already_applied, misfit, "what it would write is in the file already")
                       .with("places", std::vector<std::string>{place(text.lines(), found.front())})
                       .with("already_applied", "true");
      error.hint = "nothing needs to be done for this hunk";
      return error;
    }
  }
  auto error = misfit_error(PatchReason::not_found, misfit, "its lines are not in the file");
  auto near = AnchorText(misfit.content).places_but_for_white_space(before);
  if (!near.empty()) {
    error.hint = "text that differs only in white space stands at line " + near.front();
  } else if (misfit.expected_line && *misfit.expected_line <= text.lines().size() && *misfit.expected_line > 0) {
    near.push_back(place(text.lines(), *misfit.expected_line - 1));
    error.hint = "what stands there is " + near.front();
  }
  if (!near.empty()) return std::move(error).with("places", std::move(near));
  return error;
}

}  // namespace berth
