#pragma once

#include <string>
#include <vector>

#include "path/pattern.h"

namespace berth::tools::filesystem {

/// A pattern of this profile, names with a leading dot included.
Result<PathPattern> compile_pattern(std::string_view pattern, std::string_view argument);

/// What `excludePatterns` leave out.
class Exclusions {
 public:
  /// `whole_paths`: every pattern is matched against the whole path below the base. `names_anywhere`: one without `*`
  /// leaves out what has this name at any depth, too.
  enum class Reading { whole_paths, names_anywhere };

  static Result<Exclusions> compile(const std::vector<std::string>& patterns, Reading reading);

  bool leave_out(std::string_view relative) const;

 private:
  std::vector<PathPattern> patterns_;
};

}  // namespace berth::tools::filesystem
