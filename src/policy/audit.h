#pragma once

#include <memory>
#include <string>

#include "policy/audit_log.h"
#include "workspace/backend.h"

namespace berth {

struct AuditOptions {
  /// What is recorded of a command's words besides the program and the digest.
  enum class Words : std::uint8_t { none, all };

  std::string actor;
  Words words = Words::none;
};

/// Record every mutation and command that is asked for, refused and failed ones too (C-POL-5). As the outermost policy
/// it sees what the others refuse.
///
/// An event is recorded when the call has ended. When the log does not take it, the call still tells what happened, the
/// event is kept in memory and tried again first thing at the next change or command; until the log takes it, those are
/// refused with `unavailable` before they start. So what is lost when the log fails and the process dies is at most
/// the calls that were under way then. `log` may be shared by many workspaces.
std::unique_ptr<Backend> make_audited(std::unique_ptr<Backend> inner, std::shared_ptr<AuditLog> log,
                                      AuditOptions options = {});

}  // namespace berth
