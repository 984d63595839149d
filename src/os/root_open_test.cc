#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <filesystem>

#include "os/root_fixture.h"
#include "testing/open_files.h"

namespace berth::os {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::IsOk;
using testing::TempDir;

TEST(RootOpen, PinsTheDirectoryAndKnowsItsNames) {
  const TempDir dir;
  dir.make_directory("real");
  dir.make_link("alias", "real");
  const auto root = Root::open({dir.at(".//alias/")}, {}).value();
  EXPECT_THAT(root->names(), ElementsAre(dir.at("alias"), dir.at("real")));
  struct stat status {};
  ASSERT_EQ(::stat(dir.at("real").c_str(), &status), 0);
  EXPECT_EQ(root->device(), status.st_dev);
  EXPECT_EQ(root->inode(), status.st_ino);
  EXPECT_NE(::fcntl(root->fd(), F_GETFL) & O_PATH, 0);
  EXPECT_FALSE(root->gone());
  EXPECT_THAT(Root::open({dir.at("real")}, {}).value()->names(), ElementsAre(dir.at("real")));
  EXPECT_THAT(Root::open({dir.at("real/../real")}, {}).value()->names(), ElementsAre(dir.at("real")));
  EXPECT_THAT(Root::open({"/"}, {}).value()->names(), ElementsAre("/"));
}

TEST(RootOpen, ARelativeNameIsFromTheWorkingDirectory) {
  const auto root = Root::open({"."}, {}).value();
  EXPECT_THAT(root->names(), ElementsAre(std::filesystem::current_path().string()));
}

TEST(RootOpen, SaysWhatIsWrong) {
  using namespace std::string_literals;
  const TempDir dir;
  dir.write("file", "");
  dir.make_link("loop", "loop");
  EXPECT_THAT(Root::open({dir.at("missing")}, {}), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(Root::open({""}, {}), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(Root::open({dir.at("file")}, {}), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(Root::open({dir.at("loop")}, {}), FailsWith(ErrorCode::symlink_loop));
  EXPECT_THAT(Root::open({dir.path() + "\0x"s}, {}), FailsWith(ErrorCode::invalid_argument));
}

/// From now on this process gets `error` from every openat2, as under the seccomp profile of an old container engine.
bool forbid_openat2(unsigned error) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(filter), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(RootOpen, AFilterThatForbidsOpenat2LaterOnChangesNoAnswer) {
  const TempDir dir;
  dir.write("ws/sub/b.txt", "b");
  dir.write("out", "secret");
  dir.make_link("ws/l", "sub/../sub/b.txt");
  dir.make_link("ws/escape", "../out");
  for (const unsigned error : {ENOSYS, EPERM}) {
    const auto root = Root::open({dir.at("ws")}, {.features = {.openat2 = true}}).value();
    const auto child = ::fork();
    if (child == 0) {
      if (!forbid_openat2(error)) ::_exit(1);
      if (Features::probe().openat2) ::_exit(2);
      const Call call;
      const auto opened = root->open_path(call, path("l"), O_RDONLY);
      if (!opened || content(*opened) != "b") ::_exit(3);
      const auto escape = root->open_path(call, path("escape"), O_RDONLY);
      if (escape || escape.error().code != ErrorCode::path_escape) ::_exit(4);
      const auto leaf = root->parent_of(call, path("n/m/x"), Root::Parents::make);
      if (!leaf || leaf->path != path("n/m/x")) ::_exit(5);
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    std::filesystem::remove_all(dir.at("ws/n"));
  }
}

}  // namespace
}  // namespace berth::os
