#include "bench/rows.h"
#include "bench/spawn.h"
#include "bench/tree.h"

namespace berth::bench {

std::vector<Row> command_rows() {
  const Scratch scratch;
  const auto workspace = open_workspace(scratch.path());
  CommandSpec spec;
  spec.argv = {"true"};
  const auto times =
      measure({{"raw", [] { spawn_and_wait("/bin/true"); }},
               {"run",
                [&] {
                  const auto outcome = workspace->run(Call(), spec);
                  require(outcome && outcome->kind == CommandOutcome::Kind::exited && outcome->exit_code == 0, "run");
                }}},
              {.rounds = 101, .batch = 5});
  const auto ms = [](double ns) { return ns / 1e6; };
  return {
      {"run `true`", ms(times[1]), "ms", "posix_spawn + waitpid", ms(times[0]), {.ratio = 1.5, .limit = {}}},
      {"run `true`", ms(times[1]), "ms", "", {}, {.ratio = {}, .limit = 2}},
  };
}

}  // namespace berth::bench
