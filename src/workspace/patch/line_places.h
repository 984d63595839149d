#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"

namespace berth {

/// Finds runs of lines in a text. Every search is linear in both, whatever they repeat.
class LinePlaces {
 public:
  /// The views must outlive the object.
  explicit LinePlaces(std::vector<BytesView> lines);

  const std::vector<BytesView>& lines() const noexcept { return lines_; }

  /// Whether the run stands at a line, counted from 0.
  bool stands_at(std::span<const BytesView> run, std::size_t at) const noexcept;

  /// All lines, counted from 0, at which the run begins, overlapping ones too. The run is not empty.
  std::vector<std::size_t> find(std::span<const BytesView> run);

 private:
  std::vector<BytesView> lines_;
  std::unordered_map<BytesView, std::uint32_t>
      numbers_;  ///< equal lines have equal numbers; filled on the first search
  std::vector<std::uint32_t> text_;
};

}  // namespace berth
