#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace berth {

/// Which lines of two texts have no partner in the other. Lines that are left over on both sides pair up in order.
struct LineDiff {
  std::vector<bool> removed;  ///< of the old text
  std::vector<bool> added;    ///< of the new text

  bool operator==(const LineDiff&) const = default;
};

/// Work that a comparison may do before it stops looking for the shortest script.
struct DiffEffort {
  std::int64_t max_edits = 1500;       ///< length of a script that is looked for; memory grows with its square
  std::int64_t max_steps = 4'000'000;  ///< of one search
};

/// Compare two texts, each line given as a number (equal numbers mean equal lines).
///
/// The result is a shortest script (Myers, "An O(ND) Difference Algorithm", 1986) while the effort lasts. Past it the
/// texts are split at lines that occur once in each (Bram Cohen's patience order) and the pieces compared with a
/// small effort each; a piece without such lines is replaced as a whole.
LineDiff diff_lines(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after,
                    const DiffEffort& effort = {});

}  // namespace berth
