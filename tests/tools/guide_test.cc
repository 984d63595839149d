#include <fmt/format.h>

#include "testing/cases.h"
#include "testing/golden_file.h"
#include "tests/tools/tools_fixture.h"

namespace berth::tools {
namespace {

constexpr std::string_view kPage = "docs/guides/tools.md";
constexpr std::string_view kBegin = "<!-- made from the catalogue -->\n";

std::string type_of(const Json& property) {
  if (property.contains("enum")) {
    std::string text;
    for (const auto& one : property["enum"]) text += (text.empty() ? "`" : " · `") + one.get<std::string>() + "`";
    return text;
  }
  if (property["type"] == "array") return "list of " + type_of(property["items"]);
  return property["type"].get<std::string>();
}

std::string row_of(const std::string& name, const Json& property, bool is_required) {
  std::string type = type_of(property);
  if (property.contains("minimum") && property.contains("maximum")) {
    type += fmt::format(" {}–{}", property["minimum"].dump(), property["maximum"].dump());
  } else if (property.contains("minimum")) {
    type += fmt::format(" ≥ {}", property["minimum"].dump());
  }
  const std::string preset = is_required                    ? "required"
                             : property.contains("default") ? "`" + property["default"].dump() + "`"
                                                            : "";
  return fmt::format("| `{}` | {} | {} | {} |\n", name, type, preset, property.value("description", ""));
}

std::string chapter_of(const ToolInfo& info) {
  std::string text = fmt::format("\n### `{}`\n\n{}\n\n| argument | type | default | meaning |\n|---|---|---|---|\n",
                                 info.name, info.description);
  const auto required = info.input_schema.value("required", Json::array());
  for (const auto& [name, property] : info.input_schema["properties"].items()) {
    // One sentence of the page says what these are.
    if (name.ends_with("_b64")) continue;
    text += row_of(name, property, std::find(required.begin(), required.end(), name) != required.end());
  }
  return text;
}

TEST_F(ToolsTest, the_guide_describes_every_tool_as_the_catalogue_does) {
  const auto page = testing::read_source(kPage);
  const auto begin = page.find(kBegin);
  ASSERT_NE(begin, std::string::npos);
  std::string made = page.substr(0, begin + kBegin.size());
  for (const auto& tool : catalogue->tools()) made += chapter_of(tool->info());
  testing::expect_golden(kPage, made);
}

}  // namespace
}  // namespace berth::tools
