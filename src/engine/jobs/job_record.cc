#include "engine/jobs/job_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>

#include "os/fd.h"

namespace berth::engine {
namespace {

constexpr std::string_view kVersion = "1";

void put(Bytes& to, std::string_view name, BytesView value) {
  to.append(name);
  to.push_back('=');
  for (const char c : value) {
    if (c == '\n') {
      to += "\\n";
    } else if (c == '\\') {
      to += "\\\\";
    } else {
      to.push_back(c);
    }
  }
  to.push_back('\n');
}

void put(Bytes& to, std::string_view name, std::int64_t value) { put(to, name, std::to_string(value)); }

std::optional<Bytes> unescape(BytesView value) {
  Bytes text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\') {
      text.push_back(value[i]);
      continue;
    }
    if (++i == value.size() || (value[i] != 'n' && value[i] != '\\')) return std::nullopt;
    text.push_back(value[i] == 'n' ? '\n' : '\\');
  }
  return text;
}

/// Call `visit(name, value)` for each line; false when a line is none, or `visit` refuses it.
template <typename Visit>
bool each_field(BytesView text, Visit visit) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const auto equals = line.find('=');
    if (equals == BytesView::npos) return false;
    const auto value = unescape(line.substr(equals + 1));
    if (!value || !visit(line.substr(0, equals), *value)) return false;
  }
  return true;
}

template <typename Number>
bool read_number(BytesView text, Number& number) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

template <typename Duration>
bool read_duration(BytesView text, Duration& duration) {
  std::int64_t count = 0;
  if (!read_number(text, count)) return false;
  duration = Duration(count);
  return true;
}

template <typename Duration>
bool read_time(BytesView text, std::chrono::sys_time<Duration>& time) {
  Duration since{};
  if (!read_duration(text, since)) return false;
  time = std::chrono::sys_time<Duration>(since);
  return true;
}

constexpr std::string_view state_name(JobState state) {
  switch (state) {
    case JobState::exited: return "exited";
    case JobState::signaled: return "signaled";
    case JobState::running:
    case JobState::lost: break;
  }
  return "lost";
}

constexpr std::string_view ended_by_name(JobEndedBy by) {
  switch (by) {
    case JobEndedBy::itself: return "itself";
    case JobEndedBy::stop: return "stop";
    case JobEndedBy::timeout: return "timeout";
  }
  return "itself";
}

bool read_state(BytesView text, JobState& state) {
  for (const auto known : {JobState::exited, JobState::signaled, JobState::lost}) {
    if (text != state_name(known)) continue;
    state = known;
    return true;
  }
  return false;
}

bool read_ended_by(BytesView text, JobEndedBy& by) {
  for (const auto known : {JobEndedBy::itself, JobEndedBy::stop, JobEndedBy::timeout}) {
    if (text != ended_by_name(known)) continue;
    by = known;
    return true;
  }
  return false;
}

}  // namespace

Bytes render(const JobSpecRecord& record) {
  Bytes text;
  put(text, "version", kVersion);
  put(text, "name", record.name);
  for (const auto& word : record.argv) put(text, "word", word);
  if (!record.script.empty()) put(text, "script", record.script);
  put(text, "cwd", record.cwd.text());
  put(text, "run_id", record.run_id);
  put(text, "boot_id", record.boot_id);
  if (record.terminal) {
    put(text, "rows", record.terminal->rows);
    put(text, "columns", record.terminal->columns);
  }
  put(text, "started_at_ms", record.started_at.time_since_epoch().count());
  return text;
}

std::optional<JobSpecRecord> parse_spec_record(BytesView text) {
  JobSpecRecord record;
  TerminalSize size{.rows = 0, .columns = 0};
  bool known = false;
  const bool fits = each_field(text, [&](BytesView name, const Bytes& value) {
    if (name == "version") return known = value == kVersion;
    if (name == "name") record.name = value;
    if (name == "word") record.argv.push_back(value);
    if (name == "script") record.script = value;
    if (name == "run_id") record.run_id = value;
    if (name == "boot_id") record.boot_id = value;
    if (name == "cwd") {
      auto path = parse_path(value, {});
      if (!path) return false;
      record.cwd = *std::move(path);
    }
    if (name == "rows") return read_number(value, size.rows);
    if (name == "columns") return read_number(value, size.columns);
    if (name == "started_at_ms") return read_time(value, record.started_at);
    return true;
  });
  if (!fits || !known || record.argv.empty() == record.script.empty()) return std::nullopt;
  if (size.rows != 0 && size.columns != 0) record.terminal = size;
  return record;
}

Bytes render(const JobExitRecord& record) {
  Bytes text;
  put(text, "version", kVersion);
  put(text, "state", state_name(record.state));
  put(text, "number", record.number);
  put(text, "ended_by", ended_by_name(record.ended_by));
  put(text, "reason", record.reason);
  put(text, "survivors", record.survivors);
  put(text, "process", record.process);
  put(text, "ended_at_ms", record.ended_at.time_since_epoch().count());
  put(text, "duration_ms", record.duration.count());
  put(text, "out_bytes", record.out.total_bytes);
  put(text, "out_dropped", record.out.dropped_bytes);
  put(text, "err_bytes", record.err.total_bytes);
  put(text, "err_dropped", record.err.dropped_bytes);
  return text;
}

std::optional<JobExitRecord> parse_exit_record(BytesView text) {
  JobExitRecord record;
  bool known = false;
  bool has_state = false;
  const bool fits = each_field(text, [&](BytesView name, const Bytes& value) {
    if (name == "version") return known = value == kVersion;
    if (name == "state") return has_state = read_state(value, record.state);
    if (name == "number") return read_number(value, record.number);
    if (name == "ended_by") return read_ended_by(value, record.ended_by);
    if (name == "reason") record.reason = value;
    if (name == "survivors") return read_number(value, record.survivors);
    if (name == "process") return read_number(value, record.process);
    if (name == "ended_at_ms") return read_time(value, record.ended_at);
    if (name == "duration_ms") return read_duration(value, record.duration);
    if (name == "out_bytes") return read_number(value, record.out.total_bytes);
    if (name == "out_dropped") return read_number(value, record.out.dropped_bytes);
    if (name == "err_bytes") return read_number(value, record.err.total_bytes);
    if (name == "err_dropped") return read_number(value, record.err.dropped_bytes);
    return true;
  });
  if (!fits || !known || !has_state) return std::nullopt;
  return record;
}

std::string current_boot_id() {
  const os::Fd file(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  char text[64];
  const ssize_t got = file ? ::read(file.get(), text, sizeof text) : -1;
  if (got <= 0) return {};
  std::string id(text, static_cast<std::size_t>(got));
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

}  // namespace berth::engine
