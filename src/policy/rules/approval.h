#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/result.h"
#include "policy/rules/rule_spec.h"

namespace berth {

/// Something a tool call is about to do and that rules say to ask about.
struct ApprovalTarget {
  Operation operation = Operation::read;
  std::string target;       ///< the path as the caller wrote it, or the whole command
  std::string real;         ///< where the path leads, from the root; empty for commands
  std::string pattern;      ///< of the rule that asks; empty: a default asks
  std::string description;  ///< of the rule; may be empty

  /// Names what would be approved: equal for the same operation on the same real path, however it is spelled.
  std::string key() const;

  bool operator==(const ApprovalTarget&) const = default;
};

/// One question: everything that one tool call needs a yes for, never empty.
struct ApprovalRequest {
  std::vector<ApprovalTarget> targets;

  bool operator==(const ApprovalRequest&) const = default;
};

/// What was answered.
struct Approval {
  enum class Answer : std::uint8_t {
    refused,
    once,        ///< this call only
    for_session  ///< this call, and later ones that ask for the same
  };

  Answer answer = Answer::refused;
  std::string reason;  ///< of a refusal, in the user's words; may be empty

  bool operator==(const Approval&) const = default;
};

/// Puts a question to whoever may approve.
class Approver {
 public:
  virtual ~Approver() = default;

  /// Ask, and wait for the answer. Honours `call.deadline` and `call.stop` (`timed_out`, `cancelled`); any error means
  /// that nothing was approved. Called from several threads at once, for several calls.
  virtual Result<Approval> approve(const Call& call, const ApprovalRequest& request) = 0;
};

/// The approvals that a conversation holds already: given before the call, by the key that an `approval_required` error
/// carries in its field `approvals`. Safe from many threads at once.
class HeldApprovals {
 public:
  enum class Use : std::uint8_t { once, always };

  void grant(const std::string& key, Use use = Use::once);

  /// Approve whatever one call asks about, by its `Call::trace_id`: for clients that asked their user about the call
  /// before they made it. An empty id names no call. Held until `end_call`.
  void grant_call(const std::string& trace_id);
  void end_call(const std::string& trace_id);
  bool covers_call(const std::string& trace_id) const;

  /// Whether all of these are held; those for one use are used up then, else none is.
  bool take(const std::vector<ApprovalTarget>& targets);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Use> held_;
  std::set<std::string> calls_;
};

}  // namespace berth
