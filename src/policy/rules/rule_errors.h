#pragma once

#include <span>
#include <string_view>

#include "base/error.h"
#include "policy/rules/approval.h"
#include "policy/rules/rule_set.h"

namespace berth {

/// `policy_denied` with the rule's description. Fields: `policy` (`rules`), `operation`, and `rule`, the pattern or
/// group that denies, when it was no default.
Error denied_by_rule(Operation operation, const RuleVerdict& verdict);

/// `approval_required` for what is not approved. Fields: `operation` and `target` of the first, `targets` of all when
/// they are several, `rule`, and `approvals`, the keys to grant (see HeldApprovals).
Error approval_required(const ApprovalRequest& request);

/// `policy_denied`: the user was asked and said no. The field `refused` is "true".
Error approval_refused(const ApprovalRequest& request, std::string_view reason);

/// What an operation does, for sentences: "reading this path".
std::string_view doing(Operation operation) noexcept;

}  // namespace berth
