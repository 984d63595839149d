#include "engine/commands/host_commands.h"

#include <fcntl.h>
#include <unistd.h>

#include "engine/commands/command_checks.h"
#include "engine/commands/command_environment.h"
#include "engine/commands/command_run.h"
#include "engine/commands/run_ids.h"
#include "engine/commands/supervisor_client.h"
#include "os/root_gone.h"

namespace berth::engine {
namespace {

class HostCommands final : public CommandRunner {
 public:
  HostCommands(std::shared_ptr<const os::Root> root, CommandOptions options)
      : root_(std::move(root)),
        environment_(environ, std::move(options.env)),
        start_patience_(options.start_patience),
        supervisor_(root_->options().features) {}

  Result<CommandOutcome> run(const Call& call, const CommandSpec& spec, OutputSink* sink) override {
    BERTH_CHECK(call.check());
    BERTH_CHECK(check_command_spec(spec));
    BERTH_TRY(const auto environment, environment_.build(spec));
    const auto run_now = [&] { return run_once(call, spec, environment, sink); };
    if (spec.run_id.empty()) return run_now();
    return run_ids_.once(call, spec.run_id, run_now);
  }

 private:
  Result<CommandOutcome> run_once(const Call& call, const CommandSpec& spec, const StringBlock& environment,
                                  OutputSink* sink) {
    BERTH_TRY(auto directory, root_->open_path(call, spec.cwd, O_PATH | O_DIRECTORY));
    auto outcome = CommandRun(supervisor_, call, spec, sink, start_patience_).run(environment, std::move(directory));
    // What a command did in a directory that was deleted under it means nothing any more (C-RUN-6).
    if (root_->gone()) return os::root_gone();
    return outcome;
  }

  const std::shared_ptr<const os::Root> root_;
  const CommandEnvironment environment_;
  const std::chrono::milliseconds start_patience_;
  SupervisorClient supervisor_;
  RunIds run_ids_;
};

}  // namespace

std::unique_ptr<CommandRunner> make_host_commands(std::shared_ptr<const os::Root> root, CommandOptions options) {
  return std::make_unique<HostCommands>(std::move(root), std::move(options));
}

}  // namespace berth::engine
