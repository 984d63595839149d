#include "tools/json_values.h"

#include "base/base64.h"
#include "tools/value_fields.h"

namespace berth::tools {

void put_bytes(Json& object, std::string_view key, BytesView bytes) {
  auto decoded = decode_utf8(bytes);
  object[std::string(key)] = std::move(decoded.text);
  if (decoded.was_lossy) object[std::string(key) + "_b64"] = encode_base64(bytes);
}

Json path_object(std::string_view path) {
  Json object = Json::object();
  put_bytes(object, "path", path);
  return object;
}

Json to_json(const FileStat& stat) { return fields_of<FileStat>().write(stat); }

Json to_json(const StreamOutput& output) { return fields_of<StreamOutput>().write(output); }

Json to_json(const std::vector<Unreadable>& unreadable) { return Shape<std::vector<Unreadable>>::write(unreadable); }

Json to_json(const Error& error) {
  Json object = {{"code", error_info(error.code).name},
                 {"message", decode_utf8(error.message.empty() ? error_info(error.code).name : error.message).text}};
  if (!error.path.empty()) put_bytes(object, "path", error.path);
  object["hint"] = decode_utf8(error.next_step()).text;
  for (const auto& field : error.fields) {
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
      object[field.name] = *number;
    } else if (const auto* text = std::get_if<std::string>(&field.value)) {
      object[field.name] = decode_utf8(*text).text;
    } else {
      Json lines = Json::array();
      for (const auto& line : std::get<std::vector<std::string>>(field.value)) lines.push_back(decode_utf8(line).text);
      object[field.name] = std::move(lines);
    }
  }
  return object;
}

}  // namespace berth::tools
