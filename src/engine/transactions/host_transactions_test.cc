#include "engine/transactions/host_transactions.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "base/hash.h"
#include "engine/files/files_fixture.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

using State = TransactionOutcome::State;
using OperationState = OperationOutcome::State;
using testing::FailsWith;
using testing::IsOk;
using Operations = std::vector<FileOperation>;
using Tree = std::map<std::string, std::string>;

Revision revision(BytesView content) { return {"sha256:" + to_hex(sha256(content))}; }

namespace op {

FileOperation write(std::string_view path, Bytes content) {
  return WriteOperation{path_of(path), std::move(content), {}};
}
FileOperation create(std::string_view path, Bytes content) {
  return WriteOperation{path_of(path), std::move(content), {.when = WriteSpec::When::absent}};
}
FileOperation replace(std::string_view path, BytesView before, Bytes content) {
  return WriteOperation{path_of(path),
                        std::move(content),
                        {.when = WriteSpec::When::revision_matches, .expected_revision = revision(before)}};
}
FileOperation remove(std::string_view path, BytesView before) {
  return RemoveOperation{path_of(path),
                         {.what = RemoveSpec::What::file_if_revision, .expected_revision = revision(before)}};
}
FileOperation move(std::string_view from, std::string_view to, BytesView before) {
  return MoveOperation{path_of(from), path_of(to), {.expected_revision = revision(before)}};
}
FileOperation make_directory(std::string_view path) { return MakeDirectoryOperation{path_of(path)}; }

}  // namespace op

class TransactionTest : public ::testing::TestWithParam<NamedFeatures>, public Scratch {
 protected:
  TransactionTest() : Scratch(GetParam().features), transactions(HostTransactions::make(root, {})) {
    dir.write("a", "A");
    dir.write("d/b", "B");
    dir.write("gone", "G");
    dir.write("from", "F");
  }

  static Operations everything() {
    return {op::replace("a", "A", "A2"),
            op::write("d/b", "B2"),
            op::create("new/deep/c", "C"),
            op::remove("gone", "G"),
            op::move("from", "to/there", "F"),
            op::make_directory("empty/dir"),
            op::create("e", "E")};
  }
  static Tree before() { return {{"a", "A"}, {"d/b", "B"}, {"gone", "G"}, {"from", "F"}, {"d/", ""}}; }
  static Tree after() {
    return {{"a", "A2"},  {"d/b", "B2"},     {"new/deep/c", "C"}, {"to/there", "F"}, {"e", "E"},        {"d/", ""},
            {"new/", ""}, {"new/deep/", ""}, {"to/", ""},         {"empty/", ""},    {"empty/dir/", ""}};
  }

  /// All there is, hidden names too, but for temporary files, which the next write sweeps.
  Tree look() const {
    Tree found;
    for (const std::string& name : Scratch::tree()) {
      const auto slash = name.rfind('/', name.size() - 2);
      const std::string leaf = name.substr(slash == std::string::npos ? 0 : slash + 1);
      if (os::is_temp_name(leaf) && !os::is_journal_name(leaf) && !os::is_kept_name(leaf)) continue;
      found[name] = name.ends_with('/') ? "" : dir.read(name);
    }
    return found;
  }

  /// A transaction whose n-th step fails, or kills.
  std::unique_ptr<HostTransactions> failing_at(int step, std::string* name = nullptr) {
    return HostTransactions::make(root, {}, [step, name, count = 0](std::string_view asked) mutable -> Result<void> {
      if (asked == "undo" || count++ != step) return {};
      if (name != nullptr) *name = asked;
      return make_error(ErrorCode::no_space, "no space is left");
    });
  }

  std::unique_ptr<HostTransactions> transactions;
};

BERTH_FOR_EVERY_FEATURE_SET(TransactionTest);

TEST_P(TransactionTest, C_WRITE_11_everything_is_applied) {
  const auto outcome = transactions->apply({}, everything());
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->state, State::applied);
  EXPECT_EQ(look(), after());
  using Outcome = OperationOutcome;
  const auto applied = OperationState::applied;
  EXPECT_EQ(outcome->operations,
            (std::vector<Outcome>{
                {.state = applied, .previous_revision = revision("A"), .revision = revision("A2"), .changed = true},
                {.state = applied, .revision = revision("B2"), .changed = true},
                {.state = applied, .revision = revision("C"), .changed = true, .created = true},
                {.state = applied, .previous_revision = revision("G"), .changed = true},
                {.state = applied, .previous_revision = revision("F"), .revision = revision("F"), .changed = true},
                {.state = applied, .changed = true, .created = true},
                {.state = applied, .revision = revision("E"), .changed = true, .created = true}}));
}

TEST_P(TransactionTest, C_WRITE_11_a_demand_that_does_not_hold_changes_nothing) {
  const std::vector<std::pair<FileOperation, ErrorCode>> cases = {
      {op::replace("a", "stale", "x"), ErrorCode::revision_mismatch},
      {op::replace("none", "x", "y"), ErrorCode::not_found},
      {op::create("a", "x"), ErrorCode::already_exists},
      {op::remove("a", "stale"), ErrorCode::revision_mismatch},
      {op::write("d", "x"), ErrorCode::is_a_directory},
      {op::move("a", "d/b", "A"), ErrorCode::already_exists},
      {op::move("a", "x", "stale"), ErrorCode::revision_mismatch},
      {op::make_directory("a"), ErrorCode::already_exists},
      {op::write("a/x", "x"), ErrorCode::not_a_directory}};
  for (const auto& [operation, code] : cases) {
    SCOPED_TRACE(error_info(code).name);
    const auto outcome =
        transactions->apply({}, Operations{op::create("first/new", "1"), operation, op::write("from", "2")});
    ASSERT_THAT(outcome, IsOk());
    EXPECT_EQ(outcome->state, State::precondition_failed);
    EXPECT_EQ(outcome->operations[0], OperationOutcome{});
    EXPECT_EQ(outcome->operations[1].state, OperationState::failed);
    EXPECT_EQ(outcome->operations[1].error->code, code);
    EXPECT_EQ(look(), before());
  }
}

TEST_P(TransactionTest, C_WRITE_11_a_failure_midway_is_rolled_back) {
  int step = 0;
  for (;; ++step) {
    std::string name;
    const auto outcome = failing_at(step, &name)->apply({}, everything());
    if (name == "forget" || name == "end") break;
    SCOPED_TRACE(name + " " + std::to_string(step));
    if (outcome) {
      EXPECT_EQ(outcome->state, State::rolled_back);
      int failed = 0;
      for (const auto& operation : outcome->operations) failed += operation.state == OperationState::failed;
      EXPECT_EQ(failed, 1);
    } else {
      EXPECT_EQ(outcome.error().code, ErrorCode::no_space);
    }
    ASSERT_EQ(look(), before());
    ASSERT_LT(step, 100);
  }
  EXPECT_GT(step, 20);
}

TEST_P(TransactionTest, C_WRITE_11_what_cannot_be_undone_is_ambiguous_and_repaired_later) {
  int acts = 0;
  auto broken = HostTransactions::make(root, {}, [&](std::string_view asked) -> Result<void> {
    if (asked == "undo" || (asked == "act" && ++acts == 4)) return make_error(ErrorCode::io, "the disk is gone");
    return {};
  });
  const auto outcome = broken->apply({}, everything());
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->state, State::ambiguous);
  EXPECT_EQ(outcome->operations[0].state, OperationState::unknown);
  const auto recovery = transactions->recover({});
  ASSERT_THAT(recovery, IsOk());
  EXPECT_EQ(*recovery, (TransactionRecovery{.rolled_back = 1}));
  EXPECT_EQ(look(), before());
}

TEST_P(TransactionTest, C_WRITE_11_a_crash_at_any_step_is_repaired) {
  bool finished = false;
  for (int step = 0; !finished; ++step) {
    SCOPED_TRACE(step);
    ASSERT_LT(step, 100);
    const auto child = ::fork();
    if (child == 0) {
      int count = 0;
      auto dying = HostTransactions::make(root, {}, [&](std::string_view) -> Result<void> {
        if (count++ == step) ::kill(::getpid(), SIGKILL);
        return {};
      });
      const auto outcome = dying->apply({}, everything());
      ::_exit(outcome && outcome->state == State::applied ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    finished = WIFEXITED(status);
    if (finished) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
    }
    const auto recovery = HostTransactions::make(root, {})->recover({});
    ASSERT_THAT(recovery, IsOk());
    EXPECT_TRUE(recovery->unresolved.empty());
    const Tree found = look();
    if (found == after()) {
      // Begin again from the start.
      ASSERT_THAT(transactions->apply({}, Operations{op::replace("a", "A2", "A"), op::write("d/b", "B"),
                                                     op::create("gone", "G"), op::move("to/there", "from", "F"),
                                                     op::remove("e", "E"), op::remove("new/deep/c", "C")}),
                  IsOk());
      for (const char* made : {"new", "to", "empty"}) ASSERT_THAT(remove_tree(made), IsOk());
    }
    ASSERT_EQ(look(), before());
  }
}

TEST_P(TransactionTest, C_WRITE_11_what_somebody_else_changed_after_the_crash_stays_and_is_reported) {
  const auto child = ::fork();
  if (child == 0) {
    auto dying = HostTransactions::make(root, {}, [](std::string_view asked) -> Result<void> {
      if (asked == "commit") ::kill(::getpid(), SIGKILL);
      return {};
    });
    (void)dying->apply({}, everything());
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_THAT(Scratch::write("a", "theirs"), IsOk());
  const auto recovery = transactions->recover({});
  ASSERT_THAT(recovery, IsOk());
  EXPECT_EQ(*recovery, (TransactionRecovery{.rolled_back = 1, .unresolved = {path_of("a")}}));
  Tree expected = before();
  expected["a"] = "theirs";
  EXPECT_EQ(look(), expected);
}

TEST_P(TransactionTest, AJournalOfALivingProcessIsLeftAlone) {
  auto watched = HostTransactions::make(root, {}, [&](std::string_view asked) -> Result<void> {
    if (asked == "stage" || asked == "prepare") {
      const auto recovery = HostTransactions::make(root, {})->recover({});
      EXPECT_THAT(recovery, IsOk());
      EXPECT_EQ(*recovery, TransactionRecovery{});
    }
    return {};
  });
  const auto outcome = watched->apply({}, everything());
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->state, State::applied);
}

TEST_P(TransactionTest, NothingOfATransactionShows) {
  auto watched = HostTransactions::make(root, {}, [&](std::string_view asked) -> Result<void> {
    if (asked == "commit") {
      const auto listing = list(".");
      EXPECT_THAT(listing, IsOk());
      for (const auto& entry : listing->entries) EXPECT_FALSE(entry.name.starts_with(".berth")) << entry.name;
    }
    return {};
  });
  EXPECT_THAT(watched->apply({}, everything()), IsOk());
}

TEST_P(TransactionTest, PathsThatClashAreArguments) {
  for (const auto& operations : {Operations{}, Operations{op::write("a", "1"), op::write("a", "2")},
                                 Operations{op::write("a", "1"), op::move("from", "a", "F")},
                                 Operations{op::create("x", "1"), op::create("x/y", "2")},
                                 Operations{op::remove("a", "A"), op::create("a/b", "2")},
                                 Operations{RemoveOperation{path_of("d"), {.what = RemoveSpec::What::tree}}}}) {
    const auto outcome = transactions->apply({}, operations);
    const bool refused =
        !outcome ? outcome.error().code == ErrorCode::invalid_argument : outcome->state == State::precondition_failed;
    EXPECT_TRUE(refused);
    EXPECT_EQ(look(), before());
  }
  dir.make_link("alias", "a");
  EXPECT_THAT(transactions->apply({}, Operations{op::write("a", "1"), op::write("alias", "2")}),
              FailsWith(ErrorCode::invalid_argument));
}

TEST_P(TransactionTest, C_WRITE_2_modes_and_links_are_kept) {
  chmod("a", 0640);
  dir.make_link("link", "a");
  ASSERT_THAT(transactions->apply({}, Operations{op::write("link", "through"), op::create("x", "X")}), IsOk());
  EXPECT_EQ(dir.read("a"), "through");
  EXPECT_EQ(mode("a"), 0640u);
  WriteOperation executable{path_of("d/b"), "#!", {.git_mode = GitMode::executable}};
  ASSERT_THAT(transactions->apply({}, Operations{executable}), IsOk());
  EXPECT_EQ(mode("d/b"), 0755u);
}

TEST_P(TransactionTest, C_WRITE_6_of_concurrent_transactions_on_one_revision_one_wins) {
  constexpr int kThreads = 4;
  for (int round = 0; round < 20; ++round) {
    const std::string old_a = dir.read("a");
    const std::string old_b = dir.read("d/b");
    std::atomic<int> won = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          const std::string mark = std::to_string(round) + "." + std::to_string(t);
          Operations operations{op::replace("a", old_a, mark), op::replace("d/b", old_b, mark)};
          if (t % 2 == 0) std::swap(operations[0], operations[1]);
          const auto outcome = HostTransactions::make(root, {})->apply({}, operations);
          ASSERT_THAT(outcome, IsOk());
          if (outcome->state == State::applied) ++won;
        });
      }
    }
    ASSERT_EQ(won, 1);
    ASSERT_EQ(dir.read("a"), dir.read("d/b"));
  }
}

TEST_P(TransactionTest, C_PATH_6_no_exchange_of_links_leads_out) {
  const testing::TempDir outside;
  outside.write("b", "outside");
  dir.make_link("swap", outside.path());
  std::atomic<bool> stop = false;
  std::jthread swapper([&] {
    while (!stop) {
      ::rename(dir.at("d").c_str(), dir.at("hold").c_str());
      ::rename(dir.at("swap").c_str(), dir.at("d").c_str());
      ::rename(dir.at("d").c_str(), dir.at("swap").c_str());
      ::rename(dir.at("hold").c_str(), dir.at("d").c_str());
    }
  });
  for (int i = 0; i < 200; ++i) {
    (void)transactions->apply({}, Operations{op::write("d/b", "inside " + std::to_string(i)), op::write("a", "x")});
  }
  stop = true;
  swapper.join();
  EXPECT_EQ(outside.read("b"), "outside");
  std::size_t names = 0;
  DIR* listed = ::opendir(outside.path().c_str());
  while (::readdir(listed) != nullptr) ++names;
  ::closedir(listed);
  EXPECT_EQ(names, 3u);
}

TEST_P(TransactionTest, ALateOrCancelledCallChangesNothing) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THAT(transactions->apply({.stop = source.get_token()}, everything()), FailsWith(ErrorCode::cancelled));
  EXPECT_EQ(look(), before());
}

}  // namespace
}  // namespace berth::engine
