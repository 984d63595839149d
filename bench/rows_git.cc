#include <cstdlib>
#include <fstream>
#include <string>

#include "bench/rows.h"
#include "bench/spawn.h"
#include "bench/tree.h"
#include "workspace/git/git_command.h"
#include "workspace/git/git_repository.h"

namespace berth::bench {
namespace {

constexpr int kChanges = 10;

/// A program that git starts, with the environment and the settings that keep it from running what a repository names.
struct Hardened {
  std::vector<std::string> words;
  std::vector<std::string> environment;
};

Hardened hardened(const std::string& directory, std::vector<Bytes> words) {
  const auto spec =
      git::git_command({.git_dir = directory + "/.git", .work_tree = directory}, {.words = std::move(words)});
  Hardened program{.words = spec.argv};
  for (const auto& [name, value] : spec.env) program.environment.push_back(name + "=" + value);
  const char* path = std::getenv("PATH");
  program.environment.push_back(std::string("PATH=") + (path != nullptr ? path : "/usr/bin:/bin"));
  return program;
}

}  // namespace

std::vector<Row> git_rows(std::int64_t files) {
  const Scratch scratch;
  const auto& directory = scratch.path();
  make_tree(directory, files);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"git", "init", "-q", "."},
        {"git", "add", "-A"},
        {"git", "-c", "user.name=b", "-c", "user.email=b", "-c", "gc.auto=0", "commit", "-q", "-m", "all"}}) {
    (void)lines_of_program(directory, words);
  }
  const auto workspace = open_workspace(directory);
  const auto tracked = workspace->list(Call(), "**/*", {.filter = {.hidden = false, .ignored = true}});
  require(tracked.has_value(), "list");
  const auto step = tracked->paths.size() / kChanges;
  for (std::size_t i = 0; i < kChanges; ++i) {
    std::ofstream(directory + "/" + tracked->paths[i * step + step / 2].text(), std::ios::app) << "one more line\n";
  }

  auto repository = git::GitRepository::open(Call(), *workspace);
  require(repository.has_value(), "open the repository");
  const auto ask_git = [&](const Hardened& program) {
    (void)lines_of_program(directory, program.words, program.environment);
  };
  const auto diff = hardened(directory, {"diff", "--no-ext-diff", "--no-textconv", "--no-color", "-M"});
  const auto status = hardened(directory, {"status", "--porcelain=v2", "-z", "--untracked-files=all"});
  const auto times = measure({{"git diff", [&] { ask_git(diff); }},
                              {"diff",
                               [&] {
                                 const auto found = (*repository)->diff(Call());
                                 require(found.has_value() && found->files.size() == kChanges, "diff");
                               }},
                              {"git status", [&] { ask_git(status); }},
                              {"status",
                               [&] {
                                 const auto found = (*repository)->status_paths(Call());
                                 require(found.has_value() && found->size() == kChanges, "status");
                               }}},
                             {.rounds = 21, .batch = 1});
  const auto ms = [](double ns) { return ns / 1e6; };
  const auto of = " of " + std::to_string(files) + " files";
  return {{"diff" + of,
           ms(times[1]),
           "ms",
           "git diff, untracked files left out",
           ms(times[0]),
           {.ratio = 1.2, .limit = {}}},
          {"changed paths" + of, ms(times[3]), "ms", "git status --untracked-files=all", ms(times[2]), {}}};
}

}  // namespace berth::bench
