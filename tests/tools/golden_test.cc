#include <ostream>
#include <regex>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testing/golden_file.h"
#include "testing/json_schema.h"
#include "tests/tools/golden_cases.h"
#include "tests/tools/tools_fixture.h"

namespace berth::tools {

void PrintTo(const GoldenCase& one, std::ostream* stream) { *stream << one.tool; }

namespace {

using ::testing::IsEmpty;

std::string_view outcome_name(ToolResult::Outcome outcome) {
  switch (outcome) {
    case ToolResult::Outcome::success: return "success";
    case ToolResult::Outcome::retry: return "retry";
    case ToolResult::Outcome::failed: return "failed";
  }
  return "";
}

class Golden : public ToolsTest, public ::testing::WithParamInterface<GoldenCase> {
 protected:
  void SetUp() override { catalogue = catalogue_of(GetParam().profile); }

  std::unique_ptr<Catalogue> catalogue_of(Profile profile) const {
    return std::move(Catalogue::make({.profile = profile}, workspace.capabilities())).value();
  }

  // The hash that the named line has now, so that the cases need not spell it.
  std::string with_hash(std::string arguments) {
    const auto at = arguments.find("HH");
    if (at == std::string::npos) return arguments;
    auto json = Json::parse(arguments);
    const auto shown =
        call_in(session, "read_file", {{"path", json["path"]}, {"offset", json["start_line"]}, {"format", "hashline"}})
            .text;
    json["start_hash"] = shown.substr(shown.find(':') + 1, 2);
    return json.dump();
  }

  std::string transcript(const GoldenCase& one) {
    std::string text;
    for (const auto& step : one.calls) {
      if (step.starts_with("! ")) {
        const auto space = step.find(' ', 2);
        dir.write(step.substr(2, space - 2), step.substr(space + 1));
        text += "(somebody else writes " + step.substr(2, space - 2) + ")\n\n";
        continue;
      }
      const bool other_tool = !step.starts_with('{');
      const auto tool = other_tool ? step.substr(0, step.find(' ')) : one.tool;
      const auto arguments = with_hash(other_tool ? step.substr(step.find(' ') + 1) : step);
      const auto result = call(tool, std::regex_replace(arguments, std::regex("JOB"), job_));
      if (tool == "start_command" && result.outcome == Outcome::success) job_ = result.structured["id"];
      check(tool, result);
      text += tool + " " + arguments + "\n" + std::string(outcome_name(result.outcome)) + "\n" +
              without_chance(result.text) + "\n\n";
    }
    return text;
  }

  // What differs from run to run: ids of jobs and how long they took, the place and its times.
  std::string without_chance(std::string text) const {
    static const std::regex id("\\b[0-9a-f]{12}\\b");
    static const std::regex took("[0-9]+\\.[0-9] s\\b");
    static const std::regex time("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z");
    text = std::regex_replace(std::regex_replace(text, id, "JOB"), took, "N s");
    text = std::regex_replace(text, time, "TIME");
    for (std::size_t at = 0; (at = text.find(dir.path(), at)) != std::string::npos;) {
      text.replace(at, dir.path().size(), "/ROOT");
    }
    return text;
  }

  std::string job_ = "none";  ///< the last that was started

  void check(const std::string& tool, const ToolResult& result) {
    EXPECT_TRUE(is_utf8(result.text));
    if (result.outcome == Outcome::success) {
      EXPECT_THAT(testing::schema_faults(catalogue->find(tool)->info().output_schema, result.structured), IsEmpty())
          << tool << ": " << result.structured.dump();
    } else {
      EXPECT_TRUE(result.structured.contains("error")) << tool;
      EXPECT_EQ(result.structured["error"].value("hint", "").empty(), false) << tool;
    }
  }
};

TEST_P(Golden, the_texts_are_those_of_the_golden_file) {
  GetParam().set_up(dir);
  testing::expect_golden(fmt::format("src/tools/golden/{}/{}.txt", profile_name(GetParam().profile), GetParam().tool),
                         transcript(GetParam()));
}

const auto kNameOfTool = [](const auto& one) { return one.param.tool; };
INSTANTIATE_TEST_SUITE_P(Plain, Golden, ::testing::ValuesIn(plain_golden_cases()), kNameOfTool);
INSTANTIATE_TEST_SUITE_P(Filesystem, Golden, ::testing::ValuesIn(filesystem_golden_cases()), kNameOfTool);

std::vector<std::string> tools_of(const std::vector<GoldenCase>& cases) {
  std::vector<std::string> names;
  for (const auto& one : cases) names.push_back(one.tool);
  return names;
}

std::vector<std::string> tools_of(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const auto& tool : catalogue.tools()) names.push_back(tool->info().name);
  return names;
}

TEST_F(ToolsTest, every_tool_has_a_golden_file) {
  EXPECT_THAT(tools_of(plain_golden_cases()), ::testing::IsSupersetOf(tools_of(*catalogue)));
  const auto filesystem = Catalogue::make({.profile = Profile::filesystem}, workspace.capabilities());
  ASSERT_THAT(filesystem, testing::IsOk());
  auto covered = tools_of(filesystem_golden_cases());
  covered.emplace_back("grep");  // the plain one
  EXPECT_THAT(covered, ::testing::UnorderedElementsAreArray(tools_of(**filesystem)));
}

}  // namespace
}  // namespace berth::tools
