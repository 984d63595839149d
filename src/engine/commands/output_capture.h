#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "contract/capabilities.h"
#include "contract/commands.h"

namespace berth::engine {

/// Keeps of a command's output what its policy says, in bounded memory, with exact totals (C-RUN-3).
class OutputCapture final {
 public:
  explicit OutputCapture(const OutputPolicy& policy) : policy_(policy) {}

  void add(OutputSink::Stream stream, BytesView bytes);

  /// Whether `stop_at` was passed. From then on only the first `kept` bytes of each stream are held.
  bool over_limit() const noexcept { return over_limit_; }

  /// What was kept; call once, at the end.
  StreamOutput take(OutputSink::Stream stream);

 private:
  struct Kept {
    Bytes head;
    Bytes tail;  ///< a ring once it is as long as it may get
    std::size_t ring_start = 0;
    std::int64_t total = 0;
  };

  Kept& kept(OutputSink::Stream stream) noexcept { return stream == OutputSink::Stream::out ? out_ : err_; }
  void add_bounded(Kept& to, BytesView bytes) const;
  void add_limited(Kept& to, BytesView bytes);

  const OutputPolicy policy_;
  Kept out_;
  Kept err_;
  bool over_limit_ = false;
};

}  // namespace berth::engine
