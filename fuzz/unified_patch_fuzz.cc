#include "fuzz/patch_parser_fuzz.h"

using namespace berth;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::try_patch<UnifiedHunk>(data, size, PatchForm::unified, [](BytesView content, const auto& hunks) {
    return apply_unified_hunks(content, hunks);
  });
  return 0;
}
