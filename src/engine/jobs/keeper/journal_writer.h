#pragma once

#include <cstddef>
#include <cstdint>

namespace berth::supervisor {

/// Writes one stream of a job's output to its journal: segments in the job's directory (see job_wire.h).
///
/// Never fails: what cannot be written is dropped and counted, and offsets go on as if it had been. Of a stream that
/// outgrows its limit the first segment and the newest ones are kept.
class JournalWriter {
 public:
  /// The directory must outlive the writer.
  void open(int directory, int stream, std::int64_t limit);

  void write(const char* bytes, std::size_t size);

  std::int64_t total_bytes() const { return total_; }
  std::int64_t dropped_bytes() const { return dropped_; }

 private:
  void close_segment();
  bool open_segment();
  void drop_oldest();

  struct Segment {
    std::int64_t begin = 0;
    std::int64_t size = 0;
  };
  static constexpr int kMaxSegments = 16;

  int directory_ = -1;
  int stream_ = 0;
  std::int64_t segment_bytes_ = 0;
  std::int64_t total_ = 0;
  std::int64_t dropped_ = 0;
  int file_ = -1;
  Segment segments_[kMaxSegments] = {};  ///< by offset; the last one is open when `file_` is
  int count_ = 0;
};

}  // namespace berth::supervisor
