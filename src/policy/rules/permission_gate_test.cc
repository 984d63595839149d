#include "policy/rules/permission_gate.h"

#include <atomic>
#include <thread>

#include "policy/policy_fixture.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;

/// Answers as it is told and remembers what it was asked.
class FakeApprover final : public Approver {
 public:
  Result<Approval> approve(const Call& call, const ApprovalRequest& request) override {
    asked.push_back(request);
    BERTH_CHECK(call.check());
    return answer;
  }

  std::vector<ApprovalRequest> asked;
  Approval answer{Approval::Answer::once, {}};
};

Rule rule(std::string pattern, RuleAction action, std::string description = {}) {
  return {.pattern = std::move(pattern), .group = {}, .action = action, .description = std::move(description)};
}

std::shared_ptr<const RuleSet> compiled(RuleSpec spec) {
  return std::make_shared<const RuleSet>(RuleSet::compile(std::move(spec)).value());
}

std::shared_ptr<const RuleSet> preset(std::string_view name) { return compiled(rule_preset(name).value()); }

class PermissionGateTest : public PolicyTest {
 protected:
  PermissionGateTest() {
    memory->file("src/a.c", "a").file("private/key.txt", "k").file("docs/b.md", "b").directory("empty");
    memory->link("to_private", "private").link("to_key", "private/key.txt").link("nowhere", "private/new.txt");
    open();
  }

  /// Everything is allowed but what lies in `private`.
  static RuleSpec guarding(RuleAction action) {
    RuleSpec spec{.fallback = RuleAction::allow, .operations = {}};
    for (const auto operation : kOperations) {
      spec.of(operation).rules = {rule("private/**", action, "this is private."), rule("private", action)};
    }
    return spec;
  }

  static std::vector<std::string> asked_of(const FakeApprover& approver) {
    std::vector<std::string> targets;
    for (const auto& request : approver.asked) {
      for (const auto& target : request.targets) targets.push_back(target.target + " -> " + target.real);
    }
    return targets;
  }

  FakeApprover approver;
};

constexpr std::array kPathOperations{Operation::read, Operation::write, Operation::edit,
                                     Operation::glob, Operation::grep,  Operation::ls};

TEST_F(PermissionGateTest, WithoutRulesEverythingIsPermitted) {
  PermissionGate gate(*workspace, nullptr);
  for (const auto operation : kOperations) EXPECT_THAT(gate.permit(call, operation, "src/a.c"), IsOk());
  EXPECT_THAT(memory->calls, IsEmpty());
}

TEST_F(PermissionGateTest, C_POL_3_a_path_is_judged_as_written_as_resolved_and_as_opened) {
  PermissionGate gate(*workspace, compiled(guarding(RuleAction::deny)), &approver);
  for (const auto operation : kPathOperations) {
    for (const char* path :
         {"private/key.txt", "./private/../private/key.txt", "/memory/private/key.txt", "src/../private/key.txt",
          "to_private/key.txt", "to_private", "to_key", "nowhere", "private/none/at/all", "private/../src/a.c"}) {
      SCOPED_TRACE(path);
      const auto permitted = gate.permit(call, operation, path);
      ASSERT_THAT(permitted, FailsWith(ErrorCode::policy_denied));
      EXPECT_EQ(permitted.error().path, path);
      EXPECT_EQ(*permitted.error().field("operation"), ErrorField::Value(std::string(operation_name(operation))));
    }
    EXPECT_THAT(gate.permit(call, operation, "src/a.c"), IsOk());
    EXPECT_THAT(gate.permit(call, operation, "none/at/all"), IsOk());
  }
  EXPECT_EQ(gate.permit(call, Operation::read, "to_key").error().message,
            "the rules deny reading this path: this is private");
  EXPECT_THAT(approver.asked, IsEmpty());
}

TEST_F(PermissionGateTest, AnAbsolutePatternIsMatchedAgainstEveryNameOfThePlace) {
  RuleSpec spec{.fallback = RuleAction::allow, .operations = {}};
  spec.of(Operation::read).rules = {rule("/memory/private/**", RuleAction::deny)};
  PermissionGate gate(*workspace, compiled(spec));
  EXPECT_THAT(gate.permit(call, Operation::read, "private/key.txt"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(gate.permit(call, Operation::read, "to_private/key.txt"), FailsWith(ErrorCode::policy_denied));
}

TEST_F(PermissionGateTest, DenyBeatsAskBeatsAllow) {
  RuleSpec spec{.fallback = RuleAction::allow, .operations = {}};
  spec.of(Operation::read).rules = {rule("to_*", RuleAction::ask), rule("private/**", RuleAction::deny),
                                    rule("nowhere", RuleAction::deny)};
  PermissionGate gate(*workspace, compiled(spec), &approver);
  EXPECT_THAT(gate.permit(call, Operation::read, "to_key"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(gate.permit(call, Operation::read, "nowhere"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(approver.asked, IsEmpty());
  EXPECT_THAT(gate.permit(call, Operation::read, "to_private"), IsOk());
  EXPECT_THAT(asked_of(approver), ElementsAre("to_private -> private"));
}

TEST_F(PermissionGateTest, ASpellingIsNoPlaceForADefault) {
  RuleSpec spec{.fallback = RuleAction::deny, .operations = {}};
  spec.of(Operation::read).rules = {rule("src/**", RuleAction::allow)};
  PermissionGate gate(*workspace, compiled(spec));
  EXPECT_THAT(gate.permit(call, Operation::read, "./src/a.c"), IsOk());
  EXPECT_THAT(gate.permit(call, Operation::read, "/memory/src/a.c"), IsOk());
  // An allowed spelling is no way around what the place is denied by.
  EXPECT_THAT(gate.permit(call, Operation::read, "src/../docs/b.md"), FailsWith(ErrorCode::policy_denied));
  memory->link("src/out", "../docs");
  EXPECT_THAT(gate.permit(call, Operation::read, "src/out/b.md"), FailsWith(ErrorCode::policy_denied));
}

TEST_F(PermissionGateTest, WhatRemovesALinkMeansTheLink) {
  PermissionGate gate(*workspace, compiled(guarding(RuleAction::deny)));
  const auto permits = [&](std::string path) {
    const Intent intent{Operation::write, std::move(path), Leaf::itself};
    return gate.permit(call, std::span(&intent, 1));
  };
  EXPECT_THAT(permits("to_key"), IsOk());
  EXPECT_THAT(permits("to_private/key.txt"), FailsWith(ErrorCode::policy_denied));
}

// The fault of the system this replaces: an approved call was refused all the same.
TEST_F(PermissionGateTest, C_POL_3_an_approved_call_goes_through_for_every_operation_by_callback) {
  for (const char* name : {"strict", "default"}) {
    PermissionGate gate(*workspace, preset(name), &approver);
    for (const auto operation : kOperations) {
      EXPECT_THAT(gate.permit(call, operation, "src/a.c"), IsOk()) << name << " " << operation_name(operation);
    }
  }
  EXPECT_EQ(approver.asked.size(), kOperations.size() + 3);  // `default` asks before write, edit and execute
}

TEST_F(PermissionGateTest, C_POL_3_an_approved_call_goes_through_for_every_operation_by_held_approval) {
  PermissionGate gate(*workspace, preset("strict"));
  for (const auto operation : kOperations) {
    SCOPED_TRACE(operation_name(operation));
    const auto refused = gate.permit(call, operation, "src/a.c");
    ASSERT_THAT(refused, FailsWith(ErrorCode::approval_required));
    const auto* keys = std::get_if<std::vector<std::string>>(refused.error().field("approvals"));
    ASSERT_NE(keys, nullptr);
    ASSERT_EQ(keys->size(), 1U);
    gate.approvals().grant(keys->front());
    EXPECT_THAT(gate.permit(call, operation, operation == Operation::execute ? "src/a.c" : "./src//a.c"), IsOk());
    // It was for one call.
    EXPECT_THAT(gate.permit(call, operation, "src/a.c"), FailsWith(ErrorCode::approval_required));
    gate.approvals().grant(keys->front(), HeldApprovals::Use::always);
    for (int i = 0; i < 3; ++i) EXPECT_THAT(gate.permit(call, operation, "src/a.c"), IsOk());
    // It was for this target.
    EXPECT_THAT(gate.permit(call, operation, "docs/b.md"), FailsWith(ErrorCode::approval_required));
  }
}

TEST_F(PermissionGateTest, C_POL_3_an_approved_call_goes_through_for_every_operation_when_the_call_was_approved) {
  PermissionGate gate(*workspace, preset("strict"), &approver);
  Call approved;
  approved.trace_id = "call 7";
  gate.approvals().grant_call("call 7");
  for (const auto operation : kOperations) EXPECT_THAT(gate.permit(approved, operation, "src/a.c"), IsOk());
  EXPECT_THAT(approver.asked, IsEmpty());
  // It is no answer to a denial, and for no other call.
  EXPECT_THAT(gate.permit(approved, Operation::read, ".env"), FailsWith(ErrorCode::policy_denied));
  approver.answer.answer = Approval::Answer::refused;
  EXPECT_THAT(gate.permit(call, Operation::read, "src/a.c"), FailsWith(ErrorCode::policy_denied));
  gate.approvals().end_call("call 7");
  EXPECT_THAT(gate.permit(approved, Operation::read, "src/a.c"), FailsWith(ErrorCode::policy_denied));
  gate.approvals().grant_call("");
  EXPECT_THAT(gate.permit(call, Operation::read, "src/a.c"), FailsWith(ErrorCode::policy_denied));
}

TEST_F(PermissionGateTest, AYesForTheSessionIsAskedForOnce) {
  approver.answer.answer = Approval::Answer::for_session;
  PermissionGate gate(*workspace, preset("default"), &approver);
  for (int i = 0; i < 3; ++i) EXPECT_THAT(gate.permit(call, Operation::write, "src/a.c"), IsOk());
  EXPECT_THAT(gate.permit(call, Operation::write, "docs/b.md"), IsOk());
  EXPECT_THAT(asked_of(approver), ElementsAre("src/a.c -> src/a.c", "docs/b.md -> docs/b.md"));
}

TEST_F(PermissionGateTest, ANoIsADenialThatSaysWhoRefused) {
  approver.answer = {Approval::Answer::refused, "not on a Friday."};
  PermissionGate gate(*workspace, preset("default"), &approver);
  const auto refused = gate.permit(call, Operation::write, "src/a.c");
  ASSERT_THAT(refused, FailsWith(ErrorCode::policy_denied));
  EXPECT_EQ(refused.error().message, "the user refused writing this path: not on a Friday");
  EXPECT_EQ(*refused.error().field("refused"), ErrorField::Value("true"));
}

TEST_F(PermissionGateTest, WithoutAnybodyToAskTheErrorSaysWhatToApprove) {
  PermissionGate gate(*workspace, compiled(guarding(RuleAction::ask)));
  const auto refused = gate.permit(call, Operation::edit, "to_private/key.txt");
  ASSERT_THAT(refused, FailsWith(ErrorCode::approval_required));
  EXPECT_EQ(refused.error().path, "to_private/key.txt");
  EXPECT_EQ(refused.error().message, "editing this path needs approval: this is private");
  EXPECT_EQ(*refused.error().field("operation"), ErrorField::Value("edit"));
  EXPECT_EQ(*refused.error().field("target"), ErrorField::Value("to_private/key.txt"));
  EXPECT_EQ(*refused.error().field("rule"), ErrorField::Value("private/**"));
  EXPECT_FALSE(refused.error().next_step().empty());
}

TEST_F(PermissionGateTest, ACallAsksOnceAboutEverythingItWillDo) {
  PermissionGate gate(*workspace, compiled(guarding(RuleAction::ask)), &approver);
  const std::vector<Intent> move{{Operation::write, "private/key.txt", Leaf::itself},
                                 {Operation::write, "src/b.c", Leaf::itself},
                                 {Operation::write, "private/new", Leaf::itself}};
  EXPECT_THAT(gate.permit(call, move), IsOk());
  ASSERT_EQ(approver.asked.size(), 1U);
  EXPECT_THAT(asked_of(approver), ElementsAre("private/key.txt -> private/key.txt", "private/new -> private/new"));

  PermissionGate alone(*workspace, compiled(guarding(RuleAction::ask)));
  const auto refused = alone.permit(call, move);
  const auto keys = std::get<std::vector<std::string>>(*refused.error().field("approvals"));
  ASSERT_EQ(keys.size(), 2U);
  alone.approvals().grant(keys[0]);
  EXPECT_THAT(alone.permit(call, move), FailsWith(ErrorCode::approval_required));
  alone.approvals().grant(keys[1]);
  EXPECT_THAT(alone.permit(call, move), IsOk());
  EXPECT_THAT(alone.permit(call, move), FailsWith(ErrorCode::approval_required));
}

TEST_F(PermissionGateTest, ASearchAsksWhenItMayShowWhatReadingAsksAbout) {
  RuleSpec spec{.fallback = RuleAction::allow, .operations = {}};
  spec.of(Operation::read).rules = {rule("private/**", RuleAction::ask)};
  PermissionGate gate(*workspace, compiled(spec));
  for (const char* path : {".", "private", "to_private", "private/key.txt"}) {
    EXPECT_THAT(gate.permit(call, Operation::grep, path), FailsWith(ErrorCode::approval_required)) << path;
  }
  EXPECT_THAT(gate.permit(call, Operation::grep, "src"), IsOk());
  EXPECT_THAT(gate.permit(call, Operation::glob, "."), IsOk());
}

TEST_F(PermissionGateTest, AStoppedOrLateCallIsNotApproved) {
  PermissionGate gate(*workspace, preset("strict"), &approver);
  std::stop_source stop;
  stop.request_stop();
  Call stopped;
  stopped.stop = stop.get_token();
  EXPECT_THAT(gate.permit(stopped, Operation::execute, "true"), FailsWith(ErrorCode::cancelled));
  EXPECT_THAT(gate.permit(call.until(Deadline::after(std::chrono::nanoseconds(0))), Operation::execute, "true"),
              FailsWith(ErrorCode::timed_out));
}

TEST_F(PermissionGateTest, BadPathsAreRefusedAsTheyAreEverywhere) {
  PermissionGate gate(*workspace, preset("default"), &approver);
  EXPECT_THAT(gate.permit(call, Operation::read, ""), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(gate.permit(call, Operation::read, "../x"), FailsWith(ErrorCode::path_escape));
  memory->link("loop", "loop").link("out", "../../etc");
  const auto escaped = gate.permit(call, Operation::write, "./out/passwd");
  EXPECT_THAT(escaped, FailsWith(ErrorCode::path_escape));
  EXPECT_EQ(escaped.error().path, "./out/passwd");
  EXPECT_THAT(approver.asked, IsEmpty());
}

TEST_F(PermissionGateTest, C_POL_3_commands_are_judged_as_whole_strings) {
  RuleSpec spec{.fallback = RuleAction::ask, .operations = {}};
  spec.of(Operation::execute).rules = {rule("git **", RuleAction::allow), rule("rm -rf /", RuleAction::deny)};
  PermissionGate gate(*workspace, compiled(spec));
  const auto argv = [&](std::vector<Bytes> words) {
    CommandSpec command;
    command.argv = std::move(words);
    return gate.permit(call, command);
  };
  EXPECT_THAT(gate.permit(call, Operation::execute, "git add a/b"), IsOk());
  EXPECT_THAT(argv({"git", "add", "a b"}), IsOk());
  EXPECT_THAT(argv({"make"}), FailsWith(ErrorCode::approval_required));
  EXPECT_THAT(gate.permit(call, Operation::execute, "rm -rf /"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(argv({"rm", "-rf", "/"}), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(argv({"sh", "-c", "rm -rf /"}), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(argv({"sh", "-c", "git status"}), FailsWith(ErrorCode::approval_required));
  // No boundary, and said so: what a whole string holds besides is not looked at.
  EXPECT_THAT(gate.permit(call, Operation::execute, "git status; rm -rf /"), IsOk());
  const auto asked = argv({"make", "-j 2"});
  EXPECT_EQ(*asked.error().field("target"), ErrorField::Value("make '-j 2'"));
  EXPECT_EQ(asked.error().path, "");
}

TEST_F(PermissionGateTest, AnApprovalForOneUseIsUsedByOneOfManyThreads) {
  HeldApprovals held;
  const std::vector<ApprovalTarget> targets{{.operation = Operation::write, .target = "a", .real = "a"}};
  held.grant(targets.front().key());
  std::atomic<int> taken = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { taken += held.take(targets) ? 1 : 0; });
  threads.clear();
  EXPECT_EQ(taken, 1);
}

}  // namespace
}  // namespace berth
