#pragma once

#include <string>
#include <string_view>

namespace berth::testing {

/// A fresh directory under TMPDIR, removed with everything in it when the object goes. Not for code under test: it
/// reaches files by name.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const noexcept { return path_; }
  /// The absolute name of something below.
  std::string at(std::string_view relative) const;

  /// Write a file, making its parents. Fails the program when it cannot.
  void write(std::string_view relative, std::string_view content) const;
  std::string read(std::string_view relative) const;
  void make_directory(std::string_view relative) const;
  void make_link(std::string_view relative, std::string_view target) const;
  bool exists(std::string_view relative) const;  ///< a dangling link exists

 private:
  std::string path_;
};

}  // namespace berth::testing
