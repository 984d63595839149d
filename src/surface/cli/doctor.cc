#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "os/features.h"
#include "store/sqlite_probe.h"
#include "surface/cli/json_internal.h"
#include "surface/cli/verbs.h"
#include "surface/cli/version.h"

namespace berth::cli {
namespace {

/// One thing a machine may offer.
struct Finding {
  std::string name;
  bool present = false;
  std::string detail;   ///< a version, or what it is good for
  std::string without;  ///< what follows when it is missing
  std::string remedy;   ///< what to install or change to have it
};

// Tried in a child: the answer of the kernel, whatever its settings are called on this distribution.
bool can_make_user_namespace() {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) _exit(unshare(CLONE_NEWUSER) == 0 ? 0 : 1);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The first line a program prints; empty when it cannot be run.
std::string first_line_of(const char* command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command, "re"), pclose);
  std::array<char, 256> line{};
  if (!pipe || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return {};
  std::string text = line.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Finding look_at_git() {
  const auto version = first_line_of("git --version 2>/dev/null");
  return {"git", !version.empty(), version.empty() ? "what changed in a repository" : version,
          "files and ignore rules work all the same; `diff`, `status` and commands that call git fail",
          "install the package git"};
}

Finding look_at_sqlite() {
  const auto version = store::probe_sqlite();
  return {"sqlite", version.has_value(), version ? "SQLite " + *version : "documents in a database",
          "documents are kept in files; a store in a database fails",
          "install the package libsqlite3-0, the library that Berth was built with"};
}

std::vector<Finding> look_around() {
  const auto features = os::Features::probe();
  return {
      {"openat2", features.openat2, "the kernel confines a path in one step (Linux 5.6)",
       "paths are walked name by name: the same answers, slower", "run Linux 5.6 or later"},
      {"o_tmpfile", features.o_tmpfile, "new content has no name until it is complete",
       "a temporary file with a reserved name is used; a crash can leave one until the next write there",
       "keep the workspace on a file system that has it, such as ext4, xfs, btrfs or tmpfs"},
      {"renameat2", features.renameat2, "a move that never overwrites is one step",
       "a move is a link and an unlink: for a moment both names exist",
       "run Linux 3.15 or later, and keep the workspace on a local file system"},
      {"pidfd", features.pidfd, "processes are ended without mistaking one for another (Linux 5.3)",
       "processes are ended by number, checked again before each signal", "run Linux 5.3 or later"},
      {"cgroup2", features.cgroup2, "each command has a control group: ending it ends everything it started",
       "the process tree is walked to end a command: the same answers; needs more time for very many processes",
       "let Berth write to a part of /sys/fs/cgroup, for example with `systemd-run --user --scope -p Delegate=yes`"},
      {"memfd_exec", features.memfd_exec, "the supervisor of commands is run from memory",
       "the supervisor of commands is run from a private temporary file",
       "allow it: `sysctl vm.memfd_noexec=0`, on Linux 3.17 or later"},
      {"user_namespaces", can_make_user_namespace(), "a sandbox can be made without being root",
       "commands of a host workspace are unconfined in any case; sandboxes would need root here",
       "allow them: `sysctl kernel.unprivileged_userns_clone=1` or `user.max_user_namespaces`"},
      look_at_git(),
      look_at_sqlite(),
  };
}

std::string machine() {
  utsname name{};
  if (uname(&name) != 0) return "unknown";
  return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

std::int64_t open_file_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<std::int64_t>(limit.rlim_cur) : -1;
}

Result<int> run_doctor(Session& session) {
  const auto findings = look_around();
  const bool is_root = geteuid() == 0;
  if (session.json) {
    Json features = Json::object();
    for (const auto& finding : findings) {
      features[finding.name] = {{"present", finding.present}, {"detail", finding.detail}};
      if (finding.present) continue;
      features[finding.name]["consequence"] = finding.without;
      features[finding.name]["remedy"] = finding.remedy;
    }
    print_json(session, {{"version", kVersion},
                         {"machine", machine()},
                         {"root", is_root},
                         {"open_file_limit", open_file_limit()},
                         {"features", std::move(features)}});
    return 0;
  }
  auto& console = session.console;
  console.out(fmt::format("berth {} on {}, {} open files at most{}\n\n", kVersion, machine(), open_file_limit(),
                          is_root ? ", as root" : ""));
  std::size_t missing = 0;
  for (const auto& finding : findings) {
    console.out(finding.present ? Tone::good : Tone::bad, finding.present ? "  yes  " : "  no   ");
    console.out(fmt::format("{:<17}{}\n", finding.name, finding.detail));
    if (finding.present) continue;
    ++missing;
    console.out(Tone::dim,
                fmt::format("{0:24}without it: {1}\n{0:24}to have it: {2}\n", "", finding.without, finding.remedy));
  }
  console.out(missing == 0
                  ? "\nEverything Berth can use is here.\n"
                  : "\nWhat is missing costs speed, comfort or the verbs that need it, never a wrong answer.\n");
  if (is_root) console.out("Commands run as root: nothing but their manners keeps them inside the workspace.\n");
  return 0;
}

}  // namespace

void add_doctor_verb(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand("doctor", "Say what this machine offers, what is missing, and what follows");
  verb->footer("Each feature is tried, not guessed from versions. Every fallback gives the same answers.");
  verb->callback([&session] { session.action = [&session] { return run_doctor(session); }; });
}

}  // namespace berth::cli
