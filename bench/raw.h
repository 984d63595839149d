#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::bench {

/// The system calls that a read of one page needs, and nothing else: openat2 beneath the root, fstat, read, close.
void raw_read(int root, const char* path, char* buffer, std::size_t size);

/// The system calls that an atomic write needs: the parent beneath the root, its lock, a look at what stands there, a
/// temporary file, the mode, the rename, and the closes.
void raw_atomic_write(int root, const char* parent, const char* name, std::string_view content);

/// Count the files of a tree by getdents64 alone, on one thread.
std::int64_t count_files(const std::string& directory);

/// Count lines that hold a needle by read and memmem, directories shared out over `threads`.
std::int64_t count_needles(const std::string& directory, std::string_view needle, int threads);

}  // namespace berth::bench
