#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace berth {

/// Names every way a call can fail. The set is closed; `error_table.inc` holds what each surface makes of a code.
enum class ErrorCode : std::uint8_t {
#define BERTH_ERROR(name, ...) name,
#include "base/error_table.inc"
#undef BERTH_ERROR
};

/// One row of the error table, as the surfaces need it.
struct ErrorInfo {
  ErrorCode code;
  std::string_view name;
  int http_status;
  int errno_value;
  std::string_view python_class;
  std::string_view python_base;
  int json_rpc_code;
  int exit_code;
  bool retryable;
  std::string_view hint;
};

/// List every row, in the order of the codes.
std::span<const ErrorInfo> error_table() noexcept;

/// Look up the row of one code.
const ErrorInfo& error_info(ErrorCode code) noexcept;

/// Find a code by its name; nothing when the name is not in the table.
std::optional<ErrorCode> try_error_code(std::string_view name) noexcept;

/// A fact that programs need beside the message: `expected_revision`, `total_bytes`, `places`, …
struct ErrorField {
  using Value = std::variant<std::int64_t, std::string, std::vector<std::string>>;

  std::string name;
  Value value;

  bool operator==(const ErrorField&) const = default;
};

/// Why a call failed.
///
/// `message` is one sentence without the path and without a final full stop; it never holds host paths outside the
/// root, names of temporary files, environment values or tokens. `path` is the path as the caller wrote it, empty when
/// the error is about no path. `hint` is the next step; empty means the one of the table.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string path;
  std::string hint;
  std::vector<ErrorField> fields;

  bool operator==(const Error&) const = default;

  /// Add a fact, replacing one of the same name. Returns the error, so that sites can chain.
  Error&& with(std::string name, ErrorField::Value value) &&;

  /// Name the path, when none is named yet.
  Error&& at(std::string_view as_written) &&;

  /// Find a fact by name; null when it is absent.
  const ErrorField::Value* field(std::string_view name) const noexcept;

  /// Give the next step: this error's own, or else its code's.
  std::string_view next_step() const noexcept;
};

/// Render an error for a person: `path: message; hint`.
std::string to_string(const Error& error);

/// Make an error. The message follows the rules of `Error::message`.
Error make_error(ErrorCode code, std::string message);

/// Map an errno value of a file system call to an error. `doing` is the attempted step as a verb phrase ("open the
/// file"); unknown values become `io` with the number in the field `errno`.
Error errno_error(int errno_value, std::string_view doing);

}  // namespace berth
