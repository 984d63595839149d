#include "tools/text.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/error_sentence.h"

namespace berth::tools {
namespace {

bool is_plain(BytesView name) {
  return !name.empty() && is_utf8(name) && std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' || c == '\\';
  });
}

void add_fact(std::string& text, const ErrorField& field) {
  if (is_for_programs(field.name)) return;
  if (const auto* lines = std::get_if<std::vector<std::string>>(&field.value)) {
    text += fmt::format("\n{}:", field.name);
    for (const auto& line : *lines) text += "\n  " + line;
  } else if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
    text += fmt::format("\n{}: {}", field.name, *number);
  } else {
    text += fmt::format("\n{}: {}", field.name, std::get<std::string>(field.value));
  }
}

}  // namespace

std::string shown_name(BytesView name) {
  if (is_plain(name)) return std::string(name);
  std::string quoted = "\"";
  for (std::size_t i = 0; i < name.size();) {
    const auto byte = static_cast<unsigned char>(name[i]);
    const auto length = utf8_length_at(name, i);
    if (byte == '\n') {
      quoted += "\\n";
    } else if (byte == '\t') {
      quoted += "\\t";
    } else if (byte == '"' || byte == '\\') {
      quoted += '\\';
      quoted += name[i];
    } else if (length == 0 || byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += name.substr(i, length);
    }
    i += std::max<std::size_t>(length, 1);
  }
  return quoted + "\"";
}

std::string error_text(const Error& error) {
  std::string text = fmt::format("Error ({}): ", error_info(error.code).name);
  if (!error.path.empty()) text += shown_name(error.path) + ": ";
  text += error.message.empty() ? std::string(error_info(error.code).name) : error.message;
  for (const auto& field : error.fields) add_fact(text, field);
  if (!error.next_step().empty()) text += fmt::format("\nNext: {}", error.next_step());
  return decode_utf8(text).text;
}

std::string diff_text(BytesView diff, bool was_cut) {
  auto text = decode_utf8(diff).text;
  if (was_cut) return text + "... (the diff is longer)";
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

std::string line_excerpt(BytesView line, std::size_t max_bytes) {
  if (line.size() <= max_bytes) return decode_utf8(line).text;
  return decode_utf8(utf8_prefix(line, max_bytes)).text + fmt::format("… ({} bytes)", line.size());
}

}  // namespace berth::tools
