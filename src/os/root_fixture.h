#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "os/root.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::os {

/// Path resolution by the kernel, and by the walk that stands in for it.
enum class Way { kernel, walk };

inline std::string way_name(const ::testing::TestParamInfo<Way>& way) {
  return way.param == Way::kernel ? "openat2" : "walk";
}

inline Path path(std::string_view text) { return parse_path(text, {}).value(); }

/// The name of a result's error, or what `shown` makes of its value.
template <typename T, typename Shown>
std::string outcome(const Result<T>& result, const Shown& shown) {
  return result ? shown(*result) : std::string(error_info(result.error().code).name);
}

/// What a descriptor leads to: the content of a file, or "directory".
inline std::string content(const Fd& fd) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return "nothing";
  if (S_ISDIR(status.st_mode)) return "directory";
  std::string bytes(4096, '\0');
  const auto got = ::read(fd.get(), bytes.data(), bytes.size());
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

/// A workspace `ws` with some files, and a place `out` outside it.
class RootTest : public ::testing::TestWithParam<Way> {
 protected:
  RootTest() {
    dir_.write("ws/a.txt", "a");
    dir_.write("ws/sub/b.txt", "b");
    dir_.write("ws/sub/deep/c.txt", "c");
    dir_.write("out/secret", "secret");
  }

  std::shared_ptr<Root> root(LinkPolicy links = LinkPolicy::follow_inside) const {
    return Root::open({dir_.at("ws")}, {links, Features{.openat2 = GetParam() == Way::kernel}}).value();
  }

  /// Make a link in the workspace; WS and OUT at the start of its target stand for the absolute names.
  void link(std::string_view name, std::string target) const {
    if (target.starts_with("WS")) target = dir_.at("ws") + target.substr(2);
    if (target.starts_with("OUT")) target = dir_.at("out") + target.substr(3);
    dir_.make_link("ws/" + std::string(name), target);
  }

  void unlink(std::string_view name) const { ::unlink(dir_.at("ws/" + std::string(name)).c_str()); }

  std::string read(const Root& in, std::string_view name) const {
    return outcome(in.open_path(call_, path(name), O_RDONLY | O_NONBLOCK), content);
  }

  std::string real(const Root& in, std::string_view name) const {
    return outcome(in.real_path(call_, path(name)), [](const Path& found) { return found.text(); });
  }

  std::string parent(const Root& in, std::string_view name, Root::Parents parents = Root::Parents::must_exist) const {
    return outcome(in.parent_of(call_, path(name), parents), place);
  }

  std::string target(const Root& in, std::string_view name, Root::Parents parents = Root::Parents::must_exist) const {
    return outcome(in.parent_of_target(call_, path(name), parents), place);
  }

  /// Where a leaf is; says so when its parts contradict each other.
  static std::string place(const Root::Leaf& leaf) {
    struct stat status {};
    if (::fstat(leaf.directory.get(), &status) != 0 || !S_ISDIR(status.st_mode)) return "no directory";
    if (leaf.name != leaf.path.name()) return "two names: " + leaf.name + " and " + leaf.path.text();
    return leaf.path.text();
  }

  testing::TempDir dir_;
  Call call_;
};

/// Run steps in a child as a user without privileges; gives what they return, 100 when the user cannot be changed.
template <typename Steps>
int as_nobody(const Steps& steps) {
  const auto child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(100);
    ::_exit(steps());
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace berth::os
