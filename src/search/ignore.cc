#include "search/ignore.h"

#include <iterator>
#include <string>

#include "search/ignore_rules.h"

namespace berth::search {

struct IgnoreLevel::Rules {
  std::shared_ptr<const IgnoreLevel> parent;
  std::size_t prefix = 0;         ///< bytes of a path up to what is below this level's directory
  std::vector<IgnoreRule> rules;  ///< a later one wins
};

IgnoreLevel::IgnoreLevel(std::unique_ptr<const Rules> rules) : rules_(std::move(rules)) {}
IgnoreLevel::~IgnoreLevel() = default;

std::shared_ptr<const IgnoreLevel> IgnoreLevel::make(std::shared_ptr<const IgnoreLevel> parent,
                                                     std::string_view directory, BytesView exclude_text,
                                                     BytesView gitignore_text, BytesView ignore_text) {
  auto rules = std::make_unique<Rules>();
  for (const BytesView text : {exclude_text, gitignore_text, ignore_text}) {
    auto more = parse_ignore_rules(text.substr(0, kMaxTextBytes));
    std::move(more.begin(), more.end(), std::back_inserter(rules->rules));
  }
  // A level without rules decides nothing, so its parent can stand for it.
  if (rules->rules.empty() && parent) return parent;
  rules->parent = std::move(parent);
  rules->prefix = directory == "." ? 0 : directory.size() + 1;
  return std::shared_ptr<const IgnoreLevel>(new IgnoreLevel(std::move(rules)));
}

std::size_t IgnoreLevel::rule_count() const noexcept {
  return rules_->rules.size() + (rules_->parent ? rules_->parent->rule_count() : 0);
}

bool IgnoreLevel::is_ignored(std::string_view path, Kind kind) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const IgnoreLevel* level = this; level != nullptr; level = level->rules_->parent.get()) {
    const auto& [parent, prefix, rules] = *level->rules_;
    const std::string_view below = path.substr(prefix);
    for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule) {
      if (rule->wants_directory() && kind != Kind::directory) continue;
      if (rule->matches(name, below)) return !rule->is_negated();
    }
  }
  return false;
}

}  // namespace berth::search
