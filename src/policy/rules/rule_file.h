#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/rules/rule_set.h"

namespace berth {

/// How a file of rules is written. Both say the same things under the same names.
enum class RuleFormat { toml, json };

/// Read rules:
///
///     preset = "default"      # optional: what the file does not say, the preset says; rules of the file come first
///     default = "ask"         # of what no operation decides; "ask" when nothing says otherwise
///     glob = "allow"          # an operation: its default alone …
///     [write]                 # … or with rules
///     default = "deny"
///     rules = [
///       { pattern = "docs/**", action = "allow" },
///       { group = "secrets", action = "deny", description = "ask the owner for keys" },
///     ]
///
/// JSON as pydantic-ai-backends writes its rulesets is read as well; `null` is as good as absent.
/// `invalid_argument` for what is not understood, unknown and repeated keys too; the message begins with the line and
/// the key, and says what is right. Fields: `line`, `key` where there are such.
Result<RuleSet> parse_rules(std::string_view text, RuleFormat format);

/// Write rules as JSON that `parse_rules` reads back to the same value.
std::string to_json(const RuleSpec& spec);

/// Rules by name: `preset:NAME`, or a host file that ends with `.toml` or `.json`, of at most 1 MiB. Errors name the
/// file as written: those of `parse_rules`, `not_found`, `not_regular`, `too_large`, `permission_denied`.
Result<RuleSet> load_rules(std::string_view name);

}  // namespace berth
