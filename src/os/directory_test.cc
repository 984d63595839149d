#include "os/directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "os/fd.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::os {
namespace {

using testing::FailsWith;
using testing::TempDir;

Fd open_directory(const std::string& name) { return Fd(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

TEST(DirectoryReader, GivesEveryNameOnceWithItsTypeAndLeavesOutTheDots) {
  const TempDir dir;
  dir.write("file", "");
  dir.make_directory("directory");
  dir.make_link("link", "nowhere");
  dir.write(".hidden", "");
  dir.write("caf\xE9", "");
  dir.write(std::string(255, 'n'), "");
  ASSERT_EQ(::mkfifo(dir.at("fifo").c_str(), 0600), 0);

  const auto fd = open_directory(dir.path());
  DirectoryReader reader(fd.get());
  std::map<std::string, unsigned char> seen;
  while (const auto* entry = reader.next().value()) {
    struct stat status {};
    ASSERT_EQ(::fstatat(fd.get(), std::string(entry->name).c_str(), &status, AT_SYMLINK_NOFOLLOW), 0);
    EXPECT_EQ(entry->inode, status.st_ino);
    seen.emplace(entry->name, entry->type);
  }
  EXPECT_EQ(seen, (std::map<std::string, unsigned char>{{"file", DT_REG},
                                                        {"directory", DT_DIR},
                                                        {"link", DT_LNK},
                                                        {".hidden", DT_REG},
                                                        {"caf\xE9", DT_REG},
                                                        {std::string(255, 'n'), DT_REG},
                                                        {"fifo", DT_FIFO}}));
  EXPECT_EQ(reader.next().value(), nullptr);
}

TEST(DirectoryReader, ReadsDirectoriesLargerThanItsBuffer) {
  const TempDir dir;
  std::set<std::string> expected;
  for (int i = 0; i < 3000; ++i) {
    const auto name = std::to_string(i) + std::string(100, 'x');
    ASSERT_TRUE(Fd(::open(dir.at(name).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)));
    expected.insert(name);
  }
  const auto fd = open_directory(dir.path());
  DirectoryReader reader(fd.get());
  std::set<std::string> seen;
  while (const auto* entry = reader.next().value()) EXPECT_TRUE(seen.emplace(entry->name).second);
  EXPECT_EQ(seen, expected);
}

TEST(DirectoryReader, SaysWhatIsWrong) {
  const TempDir dir;
  dir.write("file", "");
  dir.make_directory("gone");
  const Fd file(::open(dir.at("file").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_THAT(DirectoryReader(file.get()).next(), FailsWith(ErrorCode::not_a_directory));
  const auto fd = open_directory(dir.at("gone"));
  ASSERT_EQ(::rmdir(dir.at("gone").c_str()), 0);
  EXPECT_THAT(DirectoryReader(fd.get()).next(), FailsWith(ErrorCode::not_found));
}

}  // namespace
}  // namespace berth::os
