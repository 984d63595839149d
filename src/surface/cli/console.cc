#include "surface/cli/console.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "surface/cli/standard_streams.h"

namespace berth::cli {
namespace {

constexpr std::size_t kMostHeld = 64 * 1024;

std::string_view escape_of(Tone tone) {
  switch (tone) {
    case Tone::plain: return "";
    case Tone::path: return "\x1b[35m";
    case Tone::directory: return "\x1b[1;34m";
    case Tone::link: return "\x1b[36m";
    case Tone::program: return "\x1b[1;32m";
    case Tone::number: return "\x1b[32m";
    case Tone::match: return "\x1b[1;31m";
    case Tone::added: return "\x1b[32m";
    case Tone::removed: return "\x1b[31m";
    case Tone::good: return "\x1b[32m";
    case Tone::bad: return "\x1b[1;31m";
    case Tone::dim: return "\x1b[2m";
  }
  return "";
}

std::string painted(bool color, Tone tone, std::string_view text) {
  const auto escape = color ? escape_of(tone) : std::string_view();
  if (escape.empty() || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", escape, text);
}

bool wants_color(std::string_view when, bool is_terminal) {
  if (when != "auto") return when == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return is_terminal && (no_color == nullptr || *no_color == '\0') &&
         (term == nullptr || std::string_view(term) != "dumb");
}

// The bytes of the character at the front; 0 when they are no UTF-8.
std::size_t character_length(std::string_view bytes) {
  if (static_cast<unsigned char>(bytes.front()) < 0x80) return 1;
  for (std::size_t length = 2; length <= 4 && length <= bytes.size(); ++length) {
    if (is_utf8(bytes.substr(0, length))) return length;
  }
  return 0;
}

std::string field_text(const ErrorField::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format(" {}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return fmt::format(" {}", escape_for_terminal(*text));
  std::string lines;
  for (const auto& line : std::get<std::vector<std::string>>(value))
    lines.append("\n    ").append(escape_for_terminal(line));
  return lines;
}

}  // namespace

std::string escape_for_terminal(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = character_length(bytes);
    const auto character = bytes.substr(0, std::max<std::size_t>(length, 1));
    const auto first = static_cast<unsigned char>(character.front());
    // U+0080 to U+009F are control characters as well.
    const bool is_c1 = length == 2 && first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
    if (first == '\n') {
      text += "\\n";
    } else if (first == '\t') {
      text += "\\t";
    } else if (length == 0 || is_c1 || first < 0x20 || first == 0x7f) {
      for (const char byte : character) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else {
      text += character;
    }
    bytes.remove_prefix(character.size());
  }
  return text;
}

void Console::set_color(std::string_view when) {
  out_is_terminal_ = isatty(STDOUT_FILENO) == 1;
  err_is_terminal_ = isatty(STDERR_FILENO) == 1;
  color_out_ = wants_color(when, out_is_terminal_);
  color_err_ = wants_color(when, err_is_terminal_);
}

void Console::out(std::string_view bytes) {
  if (held_.size() + bytes.size() <= kMostHeld) {
    held_ += bytes;
  } else if (flush()) {
    write_errno_ = write_whole(STDOUT_FILENO, bytes);
  }
}

void Console::out(Tone tone, std::string_view text) { out(painted(color_out_, tone, text)); }

void Console::out_name(Tone tone, std::string_view bytes) {
  out(tone, out_is_terminal_ ? escape_for_terminal(bytes) : std::string(bytes));
}

void Console::note(std::string_view line) {
  flush();
  // There is nowhere to say that this failed.
  (void)write_whole(STDERR_FILENO, fmt::format("{}\n", line));
}

void Console::error(const Error& error) {
  const auto name = [this](std::string_view bytes) {
    return err_is_terminal_ ? escape_for_terminal(bytes) : std::string(bytes);
  };
  std::string text = painted(color_err_, Tone::bad, "berth: ");
  if (!error.path.empty()) text.append(name(error.path)).append(": ");
  // A message may quote a name out of a document or an archive.
  text.append(name(error.message.empty() ? error_info(error.code).name : std::string_view(error.message)));
  for (const auto& field : error.fields) {
    if (field.name != "errno") text.append(fmt::format("\n  {}:{}", field.name, field_text(field.value)));
  }
  text.append("\n").append(painted(color_err_, Tone::dim, fmt::format("  next: {}", name(error.next_step()))));
  note(text);
}

bool Console::flush() {
  if (write_errno_ == 0) write_errno_ = write_whole(STDOUT_FILENO, held_);
  held_.clear();
  return write_errno_ == 0;
}

}  // namespace berth::cli
