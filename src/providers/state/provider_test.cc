#include "providers/state/provider.h"

#include <sys/wait.h>
#include <unistd.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <thread>
#include <nlohmann/json.hpp>

#include "store/directory_store.h"
#include "store/memory_store.h"
#include "store/sqlite_store.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::state {
namespace {

using namespace std::chrono_literals;
using berth::testing::FailsWith;
using berth::testing::IsOk;
using berth::testing::TempDir;

Path at(std::string_view text) { return parse_path(text, {}).value(); }

/// Lets a test see and break what reaches a store.
class WatchedStore final : public store::DocumentStore {
 public:
  const std::string& key() const noexcept override { return store_->key(); }
  Result<store::StoredDocument> get(const Call& call, std::string_view id) override {
    ++calls;
    return store_->get(call, id);
  }
  Result<std::optional<store::StoredDocument>> get_if_changed(const Call& call, std::string_view id,
                                                              const store::Version& known) override {
    ++calls;
    return store_->get_if_changed(call, id, known);
  }
  Result<store::Version> create(const Call& call, std::string_view id, BytesView content) override {
    ++calls;
    ++creates;
    if (fail_next_create.exchange(false)) {
      (void)store_->create(call, id, content);
      return make_error(ErrorCode::cancelled, "the call was cancelled");
    }
    return store_->create(call, id, content);
  }
  Result<store::Version> put(const Call& call, std::string_view id, BytesView content,
                             const store::Version& expected) override {
    ++calls;
    ++puts;
    if (before_put) std::exchange(before_put, nullptr)();
    return store_->put(call, id, content, expected);
  }
  Result<Erased> erase(const Call& call, std::string_view id) override { return store_->erase(call, id); }
  Result<std::vector<std::string>> list(const Call& call) override { return store_->list(call); }

  std::atomic<int> calls{0};
  std::atomic<int> creates{0};
  std::atomic<int> puts{0};
  std::atomic<bool> fail_next_create{false};
  std::function<void()> before_put;

 private:
  std::unique_ptr<store::DocumentStore> store_ = store::make_memory_store();
};

class StateProviderTest : public ::testing::Test {
 protected:
  std::shared_ptr<WatchedStore> store_ = std::make_shared<WatchedStore>();
  StateProvider provider_{store_};
};

TEST_F(StateProviderTest, C_ENV_1_opening_does_no_io_and_the_first_use_makes_the_document) {
  const auto backend = provider_.create().value();
  EXPECT_EQ(store_->calls, 0);
  EXPECT_EQ(backend->ref(), std::nullopt);
  ASSERT_THAT(backend->ensure(Call{}), IsOk());
  ASSERT_THAT(backend->ensure(Call{}), IsOk());
  EXPECT_EQ(store_->creates, 1);
  ASSERT_TRUE(backend->ref());
  EXPECT_EQ(backend->ref()->provider, "state");
  EXPECT_EQ(backend->ref()->id.size(), 32U);
  EXPECT_EQ(provider_.list(Call{}).value(), std::vector<WorkspaceRef>{*backend->ref()});
}

TEST_F(StateProviderTest, C_ENV_1_many_first_users_make_one_document) {
  const auto backend = provider_.create().value();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { EXPECT_THAT(backend->ensure(Call{}), IsOk()); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(store_->creates, 1);
  EXPECT_EQ(provider_.list(Call{}).value().size(), 1U);
}

TEST_F(StateProviderTest, C_ENV_1_a_cancelled_first_user_leaves_the_document_to_the_next) {
  const auto backend = provider_.create().value();
  store_->fail_next_create = true;
  EXPECT_THAT(backend->ensure(Call{}), FailsWith(ErrorCode::cancelled));
  EXPECT_THAT(backend->ensure(Call{}), IsOk());
  EXPECT_EQ(provider_.list(Call{}).value().size(), 1U);
}

TEST_F(StateProviderTest, C_ENV_2_attaches_only_to_what_exists) {
  const auto made = provider_.create().value();
  ASSERT_THAT(made->ensure(Call{}), IsOk());
  ASSERT_THAT(made->writes()->write(Call{}, at("a.txt"), "hello", {}), IsOk());
  const auto attached = provider_.attach(*made->ref()).value();
  ASSERT_THAT(attached->ensure(Call{}), IsOk());
  EXPECT_EQ(attached->reads()->read(Call{}, at("a.txt"), {}).value().content, "hello");
  EXPECT_EQ(attached->info().resource_key, made->info().resource_key);

  const auto missing = provider_.attach({"state", std::string(32, '0')}).value();
  EXPECT_THAT(missing->ensure(Call{}), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(missing->writes()->write(Call{}, at("a.txt"), "x", {}), FailsWith(ErrorCode::environment_gone));
  EXPECT_EQ(provider_.list(Call{}).value().size(), 1U);
}

TEST_F(StateProviderTest, C_ENV_3_destroys_its_own_and_refuses_foreign_refs) {
  const auto made = provider_.create().value();
  ASSERT_THAT(made->ensure(Call{}), IsOk());
  const WorkspaceRef ref = *made->ref();
  EXPECT_THAT(provider_.destroy(Call{}, {"docker", ref.id}), FailsWith(ErrorCode::foreign_ref));
  EXPECT_THAT(provider_.destroy(Call{}, {"state", "/etc/passwd"}), FailsWith(ErrorCode::foreign_ref));
  EXPECT_THAT(provider_.attach({"state", "../x"}), FailsWith(ErrorCode::foreign_ref));
  EXPECT_THAT(provider_.destroy(Call{}, ref), IsOk());
  EXPECT_THAT(provider_.destroy(Call{}, ref), IsOk());
  EXPECT_THAT(made->reads()->stat(Call{}, Path(), FollowLeaf::yes), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(made->writes()->write(Call{}, at("a"), "x", {}), FailsWith(ErrorCode::environment_gone));
}

TEST_F(StateProviderTest, puts_once_for_a_change_and_not_for_none) {
  const auto backend = provider_.create().value();
  ASSERT_THAT(backend->ensure(Call{}), IsOk());
  ASSERT_THAT(backend->writes()->write(Call{}, at("a/b/c.txt"), "x", {}), IsOk());
  EXPECT_EQ(store_->puts, 1);
  ASSERT_THAT(backend->writes()->make_directory(Call{}, at("a/b")), IsOk());
  ASSERT_THAT(backend->writes()->remove(Call{}, at("none"), {}), IsOk());
  ASSERT_THAT(backend->writes()->prune_empty_directories(Call{}, at("none"), 10), IsOk());
  EXPECT_THAT(backend->writes()->write(Call{}, at("a"), "x", {}), FailsWith(ErrorCode::is_a_directory));
  EXPECT_EQ(store_->puts, 1);
}

TEST_F(StateProviderTest, C_WRITE_6_compares_again_when_another_writer_was_faster) {
  const auto one = provider_.create().value();
  ASSERT_THAT(one->ensure(Call{}), IsOk());
  const Revision before = one->writes()->write(Call{}, at("a.txt"), "before", {}).value().revision;
  const auto two = provider_.attach(*one->ref()).value();
  store_->before_put = [&] { ASSERT_THAT(two->writes()->write(Call{}, at("a.txt"), "theirs", {}), IsOk()); };
  EXPECT_THAT(one->writes()->write(Call{}, at("a.txt"), "ours",
                                   {.when = WriteSpec::When::revision_matches, .expected_revision = before}),
              FailsWith(ErrorCode::revision_mismatch));
  EXPECT_EQ(one->reads()->read(Call{}, at("a.txt"), {}).value().content, "theirs");

  store_->before_put = [&] { ASSERT_THAT(two->writes()->write(Call{}, at("b.txt"), "theirs", {}), IsOk()); };
  ASSERT_THAT(one->writes()->write(Call{}, at("a.txt"), "ours", {}), IsOk());
  EXPECT_EQ(two->reads()->read(Call{}, at("a.txt"), {}).value().content, "ours");
  EXPECT_EQ(one->reads()->read(Call{}, at("b.txt"), {}).value().content, "theirs");
}

TEST_F(StateProviderTest, gives_up_with_the_call_when_others_are_always_faster) {
  const auto one = provider_.create().value();
  ASSERT_THAT(one->ensure(Call{}), IsOk());
  const auto two = provider_.attach(*one->ref()).value();
  int number = 0;
  std::function<void()> outrun = [&] {
    ASSERT_THAT(two->writes()->write(Call{}, at("b.txt"), std::to_string(++number), {}), IsOk());
    store_->before_put = outrun;
  };
  store_->before_put = outrun;
  EXPECT_THAT(one->writes()->write(Call{.deadline = Deadline::after(20ms)}, at("a.txt"), "x", {}),
              FailsWith(ErrorCode::timed_out));
  EXPECT_GT(number, 1);
}

TEST_F(StateProviderTest, says_what_is_wrong_with_a_stored_document) {
  ASSERT_THAT(store_->create(Call{}, "broken", R"({"files": {"/a": {"content": 7}}})"), IsOk());
  ASSERT_THAT(store_->create(Call{}, "empty", ""), IsOk());
  const auto failed = provider_.attach({"state", "broken"}).value()->ensure(Call{});
  ASSERT_THAT(failed, FailsWith(ErrorCode::io));
  EXPECT_NE(failed.error().message.find("in the entry \"/a\""), std::string::npos) << failed.error().message;
  EXPECT_THAT(provider_.attach({"state", "empty"}).value()->ensure(Call{}), FailsWith(ErrorCode::io));
}

TEST(StateFile, is_made_by_the_first_write_and_not_by_a_read) {
  const TempDir directory;
  const auto backend = open_state_file({directory.at("new.json")}).value();
  EXPECT_THAT(backend->ensure(Call{}), IsOk());
  EXPECT_EQ(backend->ref(), std::nullopt);
  const auto read = backend->reads()->list_directory(Call{}, Path());
  ASSERT_THAT(read, FailsWith(ErrorCode::environment_gone));
  EXPECT_NE(read.error().next_step().find("first write"), std::string::npos);
  EXPECT_THAT(backend->writes()->remove(Call{}, at("a"), {}), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(backend->writes()->write(Call{}, at("a"), "x",
                                       {.when = WriteSpec::When::revision_matches, .expected_revision = {"sha256:0"}}),
              FailsWith(ErrorCode::environment_gone));
  EXPECT_FALSE(directory.exists("new.json"));
  ASSERT_THAT(backend->writes()->write(Call{}, at("a"), "x", {}), IsOk());
  EXPECT_TRUE(directory.exists("new.json"));
  EXPECT_EQ(backend->ref()->provider, "state");
  EXPECT_TRUE(backend->ref()->id.ends_with("/new.json"));
}

TEST(StateFile, C_ENV_2_that_is_deleted_is_gone_and_not_made_again) {
  const TempDir directory;
  const auto backend = open_state_file({directory.at("state.json")}).value();
  ASSERT_THAT(backend->writes()->make_directory(Call{}, at("d")), IsOk());
  ASSERT_EQ(::unlink(directory.at("state.json").c_str()), 0);
  EXPECT_THAT(backend->reads()->list_directory(Call{}, Path()), FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(backend->writes()->write(Call{}, at("a"), "x", {}), FailsWith(ErrorCode::environment_gone));
  EXPECT_FALSE(directory.exists("state.json"));
}

TEST(StateFile, attaches_by_its_ref) {
  const TempDir directory;
  const auto made = open_state_file({directory.at("state.json")}).value();
  ASSERT_THAT(made->writes()->write(Call{}, at("a"), "x", {}), IsOk());
  const WorkspaceRef ref = *made->ref();
  const auto attached = attach_state_file(ref).value();
  EXPECT_EQ(attached->reads()->read(Call{}, at("a"), {}).value().content, "x");
  EXPECT_EQ(attached->info().resource_key, made->info().resource_key);
  EXPECT_THAT(attach_state_file({"local", ref.id}), FailsWith(ErrorCode::foreign_ref));
  EXPECT_THAT(attach_state_file({"state", "state.json"}), FailsWith(ErrorCode::foreign_ref));
  EXPECT_THAT(attach_state_file({"state", ref.id + ".none"}).value()->ensure(Call{}),
              FailsWith(ErrorCode::environment_gone));
  EXPECT_THAT(attach_state_file({"state", directory.at("none/state.json")}), FailsWith(ErrorCode::environment_gone));
  directory.make_link("link.json", "state.json");
  EXPECT_THAT(attach_state_file({"state", directory.at("link.json")}), FailsWith(ErrorCode::foreign_ref));
}

TEST(StateFile, refuses_json_that_is_no_workspace_and_leaves_it) {
  const TempDir directory;
  const std::string package = R"({"name": "a-package", "files": ["dist"]})";
  directory.write("package.json", package);
  const auto backend = open_state_file({directory.at("package.json")}).value();
  EXPECT_THAT(backend->writes()->write(Call{}, at("a"), "x", {}), FailsWith(ErrorCode::io));
  EXPECT_THAT(backend->ensure(Call{}), FailsWith(ErrorCode::io));
  EXPECT_EQ(directory.read("package.json"), package);
}

TEST(StateFile, refuses_to_grow_over_the_limit) {
  const TempDir directory;
  const auto backend = open_state_file({directory.at("state.json")}, {.max_document_bytes = 2000}).value();
  ASSERT_THAT(backend->writes()->write(Call{}, at("a"), "x", {}), IsOk());
  const auto refused = backend->writes()->write(Call{}, at("b"), Bytes(3000, 'x'), {});
  ASSERT_THAT(refused, FailsWith(ErrorCode::too_large));
  EXPECT_EQ(*refused.error().field("limit"), ErrorField::Value("max_document_bytes"));
  EXPECT_THAT(backend->reads()->stat(Call{}, at("b"), FollowLeaf::yes), FailsWith(ErrorCode::not_found));
  EXPECT_EQ(backend->reads()->read(Call{}, at("a"), {}).value().content, "x");
}

/// Each of several processes adds to one counter file by compare and swap, and makes files of its own.
int work_on(const std::string& file, int number) {
  const auto backend = open_state_file({file}).value();
  for (int i = 0; i < 15; ++i) {
    const auto own = at("own/" + std::to_string(number) + "-" + std::to_string(i));
    if (!backend->writes()->write(Call{}, own, "x", {.when = WriteSpec::When::absent})) return 1;
    for (bool done = false; !done;) {
      const auto page = backend->reads()->read(Call{}, at("counter"), {});
      if (!page) return 2;
      const auto swapped =
          backend->writes()->write(Call{}, at("counter"), std::to_string(std::stoi(page->content) + 1),
                                   {.when = WriteSpec::When::revision_matches, .expected_revision = *page->revision});
      if (!swapped && swapped.error().code != ErrorCode::revision_mismatch) return 3;
      done = swapped.has_value();
    }
  }
  return 0;
}

TEST(StateFile, C_WRITE_12_loses_no_update_of_several_processes) {
  const TempDir directory;
  const std::string file = directory.at("state.json");
  const auto backend = open_state_file({file}).value();
  ASSERT_THAT(backend->writes()->write(Call{}, at("counter"), "0", {}), IsOk());
  std::vector<pid_t> processes;
  for (int i = 0; i < 4; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(work_on(file, i));
    processes.push_back(pid);
  }
  for (const pid_t pid : processes) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(backend->reads()->read(Call{}, at("counter"), {}).value().content, "60");
  EXPECT_EQ(backend->reads()->list_directory(Call{}, at("own")).value().entries.size(), 60U);
}

TEST(StateFile, C_VAL_4_is_used_by_many_threads_at_once) {
  const TempDir directory;
  const auto backend = open_state_file({directory.at("state.json")}).value();
  ASSERT_THAT(backend->writes()->write(Call{}, at("shared"), "0", {}), IsOk());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 10; ++j) {
        const auto own = at(std::to_string(i) + "/" + std::to_string(j));
        EXPECT_THAT(backend->writes()->write(Call{}, own, "x", {}), IsOk());
        EXPECT_EQ(backend->reads()->read(Call{}, own, {}).value().content, "x");
        EXPECT_THAT(backend->reads()->list_directory(Call{}, Path()), IsOk());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(backend->reads()->list_directory(Call{}, at(std::to_string(i))).value().entries.size(), 10U);
  }
}

}  // namespace
}  // namespace berth::state
