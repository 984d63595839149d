#pragma once

#include <cstdint>
#include <string>

namespace berth::bench {

/// The word that some files of a tree hold, on lines of their own.
inline constexpr const char* kNeedle = "quicksilver";

/// What a tree holds.
struct Tree {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t needles = 0;  ///< lines with `kNeedle`
};

/// Make `files` text files of about 1 KiB, a hundred in a directory, directories ten to a parent, the same tree every
/// time. About one file in twenty holds the needle.
Tree make_tree(const std::string& directory, std::int64_t files);

/// Write a file of `bytes` bytes of lines of 10 to 110 bytes. Returns the number of lines.
std::int64_t make_line_file(const std::string& file, std::int64_t bytes);

/// A directory below TMPDIR that is removed with the object.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace berth::bench
