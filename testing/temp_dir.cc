#include "testing/temp_dir.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace berth::testing {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const std::string& what) {
  std::perror(what.c_str());
  std::abort();
}

}  // namespace

TempDir::TempDir() {
  const char* base = std::getenv("TMPDIR");
  std::string name = std::string(base == nullptr ? "/tmp" : base) + "/berth-test-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) fail(name);
  path_ = fs::canonical(name).string();
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TempDir::at(std::string_view relative) const { return path_ + "/" + std::string(relative); }

void TempDir::write(std::string_view relative, std::string_view content) const {
  const fs::path file = at(relative);
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!stream.flush()) fail(file.string());
}

std::string TempDir::read(std::string_view relative) const {
  std::ifstream stream(at(relative), std::ios::binary);
  if (!stream) fail(at(relative));
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void TempDir::make_directory(std::string_view relative) const { fs::create_directories(at(relative)); }

void TempDir::make_link(std::string_view relative, std::string_view target) const {
  const fs::path link = at(relative);
  fs::create_directories(link.parent_path());
  fs::create_symlink(fs::path(target), link);
}

bool TempDir::exists(std::string_view relative) const {
  std::error_code error;
  return fs::symlink_status(at(relative), error).type() != fs::file_type::not_found;
}

}  // namespace berth::testing
