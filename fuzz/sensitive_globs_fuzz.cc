#include <fuzzer/FuzzedDataProvider.h>

#include <vector>

#include "fuzz/require.h"
#include "path/sensitive_globs.h"

using namespace berth;

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// One glob of plain bytes and `*` against one name, by plain recursion.
bool name_matches(std::string_view glob, std::string_view name) {
  if (glob.empty()) return name.empty();
  if (glob[0] == '*')
    return name_matches(glob.substr(1), name) || (!name.empty() && name_matches(glob, name.substr(1)));
  return !name.empty() && lower(glob[0]) == lower(name[0]) && name_matches(glob.substr(1), name.substr(1));
}

bool is_plain(std::string_view text, std::string_view extra) {
  if (text.empty() || text.size() > 12) return false;
  for (const char c : text) {
    const char l = lower(c);
    if (!(l >= 'a' && l <= 'z') && extra.find(c) == std::string_view::npos) return false;
  }
  return text.find("//") == std::string_view::npos && text.front() != '/' && text.back() != '/';
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  std::vector<std::string> deny(input.ConsumeIntegralInRange<std::size_t>(1, 4));
  std::vector<std::string> allow(input.ConsumeIntegralInRange<std::size_t>(0, 2));
  for (std::string& glob : deny) glob = input.ConsumeRandomLengthString(24);
  for (std::string& glob : allow) glob = input.ConsumeRandomLengthString(24);
  const std::string path = input.ConsumeRemainingBytesAsString();
  const auto globs = SensitiveGlobs::compile(deny, allow);
  if (!globs) {
    FUZZ_REQUIRE(globs.error().code == ErrorCode::invalid_argument);
    return 0;
  }
  const bool kept_back = globs->matches(path);
  FUZZ_REQUIRE(!globs->matches("."));
  if (allow.empty() && kept_back && !path.ends_with('/')) FUZZ_REQUIRE(globs->matches(path + "/below"));
  if (deny.size() != 1 || !allow.empty() || !is_plain(deny[0], "*") || !is_plain(path, "/")) return 0;
  bool expected = false;
  for (std::string_view rest = path; !rest.empty();) {
    const auto slash = rest.find('/');
    expected = expected || name_matches(deny[0], rest.substr(0, slash));
    rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
  }
  FUZZ_REQUIRE(kept_back == expected);
  return 0;
}
