#include "surface/mcp/protocol/resource_uri.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace berth::mcp {
namespace {

constexpr std::string_view kPrefix = "workspace:///";

// RFC 3986: what a path may hold as it is.
bool plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("-._~!$&'()*+,;=:@/").find(c) != std::string_view::npos;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 30> kTypes = {{
    {"c", "text/x-c"},
    {"cc", "text/x-c++"},
    {"cpp", "text/x-c++"},
    {"css", "text/css"},
    {"csv", "text/csv"},
    {"gif", "image/gif"},
    {"go", "text/x-go"},
    {"h", "text/x-c"},
    {"hpp", "text/x-c++"},
    {"htm", "text/html"},
    {"html", "text/html"},
    {"java", "text/x-java"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript"},
    {"json", "application/json"},
    {"md", "text/markdown"},
    {"mp3", "audio/mpeg"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"py", "text/x-python"},
    {"rs", "text/x-rust"},
    {"sh", "text/x-shellscript"},
    {"svg", "image/svg+xml"},
    {"toml", "application/toml"},
    {"ts", "text/x-typescript"},
    {"txt", "text/plain"},
    {"webp", "image/webp"},
    {"xml", "application/xml"},
    {"yaml", "application/yaml"},
}};

}  // namespace

std::string uri_of_path(BytesView path) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri(kPrefix);
  for (const char c : path) {
    if (plain(c)) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += '%';
      uri += kDigits[byte >> 4U];
      uri += kDigits[byte & 15U];
    }
  }
  return uri;
}

std::optional<Bytes> path_of_uri(std::string_view uri) {
  if (!uri.starts_with(kPrefix)) return std::nullopt;
  uri.remove_prefix(kPrefix.size());
  Bytes path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '?' || uri[i] == '#') return std::nullopt;
    if (uri[i] != '%') {
      path += uri[i];
      continue;
    }
    if (i + 2 >= uri.size()) return std::nullopt;
    const int high = hex_value(uri[i + 1]);
    const int low = hex_value(uri[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    path += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (path.empty()) return std::nullopt;
  return path;
}

std::string_view media_type_of(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  std::string ending(name.substr(dot + 1));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* const found =
      std::lower_bound(kTypes.begin(), kTypes.end(), ending,
                       [](const auto& type, const std::string& wanted) { return type.first < wanted; });
  return found != kTypes.end() && found->first == ending ? found->second : std::string_view{};
}

}  // namespace berth::mcp
