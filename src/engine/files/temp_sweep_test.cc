#include "engine/files/temp_sweep.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/files/files_fixture.h"
#include "os/fd.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

using berth::testing::FailsWith;
using berth::testing::IsOk;
using Names = std::vector<std::string>;

TEST(TempSweep, C_WRITE_4_what_dead_writers_left_goes_before_the_first_write_to_a_directory) {
  Scratch scratch;
  scratch.dir.write("d/" + os::make_temp_name(), "half");
  scratch.dir.write("d/" + os::make_temp_name(), "");
  scratch.dir.write("d/.berth-tmp-but-not-ours", "x");
  ASSERT_THAT(scratch.write("d/f", "x"), IsOk());
  EXPECT_EQ(scratch.tree(), (Names{"d/", "d/.berth-tmp-but-not-ours", "d/f"}));
}

TEST(TempSweep, C_WRITE_4_what_a_living_writer_holds_stays) {
  Scratch scratch;
  const std::string name = os::make_temp_name();
  scratch.dir.write(name, "in progress");
  os::Fd writer(open(scratch.dir.at(name).c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(flock(writer.get(), LOCK_EX), 0);
  ASSERT_THAT(scratch.write("f", "x"), IsOk());
  EXPECT_EQ(scratch.tree(), (Names{name, "f"}));
  writer.reset();
  // This object has swept the directory; one that is made later does it anew.
  ASSERT_THAT(scratch.write("f", "y"), IsOk());
  EXPECT_TRUE(scratch.dir.exists(name));
  ASSERT_THAT(HostFiles::make(scratch.root, {})->write({}, path_of("f"), "z", {}), IsOk());
  EXPECT_EQ(scratch.tree(), Names{"f"});
}

TEST(TempSweep, C_WRITE_10_prune_takes_what_dead_writers_left_but_not_what_a_living_one_holds) {
  Scratch scratch;
  scratch.dir.write("dead/" + os::make_temp_name(), "half");
  EXPECT_EQ(scratch.prune("dead")->removed, 1);
  const std::string name = "alive/" + os::make_temp_name();
  scratch.dir.write(name, "in progress");
  const os::Fd writer(open(scratch.dir.at(name).c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(flock(writer.get(), LOCK_EX), 0);
  EXPECT_THAT(scratch.prune("alive"), FailsWith(ErrorCode::not_empty));
}

TEST(TempSweep, C_WRITE_4_a_writer_killed_at_any_moment_leaves_old_or_new_content_and_nothing_else) {
  Scratch scratch;
  const std::string a(1'500'000, 'a');
  const std::string b(1'000'000, 'b');
  scratch.dir.write("f", a);
  int debris = 0;
  for (int round = 0; round < 8 || (debris == 0 && round < 200); ++round) {
    int ready[2];
    ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
      const auto files = HostFiles::make(scratch.root, {});
      for (int i = 0;; ++i) {
        if (!files->write({}, path_of("f"), i % 2 == 0 ? b : a, {})) _exit(1);
        if (i == 0 && write(ready[1], "x", 1) != 1) _exit(1);
      }
    }
    char byte;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    // Half of them die while their temporary file is there, as far as the scheduler lets us.
    const auto patience = Clock::now() + std::chrono::milliseconds(200);
    while (round % 2 == 0 && scratch.tree().size() == 1 && Clock::now() < patience) {
    }
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));

    const std::string content = scratch.dir.read("f");
    ASSERT_TRUE(content == a || content == b) << content.size();
    debris += scratch.tree().size() > 1 ? 1 : 0;
    ASSERT_THAT(HostFiles::make(scratch.root, {})->write({}, path_of("f"), a, {}), IsOk());
    ASSERT_EQ(scratch.tree(), Names{"f"});
  }
  EXPECT_GT(debris, 0) << "no writer was hit while it wrote; the test proved nothing";
}

}  // namespace
}  // namespace berth::engine
