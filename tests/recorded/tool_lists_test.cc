#include <algorithm>
#include <functional>

#include <gmock/gmock.h>

#include "recorded_case.h"
#include "testing/cases.h"
#include "testing/golden_file.h"
#include "testing/matchers.h"
#include "tools/catalogue.h"

namespace berth::recorded {
namespace {

using tools::CatalogueOptions;
using tools::Profile;

constexpr Capabilities kEverything{.read_files = true,
                                   .write_files = true,
                                   .run_commands = true,
                                   .search_files = true,
                                   .transactions = true,
                                   .jobs = true};
constexpr Capabilities kOnlyReads{.read_files = true, .search_files = true};

std::unique_ptr<tools::Catalogue> catalogue(CatalogueOptions options, const Capabilities& capabilities = kEverything) {
  auto made = tools::Catalogue::make(options, capabilities);
  EXPECT_THAT(made, testing::IsOk());
  return std::move(made).value();
}

Json list(const tools::Catalogue& catalogue) {
  Json result = Json::array();
  for (const auto& tool : catalogue.tools()) {
    const auto& info = tool->info();
    result.push_back({{"name", info.name},
                      {"title", info.title},
                      {"description", info.description},
                      {"annotations",
                       {{"read_only", info.annotations.read_only},
                        {"destructive", info.annotations.destructive},
                        {"idempotent", info.annotations.idempotent},
                        {"open_world", info.annotations.open_world}}},
                      {"input_schema", info.input_schema},
                      {"output_schema", info.output_schema}});
  }
  return result;
}

std::vector<std::string> names(const tools::Catalogue& catalogue) {
  std::vector<std::string> result;
  for (const auto& tool : catalogue.tools()) result.push_back(tool->info().name);
  return result;
}

void expect_golden(const std::string& name, const Json& value) {
  testing::expect_golden("src/tools/golden/" + name, value.dump(2) + "\n");
}

TEST(ToolLists, of_the_console_profile_are_the_golden_ones) {
  expect_golden("console/tools.json", list(*catalogue({.profile = Profile::console})));
  expect_golden("console/tools_hashline.json",
                list(*catalogue({.profile = Profile::console, .edit_format = CatalogueOptions::EditFormat::hashline})));
}

TEST(ToolLists, of_the_harness_profile_are_the_golden_ones) {
  expect_golden("harness/tools.json", list(*catalogue({.profile = Profile::harness})));
  expect_golden("harness/tools_when_named.json",
                list(*catalogue({.profile = Profile::harness, .only = {"list_files", "grep", "shell"}})));
}

TEST(ToolLists, of_the_filesystem_profile_are_the_golden_ones) {
  expect_golden("filesystem/tools.json", list(*catalogue({.profile = Profile::filesystem})));
}

/// Every schema inside a schema.
void visit(const Json& schema, const std::function<void(const Json&)>& look) {
  if (schema.is_object()) {
    look(schema);
    for (const auto& [key, value] : schema.items()) visit(value, look);
  } else if (schema.is_array()) {
    for (const auto& value : schema) visit(value, look);
  }
}

TEST(ToolLists, have_schemas_without_prefix_items_that_refuse_unknown_arguments) {
  for (const auto profile : {Profile::console, Profile::harness, Profile::filesystem}) {
    const auto tools = catalogue({.profile = profile});
    for (const auto& tool : tools->tools()) {
      EXPECT_EQ(tool->info().input_schema.at("additionalProperties"), false) << tool->info().name;
      for (const auto* schema : {&tool->info().input_schema, &tool->info().output_schema}) {
        visit(*schema, [&](const Json& part) {
          EXPECT_FALSE(part.contains("prefixItems")) << tool->info().name;
          if (part.contains("properties") && part.value("type", Json()) == "object") {
            EXPECT_TRUE(part.contains("additionalProperties")) << tool->info().name << " " << part.dump();
          }
        });
      }
    }
  }
}

TEST(ToolLists, of_a_workspace_that_only_reads_have_nothing_that_writes_or_executes) {
  EXPECT_THAT(names(*catalogue({.profile = Profile::console}, kOnlyReads)),
              ::testing::ElementsAre("ls", "read_file", "glob", "grep"));
  EXPECT_THAT(names(*catalogue({.profile = Profile::harness}, kOnlyReads)),
              ::testing::ElementsAre("read_file", "list_directory", "search_files", "find_files", "file_info"));
}

/// A property without what is ours to word. An optional argument may be null in ours too, without the schema saying so.
Json signature_of(const Json& property) {
  Json result = Json::object();
  if (property.contains("type")) result["type"] = property["type"];
  for (const auto& option : property.value("anyOf", Json::array())) {
    if (option.at("type") != "null") result["type"] = option["type"];
  }
  if (property.contains("default") && !property["default"].is_null()) result["default"] = property["default"];
  if (property.contains("enum")) {
    auto values = property["enum"].get<std::vector<std::string>>();
    std::sort(values.begin(), values.end());
    result["enum"] = values;
  }
  return result;
}

class ConsoleSignatures : public ::testing::TestWithParam<std::string> {};

TEST_P(ConsoleSignatures, have_the_recorded_names_types_and_defaults) {
  const auto meta = Json::parse(testing::read_cases("console_results.json")).at("meta");
  CatalogueOptions options{.profile = Profile::console};
  if (GetParam() == "hashline") options.edit_format = CatalogueOptions::EditFormat::hashline;
  const auto tools = catalogue(options);
  std::vector<std::string> recorded_names;
  for (const auto& [name, recorded] : meta.at("signatures").at(GetParam()).items()) {
    recorded_names.push_back(name);
    const auto* tool = tools->find(name);
    ASSERT_NE(tool, nullptr) << name;
    const auto& schema = tool->info().input_schema;
    EXPECT_EQ(schema.at("additionalProperties"), false) << name;
    EXPECT_EQ(schema.value("required", Json::array()), recorded.at("required")) << name;
    std::vector<std::string> arguments;
    for (const auto& [argument, property] : recorded.items()) {
      if (argument == "required") continue;
      arguments.push_back(argument);
      ASSERT_TRUE(schema.at("properties").contains(argument)) << name << "." << argument;
      EXPECT_EQ(nlohmann::json(signature_of(schema["properties"][argument])), nlohmann::json(signature_of(property)))
          << name << "." << argument;
    }
    std::vector<std::string> ours;
    for (const auto& [argument, property] : schema.at("properties").items()) ours.push_back(argument);
    EXPECT_EQ(ours, arguments) << name;
  }
  EXPECT_EQ(names(*tools), recorded_names);
}

INSTANTIATE_TEST_SUITE_P(Recorded, ConsoleSignatures, ::testing::Values("str_replace", "hashline"),
                         [](const auto& signature) { return signature.param; });

}  // namespace
}  // namespace berth::recorded
