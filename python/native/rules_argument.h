#pragma once

#include <memory>
#include <optional>
#include <string>

#include "policy/rules/rule_set.h"

namespace berth::python {

/// Rules as a JSON object, `preset:NAME`, or the name of a host file; null for nothing. Raises for what is no rules.
std::shared_ptr<const RuleSet> rules_arg(const std::optional<std::string>& rules);

}  // namespace berth::python
