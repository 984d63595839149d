#include "os/temp_name.h"

#include <set>

#include <gtest/gtest.h>

namespace berth::os {
namespace {

TEST(TempName, HasItsShapeAndIsNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto name = make_temp_name();
    EXPECT_TRUE(is_temp_name(name)) << name;
    EXPECT_TRUE(seen.insert(name).second) << name;
  }
}

TEST(TempName, OnlyThatShapeIsOurs) {
  const std::string digits = "0123456789abcdef0123456789abcdef";
  EXPECT_TRUE(is_temp_name(".berth-tmp-" + digits));
  for (const auto& other : {std::string(), std::string(".berth-tmp-"), ".berth-tmp-" + digits + "0",
                            "berth-tmp-" + digits, ".berth-tmp-" + digits.substr(1), ".berth-tmp-G" + digits.substr(1),
                            ".berth-tmp-A" + digits.substr(1), ".Berth-tmp-" + digits}) {
    EXPECT_FALSE(is_temp_name(other)) << other;
  }
}

}  // namespace
}  // namespace berth::os
