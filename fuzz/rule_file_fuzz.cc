#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "fuzz/require.h"
#include "policy/rules/rule_file.h"

using namespace berth;

/// The first byte chooses the format. What is read can be written and read back to the same value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto rules = parse_rules(text, data[0] % 2 == 0 ? RuleFormat::toml : RuleFormat::json);
  if (!rules) {
    FUZZ_REQUIRE(rules.error().code == ErrorCode::invalid_argument);
    FUZZ_REQUIRE(!rules.error().message.empty() && is_utf8(rules.error().message));
    return 0;
  }
  const auto again = parse_rules(to_json(rules->spec()), RuleFormat::json);
  FUZZ_REQUIRE(again.has_value() && again->spec() == rules->spec());
  return 0;
}
