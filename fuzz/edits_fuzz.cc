#include <fuzzer/FuzzedDataProvider.h>

#include <vector>

#include "fuzz/require.h"
#include "workspace/edit/edit.h"

using namespace berth;

namespace {

/// What one edit makes of a text without CR, by plain searching.
Bytes replace_all(const Bytes& text, const Edit& edit, std::int64_t& count) {
  Bytes out;
  std::size_t from = 0;
  count = 0;
  for (auto at = text.find(edit.old_text); at != Bytes::npos; at = text.find(edit.old_text, from)) {
    out += text.substr(from, at - from) + edit.new_text;
    from = at + edit.old_text.size();
    ++count;
  }
  return out + text.substr(from);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  std::vector<Edit> edits(input.ConsumeIntegralInRange<std::size_t>(0, 4));
  for (Edit& edit : edits) {
    edit.old_text = input.ConsumeRandomLengthString(16);
    edit.new_text = input.ConsumeRandomLengthString(16);
    edit.count = input.ConsumeBool() ? Edit::Count::all : Edit::Count::exactly;
    edit.expected_count = input.ConsumeIntegralInRange<std::int64_t>(1, 3);
  }
  const Bytes original = input.ConsumeRemainingBytesAsString();
  const auto edited = apply_edits(original, edits);
  if (!edited) {
    switch (edited.error().code) {
      case ErrorCode::empty_anchor:
      case ErrorCode::match_not_found:
      case ErrorCode::ambiguous_match:
      case ErrorCode::invalid_argument: break;
      default: FUZZ_REQUIRE(false);
    }
  } else {
    FUZZ_REQUIRE(edited->content != original);
    FUZZ_REQUIRE(edited->counts.size() == edits.size());
  }
  if (edits.size() != 1 || edits[0].old_text.empty() || original.find('\r') != Bytes::npos) return 0;
  if (edits[0].old_text.find('\r') != Bytes::npos) return 0;
  std::int64_t count = 0;
  const Bytes expected = replace_all(original, edits[0], count);
  const bool right_count = edits[0].count == Edit::Count::all ? count > 0 : count == edits[0].expected_count;
  if (!right_count) {
    FUZZ_REQUIRE(!edited);
    FUZZ_REQUIRE(edited.error().code == (count == 0 ? ErrorCode::match_not_found : ErrorCode::ambiguous_match));
  } else if (expected == original) {
    FUZZ_REQUIRE(!edited && edited.error().code == ErrorCode::invalid_argument);
  } else {
    FUZZ_REQUIRE(edited && edited->content == expected && edited->counts[0] == count);
  }
  return 0;
}
