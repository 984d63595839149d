// An agent's working day in a scratch copy of this repository: what `make run` shows.
//
// Every step goes through the same `Workspace` that tools use; its time and what came of it are printed. A step whose
// outcome is not the promised one ends the program with 1.

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "surface/assemble.h"

namespace fs = std::filesystem;
using namespace berth;

namespace {

constexpr std::int64_t kPageLines = 100;

/// Prints the steps, and remembers whether all went as promised.
class Day {
 public:
  /// Start the clock of a step.
  void begin(std::string_view title) {
    title_ = title;
    started_ = Clock::now();
  }

  /// Say what came of the step.
  void done(std::string_view result) {
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - started_).count();
    fmt::print("{}{:>9.2f} ms{}  {}{}{}\n              {}\n", style("\x1b[2m"), ms, style("\x1b[0m"), style("\x1b[1m"),
               title_, style("\x1b[0m"), result);
    std::fflush(stdout);
  }

  void detail(std::string_view text) {
    while (!text.empty()) {
      const auto line = text.substr(0, text.find('\n'));
      const auto color = line.starts_with("+") ? "\x1b[32m" : line.starts_with("-") ? "\x1b[31m" : "\x1b[2m";
      fmt::print("              {}{}{}\n", style(color), line, style("\x1b[0m"));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
  }

  /// A step that did not do what it must.
  void failed(std::string_view why) {
    ++failures_;
    done(fmt::format("{}NOT AS PROMISED{}: {}", style("\x1b[1;31m"), style("\x1b[0m"), why));
  }

  int failures() const { return failures_; }
  std::string_view style(std::string_view escape) const { return terminal_ ? escape : ""; }

 private:
  bool terminal_ = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  std::string title_;
  Clock::time_point started_ = Clock::now();
  int failures_ = 0;
};

std::string code_of(const Error& error) { return std::string(error_info(error.code).name); }

/// A directory that goes with its object.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "berth-day-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct CopiedTree {
  std::size_t files = 0;
  std::int64_t bytes = 0;
};

/// Copy this repository's own files through two workspaces: the tree as it is, read-only, and the scratch copy.
Result<CopiedTree> copy_tree(const Call& call, Workspace& from, Workspace& to) {
  CopiedTree copied;
  BERTH_TRY(const auto files,
            from.list(call, "**/*", {.filter = {.hidden = true, .ignored = false}, .limit = {}, .cursor = {}}));
  for (const auto& path : files.paths) {
    if (path.text().starts_with(".git/") || path.text() == ".git") continue;
    BERTH_TRY(const auto page,
              from.read(call, path.text(), {.offset = 0, .max_bytes = {}, .want_revision = WantRevision::no}));
    BERTH_TRY(const auto stat, from.stat(call, path.text()));
    BERTH_CHECK(to.create(call, path.text(), page.content,
                          {.git_mode = stat.git_mode, .expected_git_mode = {}, .expected_token = {}}));
    ++copied.files;
    copied.bytes += page.total_bytes;
  }
  return copied;
}

CommandSpec script(std::string text) {
  CommandSpec spec;
  spec.script = std::move(text);
  return spec;
}

std::string first_lines(std::string_view text, int count) {
  std::size_t end = 0;
  for (int i = 0; i < count && end < text.size(); ++i) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return std::string(text.substr(0, end)) + (end < text.size() ? "…" : "");
}

void list_files(const Call& call, Day& day, Workspace& workspace) {
  day.begin("list every file, what git keeps for itself too");
  const auto page = workspace.list(call, "**/*");
  if (!page) return day.failed(to_string(page.error()));
  day.done(fmt::format("{} files, exact: {}", page->total, page->complete ? "yes" : "no"));
}

void search_text(const Call& call, Day& day, Workspace& workspace) {
  day.begin("search for a regular expression, git's ignore rules honoured");
  SearchQuery query;
  query.pattern = R"(Result<\w+>)";
  query.glob = "*.h";
  const auto found = workspace.search(call, ".", query);
  if (!found) return day.failed(to_string(found.error()));
  if (found->lines.empty()) return day.failed("nothing was found");
  day.done(fmt::format("{} lines in {} files searched", found->lines.size(), found->files_searched));
  for (std::size_t i = 0; i < std::min<std::size_t>(found->lines.size(), 2); ++i) {
    const auto& match = found->lines[i];
    day.detail(fmt::format(" {}:{}:{}:{}", match.path.text(), match.line, match.column, match.text));
  }
}

void page_through(const Call& call, Day& day, Workspace& workspace) {
  const char* file = "testing/cases/console_results.json";
  day.begin("page through a file by lines");
  std::int64_t pages = 0;
  std::int64_t lines = 0;
  std::optional<std::int64_t> next = 1;
  while (next) {
    const auto page = workspace.read_lines(call, file, {.first = *next, .count = kPageLines});
    if (!page) return day.failed(to_string(page.error()));
    ++pages;
    lines += page->line_count;
    next = page->next_line;
  }
  day.done(fmt::format("{}: {} lines in {} pages of {}", file, lines, pages, kPageLines));
}

/// Edit, then show that whoever still holds the old revision cannot overwrite the edit.
void edit_and_refuse_stale(const Call& call, Day& day, Workspace& workspace) {
  day.begin("edit by an exact anchor");
  const auto before = workspace.read(call, "CMakeLists.txt");
  if (!before) return day.failed(to_string(before.error()));
  const std::vector<Edit> edits = {{.old_text = "project(berth ", .new_text = "project(berth_of_the_day "}};
  const auto edited = workspace.edit(call, "CMakeLists.txt", edits, {.expected_revision = before->revision});
  if (!edited) return day.failed(to_string(edited.error()));
  day.done("CMakeLists.txt changed, the diff is part of the answer:");
  day.detail(edited->diff.text);

  day.begin("a second edit against the revision from before");
  const std::vector<Edit> stale = {{.old_text = "cmake_minimum_required", .new_text = "CMAKE_MINIMUM_REQUIRED"}};
  const auto refused = workspace.edit(call, "CMakeLists.txt", stale, {.expected_revision = before->revision});
  if (refused || refused.error().code != ErrorCode::revision_mismatch)
    return day.failed("the stale edit was not refused");
  day.done(fmt::format("refused, {}: {}", code_of(refused.error()), refused.error().message));
}

void refuse_escapes(const Call& call, Day& day, Workspace& workspace) {
  CommandSpec link;
  link.argv = {"ln", "-s", "/etc", "shortcut"};
  day.begin("escape by `..`, by an absolute path, and through a link that a command made");
  if (const auto made = workspace.run(call, link); !made || made->exit_code != 0)
    return day.failed("no link could be made");
  std::string codes;
  for (const char* path : {"../../etc/passwd", "/etc/passwd", "shortcut/passwd"}) {
    const auto read = workspace.read(call, path);
    if (read || read.error().code != ErrorCode::path_escape) return day.failed(fmt::format("{} was not refused", path));
    const auto written = workspace.write(call, path, "no");
    if (written || written.error().code != ErrorCode::path_escape)
      return day.failed(fmt::format("{} was not refused", path));
    codes += fmt::format("{}{}", codes.empty() ? "" : ", ", path);
  }
  day.done(fmt::format("refused with path_escape, reading and writing: {}", codes));
  (void)workspace.delete_file(call, "shortcut");
}

/// A command that leaves processes in sessions of their own; the numbers it prints are looked for afterwards.
void end_a_tree(const Call& call, Day& day, Workspace& workspace) {
  day.begin("a command that runs past its timeout, with a grandchild in a session of its own");
  auto spec = script(
      "setsid sleep 300 & echo $!\n"
      "setsid sh -c 'sleep 300 & echo $!; exec sleep 300' & echo $!\n"
      "sleep 0.2; echo partial output >&2; sleep 300");
  spec.timeout = std::chrono::milliseconds(800);
  const auto outcome = workspace.run(call, spec);
  if (!outcome) return day.failed(to_string(outcome.error()));
  if (outcome->kind != CommandOutcome::Kind::timed_out) return day.failed("it did not time out");
  int started = 0;
  int alive = 0;
  std::string_view rest = outcome->out.head;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    ++started;
    if (kill(static_cast<pid_t>(std::atoi(std::string(line).c_str())), 0) == 0) ++alive;
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  if (started != 3 || alive != 0 || outcome->survivors != 0) {
    return day.failed(
        fmt::format("{} processes left of {}", std::max<std::int64_t>(alive, outcome->survivors), started));
  }
  day.done(fmt::format("timed out; {} detached processes were looked up by number: none is left; \"{}\" was kept",
                       started, std::string_view(outcome->err.head).substr(0, outcome->err.head.find('\n'))));
}

void work_on_a_project(const Call& call, Day& day, Workspace& workspace) {
  day.begin("write a small project");
  const auto source = workspace.create(call, "scratch/middle.sh", "middle() { echo $(( $1 + $2 / 2 )); }\n");
  const auto test =
      workspace.create(call, "scratch/test.sh",
                       ". ./middle.sh\nfailed=0\n"
                       "check() { if [ \"$1\" = \"$2\" ]; then echo \"ok $3\"; else echo \"FAILED $3: $1 is not $2\"; "
                       "failed=1; fi; }\n"
                       "check \"$(middle 2 4)\" 3 'between 2 and 4'\n"
                       "check \"$(middle 0 10)\" 5 'between 0 and 10'\nexit $failed\n");
  if (!source || !test) return day.failed("it could not be written");
  day.done("scratch/middle.sh and its test");

  CommandSpec tests;
  tests.argv = {"sh", "test.sh"};
  tests.timeout = std::chrono::seconds(20);
  const auto cwd = workspace.resolve("scratch");
  if (cwd) tests.cwd = *cwd;
  day.begin("run its tests");
  const auto red = workspace.run(call, tests);
  if (!red || red->exit_code != 1) return day.failed("they should have failed");
  day.done("exit code 1:");
  day.detail(" " + red->out.head);

  day.begin("repair it and run them again");
  const std::vector<Edit> repair = {{.old_text = "$1 + $2 / 2", .new_text = "($1 + $2) / 2"}};
  if (const auto edited = workspace.edit(call, "scratch/middle.sh", repair); !edited)
    return day.failed(to_string(edited.error()));
  const auto green = workspace.run(call, tests);
  if (!green || green->exit_code != 0) return day.failed("they still fail");
  day.done("exit code 0");
}

void show_changes(const Call& call, Day& day, Workspace& workspace) {
  day.begin("what the day changed, by git");
  const auto changes =
      workspace.run(call, script("git add -A -N . && git diff --stat && git diff -- scratch/middle.sh"));
  if (!changes || changes->exit_code != 0) return day.failed("git has no answer");
  day.done("against the copy as it was in the morning:");
  day.detail(first_lines(changes->out.head, 14));
}

int work(const std::string& source) {
  Day day;
  const Call call;
  const Scratch scratch;
  const auto begun = Clock::now();

  day.begin("open this repository read-only, and copy its files into a scratch workspace");
  auto original = assemble({.location = source, .access = Access::read_only});
  auto copy = assemble({.location = scratch.path()});
  if (!original || !copy) {
    day.failed(to_string(original ? copy.error() : original.error()));
    return 1;
  }
  auto& workspace = **copy;
  const auto copied = copy_tree(call, **original, workspace);
  if (!copied) {
    day.failed(to_string(copied.error()));
    return 1;
  }
  day.done(fmt::format("{} files, {} KiB, each written atomically", copied->files, copied->bytes / 1024));

  day.begin("run commands: the copy becomes a git repository");
  const auto commit =
      workspace.run(call, script("git init -q . && git add -A && git -c user.name=day -c user.email=day@example.org "
                                 "-c commit.gpgsign=false commit -q -m morning && git rev-parse --short HEAD"));
  if (!commit || commit->exit_code != 0) {
    day.failed(commit ? commit->err.head : to_string(commit.error()));
  } else {
    day.done(fmt::format("committed as {}", std::string_view(commit->out.head).substr(0, commit->out.head.find('\n'))));
  }

  list_files(call, day, workspace);
  search_text(call, day, workspace);
  page_through(call, day, workspace);
  edit_and_refuse_stale(call, day, workspace);
  refuse_escapes(call, day, workspace);
  end_a_tree(call, day, workspace);
  work_on_a_project(call, day, workspace);
  show_changes(call, day, workspace);

  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  if (day.failures() > 0) {
    fmt::print("\n{} steps were not as promised.\n", day.failures());
    return 1;
  }
  fmt::print("\nThe day took {:.1f} s. Try it yourself: build/release/berth --help\n", seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return work(argc > 1 ? argv[1] : BERTH_SOURCE_DIR); }
