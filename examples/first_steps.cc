// The shortest complete use of a workspace from C++; README.md shows its body, and a test holds the two together.

#include <cstdio>

#include "surface/assemble.h"

using namespace berth;

static Result<void> first_steps(const std::string& directory) {
  const Call call;  // a deadline and a stop token can ride on it
  BERTH_TRY(const auto workspace, assemble({.location = directory}));

  BERTH_CHECK(workspace->write(call, "settings.toml", "retries = 3\n"));
  const std::vector<Edit> edits = {{.old_text = "retries = 3", .new_text = "retries = 5"}};
  BERTH_TRY(const auto edited, workspace->edit(call, "settings.toml", edits));
  std::printf("%s", edited.diff.text.c_str());

  CommandSpec spec;
  spec.argv = {"cat", "settings.toml"};
  spec.timeout = std::chrono::seconds(10);
  BERTH_TRY(const auto outcome, workspace->run(call, spec));  // a non-zero exit is a value, not an error
  std::printf("exit %d: %s", outcome.exit_code, outcome.out.head.c_str());

  const auto refused = workspace->read(call, "../../etc/passwd");
  if (!refused) std::printf("%s\n", to_string(refused.error()).c_str());
  return {};
}

int main(int argc, char** argv) {
  const auto done = first_steps(argc > 1 ? argv[1] : ".");
  if (!done) std::fprintf(stderr, "%s\n", to_string(done.error()).c_str());
  return done ? 0 : 1;
}
