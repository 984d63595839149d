#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"

namespace berth::cli {

/// What a piece of text is, for its colour.
enum class Tone : std::uint8_t { plain, path, directory, link, program, number, match, added, removed, good, bad, dim };

/// Where output goes. Text for people is coloured on a terminal only, and names that a terminal would act on are
/// escaped there; into a pipe or a file every byte goes as it is. One thread at a time.
class Console {
 public:
  /// `when` is auto, always or never. `auto` honours NO_COLOR (any value but an empty one) and TERM=dumb.
  void set_color(std::string_view when);

  /// Append to standard output.
  void out(std::string_view bytes);
  void out(Tone tone, std::string_view text);
  /// A name or a line of content, made safe for a terminal.
  void out_name(Tone tone, std::string_view bytes);
  /// Write a line to standard error, after what standard output holds.
  void note(std::string_view line);
  /// Say why a call failed: `berth: PATH: message`, the facts, and the next step.
  void error(const Error& error);

  /// Hand everything to the system. False when standard output took not all of it; `write_errno` says why.
  bool flush();
  int write_errno() const noexcept { return write_errno_; }

  bool out_is_terminal() const noexcept { return out_is_terminal_; }
  bool err_is_terminal() const noexcept { return err_is_terminal_; }

 private:
  bool out_is_terminal_ = false;
  bool err_is_terminal_ = false;
  bool color_out_ = false;
  bool color_err_ = false;
  int write_errno_ = 0;
  std::string held_;  ///< for standard output
};

/// Escape what a terminal would act on (control characters) and bytes that are not UTF-8: `\n`, `\x1b`, `\xff`.
std::string escape_for_terminal(std::string_view bytes);

}  // namespace berth::cli
