#include "values.h"

namespace berth::python {
namespace {

Shape stream_shape("StreamOutput", {"head", "tail", "total_bytes"});
Shape command_shape("CommandOutcome",
                    {"kind", "exit_code", "signal", "reason", "out", "err", "duration_s", "survivors", "shell_status"});
Shape totals_shape("JobStreamTotals", {"total_bytes", "dropped_bytes"});
Shape job_shape("JobInfo", {"id",          "name",       "argv",           "script",     "cwd",
                            "terminal",    "state",      "exit_code",      "signal",     "ended_by",
                            "reason",      "survivors",  "left_processes", "stdin_open", "started_ns",
                            "ended_ns",    "duration_s", "process",        "out",        "err",
                            "shell_status"});
Shape output_shape("JobOutput", {"content", "offset", "next_offset", "dropped_bytes", "total_bytes", "ended"});
Shape stdin_shape("StdinOutcome", {"accepted_bytes", "open"});

const char* name(CommandOutcome::Kind kind) {
  using enum CommandOutcome::Kind;
  switch (kind) {
    case exited: return "exited";
    case signaled: return "signaled";
    case timed_out: return "timed_out";
    case output_limited: return "output_limited";
    case cancelled: return "cancelled";
    case lost: break;
  }
  return "lost";
}

const char* name(JobState state) {
  switch (state) {
    case JobState::running: return "running";
    case JobState::exited: return "exited";
    case JobState::signaled: return "signaled";
    case JobState::lost: break;
  }
  return "lost";
}

const char* name(JobEndedBy by) {
  switch (by) {
    case JobEndedBy::itself: return "itself";
    case JobEndedBy::stop: return "stop";
    case JobEndedBy::timeout: break;
  }
  return "timeout";
}

nb::object number(std::int64_t value) { return to_python(value); }
nb::object number_when(bool there, std::int64_t value) { return there ? number(value) : none(); }

nb::object status(const std::optional<int>& value) { return value ? number(*value) : none(); }

nb::object stream_of(const StreamOutput& output) {
  return stream_shape.make(bytes_of(output.head), bytes_of(output.tail), number(output.total_bytes));
}

nb::object totals_of(const JobStreamTotals& totals) {
  return totals_shape.make(number(totals.total_bytes), number(totals.dropped_bytes));
}

template <typename Duration>
nb::object seconds(Duration duration) {
  return to_python(std::chrono::duration<double>(duration).count());
}

template <typename Time>
nb::object nanoseconds(Time time) {
  return number(std::chrono::nanoseconds(time.time_since_epoch()).count());
}

}  // namespace

nb::object to_python(const CommandOutcome& outcome) {
  return command_shape.make(name_of(name(outcome.kind)),
                            number_when(outcome.kind == CommandOutcome::Kind::exited, outcome.exit_code),
                            number_when(outcome.kind == CommandOutcome::Kind::signaled, outcome.signal),
                            text_of(outcome.reason), stream_of(outcome.out), stream_of(outcome.err),
                            seconds(outcome.duration), number(outcome.survivors), status(outcome.shell_status()));
}

nb::object to_python(const JobInfo& job) {
  const nb::object terminal =
      job.terminal ? nb::object(nb::make_tuple(job.terminal->rows, job.terminal->columns)) : none();
  return job_shape.make(
      text_of(job.id.text), text_of(job.name), tuple_of(job.argv, text_of), text_of(job.script), to_python(job.cwd),
      terminal, name_of(name(job.state)), number_when(job.state == JobState::exited, job.exit_code),
      number_when(job.state == JobState::signaled, job.signal), job.has_ended() ? name_of(name(job.ended_by)) : none(),
      text_of(job.reason), number(job.survivors), to_python(job.left_processes), to_python(job.stdin_open),
      nanoseconds(job.started_at), job.has_ended() ? nanoseconds(job.ended_at) : none(), seconds(job.duration),
      number(job.process), totals_of(job.out), totals_of(job.err), status(job.shell_status()));
}

nb::object to_python(const std::vector<JobInfo>& jobs) {
  return tuple_of(jobs, [](const JobInfo& job) { return to_python(job); });
}

nb::object to_python(const JobOutput& output) {
  return output_shape.make(bytes_of(output.content), number(output.offset), number(output.next_offset),
                           number(output.dropped_bytes), number(output.total_bytes), to_python(output.ended));
}

nb::object to_python(const StdinOutcome& outcome) {
  return stdin_shape.make(number(outcome.accepted_bytes), to_python(outcome.open));
}

nb::object to_python(SignalOutcome outcome) { return to_python(outcome == SignalOutcome::delivered); }

}  // namespace berth::python
