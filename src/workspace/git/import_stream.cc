#include "workspace/git/import_stream.h"

#include <array>
#include <cstdio>
#include <string>

namespace berth::git {
namespace {

Bytes quoted(BytesView path) {
  Bytes text = "\"";
  for (const char byte : path) {
    const auto code = static_cast<unsigned char>(byte);
    if (byte == '"' || byte == '\\') {
      text += '\\';
      text += byte;
    } else if (code < 0x20 || code >= 0x7f) {
      text += {'\\', static_cast<char>('0' + (code >> 6)), static_cast<char>('0' + ((code >> 3) & 7)),
               static_cast<char>('0' + (code & 7))};
    } else {
      text += byte;
    }
  }
  return text + '"';
}

Bytes octal(std::uint32_t mode) {
  std::array<char, 16> text{};
  const int length = std::snprintf(text.data(), text.size(), "%06o", mode);
  return Bytes(text.data(), static_cast<std::size_t>(length));
}

}  // namespace

void ImportStream::begin(std::string_view branch) {
  text_ += "commit refs/heads/";
  text_ += branch;
  text_ += "\ncommitter berth <berth> 0 +0000\ndata 0\n";
}

void ImportStream::put(BytesView path, const GitEntry& entry) { name(entry.mode, entry.object, path); }

void ImportStream::put(BytesView path, std::uint32_t mode, BytesView content) {
  name(mode, "inline", path);
  text_ += "data " + std::to_string(content.size()) + "\n";
  text_ += content;
  text_ += '\n';
}

void ImportStream::name(std::uint32_t mode, std::string_view what, BytesView path) {
  text_ += "M " + octal(mode) + " ";
  text_ += what;
  text_ += ' ';
  text_ += quoted(path);
  text_ += '\n';
}

}  // namespace berth::git
