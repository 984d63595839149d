#include <fuzzer/FuzzedDataProvider.h>

#include "fuzz/require.h"
#include "search/ignore.h"

using namespace berth;
using search::IgnoreLevel;

// Checked against `git check-ignore` in the layer's own tests; here nothing may crash, and what git's manual says of
// every rule must hold.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const Bytes above_text = input.ConsumeRandomLengthString(200);
  const Bytes here_text = input.ConsumeRandomLengthString(200);
  const Bytes ignore_text = input.ConsumeRandomLengthString(200);
  const std::string name = "d/" + input.ConsumeRemainingBytesAsString();

  const auto nothing = IgnoreLevel::make(nullptr, ".", "", "", "# comment\n\n   \n");
  FUZZ_REQUIRE(!nothing->is_ignored(name, IgnoreLevel::Kind::file));

  const auto above = IgnoreLevel::make(nullptr, ".", above_text, above_text, "");
  const auto here = IgnoreLevel::make(above, "d", "", here_text, ignore_text);
  (void)above->is_ignored(name, IgnoreLevel::Kind::directory);
  (void)here->is_ignored(name, IgnoreLevel::Kind::directory);
  (void)here->is_ignored(name, IgnoreLevel::Kind::file);

  // The last rule wins, so a final `**` ignores everything and a final `!**` nothing.
  const auto all = IgnoreLevel::make(here, "d", "", here_text + "\n**\n", "");
  const auto none = IgnoreLevel::make(here, "d", "", here_text + "\n!**\n", "");
  if (name.size() > 2 && name.find('\0') == Bytes::npos && !name.ends_with('/') && name.find("//") == Bytes::npos) {
    FUZZ_REQUIRE(all->is_ignored(name, IgnoreLevel::Kind::file));
    FUZZ_REQUIRE(!none->is_ignored(name, IgnoreLevel::Kind::file));
  }
  return 0;
}
