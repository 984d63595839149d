#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "conformance/rules.h"
#include "testing/processes.h"

// What the rules say still holds when the machine does not play along.
namespace berth::conformance {
namespace {

using testing::FailsWith;
using testing::IsOk;
using Names = std::vector<std::string>;

BERTH_CHAPTER(Adversity);
BERTH_HOST_CHAPTER(AdversityOnHost);

Revision revision_of(BytesView content) { return {"sha256:" + to_hex(sha256(content))}; }

/// Add one to the number in a file by compare and swap, until it works.
void increment(Workspace& workspace, std::string_view path) {
  for (;;) {
    const auto page = workspace.read(soon(), path);
    ASSERT_THAT(page, IsOk());
    const auto next = std::to_string(std::stoi(page->content) + 1);
    const auto outcome = workspace.replace(soon(), path, next, *page->revision);
    if (outcome) return;
    ASSERT_THAT(outcome, FailsWith(ErrorCode::revision_mismatch));
  }
}

TEST_P(AdversityOnHost, C_WRITE_12_two_processes_lose_no_update) {
  put("n", "0");
  if (!can_write()) return expect_refused(workspace().replace(soon(), "n", "1", revision_of("0")));
  testing::in_children(2, [this](int) {
    const auto own = environment().open();
    for (int i = 0; i < 30; ++i) increment(*own, "n");
  });
  EXPECT_EQ(content("n"), "60");
  EXPECT_EQ(host().names(), Names{"n"});
}

TEST_P(AdversityOnHost, C_WRITE_12_of_two_processes_that_create_one_file_one_does) {
  if (!can_write()) return expect_refused(workspace().create(soon(), "d/0", "x"));
  testing::in_children(2, [this](int me) {
    const auto own = environment().open();
    for (int i = 0; i < 20; ++i) {
      const auto outcome = own->create(soon(), "d/" + std::to_string(i), std::to_string(me));
      if (outcome) {
        ASSERT_THAT(own->create(soon(), "won/" + std::to_string(i) + "-" + std::to_string(me), ""), IsOk());
      } else {
        ASSERT_THAT(outcome, FailsWith(ErrorCode::already_exists));
      }
    }
  });
  EXPECT_EQ(workspace().list_directory(soon(), "won")->entries.size(), 20u);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(host().exists("won/" + std::to_string(i) + "-" + content("d/" + std::to_string(i)))) << i;
  }
}

TEST_P(AdversityOnHost, C_WRITE_12_a_lock_that_a_stranger_holds_is_waited_for_no_longer_than_the_call) {
  put("d/f", "old");
  if (!can_write()) return expect_refused(workspace().write(soon(), "d/f", "new"));
  const int directory = ::open(host().at("d").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(directory, LOCK_EX), 0);
  const auto brief = [] { return Call{Deadline::after(std::chrono::milliseconds(50)), {}, {}}; };
  const auto old = revision_of("old");
  const auto begin = Clock::now();
  EXPECT_THAT(workspace().write(brief(), "d/f", "new"), FailsWith(ErrorCode::timed_out));
  EXPECT_THAT(workspace().create(brief(), "d/g", "new"), FailsWith(ErrorCode::timed_out));
  EXPECT_THAT(workspace().replace(brief(), "d/f", "new", old), FailsWith(ErrorCode::timed_out));
  EXPECT_THAT(workspace().delete_if(brief(), "d/f", old), FailsWith(ErrorCode::timed_out));
  EXPECT_THAT(workspace().move_if(brief(), "d/f", "d/g", old), FailsWith(ErrorCode::timed_out));
  EXPECT_LT(Clock::now() - begin, 5 * std::chrono::milliseconds(50) + kSlack);
  std::stop_source source;
  source.request_stop();
  EXPECT_THAT(workspace().write({Deadline::never(), source.get_token(), {}}, "d/f", "new"),
              FailsWith(ErrorCode::cancelled));
  EXPECT_EQ(content("d/f"), "old") << "readers need no lock";
  ::close(directory);
  EXPECT_THAT(workspace().write(soon(), "d/f", "new"), IsOk());
  EXPECT_EQ(host().names(), (Names{"d", "d/f"}));
}

TEST_P(AdversityOnHost, C_WRITE_4_a_full_disk_is_a_typed_error_and_leaves_the_old_file) {
  host().make_directory("disk");
  if (!can_write()) return expect_refused(workspace().write(soon(), "disk/f", "old"));
  testing::in_child([this] {
    constexpr int kRoom = 256 * 1024;
    auto full = ErrorCode::no_space;
    if (testing::can_mount()) {
      testing::enter_own_mounts();
      testing::mount_small_disk(host().at("disk"), kRoom);
    } else {
      // Where no disk can be made small, files can.
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{kRoom, kRoom};
      ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
      full = ErrorCode::too_large;
    }
    const auto own = environment().open();
    const Bytes big(4 * kRoom, 'x');
    ASSERT_THAT(own->write(soon(), "disk/f", "old"), IsOk());
    EXPECT_THAT(own->write(soon(), "disk/f", big), FailsWith(full));
    EXPECT_THAT(own->replace(soon(), "disk/f", big, revision_of("old")), FailsWith(full));
    EXPECT_THAT(own->create(soon(), "disk/a/b/new", big), FailsWith(full));
    const std::vector<Edit> edits{{.old_text = "old", .new_text = big}};
    EXPECT_THAT(own->edit(soon(), "disk/f", edits), FailsWith(full));
    EXPECT_EQ(host().read("disk/f"), "old");
    EXPECT_EQ(host().names(), (Names{"disk", "disk/f"}));
    EXPECT_THAT(own->write(soon(), "disk/f", "new"), IsOk());
  });
}

TEST_P(AdversityOnHost, C_WRITE_4_a_read_only_file_system_is_a_typed_error_and_can_be_read) {
  host().make_directory("disk");
  testing::in_child([this] {
    auto refused = ErrorCode::read_only;
    std::optional<Unprivileged> user;
    if (testing::can_mount()) {
      testing::enter_own_mounts();
      testing::mount_small_disk(host().at("disk"), 256 * 1024);
    }
    host().write("disk/f", "old");
    host().make_directory("disk/empty");
    if (testing::can_mount()) {
      testing::make_read_only(host().at("disk"));
    } else {
      // Where no disk can be made read-only, a directory can.
      host().chmod("disk", 0555);
      host().chmod("disk/empty", 0555);
      user.emplace();
      refused = ErrorCode::permission_denied;
    }
    const auto own = environment().open();
    const auto old = revision_of("old");
    EXPECT_EQ(own->read(soon(), "disk/f")->content, "old");
    EXPECT_EQ(own->list_directory(soon(), "disk")->entries.size(), 2u);
    if (can_write()) {
      EXPECT_THAT(own->write(soon(), "disk/f", "new"), FailsWith(refused));
      EXPECT_THAT(own->write(soon(), "disk/a/b", "new"), FailsWith(refused));
      EXPECT_THAT(own->create(soon(), "disk/g", "new"), FailsWith(refused));
      EXPECT_THAT(own->replace(soon(), "disk/f", "new", old), FailsWith(refused));
      EXPECT_THAT(own->replace(soon(), "disk/f", "new", revision_of("stale")), FailsWith(ErrorCode::revision_mismatch));
      EXPECT_THAT(own->delete_file(soon(), "disk/f"), FailsWith(refused));
      EXPECT_THAT(own->delete_if(soon(), "disk/f", old), FailsWith(refused));
      EXPECT_THAT(own->move_if(soon(), "disk/f", "disk/g", old), FailsWith(refused));
      EXPECT_THAT(own->make_directory(soon(), "disk/new"), FailsWith(refused));
      EXPECT_THAT(own->remove(soon(), "disk/empty"), FailsWith(refused));
      EXPECT_THAT(own->prune_empty_directories(soon(), "disk/empty", 9), FailsWith(refused));
    } else {
      EXPECT_THAT(own->write(soon(), "disk/f", "new"), FailsWith(ErrorCode::read_only));
    }
    user.reset();
    EXPECT_EQ(host().names(), (Names{"disk", "disk/empty", "disk/f"}));
    if (refused == ErrorCode::permission_denied) host().chmod("disk", 0755);
  });
  if (!can_write()) expect_refused(workspace().write(soon(), "disk/f", "new"));
}

TEST_P(AdversityOnHost, C_WRITE_4_a_user_without_permission_gets_permission_denied_and_nothing_is_lost) {
  put("locked/f", "old");
  put("secret", "s");
  put("closed/f", "c");
  const Names before = host().names();
  host().chmod("locked/f", 0444);
  host().chmod("locked", 0555);
  host().chmod("secret", 0);
  host().chmod("closed", 0);
  testing::in_child([this] {
    const Unprivileged user;
    const auto own = environment().open();
    const auto denied = ErrorCode::permission_denied;
    const auto old = revision_of("old");
    EXPECT_EQ(own->read(soon(), "locked/f")->content, "old");
    EXPECT_THAT(own->read(soon(), "secret"), FailsWith(denied));
    EXPECT_THAT(own->read(soon(), "closed/f"), FailsWith(denied));
    EXPECT_THAT(own->stat(soon(), "closed/f"), FailsWith(denied));
    EXPECT_EQ(own->stat(soon(), "secret")->size, 1);
    if (!can_write()) {
      EXPECT_THAT(own->write(soon(), "locked/f", "new"), FailsWith(ErrorCode::read_only));
      return;
    }
    EXPECT_THAT(own->write(soon(), "locked/f", "new"), FailsWith(denied));
    EXPECT_THAT(own->write(soon(), "locked/a/b", "new"), FailsWith(denied));
    EXPECT_THAT(own->create(soon(), "locked/g", "new"), FailsWith(denied));
    EXPECT_THAT(own->replace(soon(), "locked/f", "new", old), FailsWith(denied));
    EXPECT_THAT(own->replace(soon(), "secret", "new", revision_of("s")), FailsWith(denied));
    EXPECT_THAT(own->delete_file(soon(), "locked/f"), FailsWith(denied));
    EXPECT_THAT(own->delete_if(soon(), "locked/f", old), FailsWith(denied));
    EXPECT_THAT(own->move_if(soon(), "locked/f", "locked/g", old), FailsWith(denied));
    EXPECT_THAT(own->make_directory(soon(), "locked/new"), FailsWith(denied));
    EXPECT_THAT(own->write(soon(), "closed/f", "new"), FailsWith(denied));
    EXPECT_THAT(own->remove(soon(), "closed"), FailsWith(denied));
  });
  host().chmod("locked", 0755);
  host().chmod("secret", 0644);
  host().chmod("closed", 0755);
  EXPECT_EQ(host().names(), before);
  EXPECT_EQ(content("locked/f") + content("secret") + content("closed/f"), "oldsc");
  if (!can_write()) expect_refused(workspace().write(soon(), "locked/f", "new"));
}

TEST_P(Adversity, C_VAL_1_a_storm_of_signals_is_no_error) {
  const Bytes large(300'000, 'x');
  put("d/large", large);
  put("d/small", "one\ntwo\n");
  const testing::SignalStorm storm;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(content("d/large"), large);
    EXPECT_EQ(workspace().read_lines(soon(), "d/small", {.count_lines = true})->total_lines, 2);
    EXPECT_EQ(workspace().list_directory(soon(), "d")->entries.size(), 2u);
    EXPECT_EQ(texts(workspace().list(soon())->paths), (Names{"d/large", "d/small"}));
    EXPECT_EQ(workspace().search(soon(), ".", {.pattern = "two"})->lines.size(), 1u);
    if (can_run()) {
      const auto outcome = workspace().run(soon(), script("echo $((6 * 7))"));
      ASSERT_THAT(outcome, IsOk());
      EXPECT_EQ(outcome->out.head, "42\n");
    }
    if (!can_write()) continue;
    EXPECT_THAT(workspace().write(soon(), "e/f", large), IsOk());
    EXPECT_THAT(workspace().replace(soon(), "e/f", "small", revision_of(large)), IsOk());
    const std::vector<Edit> edits{{.old_text = "small", .new_text = "edited"}};
    EXPECT_THAT(workspace().edit(soon(), "e/f", edits), IsOk());
    EXPECT_THAT(workspace().move_if(soon(), "e/f", "g/h/f", revision_of("edited")), IsOk());
    EXPECT_THAT(workspace().remove(soon(), "g"), IsOk());
    EXPECT_THAT(workspace().prune_empty_directories(soon(), "e", 9), IsOk());
  }
  if (!can_write()) expect_refused(workspace().write(soon(), "e/f", large));
}

}  // namespace
}  // namespace berth::conformance
