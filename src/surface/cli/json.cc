#include <chrono>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/base64.h"
#include "surface/cli/json_internal.h"

namespace berth::cli {

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

std::string_view kind_name(FileKind kind) {
  switch (kind) {
    case FileKind::file: return "file";
    case FileKind::directory: return "directory";
    case FileKind::symlink: return "symlink";
    case FileKind::other: return "other";
  }
  return "other";
}

std::string_view git_mode_name(GitMode mode) { return mode == GitMode::executable ? "100755" : "100644"; }

Json to_json(const FileStat& stat) {
  using namespace std::chrono;
  const auto whole = floor<seconds>(stat.modified_at);
  Json object = {{"kind", kind_name(stat.kind)}, {"size", stat.size}, {"mode", fmt::format("{:04o}", stat.mode)}};
  if (stat.git_mode) object["git_mode"] = git_mode_name(*stat.git_mode);
  object["modified_at"] = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(system_clock::to_time_t(whole)),
                                      (stat.modified_at - whole).count());
  if (stat.link_target) {
    put_bytes(object, "link_target", *stat.link_target);
    object["target_is_directory"] = stat.target_is_directory;
  }
  object["token"] = stat.token.text;
  return object;
}

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

Json to_json(const StreamOutput& output) {
  Json object = Json::object();
  put_bytes(object, "head", output.head);
  if (output.dropped_bytes() > 0) {
    put_bytes(object, "tail", output.tail);
    object["dropped_bytes"] = output.dropped_bytes();
  }
  object["total_bytes"] = output.total_bytes;
  return object;
}

Json to_json(const std::vector<Unreadable>& unreadable) {
  Json list = Json::array();
  for (const auto& one : unreadable) {
    Json object = path_object(one.path.text());
    object["code"] = error_info(one.code).name;
    list.push_back(std::move(object));
  }
  return list;
}

void print_json(Session& session, const Json& object) {
  session.console.out(object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace berth::cli
