#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "conformance/operations.h"
#include "conformance/rules.h"
#include "policy/audit.h"
#include "policy/confined.h"
#include "policy/limits.h"
#include "policy/read_only.h"
#include "policy/sensitive.h"
#include "providers/local/local.h"
#include "testing/cases.h"

// What a policy adds to the contract, on a real directory. That it takes nothing else away is what the other chapters
// try.
namespace berth::conformance {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::IsOk;

class Policies : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> local() {
    local::LocalOptions options;
    options.features = os::Features::probe();
    auto backend = local::open_local({tree_.base()}, options);
    EXPECT_THAT(backend, IsOk());
    return std::move(backend).value();
  }

  std::unique_ptr<Workspace> sensitive(const SensitivePolicy& policy = default_sensitive_policy()) {
    auto wrapped = make_sensitive(local(), policy);
    EXPECT_THAT(wrapped, IsOk());
    return std::make_unique<Workspace>(std::move(wrapped).value());
  }

  HostTree tree_;
};

TEST_F(Policies, C_POL_1_a_policy_adds_no_capability_to_what_it_stands_before) {
  auto reading = make_read_only(local());
  auto stacked =
      make_audited(make_limited(make_sensitive(make_confined(std::move(reading), Path()), {}).value(), {}).value(),
                   std::make_shared<MemoryAuditLog>());
  const Workspace workspace(std::move(stacked));
  EXPECT_EQ(workspace.capabilities(),
            (Capabilities{.read_files = true, .write_files = false, .run_commands = false, .search_files = true}));
  EXPECT_EQ(workspace.info().access, Access::read_only);
}

TEST_F(Policies, C_POL_2_every_row_of_the_sensitive_table) {
  const auto workspace = sensitive();
  const auto table = nlohmann::json::parse(testing::read_cases("sensitive_paths.json"));
  for (const auto& row : table["default_rows"]) {
    const auto path = row["path"].get<std::string>();
    SCOPED_TRACE(path);
    tree_.write(path, "token\n");
    const bool kept_back = row["sensitive"].get<bool>();
    const auto page = workspace->read(soon(), path);
    const auto listed = workspace->list(soon());
    ASSERT_THAT(listed, IsOk());
    SearchQuery query;
    query.pattern = "token";
    query.filter = {.hidden = true, .ignored = true};
    const auto found = workspace->search(soon(), ".", query);
    ASSERT_THAT(found, IsOk());
    if (kept_back) {
      EXPECT_THAT(page, FailsWith(ErrorCode::policy_denied));
      EXPECT_THAT(workspace->write(soon(), path, "x"), FailsWith(ErrorCode::policy_denied));
      EXPECT_THAT(workspace->remove(soon(), path), FailsWith(ErrorCode::policy_denied));
      EXPECT_TRUE(listed->paths.empty());
      EXPECT_TRUE(found->lines.empty());
    } else {
      EXPECT_THAT(page, IsOk());
      EXPECT_THAT(texts(listed->paths), ElementsAre(path));
      EXPECT_EQ(found->lines.size(), 1u);
    }
    tree_.remove_all(path.substr(0, path.find('/')));
  }
}

TEST_F(Policies, C_POL_2_a_link_is_no_way_around) {
  tree_.write(".env", "token\n");
  tree_.write("secrets/deep/key", "token\n");
  tree_.make_link("plain.txt", ".env");
  tree_.make_link("directory", "secrets");
  const auto workspace = sensitive();
  for (const std::string_view path : {"plain.txt", "directory/deep/key"}) {
    EXPECT_THAT(workspace->read(soon(), path), FailsWith(ErrorCode::policy_denied)) << path;
    EXPECT_THAT(workspace->write(soon(), path, "x"), FailsWith(ErrorCode::policy_denied)) << path;
  }
  const auto listed = workspace->list(soon());
  ASSERT_THAT(listed, IsOk());
  EXPECT_TRUE(listed->paths.empty());
  EXPECT_EQ(tree_.read(".env"), "token\n");
}

TEST_F(Policies, C_POL_2_protected_paths_are_read_but_not_changed) {
  tree_.write(".git/config", "[core]\n");
  const auto workspace = sensitive();
  EXPECT_THAT(workspace->read(soon(), ".git/config"), IsOk());
  EXPECT_THAT(workspace->write(soon(), ".git/config", "x"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace->create(soon(), ".git/hooks/post-checkout", "x"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace->remove(soon(), ".git"), FailsWith(ErrorCode::policy_denied));
  EXPECT_EQ(tree_.read(".git/config"), "[core]\n");
}

TEST_F(Policies, C_POL_2_hidden_paths_do_not_exist) {
  tree_.write("internal/file", "x");
  const auto workspace = sensitive({.deny = {}, .allow = {}, .protect = {}, .hide = {"internal"}});
  EXPECT_THAT(workspace->read(soon(), "internal/file"), FailsWith(ErrorCode::not_found));
  const auto there = workspace->exists(soon(), "internal");
  ASSERT_THAT(there, IsOk());
  EXPECT_FALSE(*there);
  EXPECT_THAT(workspace->write(soon(), "internal/new", "x"), FailsWith(ErrorCode::policy_denied));
  const auto listing = workspace->list_directory(soon(), ".");
  ASSERT_THAT(listing, IsOk());
  EXPECT_TRUE(listing->entries.empty());
}

TEST_F(Policies, C_POL_5_every_change_and_command_is_recorded_refused_ones_too) {
  const auto log = std::make_shared<MemoryAuditLog>();
  Workspace workspace(make_audited(local(), log, {.actor = "agent"}));
  ASSERT_THAT(workspace.write(soon(), "file", "secret content"), IsOk());
  EXPECT_THAT(workspace.create(soon(), "file", "x"), FailsWith(ErrorCode::already_exists));
  const auto page = workspace.read(soon(), "file");
  ASSERT_THAT(page, IsOk());
  ASSERT_THAT(workspace.move_if(soon(), "file", "moved", *page->revision), IsOk());
  CommandSpec spec;
  spec.argv = {"sh", "-c", "exit 3"};
  spec.stdin_bytes = "secret input";
  ASSERT_THAT(workspace.run(soon(), spec), IsOk());
  std::vector<std::string> lines;
  for (const AuditEvent& event : log->events()) {
    lines.push_back(event.actor + " " + event.operation + " " + event.path.text() + " " + event.outcome);
    EXPECT_EQ(to_json_line(event).find("secret"), std::string::npos);
  }
  EXPECT_THAT(lines, ElementsAre("agent write file ok", "agent create file already_exists", "agent move file ok",
                                 "agent run . exited"));
}

}  // namespace
}  // namespace berth::conformance
