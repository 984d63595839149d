#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "providers/local/local.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"
#include "tools/catalogue.h"
#include "tools/make_tool.h"

namespace berth::tools {

/// A place for the records of jobs. Comes before the workspace, which looks for one when it is opened.
struct StateHome {
  StateHome() { ::setenv("XDG_STATE_HOME", directory.path().c_str(), 1); }
  testing::TempDir directory;
};

/// A conversation with a real directory.
class ToolsTest : public ::testing::Test {
 protected:
  using Outcome = ToolResult::Outcome;

  ToolResult call(std::string_view tool, std::string_view arguments = "{}") {
    return call_in(session, tool, Json::parse(arguments));
  }
  ToolResult call_in(ToolSession& conversation, std::string_view tool, const Json& arguments) {
    const auto* found = catalogue->find(tool);
    if (found == nullptr) {
      ADD_FAILURE() << "there is no tool " << tool;
      return {};
    }
    return found->call({}, conversation, arguments, nullptr);
  }
  /// The text of a call that succeeds.
  std::string text(std::string_view tool, std::string_view arguments = "{}") {
    const auto result = call(tool, arguments);
    EXPECT_EQ(result.outcome, Outcome::success) << result.text;
    return result.text;
  }
  /// The code of a call that is refused.
  std::string refused(std::string_view tool, std::string_view arguments, Outcome expected = Outcome::retry) {
    const auto result = call(tool, arguments);
    EXPECT_EQ(result.outcome, expected) << result.text;
    return result.structured.contains("error") ? result.structured["error"]["code"].get<std::string>() : "none";
  }

  /// What a test started and did not stop must not outlive it.
  void TearDown() override {
    const auto jobs = workspace.list_jobs({});
    ASSERT_THAT(jobs, testing::IsOk());
    for (const auto& job : *jobs) EXPECT_THAT(workspace.stop_job({}, job.id, {}), testing::IsOk());
  }

  StateHome state_home;
  testing::TempDir dir;
  Workspace workspace{std::move(local::open_local({dir.path()}, {})).value()};
  std::unique_ptr<Catalogue> catalogue{std::move(Catalogue::make({}, workspace.capabilities())).value()};
  ToolSession session{workspace};
};

}  // namespace berth::tools
