#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>

#include "base/result.h"
#include "surface/mcp/service.h"

namespace berth::mcp {

struct StdioOptions {
  int in = 0;
  int out = 1;
  std::size_t max_frame_bytes = FrameLimits::kMaxBytes;
  /// How long calls may still take after the end of input, while somebody reads the output.
  std::chrono::milliseconds drain{5000};
};

/// Serve one client on a pair of descriptors, one message a line, until its input ends, its output is closed or `stop`.
/// On return nothing is at work any more: what was has been stopped, and the processes of its commands have ended.
/// Errors: `io` when a descriptor fails in another way than by its end.
Result<void> serve_stdio(Service& service, const StdioOptions& options, std::stop_token stop);

}  // namespace berth::mcp
