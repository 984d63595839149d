#include "recorded_test.h"

namespace berth::recorded {
namespace {

class ConsoleCases : public ::testing::TestWithParam<Case> {};

tools::ToolOptions tool_options(const Json& options) {
  tools::ToolOptions result;
  result.images = options.value("image_support", false);
  result.max_image_bytes = options.value("max_image_bytes", result.max_image_bytes);
  result.max_document_bytes = options.value("max_document_bytes", result.max_document_bytes);
  return result;
}

Guards guards_of(const Json& options) {
  const auto permissions = options.value("permissions", Json());
  return {.sensitive = {}, .rules = permissions.is_object() ? permissions.dump() : std::string()};
}

TEST_P(ConsoleCases, answer_as_recorded_but_for_the_listed_deviations) {
  const auto& options = GetParam().json.at("options");
  tools::CatalogueOptions catalogue{.profile = tools::Profile::console};
  if (options.value("edit_format", "") == "hashline") {
    catalogue.edit_format = tools::CatalogueOptions::EditFormat::hashline;
  }
  World world(GetParam(), catalogue, tool_options(options), guards_of(options));
  run_case(GetParam(), world);
}

INSTANTIATE_TEST_SUITE_P(Recorded, ConsoleCases, ::testing::ValuesIn(read_recorded_cases("console")), test_name);

}  // namespace
}  // namespace berth::recorded
