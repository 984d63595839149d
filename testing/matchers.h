#pragma once

#include <ostream>

#include <gmock/gmock.h>

#include "base/result.h"

namespace berth {

/// Failed expectations show the error instead of the bytes of the object.
template <typename T>
void PrintTo(const Result<T>& result, std::ostream* stream) {
  if (result.has_value()) {
    *stream << "a value";
  } else {
    *stream << error_info(result.error().code).name << ": " << to_string(result.error());
  }
}

}  // namespace berth

namespace berth::testing {

/// A Result that holds a value; prints the error otherwise.
MATCHER(IsOk, "is a value") {
  if (!arg.has_value()) *result_listener << "error " << to_string(arg.error());
  return arg.has_value();
}

/// A Result that failed with a code.
MATCHER_P(FailsWith, code, std::string("fails with ") + std::string(error_info(code).name)) {
  if (arg.has_value()) {
    *result_listener << "it succeeded";
    return false;
  }
  *result_listener << "error " << error_info(arg.error().code).name << ": " << to_string(arg.error());
  return arg.error().code == code;
}

}  // namespace berth::testing
