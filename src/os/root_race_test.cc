#include <sys/syscall.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "os/root_fixture.h"
#include "testing/open_files.h"

namespace berth::os {
namespace {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

constexpr auto kLength = milliseconds(700);

/// Repeats a step on another thread until destroyed.
class Attacker {
 public:
  template <typename Step>
  explicit Attacker(Step step)
      : thread_([step](const std::stop_token& stop) {
          while (!stop.stop_requested()) step();
        }) {}

 private:
  std::jthread thread_;
};

void exchange(const std::string& a, const std::string& b) {
  ::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

/// C-PATH-6: others rename while we resolve; nothing outside is ever read or made.
class RaceTest : public RootTest {
 protected:
  RaceTest() {
    dir_.write("ws/d/secret", "inside");
    dir_.write("ws/d/e/marker", "inside");
    dir_.write("ws/marker", "inside");
    dir_.write("out/marker", "outside");
    dir_.write("out/secret", "outside");
  }

  /// What a read gave: anything but what lies outside.
  void expect_not_outside(const Result<Fd>& fd) {
    ++tries_;
    if (!fd) {
      const auto code = fd.error().code;
      EXPECT_TRUE(code == ErrorCode::path_escape || code == ErrorCode::not_found || code == ErrorCode::conflict)
          << to_string(fd.error());
      return;
    }
    ++opened_;
    EXPECT_EQ(content(*fd), "inside");
  }

  /// Make a file where a leaf says; the outside is looked at when the race is over.
  void create(const Result<Root::Leaf>& leaf) {
    ++tries_;
    if (!leaf) return;
    ++opened_;
    Fd(::openat(leaf->directory.get(), leaf->name.c_str(), O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600));
    ::unlinkat(leaf->directory.get(), "keeps-the-directory-small", 0);
  }

  template <typename Step>
  void for_a_while(const Step& step) {
    const auto end = Deadline::after(kLength);
    while (!end.passed() && !HasFailure()) step();
    RecordProperty("tries", std::to_string(tries_));
    RecordProperty("opened", std::to_string(opened_));
  }

  std::size_t tries_ = 0;
  std::size_t opened_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Ways, RaceTest, ::testing::Values(Way::kernel, Way::walk), way_name);

TEST_P(RaceTest, C_PATH_6_a_directory_exchanged_for_a_link_never_leads_outside) {
  const auto before = testing::open_files();
  for (const char* target : {"../out", "OUT"}) {
    link("x", target);
    const auto r = root();
    {
      const Attacker attacker([a = dir_.at("ws/d"), b = dir_.at("ws/x")] { exchange(a, b); });
      for_a_while([&] {
        expect_not_outside(r->open_path(call_, path("d/secret"), O_RDONLY));
        create(r->parent_of(call_, path("d/made"), Root::Parents::must_exist));
        create(r->parent_of_target(call_, path("d/secret"), Root::Parents::must_exist));
        create(r->parent_of(call_, path("d/p/q/made"), Root::Parents::make));
        if (const auto real = r->real_path(call_, path("d/secret")); real) {
          EXPECT_TRUE(real->text() == "d/secret" || real->text() == "x/secret");
        }
      });
    }
    EXPECT_GT(opened_, 0U);
    EXPECT_EQ(names_in(dir_.at("out")), (std::vector<std::string>{"marker", "secret"}));
    EXPECT_EQ(dir_.read("out/secret"), "outside");
    if (!fs::is_directory(fs::symlink_status(dir_.at("ws/d")))) exchange(dir_.at("ws/d"), dir_.at("ws/x"));
    unlink("x");
  }
  EXPECT_EQ(testing::open_files(), before);
}

TEST_P(RaceTest, C_PATH_6_a_file_exchanged_for_a_link_is_read_inside_or_refused) {
  link("x", "../out/secret");
  dir_.write("ws/f", "inside");
  const auto r = root();
  const Attacker attacker([a = dir_.at("ws/f"), b = dir_.at("ws/x")] { exchange(a, b); });
  for_a_while([&] {
    expect_not_outside(r->open_path(call_, path("f"), O_RDONLY));
    expect_not_outside(r->open_path(call_, path("x"), O_RDONLY));
  });
  EXPECT_GT(opened_, 0U);
}

TEST_P(RaceTest, C_PATH_6_a_directory_moved_outside_while_a_link_leads_up_from_it) {
  link("d/e/up", "../../marker");
  link("d/e/escape", "../../../out/secret");
  const auto r = root();
  const Attacker attacker([a = dir_.at("ws/d/e"), b = dir_.at("out/e")] {
    ::rename(a.c_str(), b.c_str());
    ::rename(b.c_str(), a.c_str());
  });
  for_a_while([&] {
    expect_not_outside(r->open_path(call_, path("d/e/up"), O_RDONLY));
    expect_not_outside(r->open_path(call_, path("d/e/escape"), O_RDONLY));
  });
  EXPECT_GT(opened_, 0U);
}

TEST_P(RaceTest, RenamesElsewhereNeverFailALinkThatLeadsUp) {
  link("d/up", "e/../../marker");
  dir_.write("ws/r1/file", "");
  dir_.make_directory("ws/r2");
  const auto r = root();
  const Attacker attacker([a = dir_.at("ws/r1"), b = dir_.at("ws/r2")] { exchange(a, b); });
  for_a_while([&] { EXPECT_EQ(read(*r, "d/up"), "inside"); });
}

TEST_P(RaceTest, ThreadsMakeTheSameParentsAtOnce) {
  const auto r = root();
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          const auto deep = path("made/" + std::to_string(i) + "/a/b/c/leaf");
          if (!r->parent_of({}, deep, Root::Parents::make)) ++failed;
        }
      });
    }
  }
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace berth::os
