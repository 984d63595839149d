#include "tools/error_sentence.h"

#include <cctype>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "tools/text.h"

namespace berth::tools {
namespace {

bool is_word_byte(char byte) {
  const auto letter = static_cast<unsigned char>(byte);
  return std::isalnum(letter) != 0 || letter == '_' || letter >= 0x80;
}

bool says(std::string_view message, std::string_view value) {
  if (value.empty()) return true;
  for (auto at = message.find(value); at != std::string_view::npos; at = message.find(value, at + 1)) {
    const auto end = at + value.size();
    if ((at == 0 || !is_word_byte(message[at - 1])) && (end == message.size() || !is_word_byte(message[end]))) {
      return true;
    }
  }
  return false;
}

// What the message or the next step says is not said twice.
void add_fact(std::vector<std::string>& facts, std::string_view message, const ErrorField& field) {
  const auto* number = std::get_if<std::int64_t>(&field.value);
  const auto value = number != nullptr ? std::to_string(*number) : std::get<std::string>(field.value);
  if (!says(message, value)) facts.push_back(fmt::format("{} {}", field.name, value));
}

}  // namespace

bool is_for_programs(std::string_view field) noexcept {
  return field == "argument" || field == "edit" || field == "errno" || field == "destination" ||
         field == "already_applied" || field == "approvals" || field.ends_with("_revision") ||
         field.ends_with("_token");
}

std::string error_sentence(const Error& error) {
  std::string text;
  if (!error.path.empty()) text += shown_name(error.path) + ": ";
  text += error.message.empty() ? std::string(error_info(error.code).name) : error.message;
  const auto said = fmt::format("{} {}", text, error.next_step());
  std::vector<std::string> facts;
  std::string places;
  for (const auto& field : error.fields) {
    if (is_for_programs(field.name)) continue;
    if (const auto* lines = std::get_if<std::vector<std::string>>(&field.value)) {
      for (const auto& line : *lines) places += "\n  " + line;
    } else {
      add_fact(facts, said, field);
    }
  }
  if (!facts.empty()) text += fmt::format(" ({})", fmt::join(facts, ", "));
  if (!error.next_step().empty()) text += fmt::format("; {}", error.next_step());
  return decode_utf8(text + places).text;
}

}  // namespace berth::tools
