#include "providers/state/timestamp.h"

#include <cstdio>

namespace berth::state {
namespace {

using namespace std::chrono;

/// Takes characters off the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) noexcept : text_(text) {}

  bool done() const noexcept { return text_.empty(); }
  char front() const noexcept { return text_.empty() ? '\0' : text_.front(); }

  bool take(char c) noexcept {
    if (front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::optional<int> take_digits(int count) noexcept {
    int number = 0;
    for (int i = 0; i < count; ++i) {
      if (front() < '0' || front() > '9') return std::nullopt;
      number = number * 10 + (front() - '0');
      text_.remove_prefix(1);
    }
    return number;
  }

 private:
  std::string_view text_;
};

std::optional<microseconds> take_fraction(Scanner& scanner) {
  if (!scanner.take('.') && !scanner.take(',')) return microseconds{0};
  std::int64_t value = 0;
  std::int64_t unit = 1'000'000;
  int digits = 0;
  while (const auto digit = scanner.take_digits(1)) {
    ++digits;
    if (unit == 1) continue;  // finer than a microsecond
    unit /= 10;
    value += *digit * unit;
  }
  if (digits == 0) return std::nullopt;
  return microseconds{value};
}

std::optional<minutes> take_offset(Scanner& scanner) {
  if (scanner.done() || scanner.take('Z')) return minutes{0};
  const int sign = scanner.front() == '-' ? -1 : 1;
  if (!scanner.take('+') && !scanner.take('-')) return std::nullopt;
  const auto hours_part = scanner.take_digits(2);
  if (!hours_part) return std::nullopt;
  scanner.take(':');
  const auto minutes_part = scanner.done() ? std::optional(0) : scanner.take_digits(2);
  if (!minutes_part) return std::nullopt;
  return minutes{sign * (*hours_part * 60 + *minutes_part)};
}

}  // namespace

std::string format_timestamp(Timestamp time) {
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  char text[64];
  int size = std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                           static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                           static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                           static_cast<int>(clock.seconds().count()));
  if (const auto fraction = clock.subseconds().count(); fraction != 0) {
    size +=
        std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), ".%06d", static_cast<int>(fraction));
  }
  return std::string(text, static_cast<std::size_t>(size)) + "+00:00";
}

std::optional<Timestamp> try_parse_timestamp(std::string_view text) {
  Scanner scanner(text);
  const auto year_part = scanner.take_digits(4);
  if (!year_part || !scanner.take('-')) return std::nullopt;
  const auto month_part = scanner.take_digits(2);
  if (!month_part || !scanner.take('-')) return std::nullopt;
  const auto day_part = scanner.take_digits(2);
  if (!day_part || (!scanner.take('T') && !scanner.take(' '))) return std::nullopt;
  const auto hour_part = scanner.take_digits(2);
  if (!hour_part || !scanner.take(':')) return std::nullopt;
  const auto minute_part = scanner.take_digits(2);
  if (!minute_part || !scanner.take(':')) return std::nullopt;
  const auto second_part = scanner.take_digits(2);
  if (!second_part) return std::nullopt;
  const auto fraction = take_fraction(scanner);
  if (!fraction) return std::nullopt;
  const auto offset = take_offset(scanner);
  if (!offset || !scanner.done()) return std::nullopt;
  const year_month_day date{year{*year_part}, month{static_cast<unsigned>(*month_part)},
                            day{static_cast<unsigned>(*day_part)}};
  if (!date.ok() || *hour_part > 23 || *minute_part > 59 || *second_part > 59) return std::nullopt;
  return Timestamp(sys_days{date} + hours{*hour_part} + minutes{*minute_part} + seconds{*second_part} + *fraction -
                   *offset);
}

}  // namespace berth::state
