#include <cstdio>
#include <fstream>

#include "bench/rows.h"
#include "bench/spawn.h"
#include "bench/tree.h"
#include "workspace/edit/unified_diff.h"

namespace berth::bench {
namespace {

constexpr int kFiles = 100;
constexpr int kLines = 200;

Bytes content_of(int file, bool changed) {
  Bytes text;
  for (int line = 0; line < kLines; ++line) {
    text += "line " + std::to_string(line) + " of file " + std::to_string(file) + "\n";
    if (changed && line == kLines / 2) text += "one more line\n";
  }
  return text;
}

std::string name_of(int file) { return "d" + std::to_string(file % 10) + "/file" + std::to_string(file); }

/// The patch there, or the patch back.
Bytes patch_of(bool back) {
  Bytes patch;
  for (int file = 0; file < kFiles; ++file) {
    const Bytes before = content_of(file, back);
    patch += unified_diff(name_of(file), before, content_of(file, !back), 1 << 20).text;
  }
  return patch;
}

}  // namespace

std::vector<Row> patch_rows() {
  const Scratch ours;
  const Scratch git;
  const auto workspace = open_workspace(ours.path());
  const auto other = open_workspace(git.path());
  for (int file = 0; file < kFiles; ++file) {
    require(workspace->write(Call(), name_of(file), content_of(file, false)).has_value(), "write");
    require(other->write(Call(), name_of(file), content_of(file, false)).has_value(), "write");
  }
  const Bytes there = patch_of(false);
  const Bytes back = patch_of(true);
  std::ofstream(git.path() + "/there.patch", std::ios::binary) << there;
  std::ofstream(git.path() + "/back.patch", std::ios::binary) << back;
  // Each call applies the patch and takes it back, so that the next one finds what it needs.
  const auto times = measure({{"git",
                               [&] {
                                 (void)lines_of_program(git.path(), {"git", "apply", "there.patch"});
                                 (void)lines_of_program(git.path(), {"git", "apply", "back.patch"});
                               }},
                              {"patch",
                               [&] {
                                 require(workspace->apply_patch(Call(), there).has_value(), "patch");
                                 require(workspace->apply_patch(Call(), back).has_value(), "patch");
                               }}},
                             {.rounds = 21, .batch = 1});
  const auto ms = [](double ns) { return ns / 2e6; };
  return {{"apply a patch of 100 files", ms(times[1]), "ms", "git apply", ms(times[0]), {.ratio = 1.5, .limit = {}}}};
}

}  // namespace berth::bench
