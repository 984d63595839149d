#include <fuzzer/FuzzedDataProvider.h>

#include "fuzz/require.h"
#include "workspace/patch/hunks.h"
#include "workspace/patch/patch.h"

using namespace berth;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const Bytes content = input.ConsumeRandomLengthString(400);
  const Bytes text = input.ConsumeRemainingBytesAsString();
  const auto patch = parse_patch(text, PatchForm::unified);
  if (!patch) {
    FUZZ_REQUIRE(patch.error().code == ErrorCode::patch_rejected || patch.error().code == ErrorCode::too_large);
    return 0;
  }
  FUZZ_REQUIRE(!patch->operations.empty());
  for (const auto& operation : patch->operations) {
    FUZZ_REQUIRE(!operation.target().is_root());
    for (const auto component : operation.target().components()) FUZZ_REQUIRE(component != "..");
    if (const auto* hunks = std::get_if<std::vector<UnifiedHunk>>(&operation.change)) {
      const auto applied = apply_unified_hunks(content, *hunks);
      if (!applied) FUZZ_REQUIRE(applied.error().code == ErrorCode::patch_rejected);
    }
  }
  return 0;
}
