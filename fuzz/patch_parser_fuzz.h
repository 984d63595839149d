#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include "fuzz/require.h"
#include "workspace/patch/hunks.h"
#include "workspace/patch/patch.h"

namespace berth::fuzz {

/// Parse the input as a patch of one form and apply its hunks to a content: a refusal is typed, and no target is the
/// root or leads upwards.
template <typename Hunk, typename Apply>
void try_patch(const std::uint8_t* data, std::size_t size, PatchForm form, Apply apply) {
  FuzzedDataProvider input(data, size);
  const Bytes content = input.ConsumeRandomLengthString(400);
  const Bytes text = input.ConsumeRemainingBytesAsString();
  const auto patch = parse_patch(text, form);
  if (!patch) {
    FUZZ_REQUIRE(patch.error().code == ErrorCode::patch_rejected || patch.error().code == ErrorCode::too_large);
    return;
  }
  FUZZ_REQUIRE(!patch->operations.empty());
  for (const auto& operation : patch->operations) {
    FUZZ_REQUIRE(!operation.target().is_root());
    for (const auto component : operation.target().components()) FUZZ_REQUIRE(component != "..");
    if (const auto* hunks = std::get_if<std::vector<Hunk>>(&operation.change)) {
      const auto applied = apply(content, *hunks);
      if (!applied) FUZZ_REQUIRE(applied.error().code == ErrorCode::patch_rejected);
    }
  }
}

}  // namespace berth::fuzz
