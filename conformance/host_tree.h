#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "testing/temp_dir.h"

namespace berth::conformance {

/// A host directory with a workspace's root in it and things beside the root that must stay out of reach. Reaches
/// files by name, as another program would.
class HostTree {
 public:
  /// The root is `base/BELOW` of a fresh temporary directory; `outside/secret.txt` holds `kSecret`.
  explicit HostTree(std::string_view below = {});

  static constexpr std::string_view kSecret = "SECRET outside the root\n";

  /// The directory that a provider opens.
  const std::string& base() const noexcept { return base_; }
  /// The workspace's root: `base` or below it.
  const std::string& root() const noexcept { return root_; }
  const std::string& outside() const noexcept { return outside_; }

  std::string at(std::string_view relative) const;
  void write(std::string_view relative, std::string_view content) const;  ///< in place, parents made
  void write_outside(std::string_view name, std::string_view content) const {
    temp_.write("outside/" + std::string(name), content);
  }
  std::string read(std::string_view relative) const;
  bool exists(std::string_view relative) const;  ///< a dangling link exists
  void make_directory(std::string_view relative) const;
  void make_link(std::string_view relative, std::string_view target) const;
  void make_hard_link(std::string_view relative, std::string_view existing) const;
  void make_fifo(std::string_view relative) const;
  void make_socket(std::string_view relative) const;
  void chmod(std::string_view relative, mode_t mode) const;
  mode_t mode(std::string_view relative) const;  ///< permission bits, not followed
  bool is_link(std::string_view relative) const;
  void remove_all(std::string_view relative) const;
  void destroy() const;  ///< the base with everything in it

  /// Every name below the root, directories too, temporary files too, sorted.
  std::vector<std::string> names() const;
  /// Every name outside with its content, sorted.
  std::vector<std::string> outside_state() const;

 private:
  testing::TempDir temp_;
  std::string base_;
  std::string root_;
  std::string outside_;
};

/// Lets a test act as a user whom permission bits bind. Changes the effective user of the whole process while it
/// lives when that user is root; does nothing for others.
class Unprivileged {
 public:
  Unprivileged();
  ~Unprivileged();
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  bool was_root_;
};

}  // namespace berth::conformance
