#include "path/pattern.h"

#include <algorithm>

#include "path/brace_expand.h"
#include "path/pattern_segments.h"

namespace berth {
namespace {

constexpr std::size_t kMaxPatternBytes = 16 * 1024;

/// The leading directories two prefixes share.
std::string common_directories(const std::string& a, const std::string& b) {
  std::size_t end = 0;
  for (std::size_t i = 0;; ++i) {
    const bool a_ends = i == a.size() || a[i] == '/';
    const bool b_ends = i == b.size() || b[i] == '/';
    if (a_ends && b_ends) end = i;
    if (i == a.size() || i == b.size() || a[i] != b[i]) break;
  }
  return end == 0 ? "." : a.substr(0, end);
}

}  // namespace

struct PathPattern::Program {
  std::vector<SegmentedPattern> alternatives;
  bool is_everything = false;
  bool names_hidden = false;
  std::string literal_prefix;
};

PathPattern::PathPattern(std::unique_ptr<const Program> program) : program_(std::move(program)) {}
PathPattern::~PathPattern() = default;
PathPattern::PathPattern(PathPattern&&) noexcept = default;
PathPattern& PathPattern::operator=(PathPattern&&) noexcept = default;

Result<PathPattern> PathPattern::compile(std::string_view pattern, PatternGrammar grammar, LeadingDots dots) {
  const auto refuse = [](const char* why) { return make_error(ErrorCode::invalid_argument, why); };
  if (pattern.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos) return refuse("the pattern is blank");
  if (pattern.find('\0') != std::string_view::npos) return refuse("the pattern holds a NUL byte");
  if (pattern.size() > kMaxPatternBytes) return refuse("the pattern is longer than 16 KiB");
  if (dots == LeadingDots::by_grammar) {
    dots = grammar == PatternGrammar::glob ? LeadingDots::named : LeadingDots::matched;
  }
  std::vector<std::string> texts;
  if (grammar == PatternGrammar::glob) {
    BERTH_TRY(texts, expand_braces(pattern));
  } else {
    texts.emplace_back(pattern);
  }
  auto program = std::make_unique<Program>();
  for (const auto& text : texts) {
    BERTH_TRY(auto alternative, SegmentedPattern::parse(text, grammar, dots));
    program->is_everything = program->is_everything || alternative.is_everything();
    program->names_hidden = program->names_hidden || alternative.names_hidden();
    program->literal_prefix = program->alternatives.empty()
                                  ? alternative.literal_prefix()
                                  : common_directories(program->literal_prefix, alternative.literal_prefix());
    program->alternatives.push_back(std::move(alternative));
  }
  return PathPattern(std::move(program));
}

bool PathPattern::matches(std::string_view path) const {
  if (program_->is_everything) return path != ".";
  std::size_t steps = 0;
  return std::any_of(program_->alternatives.begin(), program_->alternatives.end(),
                     [&](const SegmentedPattern& alternative) { return alternative.matches(path, steps); });
}

bool PathPattern::may_match_below(std::string_view directory) const {
  return program_->is_everything ||
         std::any_of(program_->alternatives.begin(), program_->alternatives.end(),
                     [&](const SegmentedPattern& alternative) { return alternative.may_match_below(directory); });
}

bool PathPattern::names_hidden() const noexcept { return program_->names_hidden; }

const std::string& PathPattern::literal_prefix() const noexcept { return program_->literal_prefix; }

}  // namespace berth
