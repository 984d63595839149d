#include "fuzz/patch_parser_fuzz.h"

using namespace berth;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::try_patch<BlockHunk>(data, size, PatchForm::begin_patch,
                             [](BytesView content, const auto& hunks) { return apply_block_hunks(content, hunks); });
  return 0;
}
