#pragma once

#include <dirent.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace berth::os {

/// Reads the names in a directory with getdents64, in the kernel's order, `.` and `..` left out. One thread at a time.
///
/// The descriptor must be open for reading (not O_PATH), is not owned and must outlive the reader; its offset moves.
class DirectoryReader {
 public:
  struct Entry {
    std::string_view name;  ///< valid until the next call
    unsigned char type;     ///< DT_REG, DT_DIR, DT_LNK, …; DT_UNKNOWN where the file system does not say
    std::uint64_t inode;
  };

  explicit DirectoryReader(int fd);

  /// The next entry; null at the end. The pointer is valid until the next call.
  Result<const Entry*> next();

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{32} * 1024;

  int fd_;
  std::unique_ptr<char[]> buffer_;
  std::size_t filled_ = 0;
  std::size_t position_ = 0;
  Entry entry_{};
};

}  // namespace berth::os
