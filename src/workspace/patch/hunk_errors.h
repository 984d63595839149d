#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "workspace/patch/line_places.h"
#include "workspace/patch/patch.h"

namespace berth {

/// A hunk that has no place, or several.
struct Misfit {
  BytesView content;
  std::size_t hunk = 0;  ///< from 0
  std::span<const HunkLine> lines;
  std::optional<std::size_t> expected_line;  ///< from 1
};

Error no_context(const Misfit& misfit);
Error ambiguous_place(const Misfit& misfit, const std::vector<std::size_t>& places);
/// `already_applied` when the lines that the hunk would leave stand in the file, else `not_found`.
Error hunk_not_found(const Misfit& misfit, LinePlaces& text);

}  // namespace berth
