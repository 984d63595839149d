#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/tool.h"

/// Results recorded from the systems whose tool names and layouts our profiles speak, and where we differ on purpose.
///
/// A table of `testing/cases` holds what those systems answered. A second table beside it, `…_deviations.json`, holds
/// each call to which we answer differently, with our answer and the reason; every other call must give the recorded
/// text, byte for byte. So each recorded call asserts something, and a deviation that is none any more fails.
namespace berth::recorded {

using Json = nlohmann::ordered_json;

/// What a call answered. Text with the names of the place made `{WD}`, `{WD_PARENT}`, `{ID}` and `{PID}`.
struct Answer {
  tools::ToolResult::Outcome outcome = tools::ToolResult::Outcome::success;
  std::string text;
  std::vector<std::string> media;  ///< "image/png 70 bytes"

  bool operator==(const Answer&) const = default;
};

void PrintTo(const Answer& answer, std::ostream* stream);
std::string_view outcome_name(tools::ToolResult::Outcome outcome);

/// Why we answer differently.
enum class Kind {
  sentence,   ///< the same facts in our words: outcome, files and every structural line are as recorded
  fault,      ///< what was recorded is a fault that we do not have
  more,       ///< we can do or say what the recorded system could not
  choice,     ///< both are sound; ours follows the contract
  framework,  ///< the answer came from the framework around the recorded tools (retries, approvals, run errors)
  missing     ///< the recorded system can do what we cannot, or not yet
};

struct Call {
  std::string tool;
  Json arguments;
  Answer recorded;
  /// Given: the table holds only the head of the text, this tail, and the number of its bytes.
  std::optional<std::size_t> text_bytes;
  std::string text_tail;

  std::optional<Kind> deviates;
  std::string why;
  Answer expected;
};

struct Case {
  std::string name;       ///< unique in its table; what a deviation names
  std::string workspace;  ///< "state", "local", …
  Json json;              ///< as recorded
  std::vector<Call> calls;
  std::optional<Kind> files_deviate;
  Json files_after;  ///< files that must differ from those set up, and how; null: deleted
};

/// Read `testing/cases/NAME_results.json` and `NAME_deviations.json`. Ends the program when the deviations do not fit:
/// unknown case or call, unknown kind, no reason, or nothing that differs from the recording.
std::vector<Case> read_recorded_cases(std::string_view name);

/// The lines of a text that a program may parse: numbered lines, `path:line:text`, headers, counts, trailers.
std::vector<std::string> structural_lines(std::string_view text);

/// The bytes that a file entry of a table stands for.
std::string content_of(const Json& file);

}  // namespace berth::recorded
