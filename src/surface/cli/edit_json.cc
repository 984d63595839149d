#include "surface/cli/edit_json.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/base64.h"

namespace berth::cli {
namespace {

Error wrong(std::string what) { return make_error(ErrorCode::invalid_argument, std::move(what)); }

Result<Edit> edit_from_json(const Json& item) {
  if (!item.is_object()) return wrong("it is no object");
  Edit edit;
  std::optional<Bytes> old_text;
  std::optional<Bytes> new_text;
  for (const auto& [key, value] : item.items()) {
    BERTH_TRY(const bool is_old, take_bytes(key, value, "old", old_text));
    if (is_old) continue;
    BERTH_TRY(const bool is_new, take_bytes(key, value, "new", new_text));
    if (is_new) continue;
    if (key == "count") {
      if (!value.is_number_integer()) return wrong("`count` is no whole number");
      edit.expected_count = value.get<std::int64_t>();
    } else if (key == "all") {
      if (!value.is_boolean()) return wrong("`all` is neither true nor false");
      if (value.get<bool>()) edit.count = Edit::Count::all;
    } else {
      return wrong(fmt::format("unknown key `{}`", decode_utf8(key).text));
    }
  }
  if (!old_text || !new_text) return wrong("it needs `old` and `new`");
  edit.old_text = *std::move(old_text);
  edit.new_text = *std::move(new_text);
  return edit;
}

}  // namespace

Result<Json> parse_json(BytesView text, std::string_view what) {
  auto document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return wrong(fmt::format("{} are no JSON", what));
  return document;
}

Result<bool> take_bytes(std::string_view key, const Json& value, std::string_view name, std::optional<Bytes>& into) {
  if (!key.starts_with(name)) return false;
  const auto suffix = key.substr(name.size());
  if (!suffix.empty() && suffix != "_b64") return false;
  if (into) return wrong(fmt::format("`{}` is given twice", name));
  if (!value.is_string()) return wrong(fmt::format("`{}` is no string", key));
  into = value.get<std::string>();
  if (suffix.empty()) return true;
  into = try_decode_base64(*into);
  if (!into) return wrong(fmt::format("`{}` is no base64", key));
  return true;
}

Result<std::vector<Edit>> edits_from_json(const Json& list) {
  if (!list.is_array()) return wrong("the edits are no JSON array");
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto edit = edit_from_json(list[i]);
    if (!edit) return wrong(fmt::format("edit {}: {}", i, edit.error().message));
    edits.push_back(*std::move(edit));
  }
  return edits;
}

}  // namespace berth::cli
