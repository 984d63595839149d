#include "engine/files/files_fixture.h"

#include <algorithm>
#include <filesystem>

namespace berth::engine {
namespace fs = std::filesystem;

std::vector<std::string> Scratch::tree() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(dir.path())) {
    std::string name = entry.path().lexically_relative(dir.path()).string();
    if (entry.symlink_status().type() == fs::file_type::directory) name += "/";
    names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

struct stat Scratch::lstat(std::string_view path) const {
  struct stat st {};
  EXPECT_EQ(::lstat(dir.at(path).c_str(), &st), 0) << path;
  return st;
}

mode_t Scratch::mode(std::string_view path) const { return lstat(path).st_mode & 07777; }

void Scratch::chmod(std::string_view path, mode_t mode) const {
  ASSERT_EQ(::chmod(dir.at(path).c_str(), mode), 0) << path;
}

void Scratch::make_fifo(std::string_view path) const { ASSERT_EQ(mkfifo(dir.at(path).c_str(), 0600), 0) << path; }

std::size_t open_descriptors() {
  const auto all = fs::directory_iterator("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(fs::begin(all), fs::end(all)));
}

}  // namespace berth::engine
