#include "workspace/argument_checks.h"

#include <string_view>

namespace berth {
namespace {

constexpr std::size_t kRunIdBytes = 255;
constexpr std::size_t kJobNameBytes = 255;
constexpr std::size_t kJobIdBytes = 64;

Error refuse(std::string message) { return make_error(ErrorCode::invalid_argument, std::move(message)); }

bool has_nul(std::string_view text) noexcept { return text.find('\0') != std::string_view::npos; }

Result<void> check_variable_name(std::string_view name) {
  if (name.empty()) return refuse("the name of an environment variable is empty");
  if (has_nul(name) || name.find('=') != std::string_view::npos) {
    return refuse("the name of an environment variable holds `=` or a NUL byte");
  }
  return {};
}

Result<void> check_words(const CommandSpec& spec) {
  if (spec.argv.empty() == spec.script.empty()) {
    return refuse(spec.argv.empty() ? "the command is empty" : "both argv and script are given; one of them is needed");
  }
  if (!spec.argv.empty() && spec.argv.front().empty()) return refuse("the name of the program is empty");
  for (const auto& word : spec.argv) {
    if (has_nul(word)) return refuse("a word of the command holds a NUL byte");
  }
  if (has_nul(spec.script)) return refuse("the script holds a NUL byte");
  return {};
}

Result<void> check_environment(const CommandSpec& spec) {
  for (const auto& [name, value] : spec.env) {
    BERTH_CHECK(check_variable_name(name));
    if (has_nul(value)) return refuse("the value of the environment variable " + name + " holds a NUL byte");
  }
  for (const auto& name : spec.env_remove) BERTH_CHECK(check_variable_name(name));
  return {};
}

Result<void> check_output(const OutputPolicy& output) {
  if (output.kind == OutputPolicy::Kind::stop_at) {
    if (output.limit <= 0) return refuse("the output limit must be greater than 0");
    if (output.kept < 0) return refuse("the output to keep must not be negative");
  } else if (output.head < 0 || output.tail < 0) {
    return refuse("the output to keep must not be negative");
  }
  return {};
}

}  // namespace

Result<void> check_range(const ReadRange& range) {
  if (range.offset < 0) return refuse("offset must not be negative");
  if (range.max_bytes && *range.max_bytes <= 0) return refuse("max_bytes must be greater than 0");
  return {};
}

Result<void> check_range(const LineRange& range) {
  if (range.first < 1) return refuse("the first line must be 1 or more");
  if (range.count && *range.count <= 0) return refuse("the number of lines must be greater than 0");
  if (range.max_bytes <= 0) return refuse("max_bytes must be greater than 0");
  return {};
}

Result<void> check_names_a_file(const Path& path) {
  if (path.is_root()) return refuse("the path names the workspace itself where a file is needed");
  return {};
}

Result<void> check_list_limit(const std::optional<std::int64_t>& limit) {
  if (limit && *limit <= 0) return refuse("limit must be greater than 0");
  return {};
}

Result<void> check_query(const SearchQuery& query) {
  BERTH_CHECK(check_list_limit(query.limit));
  if (query.offset < 0) return refuse("offset must not be negative");
  if (query.context < 0) return refuse("context must not be negative");
  if (query.max_files && *query.max_files <= 0) return refuse("max_files must be greater than 0");
  if (query.max_bytes <= 0) return refuse("max_bytes must be greater than 0");
  return {};
}

Result<void> check_command(const CommandSpec& spec) {
  BERTH_CHECK(check_words(spec));
  BERTH_CHECK(check_environment(spec));
  if (spec.timeout && *spec.timeout <= std::chrono::milliseconds::zero()) {
    return refuse("timeout must be greater than 0");
  }
  BERTH_CHECK(check_output(spec.output));
  if (spec.run_id.size() > kRunIdBytes || has_nul(spec.run_id)) {
    return refuse("run_id holds a NUL byte or more than 255 bytes");
  }
  return {};
}

Result<void> check_job(const JobSpec& spec) {
  BERTH_CHECK(check_command(spec.command));
  if (spec.name.size() > kJobNameBytes || has_nul(spec.name)) {
    return refuse("the name of the job holds a NUL byte or more than 255 bytes");
  }
  if (spec.terminal) BERTH_CHECK(check_terminal_size(*spec.terminal));
  if (spec.terminal && spec.command.stdin_bytes) {
    auto error = refuse("a job on a terminal cannot be given its standard input");
    error.hint = "start it, then write to its input";
    return error;
  }
  return {};
}

Result<void> check_job_read(const JobRead& request) {
  if (request.offset < 0) return refuse("offset must not be negative");
  if (request.max_bytes <= 0) return refuse("max_bytes must be greater than 0");
  if (request.wait.count() < 0) return refuse("wait must not be negative");
  return {};
}

Result<void> check_terminal_size(TerminalSize size) {
  if (size.rows == 0 || size.columns == 0) return refuse("a terminal has at least one row and one column");
  return {};
}

Result<void> check_signal_number(int number) {
  constexpr int kLastSignal = 64;
  if (number < 1 || number > kLastSignal) return refuse("signal must be a number from 1 to 64");
  return {};
}

Result<void> check_job_id(const JobId& id) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  if (!id.text.empty() && id.text.size() <= kJobIdBytes && id.text.find_first_not_of(kAllowed) == std::string::npos) {
    return {};
  }
  auto error = make_error(ErrorCode::not_found, "there is no job with this id; it may have been forgotten");
  error.hint = "the list of jobs says which there are";
  return error;
}

}  // namespace berth
