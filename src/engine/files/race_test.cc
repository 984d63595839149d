#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

#include "engine/files/files_fixture.h"
#include "engine/files/revision_cache.h"
#include "os/fd.h"

namespace berth::engine {
namespace {

constexpr std::chrono::milliseconds kTimePerOperation{80};

/// A directory `d` that another thread keeps exchanging with a link to a directory outside, as fast as it can.
class RaceTest : public FilesTest {
 protected:
  RaceTest() {
    for (const char* name : {"f", "sub/f", "sub/g"}) outside_.write(name, "outside");
    outside_.make_directory("empty/below");
    dir.write("d/f", "inside");
    dir.write("d/sub/f", "inside");
    dir.make_link("evil", outside_.path());
    attacker_ = std::thread([this] {
      const os::Fd top(open(dir.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
      while (!stop_) {
        syscall(SYS_renameat2, top.get(), "d", top.get(), "evil", RENAME_EXCHANGE);
        ++exchanges_;
      }
    });
  }
  ~RaceTest() override {
    stop_ = true;
    if (attacker_.joinable()) attacker_.join();
  }

  /// Repeat an operation until it was in the race for a while and got through, which it says; then see that what is
  /// outside is as it was.
  void attack(const std::function<bool()>& operation) {
    const int before = exchanges_;
    const auto start = Clock::now();
    bool got_through = false;
    while (Clock::now() < start + kTimePerOperation || exchanges_ < before + 50 || !got_through) {
      got_through = operation() || got_through;
      ASSERT_LT(Clock::now(), start + std::chrono::seconds(30)) << "it never got through";
    }
    EXPECT_EQ(outside_.read("f"), "outside");
    EXPECT_EQ(outside_.read("sub/f"), "outside");
    EXPECT_EQ(outside_.read("sub/g"), "outside");
    EXPECT_TRUE(outside_.exists("empty/below"));
    std::size_t names = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::recursive_directory_iterator(outside_.path())) ++names;
    EXPECT_EQ(names, 6u) << "something was made or removed outside";
  }

  testing::TempDir outside_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> exchanges_ = 0;
  std::thread attacker_;
};
BERTH_FOR_EVERY_FEATURE_SET(RaceTest);

TEST_P(RaceTest, C_PATH_6_reads_never_see_what_is_outside) {
  attack([&] {
    const auto page = read("d/f");
    EXPECT_TRUE(!page || page->content == "inside");
    const auto lines = read_lines("d/sub/f");
    EXPECT_TRUE(!lines || lines->content == "inside");
    const auto listing = list("d/sub");
    EXPECT_TRUE(!listing || listing->entries.size() == 1u);
    const auto described = stat("d/f");
    EXPECT_TRUE(!described || described->size == 6);
    const auto real = files->real_path({}, path_of("d/f"));
    EXPECT_TRUE(!real || real->text() == "d/f");
    return page && lines && listing && described && real;
  });
}

TEST_P(RaceTest, C_PATH_6_writes_never_land_outside) {
  attack([&] {
    const bool written = write("d/f", "inside").has_value();
    (void)write("d/sub/new/file", "inside");
    (void)create("d/created", "inside");
    (void)replace("d/sub/f", "inside", revision_of("inside"));
    (void)remove("d/created", {});
    return written;
  });
}

TEST_P(RaceTest, C_PATH_6_removals_never_reach_outside) {
  attack([&] {
    (void)write("d/sub/f", "inside");
    (void)write("d/sub/g", "inside");
    (void)make_directory("d/empty/below");
    (void)remove("d/sub/f", {});
    (void)remove("d/sub/g", {.what = RemoveSpec::What::file_if_revision, .expected_revision = revision_of("outside")});
    (void)prune("d/empty");
    return remove_tree("d/sub").has_value();
  });
}

TEST_P(RaceTest, C_PATH_6_moves_and_new_directories_stay_inside) {
  attack([&] {
    (void)write("from", "inside");
    const bool moved = move("from", "d/sub/to", {.expected_revision = revision_of("inside")}).has_value();
    (void)move("d/sub/to", "d/to", {.expected_revision = revision_of("inside")});
    (void)move("d/sub/g", "stolen", {.expected_revision = revision_of("outside")});
    (void)remove("d/to", {});
    (void)remove("d/sub/to", {});
    (void)make_directory("d/made/below");
    (void)remove_tree("d/made");
    return moved;
  });
  EXPECT_FALSE(dir.exists("stolen"));
}

}  // namespace
}  // namespace berth::engine
