#include <fuzzer/FuzzedDataProvider.h>

#include <charconv>
#include <vector>

#include "fuzz/require.h"
#include "workspace/edit/unified_diff.h"

using namespace berth;

namespace {

std::vector<Bytes> lines_of(BytesView text) {
  std::vector<Bytes> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::size_t length = end == BytesView::npos ? text.size() : end + 1;
    lines.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

std::size_t number(BytesView text, std::size_t at) {
  std::size_t value = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

/// Apply a diff strictly: every context and removed line must be there.
Bytes apply(BytesView before, BytesView diff) {
  const std::vector<Bytes> old = lines_of(before);
  std::vector<Bytes> patch = lines_of(diff);
  Bytes out;
  std::size_t at = 0;
  for (std::size_t i = 2; i < patch.size(); ++i) {
    if (patch[i].starts_with("@@ -")) {
      std::size_t start = number(patch[i], 4);
      const auto comma = patch[i].find_first_of(", ", 4);
      // A hunk that removes nothing names the line before it.
      if (patch[i][comma] == ',' && number(patch[i], comma + 1) == 0) ++start;
      while (at + 1 < start) out += old.at(at++);
      continue;
    }
    Bytes text = patch[i].substr(1);
    const bool unended = i + 1 < patch.size() && patch[i + 1].starts_with("\\ ");
    if (unended) text.pop_back();
    if (patch[i][0] == ' ' || patch[i][0] == '-') {
      FUZZ_REQUIRE(at < old.size() && old[at] == text);
      ++at;
    }
    if (patch[i][0] == ' ' || patch[i][0] == '+') out += text;
    if (unended) ++i;
  }
  while (at < old.size()) out += old[at++];
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const auto max_bytes = input.ConsumeIntegralInRange<std::size_t>(0, 4096);
  const Bytes before = input.ConsumeRandomLengthString(2000);
  const Bytes after = input.ConsumeRemainingBytesAsString();
  const BoundedDiff bounded = unified_diff("name", before, after, max_bytes);
  FUZZ_REQUIRE(bounded.text.size() <= max_bytes);
  const BoundedDiff whole = unified_diff("name", before, after, 1 << 20);
  FUZZ_REQUIRE(!whole.truncated);
  FUZZ_REQUIRE(whole.text.empty() == (before == after));
  if (!bounded.truncated) FUZZ_REQUIRE(bounded == whole);
  const bool binary = before.find('\0') != Bytes::npos || after.find('\0') != Bytes::npos;
  if (!binary && before != after) FUZZ_REQUIRE(apply(before, whole.text) == after);
  return 0;
}
