#include <gmock/gmock.h>

#include "policy/read_only.h"
#include "testing/json_schema.h"
#include "tests/tools/tools_fixture.h"

namespace berth::tools {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> names_of(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const auto& tool : catalogue.tools()) names.push_back(tool->info().name);
  return names;
}

using CatalogueTest = ToolsTest;

TEST_F(CatalogueTest, a_read_only_workspace_is_offered_nothing_that_writes_or_executes) {
  Workspace reading(make_read_only(std::move(local::open_local({dir.path()}, {})).value()));
  const auto offered = std::move(Catalogue::make({}, reading.capabilities())).value();
  EXPECT_THAT(names_of(*offered), ElementsAre("ls", "read_file", "list_files", "glob", "grep"));
  for (const auto& tool : offered->tools()) EXPECT_TRUE(tool->info().annotations.read_only) << tool->info().name;
}

TEST_F(CatalogueTest, offers_only_what_is_asked_for_and_refuses_what_does_not_exist) {
  const auto offered = std::move(Catalogue::make({.only = {"grep", "ls"}}, workspace.capabilities())).value();
  EXPECT_THAT(names_of(*offered), ElementsAre("ls", "grep"));
  EXPECT_THAT(Catalogue::make({.only = {"rm"}}, workspace.capabilities()), FailsWith(ErrorCode::invalid_argument));
}

TEST_F(CatalogueTest, every_tool_is_described_and_uses_no_prefixItems) {
  for (const auto& tool : catalogue->tools()) {
    const auto& info = tool->info();
    EXPECT_FALSE(info.title.empty() || info.description.empty()) << info.name;
    for (const auto* schema : {&info.input_schema, &info.output_schema}) {
      EXPECT_EQ((*schema)["type"], "object") << info.name;
      EXPECT_EQ((*schema)["additionalProperties"], false) << info.name;
      EXPECT_EQ(schema->dump().find("prefixItems"), std::string::npos) << info.name;
    }
    EXPECT_EQ(catalogue->find(info.name), tool.get());
  }
  EXPECT_EQ(catalogue->find("none"), nullptr);
}

// A value of the right type for a schema, or of a wrong one.
Json right_value(const Json& schema) {
  if (schema.contains("enum")) return schema["enum"][0];
  const auto type = schema["type"].get<std::string>();
  if (type == "string") return "x";
  if (type == "integer") return schema.value("minimum", 0);
  if (type == "number") return schema.value("minimum", 0) + 1;
  if (type == "boolean") return true;
  if (type == "array") return Json::array({right_value(schema["items"])});
  Json object = Json::object();
  if (!schema.contains("properties")) return object;
  for (const auto& name : schema.value("required", Json::array())) {
    object[name.get<std::string>()] = right_value(schema["properties"][name.get<std::string>()]);
  }
  return object;
}

std::vector<Json> wrong_values(const Json& schema) {
  const auto type = schema["type"].get<std::string>();
  std::vector<Json> wrong;
  for (const Json& value :
       {Json("x"), Json(1.5), Json(true), Json::array({Json::object()}), Json::object({{"x", 1}})}) {
    if (type == "number" && value.is_number()) continue;
    if (!testing::schema_faults(schema, value).empty()) wrong.push_back(value);
  }
  if (schema.contains("minimum")) wrong.push_back(schema["minimum"].get<std::int64_t>() - 1);
  if (schema.contains("maximum")) wrong.push_back(schema["maximum"].get<std::int64_t>() + 1);
  if (schema.contains("minItems")) wrong.push_back(Json::array());
  return wrong;
}

TEST_F(CatalogueTest, every_tool_refuses_unknown_missing_and_wrong_arguments) {
  for (const auto& tool : catalogue->tools()) {
    const auto& info = tool->info();
    const auto& schema = info.input_schema;
    const auto good = right_value(schema);
    EXPECT_THAT(testing::schema_faults(schema, good), IsEmpty()) << info.name;
    const auto expect_refusal = [&](const Json& arguments, const std::string& argument) {
      const auto result = call_in(session, info.name, arguments);
      EXPECT_EQ(result.outcome, Outcome::retry) << info.name << " " << arguments.dump() << " " << result.text;
      ASSERT_TRUE(result.structured.contains("error")) << info.name << " " << arguments.dump();
      EXPECT_EQ(result.structured["error"]["code"], "invalid_argument") << info.name << " " << arguments.dump();
      EXPECT_TRUE(result.structured["error"].value("argument", "").starts_with(argument)) << result.structured.dump();
      EXPECT_THAT(testing::schema_faults(schema, arguments), Not(IsEmpty())) << info.name << " " << arguments.dump();
    };
    auto unknown = good;
    unknown["surprise"] = 1;
    expect_refusal(unknown, "surprise");
    for (const auto& name : schema.value("required", Json::array())) {
      auto missing = good;
      missing.erase(name.get<std::string>());
      expect_refusal(missing, name.get<std::string>());
    }
    for (const auto& [name, property] : schema["properties"].items()) {
      for (const auto& value : wrong_values(property)) {
        auto wrong = good;
        wrong[name] = value;
        expect_refusal(wrong, name);
      }
    }
  }
}

TEST_F(CatalogueTest, arguments_that_are_no_object_are_refused) {
  for (const auto& tool : catalogue->tools()) {
    EXPECT_EQ(call_in(session, tool->info().name, Json::array()).outcome, Outcome::retry);
    EXPECT_EQ(call_in(session, tool->info().name, "x").outcome, Outcome::retry);
  }
}

}  // namespace
}  // namespace berth::tools
