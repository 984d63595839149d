#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "providers/state/document_entry.h"
#include "providers/state/document_format.h"
#include "providers/state/json_reader.h"

namespace berth::state {
namespace {

constexpr std::size_t kMaxDirectoryBytes = 64 * 1024 * 1024;
/// Of putting a name in its place, in the bytes that take as long.
constexpr std::size_t kEntryCost = 256;

/// Normalise a name of the document to `Path::text()`, as Python's posixpath does below `/`.
std::string normalise(std::string_view name) {
  std::vector<std::string_view> components;
  while (!name.empty()) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    const std::string_view component = name.substr(0, slash);
    name.remove_prefix(std::min(slash + 1, name.size()));
    if (component.empty() || component == ".") continue;
    if (component != "..") {
      components.push_back(component);
    } else if (!components.empty()) {
      components.pop_back();
    }
  }
  std::string path;
  for (const std::string_view component : components) {
    if (!path.empty()) path += '/';
    path += component;
  }
  return path.empty() ? "." : path;
}

class DocumentParser {
 public:
  DocumentParser(const Call& call, BytesView json) : watch_(call), json_(json), reader_(call, json) {}

  Result<Document> parse() {
    BERTH_TRY(const bool utf8, json_is_utf8());
    if (!utf8) return make_error(ErrorCode::invalid_argument, "the document is not UTF-8");
    if (json_.empty()) return make_error(ErrorCode::invalid_argument, "the document is empty, not even {}");
    BERTH_CHECK(reader_.open_object());
    bool has_files = false;
    bool has_directories = false;
    std::string extra;
    Bytes key;
    while (true) {
      BERTH_TRY(const bool more, reader_.next_member(key));
      if (!more) break;
      if (key == "files") {
        if (std::exchange(has_files, true)) return reader_.error("`files` is there twice");
        BERTH_CHECK(parse_files());
      } else if (key == "directories") {
        if (std::exchange(has_directories, true)) return reader_.error("`directories` is there twice");
        BERTH_CHECK(parse_directories());
      } else {
        BERTH_CHECK(reader_.read_raw());
        append_raw_member(extra, reader_.last_member());
      }
    }
    BERTH_CHECK(reader_.finish());
    if (!has_files) return make_error(ErrorCode::invalid_argument, "this is no workspace document: it has no `files`");
    BERTH_CHECK(add_directories());
    document_.set_extra(std::move(extra));
    return std::move(document_);
  }

 private:
  Result<bool> json_is_utf8() {
    for (BytesView rest = json_; !rest.empty();) {
      const BytesView piece = utf8_prefix(rest, CallWatch::kLookBytes);
      if (piece.empty() || !is_utf8(piece)) return false;
      BERTH_CHECK(watch_.spend(piece.size()));
      rest.remove_prefix(piece.size());
    }
    return true;
  }

  Result<void> parse_files() {
    if (reader_.peek() != '{') return reader_.error("`files` is not an object");
    BERTH_CHECK(reader_.open_object());
    std::map<std::string, std::string> names;
    Bytes name;
    while (true) {
      BERTH_TRY(const bool more, reader_.next_member(name));
      if (!more) break;
      BERTH_TRY(std::string path, check_name(name));
      if (path == ".") return in_entry(name, "a file cannot be the root");
      const auto [known, is_new] = names.try_emplace(path, name);
      if (!is_new && known->second == name) return in_entry(name, "the file is there twice");
      if (!is_new) return in_entry(name, "the file is the same path as " + shown(known->second));
      auto file = parse_entry(reader_);
      if (!file && file.error().code != ErrorCode::invalid_argument) return std::move(file).error();
      if (!file) return in_entry(name, std::move(file.error().message));
      BERTH_CHECK(watch_.spend(file->content.size()));
      files_.emplace_back(std::move(path), std::make_shared<const StoredFile>(*std::move(file)));
    }
    return {};
  }

  Result<void> parse_directories() {
    if (reader_.peek() != '[') return reader_.error("`directories` is not an array");
    BERTH_CHECK(reader_.open_array());
    while (true) {
      BERTH_TRY(const bool more, reader_.next_item());
      if (!more) return {};
      if (reader_.peek() != '"') return reader_.error("`directories` holds something that is not a string");
      Bytes name;
      BERTH_CHECK(reader_.read_string(name));
      BERTH_TRY(std::string path, check_name(name));
      directories_.push_back(std::move(path));
    }
  }

  /// Put files and directories together, once both are known: the members may come in any order.
  Result<void> add_directories() {
    for (auto& [path, file] : files_) {
      BERTH_CHECK(check_room(path));
      BERTH_CHECK(watch_.spend(kEntryCost));
      document_.put_file(path, std::move(file));
    }
    for (const std::string& path : directories_) {
      BERTH_CHECK(check_room(path));
      BERTH_CHECK(watch_.spend(kEntryCost));
      document_.put_directory(path);
    }
    for (const auto& [path, file] : document_.files()) {
      if (document_.is_directory(path)) return in_entry("/" + path, "a file cannot be a directory too");
    }
    return {};
  }

  Result<void> check_room(const std::string& path) {
    // One name adds at most half its length times its length.
    if (document_.directory_bytes() <= std::max(kMaxDirectoryBytes, json_.size())) return {};
    return in_entry("/" + path, "the names of the directories take too much room");
  }

  static Result<std::string> check_name(const Bytes& name) {
    std::string path = normalise(name);
    auto checked = parse_path(path, {});
    if (!checked) return in_entry(name, "this cannot be a path: " + checked.error().message);
    return path;
  }

  static std::string shown(std::string_view name) { return "\"" + decode_utf8(utf8_prefix(name, 200)).text + "\""; }

  static Error in_entry(std::string_view name, std::string message) {
    return make_error(ErrorCode::invalid_argument, "in the entry " + shown(name) + ": " + std::move(message))
        .with("entry", decode_utf8(name).text);
  }

  CallWatch watch_;
  BytesView json_;
  JsonReader reader_;
  Document document_;
  std::vector<std::pair<std::string, std::shared_ptr<const StoredFile>>> files_;
  std::vector<std::string> directories_;
};

}  // namespace

Result<Document> parse_document(const Call& call, BytesView json) { return DocumentParser(call, json).parse(); }

}  // namespace berth::state
