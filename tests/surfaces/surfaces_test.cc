#include <cstdlib>
#include <regex>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "providers/local/local.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"
#include "tests/cli/program.h"
#include "tests/surfaces/surface.h"
#include "tests/surfaces/tool_rows.h"
#include "workspace/workspace.h"

namespace berth::testing {
namespace {

using nlohmann::json;
using tools::Profile;

constexpr std::array kProfiles = {Profile::plain, Profile::console, Profile::harness, Profile::filesystem};

/// A fresh directory with files of every kind; nothing that was started in it outlives it.
class Place {
 public:
  Place() {
    directory.write("README.md", "# Title\n\nSome text.\n");
    directory.write("src/main.cc", "int main() {\n  return 0;\n}\n");
    directory.write("src/util.cc", "int twice(int x) {\n  return x + x;\n}\n");
    directory.write("latin1.txt", "caf\xe9\n");
    directory.write("empty", "");
    directory.write("data.bin", std::string("\0\1\2\3", 4));
    directory.write("dot.png", "\x89PNG\r\n\x1a\n....");
    directory.make_link("link", "README.md");
  }
  ~Place() {
    Workspace workspace(std::move(local::open_local({directory.path()}, {})).value());
    const auto jobs = workspace.list_jobs({});
    EXPECT_THAT(jobs, IsOk());
    for (const auto& job : *jobs) EXPECT_THAT(workspace.stop_job({}, job.id, {}), IsOk());
  }

  void make_repository() const {
    const auto git = [&](std::vector<std::string> words) {
      words.insert(words.begin(),
                   {"/usr/bin/env", "git", "-C", directory.path(), "-c", "user.name=n", "-c", "user.email=e"});
      const auto ended = run_program(
          words, {}, {{"GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"}, {"GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"}});
      EXPECT_EQ(ended.status, 0) << ended.err;
    };
    git({"init", "-q"});
    git({"add", "-A"});
    git({"commit", "-qm", "first"});
  }

  TempDir directory;
};

/// Take out what differs by nature: the place, times, ids of jobs and processes, tokens of files.
void settle(json& value, const std::string& place, const std::string& job) {
  if (value.is_string()) {
    auto text = value.get<std::string>();
    for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos;) text.replace(at, place.size(), "PLACE");
    static const std::regex time("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z");
    value = text == job ? "JOB" : std::regex_replace(text, time, "TIME");
  }
  if (value.is_array()) {
    for (auto& item : value) settle(item, place, job);
  }
  if (!value.is_object()) return;
  const bool is_job = value.contains("started_at");
  for (auto& [name, member] : value.items()) {
    const bool by_nature =
        name == "token" || name == "duration_ms" || name == "duration_seconds" || (is_job && name == "process");
    if (by_nature) {
      member = "BY NATURE";
    } else {
      settle(member, place, job);
    }
  }
}

/// The answers of one surface to a row.
std::vector<json> answers_of(const SurfaceKind& kind, Profile profile, const ToolRow& row) {
  const Place place;
  if (row.tool.starts_with("git_")) place.make_repository();
  const auto surface = kind.open(place.directory.path(), profile);
  std::vector<json> answers;
  std::string job = "none";
  for (const auto& step : row.calls) {
    const bool other = !step.starts_with('{');
    const auto tool = other ? step.substr(0, step.find(' ')) : row.tool;
    const auto arguments = std::regex_replace(other ? step.substr(step.find(' ') + 1) : step, std::regex("JOB"), job);
    auto answer = surface->call(tool, json::parse(arguments));
    if (tool == "start_command" && answer.contains("id")) job = answer["id"];
    if (other) continue;
    settle(answer, place.directory.path(), job);
    answers.push_back(std::move(answer));
  }
  return answers;
}

struct RowOfProfile {
  Profile profile;
  ToolRow row;
};

// For failures.
void PrintTo(const RowOfProfile& one, std::ostream* stream) {
  *stream << tools::profile_name(one.profile) << " " << one.row.tool;
}

std::vector<RowOfProfile> every_row() {
  std::vector<RowOfProfile> rows;
  for (const auto profile : kProfiles) {
    for (const auto& row : tool_rows(profile)) rows.push_back({profile, row});
  }
  return rows;
}

/// A place for the records of jobs.
class StateHome : public ::testing::Test {
 protected:
  StateHome() { ::setenv("XDG_STATE_HOME", state_.path().c_str(), 1); }

 private:
  TempDir state_;
};

class Surfaces : public StateHome, public ::testing::WithParamInterface<RowOfProfile> {};

TEST_P(Surfaces, every_surface_gives_the_same_structured_result) {
  const auto& [profile, row] = GetParam();
  const auto& kinds = surface_kinds();
  const auto expected = answers_of(kinds.front(), profile, row);
  for (auto kind = kinds.begin() + 1; kind != kinds.end(); ++kind) {
    EXPECT_EQ(answers_of(*kind, profile, row), expected) << kind->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Tools, Surfaces, ::testing::ValuesIn(every_row()), [](const auto& one) {
  return fmt::format("{}_{}", tools::profile_name(one.param.profile), one.param.row.tool);
});

using SurfacesTable = StateHome;

TEST_F(SurfacesTable, a_tool_of_the_catalogue_without_a_row_fails) {
  const TempDir directory;
  const Workspace workspace(std::move(local::open_local({directory.path()}, {})).value());
  for (const auto profile : kProfiles) {
    const auto catalogue = tools::Catalogue::make({.profile = profile}, workspace.capabilities());
    ASSERT_THAT(catalogue, IsOk());
    std::vector<std::string> offered;
    for (const auto& tool : (*catalogue)->tools()) offered.push_back(tool->info().name);
    std::vector<std::string> listed;
    for (const auto& row : tool_rows(profile)) listed.push_back(row.tool);
    EXPECT_EQ(listed, offered) << tools::profile_name(profile);
  }
}

}  // namespace
}  // namespace berth::testing
