#pragma once

#include <cstdint>

namespace berth::supervisor {

/// How a job ended, as it is written to its directory.
struct ExitRecord {
  enum class Kind { exited, signaled, lost };

  Kind kind = Kind::lost;
  int number = 0;             ///< exit code or signal
  const char* ended_by = "";  ///< "itself", "stop" or "timeout"
  const char* reason = "";    ///< for lost
  std::uint32_t survivors = 0;
  std::int64_t process = 0;
  std::int64_t duration_ns = 0;
  std::int64_t total_bytes[2] = {0, 0};
  std::int64_t dropped_bytes[2] = {0, 0};
};

/// Take the room for a record in a job's directory; false with errno when there is none.
bool reserve_exit_record(int directory);

/// Write the record into that room and let it appear whole. A record that is there stays as it is.
void write_exit_record(int directory, const ExitRecord& record);

}  // namespace berth::supervisor
