#include "providers/state/document_entry.h"

#include <algorithm>
#include <optional>

#include "base/base64.h"

namespace berth::state {
namespace {

constexpr std::string_view kBase64 = "base64";
constexpr std::string_view kExecutable = "100755";
constexpr std::string_view kRegular = "100644";
// That system needs both times; where a document has none, this stands for "not known".
constexpr std::string_view kUnknownTime = "1970-01-01T00:00:00+00:00";

bool is_storable_text(BytesView bytes) noexcept { return is_utf8(bytes) && bytes.find('\0') == BytesView::npos; }

/// What the members of an entry say, before they are put together: they come in any order.
struct Members {
  std::optional<Bytes> lines;  ///< joined with LF
  std::optional<std::string> created_at;
  std::optional<std::string> modified_at;
  std::optional<std::string> encoding;
  std::optional<std::string> git_mode;
  std::string extra;
};

Result<void> read_lines(JsonReader& reader, std::optional<Bytes>& lines) {
  if (lines) return reader.error("`content` is there twice");
  if (reader.peek() != '[') return reader.error("`content` is not an array of strings");
  BERTH_CHECK(reader.open_array());
  lines.emplace();
  for (bool first = true;; first = false) {
    BERTH_TRY(const bool more, reader.next_item());
    if (!more) return {};
    if (reader.peek() != '"') return reader.error("`content` holds something that is not a string");
    if (!first) *lines += '\n';
    BERTH_CHECK(reader.read_string(*lines));
  }
}

Result<void> read_text(JsonReader& reader, const std::string& name, std::optional<std::string>& value) {
  if (value) return reader.error("`" + name + "` is there twice");
  if (reader.peek() != '"') return reader.error("`" + name + "` is not a string");
  value.emplace();
  BERTH_CHECK(reader.read_string(*value));
  if (!is_storable_text(*value)) return reader.error("`" + name + "` is not text");
  return {};
}

Result<Members> read_members(JsonReader& reader) {
  if (reader.peek() != '{') return reader.error("it is not an object");
  BERTH_CHECK(reader.open_object());
  Members members;
  std::string name;
  while (true) {
    BERTH_TRY(const bool more, reader.next_member(name));
    if (!more) return members;
    if (name == "content") {
      BERTH_CHECK(read_lines(reader, members.lines));
    } else if (name == "created_at") {
      BERTH_CHECK(read_text(reader, name, members.created_at));
    } else if (name == "modified_at") {
      BERTH_CHECK(read_text(reader, name, members.modified_at));
    } else if (name == "encoding" && reader.peek() != 'n') {
      BERTH_CHECK(read_text(reader, name, members.encoding));
    } else if (name == "git_mode") {
      BERTH_CHECK(read_text(reader, name, members.git_mode));
    } else {
      BERTH_CHECK(reader.read_raw());
      // `"encoding": null` says no more than a missing one.
      if (name != "encoding") append_raw_member(members.extra, reader.last_member());
    }
  }
}

Result<Bytes> decode_content(Bytes lines, const std::optional<std::string>& encoding) {
  if (!encoding || *encoding == "utf-8") return lines;
  if (*encoding != kBase64) {
    return make_error(ErrorCode::invalid_argument, "`encoding` is neither \"base64\" nor missing");
  }
  std::erase(lines, '\n');
  auto bytes = try_decode_base64(lines);
  if (!bytes) return make_error(ErrorCode::invalid_argument, "`content` is base64 that does not decode");
  return *std::move(bytes);
}

Result<void> append_lines(CallWatch& watch, Bytes& json, BytesView text) {
  json += '[';
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    append_json_string(json, text.substr(0, end));
    BERTH_CHECK(watch.spend(end + 1));
    if (end == text.size()) break;
    json += ", ";
    text.remove_prefix(end + 1);
  }
  json += ']';
  return {};
}

}  // namespace

Result<StoredFile> parse_entry(JsonReader& reader) {
  BERTH_TRY(Members members, read_members(reader));
  if (!members.lines) return make_error(ErrorCode::invalid_argument, "it has no `content`");
  if (members.git_mode && *members.git_mode != kExecutable && *members.git_mode != kRegular) {
    return make_error(ErrorCode::invalid_argument, "`git_mode` is neither \"100644\" nor \"100755\"");
  }
  StoredFile file;
  BERTH_TRY(file.content, decode_content(*std::move(members.lines), members.encoding));
  file.modified_at = members.modified_at.value_or(members.created_at.value_or(std::string(kUnknownTime)));
  file.created_at = members.created_at.value_or(file.modified_at);
  file.git_mode = members.git_mode == kExecutable ? GitMode::executable : GitMode::regular;
  file.extra = std::move(members.extra);
  file.revision = revision_of(file.content);
  return file;
}

Result<void> append_entry(CallWatch& watch, Bytes& json, const StoredFile& file) {
  const bool is_text = is_storable_text(file.content);
  json += "{\"content\": ";
  if (is_text) {
    BERTH_CHECK(append_lines(watch, json, file.content));
  } else {
    json += "[\"" + encode_base64(file.content) + "\"]";
    BERTH_CHECK(watch.spend(file.content.size()));
  }
  json += ", \"created_at\": ";
  append_json_string(json, file.created_at);
  json += ", \"modified_at\": ";
  append_json_string(json, file.modified_at);
  if (!is_text) json += ", \"encoding\": \"base64\"";
  if (file.git_mode == GitMode::executable) json += ", \"git_mode\": \"100755\"";
  if (!file.extra.empty()) json += ", " + file.extra;
  json += '}';
  return {};
}

void append_raw_member(std::string& members, BytesView member) {
  if (!members.empty()) members += ", ";
  members += member;
}

}  // namespace berth::state
