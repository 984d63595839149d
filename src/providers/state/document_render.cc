#include "providers/state/document_entry.h"
#include "providers/state/document_format.h"
#include "providers/state/json_reader.h"

namespace berth::state {

namespace {

/// Of writing an entry's times and mode, in the bytes that take as long.
constexpr std::size_t kEntryCost = 256;

}  // namespace

bool is_storable_name(std::string_view path) noexcept { return is_utf8(path); }

Result<Bytes> render_document(const Call& call, const Document& document) {
  CallWatch watch(call);
  Bytes json = "{\"files\": {";
  // A line for each file, so that a document under version control shows which files changed.
  std::string_view separator = "\n";
  for (const auto& [path, file] : document.files()) {
    json += separator;
    append_json_bytes(json, "/" + path);
    json += ": ";
    BERTH_CHECK(append_entry(watch, json, *file));
    BERTH_CHECK(watch.spend(path.size() + kEntryCost));
    separator = ",\n";
  }
  json += document.files().empty() ? "}, \"directories\": [" : "\n}, \"directories\": [";
  separator = "";
  for (const std::string& path : document.directories()) {
    json += separator;
    append_json_bytes(json, "/" + path);
    BERTH_CHECK(watch.spend(path.size()));
    separator = ", ";
  }
  json += ']';
  if (!document.extra().empty()) json += ", " + document.extra();
  json += "}\n";
  return json;
}

}  // namespace berth::state
