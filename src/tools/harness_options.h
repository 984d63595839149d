#pragma once

#include <chrono>
#include <cstdint>

namespace berth::tools {

/// What a user of the pydantic-ai harness could set on its FileSystem and Shell capabilities, where it concerns
/// layouts. What may be touched is not here: that is what policies and permission rules are for.
struct HarnessOptions {
  enum class Hashes { shown, left_out };
  enum class Directory {
    reset,  ///< every command starts in the root
    kept    ///< a command starts where the last one that exited with 0 ended
  };

  Hashes content_hashes = Hashes::shown;
  std::int64_t max_read_lines = 2000;
  std::int64_t max_read_chars = 50'000;  ///< of one `read_file`, header and trailer included
  std::int64_t max_list_results = 1000;
  std::int64_t max_search_results = 1000;
  std::int64_t max_output_chars = 50'000;  ///< of one command; the end of it is kept
  std::chrono::milliseconds default_timeout{30'000};
  Directory directory = Directory::reset;

  bool operator==(const HarnessOptions&) const = default;
};

}  // namespace berth::tools
