#include "conformance/host_tree.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace berth::conformance {
namespace fs = std::filesystem;
namespace {

constexpr uid_t kNobody = 65534;

void require(bool done, const std::string& what) {
  if (done) return;
  std::perror(what.c_str());
  std::abort();
}

}  // namespace

HostTree::HostTree(std::string_view below) : base_(temp_.at("base")), root_(base_), outside_(temp_.at("outside")) {
  if (!below.empty()) root_ += "/" + std::string(below);
  fs::create_directories(root_);
  temp_.write("outside/secret.txt", kSecret);
  // For tests that give up root: they still have to get to the root of the workspace and write there.
  require(::chmod(temp_.path().c_str(), 0755) == 0, "chmod");
  for (const std::string& directory : {base_, root_, outside_}) {
    require(::chmod(directory.c_str(), 0777) == 0, "chmod");
  }
}

std::string HostTree::at(std::string_view relative) const { return root_ + "/" + std::string(relative); }

void HostTree::write(std::string_view relative, std::string_view content) const {
  fs::create_directories(fs::path(at(relative)).parent_path());
  const int fd = ::open(at(relative).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  require(fd >= 0, at(relative));
  while (!content.empty()) {
    const ssize_t wrote = ::write(fd, content.data(), content.size());
    require(wrote > 0, at(relative));
    content.remove_prefix(static_cast<std::size_t>(wrote));
  }
  ::close(fd);
}

std::string HostTree::read(std::string_view relative) const {
  std::ifstream stream(at(relative), std::ios::binary);
  require(static_cast<bool>(stream), at(relative));
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool HostTree::exists(std::string_view relative) const {
  struct stat unused {};
  return ::lstat(at(relative).c_str(), &unused) == 0;
}

void HostTree::make_directory(std::string_view relative) const { fs::create_directories(at(relative)); }

void HostTree::make_link(std::string_view relative, std::string_view target) const {
  fs::create_directories(fs::path(at(relative)).parent_path());
  require(::symlink(std::string(target).c_str(), at(relative).c_str()) == 0, at(relative));
}

void HostTree::make_hard_link(std::string_view relative, std::string_view existing) const {
  require(::link(at(existing).c_str(), at(relative).c_str()) == 0, at(relative));
}

void HostTree::make_fifo(std::string_view relative) const {
  require(::mkfifo(at(relative).c_str(), 0666) == 0, at(relative));
}

void HostTree::make_socket(std::string_view relative) const {
  // The name of a socket may be short only, so it is bound under a short name and renamed.
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  require(fd >= 0, "socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = temp_.at("s");
  require(name.size() < sizeof(address.sun_path), "socket name");
  std::copy(name.begin(), name.end(), address.sun_path);
  require(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0, name);
  require(::rename(name.c_str(), at(relative).c_str()) == 0, at(relative));
  ::close(fd);
}

void HostTree::chmod(std::string_view relative, mode_t mode) const {
  require(::chmod(at(relative).c_str(), mode) == 0, at(relative));
}

mode_t HostTree::mode(std::string_view relative) const {
  struct stat status {};
  require(::lstat(at(relative).c_str(), &status) == 0, at(relative));
  return status.st_mode & 07777;
}

bool HostTree::is_link(std::string_view relative) const {
  struct stat status {};
  return ::lstat(at(relative).c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

void HostTree::remove_all(std::string_view relative) const { fs::remove_all(at(relative)); }

void HostTree::destroy() const { fs::remove_all(base_); }

std::vector<std::string> HostTree::names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    names.push_back(entry.path().string().substr(root_.size() + 1));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> HostTree::outside_state() const {
  std::vector<std::string> state;
  for (const auto& entry : fs::recursive_directory_iterator(outside_)) {
    std::string line = entry.path().string().substr(outside_.size() + 1);
    if (entry.is_regular_file()) {
      std::ifstream stream(entry.path(), std::ios::binary);
      line += "=" + std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
    state.push_back(std::move(line));
  }
  std::sort(state.begin(), state.end());
  return state;
}

Unprivileged::Unprivileged() : was_root_(::geteuid() == 0) {
  if (!was_root_) return;
  require(::setegid(kNobody) == 0, "setegid");
  require(::seteuid(kNobody) == 0, "seteuid");
}

Unprivileged::~Unprivileged() {
  if (!was_root_) return;
  require(::seteuid(0) == 0, "seteuid");
  require(::setegid(0) == 0, "setegid");
}

}  // namespace berth::conformance
