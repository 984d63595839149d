#include "policy/rules/rule_spec.h"

#include <algorithm>

namespace berth {
namespace {

constexpr std::array<std::string_view, kOperations.size()> kOperationNames{"read", "write", "edit", "execute",
                                                                           "glob", "grep",  "ls"};
constexpr std::array<std::string_view, 3> kActionNames{"allow", "ask", "deny"};

template <typename Value, std::size_t size>
std::optional<Value> named(const std::array<std::string_view, size>& names, std::string_view name) noexcept {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Value>(found - names.begin());
}

}  // namespace

std::string_view operation_name(Operation operation) noexcept {
  return kOperationNames[static_cast<std::size_t>(operation)];
}

std::optional<Operation> operation_named(std::string_view name) noexcept {
  return named<Operation>(kOperationNames, name);
}

std::string_view action_name(RuleAction action) noexcept { return kActionNames[static_cast<std::size_t>(action)]; }

std::optional<RuleAction> action_named(std::string_view name) noexcept { return named<RuleAction>(kActionNames, name); }

RuleSpec denying_what_asks(RuleSpec spec) {
  const auto denied = [](RuleAction action) { return action == RuleAction::ask ? RuleAction::deny : action; };
  spec.fallback = denied(spec.fallback);
  for (auto& of : spec.operations) {
    if (of.fallback) of.fallback = denied(*of.fallback);
    for (auto& rule : of.rules) rule.action = denied(rule.action);
  }
  return spec;
}

}  // namespace berth
