#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <thread>

#include "policy/rules/patch_intents.h"
#include "policy/rules/permission_gate.h"
#include "policy/rules/ruled.h"
#include "providers/local/local.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::TempDir;

Rule rule(std::string pattern, RuleAction action) {
  return {.pattern = std::move(pattern), .group = {}, .action = action, .description = {}};
}

/// Nothing is allowed in `private`, the rest is as the action says.
RuleSet guarding_private(RuleAction rest) {
  RuleSpec spec{.fallback = rest, .operations = {}};
  for (const auto operation : kOperations) {
    if (operation == Operation::execute) continue;
    spec.of(operation).rules = {rule("private/**", RuleAction::deny), rule("private", RuleAction::deny)};
  }
  return RuleSet::compile(std::move(spec)).value();
}

class Yes final : public Approver {
 public:
  Result<Approval> approve(const Call&, const ApprovalRequest&) override {
    ++asked;
    return Approval{Approval::Answer::once, {}};
  }
  int asked = 0;
};

class RulesOnAHostTest : public ::testing::TestWithParam<bool> {
 protected:
  void open(const RuleSet& rules) {
    local::LocalOptions options;
    options.features = GetParam() ? os::Features::probe() : os::Features{};
    workspace =
        std::make_unique<Workspace>(make_ruled(local::open_local({dir.path()}, std::move(options)).value(), rules));
  }

  TempDir dir;
  Call call;
  std::unique_ptr<Workspace> workspace;
};

// The fault of the system this replaces, on real files: a call that was approved must do its work.
TEST_P(RulesOnAHostTest, C_POL_3_an_approved_call_goes_through_and_does_its_work) {
  dir.write("a.txt", "one\n");
  const auto rules = guarding_private(RuleAction::ask);
  open(rules);
  Yes yes;
  PermissionGate gate(*workspace, std::make_shared<const RuleSet>(rules), &yes);
  ASSERT_THAT(gate.permit(call, Operation::read, "a.txt"), IsOk());
  EXPECT_EQ(workspace->read(call, "a.txt")->content, "one\n");
  ASSERT_THAT(gate.permit(call, Operation::write, "b.txt"), IsOk());
  EXPECT_THAT(workspace->write(call, "b.txt", "two\n"), IsOk());
  ASSERT_THAT(gate.permit(call, Operation::edit, "a.txt"), IsOk());
  const std::vector<Edit> edits{{.old_text = "one", .new_text = "three"}};
  EXPECT_THAT(workspace->edit(call, "a.txt", edits), IsOk());
  ASSERT_THAT(gate.permit(call, Operation::ls, "."), IsOk());
  EXPECT_EQ(workspace->list_directory(call, ".")->entries.size(), 2U);
  ASSERT_THAT(gate.permit(call, Operation::glob, "."), IsOk());
  EXPECT_EQ(workspace->glob(call, "*.txt")->paths.size(), 2U);
  ASSERT_THAT(gate.permit(call, Operation::grep, "."), IsOk());
  EXPECT_EQ(workspace->search(call, ".", {.pattern = "t"})->lines.size(), 2U);
  ASSERT_THAT(gate.permit(call, Operation::execute, "cat a.txt"), IsOk());
  EXPECT_EQ(workspace->run(call, {.script = "cat a.txt"})->out.head, "three\n");
  EXPECT_EQ(yes.asked, 7);
}

TEST_P(RulesOnAHostTest, C_POL_3_patches_and_transactions_are_refused_whole) {
  dir.write("a.txt", "one\n");
  dir.write("private/p.txt", "one\n");
  open(guarding_private(RuleAction::allow));
  const auto patched = workspace->apply_patch(call,
                                              "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"
                                              "--- a/private/p.txt\n+++ b/private/p.txt\n@@ -1 +1 @@\n-one\n+two\n");
  EXPECT_THAT(patched, FailsWith(ErrorCode::policy_denied));
  const std::vector<FileOperation> operations{
      WriteOperation{.path = workspace->resolve("a.txt").value(), .content = "x", .spec = {}},
      WriteOperation{.path = workspace->resolve("private/new").value(), .content = "x", .spec = {}}};
  const auto outcome = workspace->transaction(call, operations);
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->state, TransactionOutcome::State::precondition_failed);
  EXPECT_EQ(outcome->operations[1].error->code, ErrorCode::policy_denied);
  EXPECT_EQ(dir.read("a.txt"), "one\n");
  EXPECT_FALSE(dir.exists("private/new"));
}

TEST_P(RulesOnAHostTest, C_POL_3_no_exchange_of_links_leads_to_what_is_denied) {
  dir.write("private/f", "secret");
  dir.write("pub/f", "public");
  dir.make_link("swap", "private");
  const auto rules = guarding_private(RuleAction::allow);
  open(rules);
  PermissionGate gate(*workspace, std::make_shared<const RuleSet>(rules));
  int reads = 0;
  {
    const std::jthread exchanging([a = dir.at("pub"), b = dir.at("swap")](const std::stop_token& stop) {
      while (!stop.stop_requested()) syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
    });
    const auto end = Clock::now() + std::chrono::seconds(1);
    while (Clock::now() < end) {
      // Decided on one state of the tree, used on another.
      (void)gate.permit(call, Operation::read, "pub/f");
      const auto page = workspace->read(call, "pub/f");
      if (page) {
        ASSERT_EQ(page->content, "public");
        ++reads;
      }
      const auto found = workspace->search(call, "pub", {.pattern = "secret"});
      if (found) {
        ASSERT_THAT(found->lines, IsEmpty());
      }
      (void)workspace->write(call, "pub/g", "planted");
      (void)workspace->create(call, "pub/h", "planted");
      (void)workspace->remove(call, "pub/g");
      (void)workspace->delete_file(call, "pub/h");
      const std::vector<FileOperation> operations{
          WriteOperation{.path = workspace->resolve("pub/t").value(), .content = "planted", .spec = {}}};
      (void)workspace->transaction(call, operations);
    }
  }
  EXPECT_GT(reads, 0);
  EXPECT_EQ(dir.read("private/f"), "secret");
  for (const char* planted : {"private/g", "private/h", "private/t"}) EXPECT_FALSE(dir.exists(planted));
}

TEST_P(RulesOnAHostTest, WhereOnlyADefaultDeniesWhatRulesPassIsFound) {
  dir.write("src/deep/x.c", "hello\n");
  dir.write("src/y.c", "hello\n");
  dir.write("z.c", "hello\n");
  RuleSpec spec{.fallback = RuleAction::deny, .operations = {}};
  for (const auto operation : {Operation::read, Operation::glob, Operation::grep}) {
    spec.of(operation).rules = {rule("src/deep/**", RuleAction::allow)};
  }
  open(RuleSet::compile(std::move(spec)).value());
  const auto page = workspace->list(call);
  ASSERT_THAT(page, IsOk());
  EXPECT_THAT(page->paths, ElementsAre(workspace->resolve("src/deep/x.c").value()));
  EXPECT_EQ(page->total, 1);
  const auto result = workspace->search(call, ".", {.pattern = "hello"});
  ASSERT_THAT(result, IsOk());
  ASSERT_EQ(result->lines.size(), 1U);
  EXPECT_EQ(result->files_searched, 1);
}

INSTANTIATE_TEST_SUITE_P(Features, RulesOnAHostTest, ::testing::Values(true, false),
                         [](const auto& param) { return std::string(param.param ? "probed" : "fallbacks"); });

TEST(PatchIntents, SayWhatAPatchDoes) {
  const auto patch = parse_patch(
      "*** Begin Patch\n*** Add File: new\n+x\n*** Delete File: old\n*** Update File: a\n"
      "*** Move to: b\n@@\n-x\n+y\n*** Update File: c\n@@\n-x\n+y\n*** End Patch\n",
      PatchForm::begin_patch);
  ASSERT_THAT(patch, IsOk());
  EXPECT_THAT(intents_of(*patch),
              ElementsAre(Intent{Operation::write, "new", Leaf::itself}, Intent{Operation::write, "old", Leaf::itself},
                          Intent{Operation::write, "a", Leaf::itself}, Intent{Operation::write, "b", Leaf::itself},
                          Intent{Operation::edit, "c", Leaf::followed}));
}

}  // namespace
}  // namespace berth
