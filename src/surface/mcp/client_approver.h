#pragma once

#include "policy/rules/approval.h"

namespace berth::mcp {

class Conversation;

/// Puts what permission rules ask about to the user of the client, by elicitation: accepting is a yes for this call,
/// declining or dismissing a no.
///
/// In the older era it waits for the answer, as long as the call and `ServiceOptions::answer_within` allow. In the
/// newer one the request is answered with the question; made again with an answer and the state that came with the
/// question, it goes on. That state is good for one answer to the same question.
///
/// A client that offers no elicitation by form is told what to do about it: `approval_required`.
class ClientApprover final : public Approver {
 public:
  explicit ClientApprover(Conversation& conversation) : conversation_(conversation) {}

  /// `call.trace_id` is the key of the request that the call belongs to.
  Result<Approval> approve(const Call& call, const ApprovalRequest& request) override;

 private:
  Conversation& conversation_;
};

}  // namespace berth::mcp
