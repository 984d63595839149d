#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace berth::bench {

/// One thing that is timed. `once` does the work a single time and ends the program when it fails.
struct Contender {
  std::string name;
  std::function<void()> once;
};

/// How long a measurement runs: every round times `batch` calls of each contender, one contender after the other.
struct Effort {
  int rounds = 41;
  int batch = 200;
};

/// Median time of one call, in nanoseconds, for each contender. Rounds are interleaved, the first is thrown away.
std::vector<double> measure(const std::vector<Contender>& contenders, Effort effort);

/// What a row must reach. Exactly one is set: a ratio to the floor, or a limit of its own.
struct Target {
  std::optional<double> ratio;
  std::optional<double> limit;
};

/// One line of the table.
struct Row {
  std::string what;
  double value = 0;
  std::string unit;     ///< of value, floor and limit
  std::string against;  ///< the floor or peer; empty when there is none
  std::optional<double> floor;
  Target target;  ///< none set: shown for information
};

std::optional<bool> is_met(const Row& row);
void print_table(const std::vector<Row>& rows);
void write_json(const std::vector<Row>& rows, const std::string& file);

/// End the program when something the benchmark stands on fails.
void require(bool done, const std::string& what);

}  // namespace berth::bench
