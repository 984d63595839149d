#pragma once

#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"

namespace berth {

/// A value, or the error that stands for it. Spelled like `std::expected`, which C++20 does not have.
///
/// Reading the value of a failed result ends the program: it is a programming error, never an expected outcome.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& value() & { return require(), *std::get_if<0>(&state_); }
  const T& value() const& { return require(), *std::get_if<0>(&state_); }
  T&& value() && { return require(), std::move(*std::get_if<0>(&state_)); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error& error() & { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

  bool operator==(const Result&) const = default;

 private:
  void require() const {
    if (!has_value()) std::abort();
  }

  std::variant<T, Error> state_;
};

/// Success, or the error.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const noexcept { return !error_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }

  const Error& error() const& { return *error_; }
  Error& error() & { return *error_; }
  Error&& error() && { return std::move(*error_); }

  bool operator==(const Result&) const = default;

 private:
  std::optional<Error> error_;
};

}  // namespace berth

#define BERTH_CONCAT_INNER(a, b) a##b
#define BERTH_CONCAT(a, b) BERTH_CONCAT_INNER(a, b)

/// Evaluate a Result; declare `declaration` with its value, or return its error from the enclosing function.
#define BERTH_TRY(declaration, expression) \
  BERTH_TRY_AS(BERTH_CONCAT(berth_result_, __COUNTER__), declaration, expression)
#define BERTH_TRY_AS(name, declaration, expression) \
  auto name = (expression);                         \
  if (!name) return std::move(name).error();        \
  declaration = std::move(name).value()

/// Evaluate a Result<void> (or any Result whose value is not needed); return its error from the enclosing function.
#define BERTH_CHECK(expression)                                                               \
  do {                                                                                        \
    if (auto berth_check = (expression); !berth_check) return std::move(berth_check).error(); \
  } while (false)
