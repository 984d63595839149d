#include "providers/state/timestamp.h"

#include <gtest/gtest.h>

namespace berth::state {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

constexpr Timestamp kDay = sys_days{2026y / January / 31};

TEST(FormatTimestamp, writes_what_isoformat_writes) {
  EXPECT_EQ(format_timestamp(kDay + 9h + 5min + 120us), "2026-01-31T09:05:00.000120+00:00");
  EXPECT_EQ(format_timestamp(kDay + 23h + 59min + 59s), "2026-01-31T23:59:59+00:00");
  EXPECT_EQ(format_timestamp(Timestamp(-1us)), "1969-12-31T23:59:59.999999+00:00");
}

TEST(TryParseTimestamp, reads_iso_8601) {
  const Timestamp expected = kDay + 9h + 5min + 120us;
  for (const char* text :
       {"2026-01-31T09:05:00.000120+00:00", "2026-01-31T09:05:00.00012Z", "2026-01-31 09:05:00.000120",
        "2026-01-31T11:35:00.0001209+02:30", "2026-01-31T07:05:00.000120-02", "2026-01-31T09:05:00,00012+0000"}) {
    EXPECT_EQ(try_parse_timestamp(text), expected) << text;
  }
}

TEST(TryParseTimestamp, gives_nothing_for_anything_else) {
  for (const char* text :
       {"", "yesterday", "2026-01-31", "2026-02-30T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T09:05",
        "2026-01-31T09:05:00.Z", "2026-01-31T09:05:00+", "2026-01-31T09:05:00Zx", "12026-01-31T09:05:00Z"}) {
    EXPECT_EQ(try_parse_timestamp(text), std::nullopt) << text;
  }
}

TEST(TryParseTimestamp, reads_what_format_writes) {
  for (std::int64_t i = 0; i < 2000; ++i) {
    const Timestamp time{microseconds(i * 998'244'353'123 + i % 7)};
    EXPECT_EQ(try_parse_timestamp(format_timestamp(time)), time);
  }
}

}  // namespace
}  // namespace berth::state
