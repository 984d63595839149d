#include "providers/state/document_entry.h"
#include "providers/state/document_format.h"
#include "providers/state/json_reader.h"

namespace berth::state {

bool is_storable_name(std::string_view path) noexcept { return is_utf8(path); }

Bytes render_document(const Document& document) {
  Bytes json = "{\"files\": {";
  // A line for each file, so that a document under version control shows which files changed.
  std::string_view separator = "\n";
  for (const auto& [path, file] : document.files()) {
    json += separator;
    append_json_bytes(json, "/" + path);
    json += ": ";
    append_entry(json, *file);
    separator = ",\n";
  }
  json += document.files().empty() ? "}, \"directories\": [" : "\n}, \"directories\": [";
  separator = "";
  for (const std::string& path : document.directories()) {
    json += separator;
    append_json_bytes(json, "/" + path);
    separator = ", ";
  }
  json += ']';
  if (!document.extra().empty()) json += ", " + document.extra();
  json += "}\n";
  return json;
}

}  // namespace berth::state
