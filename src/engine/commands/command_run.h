#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "contract/capabilities.h"
#include "engine/commands/command_environment.h"
#include "engine/commands/output_capture.h"
#include "engine/commands/stdin_feed.h"
#include "engine/commands/supervisor_client.h"
#include "engine/commands/wire.h"
#include "os/fd.h"

namespace berth::engine {

/// One command from its request to its outcome: hands it to a keeper, moves its output and input, watches the limits,
/// and has its tree ended when one is passed. One thread.
class CommandRun final {
 public:
  /// The references must outlive the run; `spec` was checked.
  CommandRun(SupervisorClient& supervisor, const Call& call, const CommandSpec& spec, OutputSink* sink,
             std::chrono::milliseconds start_patience)
      : supervisor_(supervisor),
        call_(call),
        spec_(spec),
        sink_(sink),
        capture_(spec.output),
        start_patience_(start_patience) {}

  Result<CommandOutcome> run(const StringBlock& environment, os::Fd directory);

 private:
  using Stream = OutputSink::Stream;
  using Kind = CommandOutcome::Kind;

  Result<void> start(const StringBlock& environment, os::Fd directory);
  Result<void> watch();
  Result<void> check_taken();
  void begin_end(Kind why);
  void receive_report();
  std::int64_t read_some(Stream stream);
  void drain(Stream stream);
  Result<CommandOutcome> finish();
  void judge(CommandOutcome& outcome) const;
  void judge_without_report(CommandOutcome& outcome);
  void part_with_keeper();

  os::Fd& pipe(Stream stream) noexcept { return stream == Stream::out ? out_ : err_; }

  SupervisorClient& supervisor_;
  const Call& call_;
  const CommandSpec& spec_;
  OutputSink* const sink_;
  OutputCapture capture_;
  const std::chrono::milliseconds start_patience_;

  KeeperChannel keeper_;
  StdinFeed stdin_;
  os::Fd out_;
  os::Fd err_;
  Clock::time_point started_;
  Deadline take_by_ = Deadline::never();  ///< until when the keeper must have taken the request
  std::optional<wire::Report> report_;
  bool broken_ = false;         ///< the channel ended without a report
  std::optional<Kind> ending_;  ///< why the command is being ended
  Deadline answer_by_ = Deadline::never();
};

}  // namespace berth::engine
