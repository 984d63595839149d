#include "tools/filesystem/exclusions.h"

#include <algorithm>

namespace berth::tools::filesystem {

Result<PathPattern> compile_pattern(std::string_view pattern, std::string_view argument) {
  auto compiled = PathPattern::compile(pattern, PatternGrammar::glob, LeadingDots::matched);
  if (!compiled) return std::move(compiled).error().with("argument", std::string(argument));
  return compiled;
}

Result<Exclusions> Exclusions::compile(const std::vector<std::string>& patterns, Reading reading) {
  Exclusions exclusions;
  for (const auto& pattern : patterns) {
    BERTH_TRY(auto compiled, compile_pattern(pattern, "excludePatterns"));
    exclusions.patterns_.push_back(std::move(compiled));
    if (reading == Reading::whole_paths || pattern.find('*') != std::string::npos) continue;
    BERTH_TRY(auto anywhere, compile_pattern("**/" + pattern, "excludePatterns"));
    exclusions.patterns_.push_back(std::move(anywhere));
  }
  return exclusions;
}

bool Exclusions::leave_out(std::string_view relative) const {
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const PathPattern& pattern) { return pattern.matches(relative); });
}

}  // namespace berth::tools::filesystem
