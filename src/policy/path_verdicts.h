#pragma once

#include <optional>
#include <string_view>

#include "path/path.h"
#include "path/sensitive_globs.h"
#include "policy/sensitive.h"

namespace berth {

/// The compiled sets of a SensitivePolicy and what they say of one path, taken for its name only.
class PathVerdicts {
 public:
  static Result<PathVerdicts> compile(const SensitivePolicy& policy);

  enum class Kind : std::uint8_t { open, is_protected, sensitive, hidden };

  /// The strictest set that holds the path.
  Kind kind(std::string_view path) const;

  /// Whether listings and searches leave the path out.
  bool is_kept_back(std::string_view path) const { return hide_.matches(path) || deny_.matches(path); }

  /// `not_found` for hidden paths, `policy_denied` for sensitive ones.
  Result<void> check_read(const Path& path) const;

  /// What a write does at a path that must exist, or may come to be.
  enum class Makes : std::uint8_t { nothing, path };

  /// As `check_read`, and `policy_denied` for protected paths and for hidden ones that would be made.
  Result<void> check_write(const Path& path, Makes makes) const;

 private:
  PathVerdicts(SensitiveGlobs deny, SensitiveGlobs protect, SensitiveGlobs hide)
      : deny_(std::move(deny)), protect_(std::move(protect)), hide_(std::move(hide)) {}

  SensitiveGlobs deny_;
  SensitiveGlobs protect_;
  SensitiveGlobs hide_;
};

/// The refusals, the same wherever they are made.
Error sensitive_error();
Error protected_error();
Error hidden_error();

}  // namespace berth
