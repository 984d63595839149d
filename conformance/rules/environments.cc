#include <barrier>
#include <thread>

#include <gtest/gtest.h>

#include "conformance/operations.h"
#include "conformance/rules.h"

namespace berth::conformance {
namespace {

using testing::FailsWith;
using testing::IsOk;

BERTH_CHAPTER(Environments);

TEST_P(Environments, C_ENV_1_the_environment_is_made_once_under_concurrent_first_use) {
  put("file", "x");
  constexpr int kThreads = 8;
  const auto handle = environment().open();
  std::barrier start(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        const auto page = handle->read(soon(), "file");
        ASSERT_THAT(page, IsOk());
        EXPECT_EQ(page->content, "x");
      });
    }
  }
  EXPECT_EQ(handle->ref(), workspace().ref());
}

TEST_P(Environments, C_ENV_1_a_first_use_that_was_cancelled_does_not_spoil_the_next) {
  put("file", "x");
  const auto handle = environment().open();
  std::stop_source source;
  source.request_stop();
  Call stopped;
  stopped.stop = source.get_token();
  EXPECT_THAT(handle->read(stopped, "file"), FailsWith(ErrorCode::cancelled));
  EXPECT_THAT(handle->read(soon(), "file"), IsOk());
}

TEST_P(Environments, C_ENV_1_the_ref_is_known_after_first_use) {
  EXPECT_THAT(workspace().ensure(soon()), IsOk());
  const auto ref = workspace().ref();
  ASSERT_TRUE(ref.has_value());
  EXPECT_EQ(ref->provider, workspace().info().provider);
  EXPECT_FALSE(ref->id.empty());
}

TEST_P(Environments, C_ENV_2_a_ref_attaches_to_the_same_environment) {
  put("file", "x");
  ASSERT_THAT(workspace().ensure(soon()), IsOk());
  const auto ref = workspace().ref();
  ASSERT_TRUE(ref.has_value());
  const auto attached = environment().attach(*ref);
  ASSERT_THAT(attached, IsOk());
  const auto page = (*attached)->read(soon(), "file");
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->content, "x");
  EXPECT_EQ((*attached)->ref(), ref);
  EXPECT_EQ((*attached)->info().resource_key, workspace().info().resource_key);
}

TEST_P(Environments, C_ENV_2_a_ref_to_what_is_gone_is_environment_gone) {
  put("file", "x");
  ASSERT_THAT(workspace().ensure(soon()), IsOk());
  const auto ref = workspace().ref();
  ASSERT_TRUE(ref.has_value());
  environment().destroy();
  const auto attached = environment().attach(*ref);
  if (attached) {
    EXPECT_THAT((*attached)->ensure(soon()), FailsWith(ErrorCode::environment_gone));
  } else {
    EXPECT_THAT(attached, FailsWith(ErrorCode::environment_gone));
  }
}

TEST_P(Environments, C_ENV_2_a_handle_on_what_is_gone_never_makes_an_empty_replacement) {
  put("file", "x");
  ASSERT_THAT(workspace().read(soon(), "file"), IsOk());
  environment().destroy();
  for (const Operation& operation : operations_of(subject())) {
    EXPECT_THAT(operation.run(workspace(), soon(), "file"), FailsWith(ErrorCode::environment_gone)) << operation.name;
  }
}

TEST_P(Environments, C_ENV_2_a_handle_that_was_never_used_tells_what_is_gone_too) {
  put("file", "x");
  ASSERT_THAT(workspace().ensure(soon()), IsOk());
  auto operations = operations_of(subject());
  using Kind = Operation::Kind;
  if (subject().capabilities.read_files) {
    operations.push_back({"list the root", Kind::reads,
                          [](Workspace& w, const Call& c, PathArg) { return outcome_of(w.list_directory(c, ".")); }});
  }
  if (subject().capabilities.search_files) {
    operations.push_back(
        {"list", Kind::searches, [](Workspace& w, const Call& c, PathArg) { return outcome_of(w.list(c)); }});
  }
  if (subject().capabilities.transactions) {
    operations.push_back({"transaction", Kind::writes, [](Workspace& w, const Call& c, PathArg p) -> Result<void> {
                            BERTH_TRY(const Path path, w.resolve(p));
                            const std::vector<FileOperation> change = {WriteOperation{path, "x", {}}};
                            return outcome_of(w.transaction(c, change));
                          }});
    operations.push_back({"apply_patch", Kind::writes, [](Workspace& w, const Call& c, PathArg) {
                            return outcome_of(
                                w.apply_patch(c, "*** Begin Patch\n*** Delete File: file\n*** End Patch\n"));
                          }});
  }
  if (subject().capabilities.jobs) {
    operations.push_back({"start_job", Kind::runs, [](Workspace& w, const Call& c, PathArg) {
                            return outcome_of(w.start_job(c, {.command = script("exit 0")}));
                          }});
  }
  std::vector<std::unique_ptr<Workspace>> handles;
  for (std::size_t i = 0; i < operations.size(); ++i) handles.push_back(environment().open());
  environment().destroy();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    EXPECT_THAT(operations[i].run(*handles[i], soon(), "file"), FailsWith(ErrorCode::environment_gone))
        << operations[i].name;
  }
}

TEST_P(Environments, C_ENV_3_closing_every_handle_deletes_nothing) {
  put("d/file", "x");
  {
    const auto handle = environment().open();
    EXPECT_THAT(handle->read(soon(), "d/file"), IsOk());
  }
  EXPECT_EQ(content("d/file"), "x");
}

TEST_P(Environments, C_ENV_3_a_ref_that_was_not_given_out_here_is_foreign) {
  ASSERT_THAT(workspace().ensure(soon()), IsOk());
  const auto ref = workspace().ref();
  ASSERT_TRUE(ref.has_value());
  const std::string provider = ref->provider;
  const std::vector<WorkspaceRef> foreign = {
      {"elsewhere", ref->id}, {provider, ""}, {provider, "../../etc"}, {provider, std::string("a\0b", 3)}};
  for (const WorkspaceRef& other : foreign) {
    EXPECT_THAT(outcome_of(environment().attach(other)), FailsWith(ErrorCode::foreign_ref)) << other.to_string();
  }
}

TEST_P(Environments, C_ENV_6_capabilities_say_what_there_is) {
  EXPECT_EQ(workspace().capabilities(), subject().capabilities);
  EXPECT_EQ(workspace().info().access, subject().access);
}

TEST_P(Environments, C_ENV_6_what_is_not_offered_is_refused_by_every_operation) {
  put("file", "x");
  const auto offered = operations_of(subject());
  const auto is_offered = [&offered](const Operation& operation) {
    return std::any_of(offered.begin(), offered.end(),
                       [&](const Operation& other) { return other.name == operation.name; });
  };
  for (const Operation& operation : all_operations()) {
    if (is_offered(operation)) continue;
    SCOPED_TRACE(operation.name);
    expect_refused(operation.run(workspace(), soon(), "file"));
  }
  EXPECT_EQ(content("file"), "x");
}

}  // namespace
}  // namespace berth::conformance
