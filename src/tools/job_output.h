#pragma once

#include <optional>
#include <string>

#include "tools/job_fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

/// What a job printed on one stream, cut between characters.
struct JobText {
  Bytes content;
  std::int64_t offset = 0;         ///< of `content` in the stream
  std::int64_t next_offset = 0;    ///< where to read on
  std::int64_t total_bytes = 0;    ///< printed so far
  std::int64_t dropped_bytes = 0;  ///< before `content`, printed and no longer kept

  static const Fields<JobText>& fields();
  bool operator==(const JobText&) const = default;
};

/// Read a stream of a job from an offset on, or its end when there is none; at most `max_bytes`, at least a character.
/// Errors: those of `JobControl::read`.
Result<JobText> job_text(const Call& call, ToolSession& session, const JobId& id, JobStream stream,
                         std::optional<std::int64_t> offset, std::int64_t max_bytes);

/// "running for 3.2 s", "exited with 0 after 12.0 s", … for models.
std::string job_state_text(const JobInfo& job);

/// The name of a job in a text: its id, and the name it was given.
std::string job_title(const JobInfo& job);

}  // namespace berth::tools
