#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth {

/// Decides which paths a policy keeps back (C-POL-2).
///
/// A glob without a slash is matched against every component of the path; one with a slash, also at its front, against
/// the whole path and each of its parents, and its `*` and `?` take slashes too, `**/` zero or more directories. A
/// trailing slash is dropped. ASCII letters are equal in both cases. What lies below a denied path is denied.
///
/// An allow glob takes back what the deny globs say of the path, or the parent, that it matches: `.env.example` is
/// allowed where `.env.*` is denied, and still denied inside `.ssh`. An allow glob with a slash that matches the whole
/// path allows it whatever its parents are.
///
/// Immutable; safe from many threads; time is path times globs for every input, and most globs (`name`, `*end`,
/// `start*`) cost one comparison a component.
class SensitiveGlobs {
 public:
  /// Compile. `invalid_argument` for a glob that is empty or holds a reversed range: a list that guards nothing must
  /// not go unnoticed. The field `glob` names it.
  static Result<SensitiveGlobs> compile(std::span<const std::string> deny, std::span<const std::string> allow);

  ~SensitiveGlobs();
  SensitiveGlobs(SensitiveGlobs&&) noexcept;
  SensitiveGlobs& operator=(SensitiveGlobs&&) noexcept;

  /// Whether a root-relative path is kept back. The root itself (".", or empty) never is.
  bool matches(std::string_view path) const;

  /// Whether there is any deny glob at all.
  bool empty() const noexcept;

 private:
  struct Program;
  explicit SensitiveGlobs(std::unique_ptr<const Program> program);

  std::unique_ptr<const Program> program_;
};

}  // namespace berth
