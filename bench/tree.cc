#include "bench/tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string_view>
#include <vector>

#include "bench/harness.h"

namespace berth::bench {
namespace {

constexpr const char* kWords[] = {"return", "value",  "const", "buffer", "if",     "while", "request", "index", "size",
                                  "error",  "string", "path",  "result", "handle", "open",  "close",   "read",  "write",
                                  "count",  "total",  "line",  "token",  "parse",  "0x1f",  "int",     "void",  "auto"};

/// A line of words, LF at its end.
void add_line(std::string& text, std::mt19937& random) {
  for (std::uint32_t words = 3 + random() % 8; words > 0; --words) {
    text += kWords[random() % std::size(kWords)];
    text += ' ';
  }
  text.back() = '\n';
}

void write_all(int fd, std::string_view bytes, const std::string& file) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    require(wrote > 0, file);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

}  // namespace

Tree make_tree(const std::string& directory, std::int64_t files) {
  std::mt19937 random(1);
  Tree tree;
  std::string folder;
  std::string text;
  for (; tree.files < files; ++tree.files) {
    if (tree.files % 100 == 0) {
      const std::int64_t number = tree.files / 100;
      folder = directory + "/group" + std::to_string(number / 10) + "/part" + std::to_string(number % 10);
      std::filesystem::create_directories(folder);
    }
    text.clear();
    const std::uint32_t size = 512 + random() % 1024;
    while (text.size() < size) add_line(text, random);
    if (random() % 20 == 0) {
      text += std::string("the ") + kNeedle + " line\n";
      ++tree.needles;
    }
    const std::string file = folder + "/file" + std::to_string(tree.files) + ".txt";
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    require(fd >= 0, file);
    write_all(fd, text, file);
    ::close(fd);
    tree.bytes += static_cast<std::int64_t>(text.size());
  }
  return tree;
}

std::int64_t make_line_file(const std::string& file, std::int64_t bytes) {
  std::mt19937 random(2);
  std::string block;
  while (block.size() < (1 << 20)) add_line(block, random);
  std::int64_t lines_in_block = 0;
  for (const char c : block) lines_in_block += c == '\n';
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  require(fd >= 0, file);
  std::int64_t lines = 0;
  for (std::int64_t written = 0; written < bytes; written += static_cast<std::int64_t>(block.size())) {
    write_all(fd, block, file);
    lines += lines_in_block;
  }
  ::close(fd);
  return lines;
}

Scratch::Scratch() {
  const char* base = std::getenv("TMPDIR");
  path_ = std::string(base == nullptr ? "/tmp" : base) + "/berth-bench-XXXXXX";
  require(::mkdtemp(path_.data()) != nullptr, path_);
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace berth::bench
