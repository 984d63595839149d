#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "policy/audit.h"
#include "policy/confined.h"
#include "policy/limits.h"
#include "policy/read_only.h"
#include "policy/sensitive.h"
#include "testing/matchers.h"
#include "testing/paths.h"
#include "testing/temp_dir.h"
#include "tests/policies/local_backend.h"
#include "workspace/workspace.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::path_of;
using testing::TempDir;
using testing::texts;

class LocalPoliciesTest : public ::testing::TestWithParam<bool> {
 protected:
  os::Features features() const { return GetParam() ? os::Features::probe() : os::Features::none(); }

  TempDir dir;
  Call call;
};

TEST_P(LocalPoliciesTest, C_POL_2_sensitive_paths_are_kept_back_by_every_name) {
  dir.write("a.txt", "token\n");
  dir.write(".env", "token=1\n");
  dir.write("d/.ssh/id_rsa", "token\n");
  dir.write(".git/config", "token\n");
  dir.make_link("env", ".env");
  dir.make_link("keys", "d/.ssh");
  dir.make_link("absolute", dir.at(".env"));
  dir.make_link("git", ".git");
  Workspace workspace(std::move(make_sensitive(open_directory(dir, features()), default_sensitive_policy())).value());
  for (const char* path : {".env", "env", "keys/id_rsa", "absolute", "d/.ssh/id_rsa", ".Env"}) {
    EXPECT_THAT(workspace.read(call, path), FailsWith(ErrorCode::policy_denied)) << path;
    EXPECT_THAT(workspace.write(call, path, "x"), FailsWith(ErrorCode::policy_denied)) << path;
    EXPECT_THAT(workspace.search(call, path, {.pattern = "token"}), FailsWith(ErrorCode::policy_denied)) << path;
  }
  EXPECT_THAT(workspace.write(call, "git/hooks/pre-commit", "x"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace.remove(call, "d"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace.remove(call, ".git"), FailsWith(ErrorCode::policy_denied));
  EXPECT_EQ(workspace.read(call, "git/config")->content, "token\n");
  const auto page = workspace.list(call);
  EXPECT_THAT(texts(page->paths), ElementsAre(".git/config", "a.txt"));
  EXPECT_EQ(page->total, 2);
  const auto found = workspace.search(call, ".", {.pattern = "token", .filter = {.hidden = true, .ignored = true}});
  ASSERT_THAT(found, IsOk());
  std::vector<std::string> paths;
  for (const auto& match : found->lines) paths.push_back(match.path.text());
  EXPECT_THAT(paths, ElementsAre(".git/config", "a.txt"));
  EXPECT_EQ(found->files_searched, 2);
  EXPECT_EQ(dir.read(".env"), "token=1\n");
}

TEST_P(LocalPoliciesTest, C_POL_2_a_link_tells_nothing_of_what_stands_at_a_hidden_path) {
  dir.write("journal/file", "x");
  dir.write("journal/closed/file", "x");
  dir.make_link("journal/loop", "loop");
  dir.make_link("journal/out", "/");
  Workspace workspace(std::move(make_sensitive(open_directory(dir, features()),
                                               {.deny = {}, .allow = {}, .protect = {}, .hide = {"journal"}}))
                          .value());
  const auto told = [&](const std::string& target) {
    std::filesystem::remove(dir.at("told"));
    dir.make_link("told", target);
    std::vector<Result<void>> answers;
    const auto note = [&answers](const auto& result) {
      answers.push_back(result ? Result<void>() : Result<void>(result.error()));
    };
    for (const char* path : {"told", "told/below"}) {
      note(workspace.read(call, path));
      note(workspace.stat(call, path, FollowLeaf::no));
      note(workspace.list_directory(call, path));
      note(workspace.glob(call, "*", path));
      note(workspace.write(call, path, "x"));
      note(workspace.make_directory(call, path));
      const std::vector<FileOperation> write{WriteOperation{path_of(path), "x", {}}};
      answers.emplace_back(workspace.transaction(call, write)->operations.front().error.value());
    }
    EXPECT_THAT(workspace.list_directory(call, ".")->entries, IsEmpty());
    return answers;
  };
  const auto of_nothing = told("journal/none/x");
  for (const char* target : {"journal/file", "journal/file/x", "journal/loop", "journal/loop/x", "journal/out",
                             "journal/out/x", "journal/closed/file/x", "journal/../journal/file/x"}) {
    EXPECT_EQ(told(target), of_nothing) << target;
  }
  EXPECT_EQ(told(dir.at("journal/file/x")), of_nothing);
}

TEST_P(LocalPoliciesTest, AConfinedViewKeepsLinksInside) {
  dir.write("outside", "secret\n");
  dir.write("view/a", "inside\n");
  dir.make_link("view/out", "../outside");
  dir.make_link("view/absolute", dir.at("outside"));
  dir.make_link("view/in", "a");
  Workspace workspace(make_confined(open_directory(dir, features()), parse_path("view", {}).value()));
  EXPECT_EQ(workspace.read(call, "in")->content, "inside\n");
  EXPECT_EQ(workspace.read(call, dir.at("view/a"))->content, "inside\n");
  dir.make_directory("view/d");
  dir.make_link("view/to_d", "d");
  EXPECT_TRUE(workspace.stat(call, "to_d", FollowLeaf::no)->target_is_directory);
  EXPECT_THAT(workspace.read(call, "out"), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(workspace.write(call, "absolute", "x"), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(workspace.create(call, "b", "new\n"), IsOk());
  EXPECT_EQ(dir.read("view/b"), "new\n");
  EXPECT_EQ(workspace.run(call, {.argv = {"cat", "b"}})->out.head, "new\n");
  EXPECT_EQ(dir.read("outside"), "secret\n");
}

/// Keeps exchanging two names until it goes.
class Exchanger {
 public:
  Exchanger(std::string a, std::string b)
      : thread_([a = std::move(a), b = std::move(b)](const std::stop_token& stop) {
          while (!stop.stop_requested())
            syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
        }) {}

 private:
  std::jthread thread_;
};

TEST_P(LocalPoliciesTest, C_POL_1_no_exchange_of_links_leads_around_a_policy) {
  dir.write(".ssh/f", "secret");
  dir.write("pub/f", "public");
  dir.make_link("swap", ".ssh");
  Workspace sensitive(std::move(make_sensitive(open_directory(dir, features()),
                                               {.deny = {".ssh"}, .allow = {}, .protect = {".git"}, .hide = {}}))
                          .value());
  int reads = 0;
  {
    const Exchanger exchanging(dir.at("pub"), dir.at("swap"));
    const auto end = Clock::now() + std::chrono::seconds(1);
    while (Clock::now() < end) {
      const auto page = sensitive.read(call, "pub/f");
      if (page) {
        ASSERT_EQ(page->content, "public");
        ++reads;
      }
      const auto found = sensitive.search(call, "pub", {.pattern = "secret"});
      if (found) {
        ASSERT_THAT(found->lines, IsEmpty());
      }
      (void)sensitive.write(call, "pub/g", "planted");
      (void)sensitive.remove(call, "pub/g");
      const auto listing = sensitive.list_directory(call, "pub");
      if (listing) {
        ASSERT_THAT(listing->entries.size(), ::testing::Le(2U));
      }
    }
  }
  EXPECT_GT(reads, 0);
  EXPECT_EQ(dir.read(".ssh/f"), "secret");
  EXPECT_FALSE(dir.exists(".ssh/g"));
}

INSTANTIATE_TEST_SUITE_P(Features, LocalPoliciesTest, ::testing::Values(true, false),
                         [](const auto& param) { return std::string(param.param ? "probed" : "fallbacks"); });

TEST(LocalPolicies, AllOfThemTogether) {
  const TempDir dir;
  dir.write("view/a", "one");
  dir.write("view/.git/config", "git");
  auto log = std::make_shared<MemoryAuditLog>();
  auto backend = make_confined(open_directory(dir), parse_path("view", {}).value());
  backend = std::move(make_sensitive(std::move(backend), default_sensitive_policy())).value();
  backend = std::move(make_limited(std::move(backend), {.max_write_bytes = 4})).value();
  backend = make_audited(std::move(backend), log, {.actor = "me"});
  Workspace workspace(std::move(backend));
  const Call call;
  EXPECT_THAT(workspace.write(call, "a", "two"), IsOk());
  EXPECT_THAT(workspace.write(call, "a", "three"), FailsWith(ErrorCode::too_large));
  EXPECT_THAT(workspace.write(call, ".git/config", "x"), FailsWith(ErrorCode::policy_denied));
  EXPECT_EQ(workspace.run(call, {.argv = {"true"}})->shell_status(), 0);
  std::vector<std::string> outcomes;
  for (const auto& event : log->events()) outcomes.push_back(event.operation + " " + event.outcome);
  EXPECT_THAT(outcomes, ElementsAre("write ok", "write too_large", "write policy_denied", "run exited"));
  EXPECT_EQ(dir.read("view/a"), "two");
}

}  // namespace
}  // namespace berth
