#include "engine/commands/command_checks.h"

namespace berth::engine {
namespace {

Result<void> check_output(const OutputPolicy& output) {
  if (output.limit < 0 || output.kept < 0 || output.head < 0 || output.tail < 0) {
    return make_error(ErrorCode::invalid_argument, "an output limit is negative");
  }
  return {};
}

}  // namespace

Result<void> check_command_spec(const CommandSpec& spec) {
  if (spec.argv.empty() == spec.script.empty()) {
    return make_error(ErrorCode::invalid_argument,
                      spec.argv.empty() ? "there is no command" : "both argv and a script are given");
  }
  if (!spec.argv.empty() && spec.argv.front().empty()) {
    return make_error(ErrorCode::invalid_argument, "the first word of the command is empty");
  }
  for (const auto& word : spec.argv) {
    if (word.find('\0') != Bytes::npos) {
      return make_error(ErrorCode::invalid_argument, "a word of the command holds a NUL byte");
    }
  }
  if (spec.script.find('\0') != Bytes::npos) {
    return make_error(ErrorCode::invalid_argument, "the script holds a NUL byte");
  }
  if (spec.timeout && spec.timeout->count() <= 0) {
    return make_error(ErrorCode::invalid_argument, "the timeout must be longer than zero");
  }
  return check_output(spec.output);
}

}  // namespace berth::engine
