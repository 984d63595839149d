#include "recorded_test.h"

namespace berth::recorded {
namespace {

using tools::HarnessOptions;

class HarnessCases : public ::testing::TestWithParam<Case> {};

HarnessOptions layout_of(const Json& options) {
  HarnessOptions result;
  if (!options.value("content_hashes", true)) result.content_hashes = HarnessOptions::Hashes::left_out;
  if (options.value("persist_cwd", false)) result.directory = HarnessOptions::Directory::kept;
  result.max_read_lines = options.value("max_read_lines", result.max_read_lines);
  result.max_read_chars = options.value("max_read_chars", result.max_read_chars);
  result.max_list_results = options.value("max_list_results", result.max_list_results);
  result.max_search_results = options.value("max_search_results", result.max_search_results);
  result.max_output_chars = options.value("max_output_chars", result.max_output_chars);
  return result;
}

/// What the recorded capabilities refused by themselves is for policies with us: these say the same.
Guards guards_of(const Json& options) {
  Guards guards;
  guards.sensitive.deny = options.value("denied_patterns", std::vector<std::string>{});
  guards.sensitive.protect = {"**/.git", "**/.env", "**/.env.*", "*.pem", "*.key", "**/secrets*"};
  Json rules{{"default", "allow"}, {"execute", {{"default", "allow"}, {"rules", Json::array()}}}};
  const auto deny = [&](const std::string& pattern) {
    rules["execute"]["rules"].push_back({{"pattern", pattern}, {"action", "deny"}});
  };
  deny("rm *");
  deny("vim *");
  for (const auto& text : options.value("denied_operators", std::vector<std::string>{})) deny("*" + text + "*");
  if (options.contains("allowed_patterns")) {
    rules["read"] = {{"default", "deny"}, {"rules", Json::array()}};
    for (const auto& pattern : options["allowed_patterns"]) {
      rules["read"]["rules"].push_back({{"pattern", "**/" + pattern.get<std::string>()}, {"action", "allow"}});
    }
  }
  guards.rules = rules.dump();
  return guards;
}

TEST_P(HarnessCases, answer_as_recorded_but_for_the_listed_deviations) {
  const auto& options = GetParam().json.at("options");
  tools::CatalogueOptions catalogue{.profile = tools::Profile::harness, .harness = layout_of(options)};
  catalogue.only = options.value("tools", std::vector<std::string>{});
  if (GetParam().json.at("capability") == "Shell" && catalogue.only.empty()) {
    catalogue.only = {"run_command", "start_command", "check_command", "stop_command"};
  }
  World world(GetParam(), catalogue, {}, guards_of(options));
  run_case(GetParam(), world);
}

INSTANTIATE_TEST_SUITE_P(Recorded, HarnessCases, ::testing::ValuesIn(read_recorded_cases("harness")), test_name);

}  // namespace
}  // namespace berth::recorded
