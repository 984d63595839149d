#include "search/ignore_rules.h"

namespace berth::search {
namespace {

/// Cut blanks off the end, but not one that a backslash protects.
std::string_view trim_trailing_blanks(std::string_view line) noexcept {
  std::size_t blanks = std::string_view::npos;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == ' ') {
      if (blanks == std::string_view::npos) blanks = at;
      continue;
    }
    if (line[at] == '\\' && ++at == line.size()) return line;
    blanks = std::string_view::npos;
  }
  return line.substr(0, blanks);
}

}  // namespace

std::optional<IgnoreRule> IgnoreRule::parse(std::string_view line) {
  // Git holds lines as C strings.
  line = line.substr(0, line.find('\0'));
  if (line.starts_with('#')) return std::nullopt;
  std::string_view pattern = trim_trailing_blanks(line);
  if (pattern.empty()) return std::nullopt;

  IgnoreRule rule;
  if (pattern.starts_with('!')) {
    rule.negated_ = true;
    pattern.remove_prefix(1);
  }
  if (pattern.ends_with('/')) {
    rule.directory_only_ = true;
    pattern.remove_suffix(1);
  }
  rule.subject_ = pattern.find('/') == std::string_view::npos ? Subject::name : Subject::path;
  if (pattern.starts_with('/')) pattern.remove_prefix(1);

  const auto wildcard = pattern.find_first_of("*?[\\");
  if (wildcard == std::string_view::npos) {
    rule.literal_ = pattern;
  } else if (rule.subject_ == Subject::path) {
    // Git compares the ordinary bytes first and matches the rest on its own, so a `**` there counts as the beginning.
    rule.literal_ = pattern.substr(0, wildcard);
    rule.wildcards_.emplace(pattern.substr(wildcard), SlashRule::apart);
  } else if (pattern[0] == '*' && pattern.find_first_of("*?[\\", 1) == std::string_view::npos) {
    rule.is_suffix_ = true;
    rule.suffix_ = pattern.substr(1);
  } else {
    rule.wildcards_.emplace(pattern, SlashRule::ordinary);
  }
  return rule;
}

bool IgnoreRule::matches(std::string_view name, std::string_view below) const {
  if (is_suffix_) return name.ends_with(suffix_);
  const std::string_view subject = subject_ == Subject::name ? name : below;
  if (!wildcards_) return subject == literal_;
  return subject.starts_with(literal_) && wildcards_->matches(subject.substr(literal_.size()));
}

std::vector<IgnoreRule> parse_ignore_rules(BytesView text) {
  std::vector<IgnoreRule> rules;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == BytesView::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (auto rule = IgnoreRule::parse(line)) rules.push_back(std::move(*rule));
  }
  return rules;
}

}  // namespace berth::search
