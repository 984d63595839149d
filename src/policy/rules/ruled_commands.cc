#include <array>
#include <optional>
#include <span>

#include "policy/rules/command_text.h"
#include "policy/rules/rule_errors.h"
#include "policy/rules/rulings.h"

namespace berth {
namespace {

constexpr std::array kUses{Operation::read, Operation::write};

/// Looks at the words of one command as if they were paths.
class WordCheck {
 public:
  WordCheck(const Call& call, const CommandSpec& spec, FileReads* reads, const Rulings& rulings)
      : call_(call), spec_(spec), reads_(reads), rulings_(rulings) {}

  Result<void> operator()(const std::string& word) const {
    if (word.empty() || word.starts_with('-')) return {};
    BERTH_CHECK(call_.check());
    const bool absolute = word.starts_with('/');
    const auto path = parse_path(absolute ? word : spec_.cwd.text() + "/" + word, rulings_.root_names());
    for (const auto operation : kUses) {
      const auto verdict = path ? of_path(operation, *path) : of_place_outside(operation, word);
      if (!verdict || (path && !is_meant_as_path(word, *path))) continue;
      return refused(operation, word, *verdict);
    }
    return {};
  }

 private:
  // Defaults say nothing of words: most of them are no paths at all.
  static std::optional<RuleVerdict> if_denied(std::optional<RuleVerdict> verdict) {
    if (verdict && (verdict->rule == nullptr || verdict->action != RuleAction::deny)) return std::nullopt;
    return verdict;
  }

  std::optional<RuleVerdict> of_path(Operation operation, const Path& path) const {
    const auto& rules = rulings_.rules();
    if (auto denied = if_denied(rules.of_path(operation, path.text(), rulings_.root_names()))) return denied;
    if (reads_ == nullptr) return std::nullopt;
    const auto real = reads_->real_path(call_, path);
    if (!real || *real == path) return std::nullopt;
    return if_denied(rules.of_path(operation, real->text(), rulings_.root_names()));
  }

  std::optional<RuleVerdict> of_place_outside(Operation operation, const std::string& word) const {
    static const std::array<std::string, 1> kRoot{"/"};
    if (!word.starts_with('/')) return std::nullopt;
    const auto place = parse_path(word, kRoot);
    if (!place) return std::nullopt;
    return if_denied(rulings_.rules().of_text(operation, place->is_root() ? "/" : "/" + place->text()));
  }

  bool is_meant_as_path(const std::string& word, const Path& path) const {
    if (reads_ == nullptr || reads_->stat(call_, path, FollowLeaf::no)) return true;
    const bool spelled_as_path = word.find('/') != std::string::npos || word.starts_with('.');
    return spelled_as_path && (path.parent().is_root() || reads_->stat(call_, path.parent(), FollowLeaf::yes));
  }

  static Error refused(Operation operation, const std::string& word, const RuleVerdict& verdict) {
    auto error = denied_by_rule(operation, verdict);
    error.message = "the command names a path, and " + error.message;
    return std::move(error).with("target", word);
  }

  const Call& call_;
  const CommandSpec& spec_;
  FileReads* reads_;
  const Rulings& rulings_;
};

}  // namespace

Result<void> check_command(const Call& call, const CommandSpec& spec, FileReads* reads, const Rulings& rulings) {
  for (const auto& text : command_texts(spec)) {
    const auto verdict = rulings.rules().of_command(text);
    if (verdict.action == RuleAction::deny) return denied_by_rule(Operation::execute, verdict);
  }
  if (!rulings.may_deny(Operation::read) && !rulings.may_deny(Operation::write)) return {};
  const WordCheck check(call, spec, reads, rulings);
  for (const auto& word : command_words(spec)) BERTH_CHECK(check(word));
  return {};
}

}  // namespace berth
