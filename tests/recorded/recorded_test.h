#pragma once

#include <algorithm>
#include <cctype>
#include <ostream>

#include <gmock/gmock.h>

#include "recorded_case.h"
#include "world.h"

namespace berth::recorded {

inline void PrintTo(const Case& one, std::ostream* stream) { *stream << one.name; }

/// The name of a case as GoogleTest takes it.
inline std::string test_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return name;
}

/// Make the calls of a case in order and compare each answer, the files left behind and the tools offered.
void run_case(const Case& one, World& world);

}  // namespace berth::recorded
