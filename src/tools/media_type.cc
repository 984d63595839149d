#include "tools/media_type.h"

#include <array>

namespace berth::tools {
namespace {

struct Signature {
  std::string_view bytes;
  MediaType type;
};

using namespace std::string_view_literals;

constexpr std::array kSignatures = {
    Signature{"\x89PNG\r\n\x1a\n"sv, {MediaType::Kind::image, "image/png"}},
    Signature{"\xff\xd8\xff"sv, {MediaType::Kind::image, "image/jpeg"}},
    Signature{"GIF87a"sv, {MediaType::Kind::image, "image/gif"}},
    Signature{"GIF89a"sv, {MediaType::Kind::image, "image/gif"}},
    Signature{"%PDF-"sv, {MediaType::Kind::document, "application/pdf"}},
    Signature{"\xff\xfe"sv, {MediaType::Kind::binary, "text/plain; charset=utf-16le"}},
    Signature{"\xfe\xff"sv, {MediaType::Kind::binary, "text/plain; charset=utf-16be"}},
    Signature{"\x7f"
              "ELF"sv,
              {MediaType::Kind::binary, "application/x-elf"}},
    Signature{"PK\x03\x04"sv, {MediaType::Kind::binary, "application/zip"}},
    Signature{"\x1f\x8b"sv, {MediaType::Kind::binary, "application/gzip"}},
    Signature{"SQLite format 3\0"sv, {MediaType::Kind::binary, "application/vnd.sqlite3"}},
    Signature{"ID3"sv, {MediaType::Kind::binary, "audio/mpeg"}},
    Signature{"\xff\xfb"sv, {MediaType::Kind::binary, "audio/mpeg"}},
    Signature{"fLaC"sv, {MediaType::Kind::binary, "audio/flac"}},
    Signature{"OggS"sv, {MediaType::Kind::binary, "audio/ogg"}},
    Signature{"BM"sv, {MediaType::Kind::binary, "image/bmp"}},
    Signature{"\0asm"sv, {MediaType::Kind::binary, "application/wasm"}},
};

}  // namespace

MediaType media_type_of(BytesView beginning) {
  constexpr std::size_t kLooked = 8192;
  beginning = beginning.substr(0, kLooked);
  const bool has_nul = beginning.find('\0') != BytesView::npos;
  for (const auto& [bytes, type] : kSignatures) {
    if (!beginning.starts_with(bytes)) continue;
    // Text may begin with the bytes of a format that always holds a NUL.
    if (type.kind == MediaType::Kind::binary && !has_nul) break;
    return type;
  }
  if (beginning.starts_with("RIFF") && beginning.substr(0, 12).ends_with("WEBP")) {
    return {MediaType::Kind::image, "image/webp"};
  }
  if (has_nul && beginning.starts_with("RIFF") && beginning.substr(0, 12).ends_with("WAVE")) {
    return {MediaType::Kind::binary, "audio/wav"};
  }
  return {has_nul ? MediaType::Kind::binary : MediaType::Kind::text, {}};
}

}  // namespace berth::tools
