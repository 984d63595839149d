#include "workspace/git/git_command.h"

#include <array>
#include <string>
#include <utility>

namespace berth::git {
namespace {

// What git reads from its environment: `git rev-parse --local-env-vars`, git(1), and the variables of its programs.
constexpr std::array kVariables = {
    "GIT_ALLOW_PROTOCOL",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ASKPASS",
    "GIT_ATTR_NOSYSTEM",
    "GIT_ATTR_SOURCE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_SYSTEM",
    "GIT_DEFAULT_HASH",
    "GIT_DEFAULT_REF_FORMAT",
    "GIT_DIFF_OPTS",
    "GIT_DIR",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_FLUSH",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INDEX_VERSION",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_LAZY_FETCH",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_OPTIONAL_LOCKS",
    "GIT_PAGER",
    "GIT_PAGER_IN_USE",
    "GIT_PREFIX",
    "GIT_PROTOCOL",
    "GIT_PROTOCOL_FROM_USER",
    "GIT_PROXY_COMMAND",
    "GIT_QUARANTINE_PATH",
    "GIT_REDIRECT_STDERR",
    "GIT_REDIRECT_STDIN",
    "GIT_REDIRECT_STDOUT",
    "GIT_REF_FORMAT",
    "GIT_REF_PARANOIA",
    "GIT_REPLACE_REF_BASE",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SHALLOW_FILE",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_TEMPLATE_DIR",
    "GIT_TERMINAL_PROMPT",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_CONFIG_PARAMS",
    "GIT_TRACE2_ENV_VARS",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
    "GIT_TRACE_CURL",
    "GIT_TRACE_FSMONITOR",
    "GIT_TRACE_PACKET",
    "GIT_TRACE_PACKFILE",
    "GIT_TRACE_PACK_ACCESS",
    "GIT_TRACE_PERFORMANCE",
    "GIT_TRACE_REFS",
    "GIT_TRACE_SETUP",
    "GIT_TRACE_SHALLOW",
    "GIT_WORK_TREE",
    "CDPATH",
    "EDITOR",
    "ENV",
    "BASH_ENV",
    "LANGUAGE",
    "LESS",
    "LV",
    "PAGER",
    "SSH_ASKPASS",
    "VISUAL",
    "XDG_CONFIG_HOME",
};

// What a configuration may make git run, read or leave out, each with the value that does not.
constexpr std::array kSettings = {
    "advice.graftFileDeprecated=false",
    "core.alternateRefsCommand=",
    "core.askPass=",
    "core.attributesFile=/dev/null",
    "core.autocrlf=false",
    "core.checkStat=default",
    "core.editor=false",
    "core.excludesFile=/dev/null",
    "core.fileMode=true",
    "core.fsmonitor=false",
    "core.gitProxy=false",
    "core.hooksPath=/dev/null",
    "core.ignoreCase=false",
    "core.logAllRefUpdates=false",
    "core.pager=cat",
    "core.precomposeUnicode=false",
    "core.preloadIndex=true",
    "core.quotePath=false",
    "core.safecrlf=false",
    "core.sparseCheckout=false",
    "core.splitIndex=false",
    "core.sshCommand=false",
    "core.symlinks=true",
    "core.trustctime=true",
    "core.untrackedCache=false",
    "core.useReplaceRefs=false",
    "credential.helper=",
    "diff.external=",
    "diff.ignoreSubmodules=dirty",
    "fastimport.unpackLimit=0",
    "gc.auto=0",
    "gpg.program=false",
    "maintenance.auto=false",
    "pack.writeReverseIndex=false",
    "protocol.allow=never",
    "sequence.editor=false",
    "status.renames=false",
    "submodule.recurse=false",
    "uploadpack.packObjectsHook=",
};

/// A name as GIT_ALTERNATE_OBJECT_DIRECTORIES takes it: a colon separates, quotes in the manner of C protect.
Bytes quoted(BytesView name) {
  Bytes text = "\"";
  for (const char byte : name) {
    if (byte == '\n') {
      text += "\\n";
      continue;
    }
    if (byte == '"' || byte == '\\') text += '\\';
    text += byte;
  }
  return text + '"';
}

void isolate(CommandSpec& spec, std::int64_t max_output) {
  spec.env_remove.assign(kVariables.begin(), kVariables.end());
  spec.env = {
      {"GIT_CONFIG_NOSYSTEM", "1"},
      {"GIT_CONFIG_SYSTEM", "/dev/null"},
      {"GIT_CONFIG_GLOBAL", "/dev/null"},
      {"GIT_ATTR_NOSYSTEM", "1"},
      {"GIT_OPTIONAL_LOCKS", "0"},
      {"GIT_TERMINAL_PROMPT", "0"},
      // Empty allows no transport at all, whatever protocol.*.allow says; the next one keeps newer git from trying.
      {"GIT_ALLOW_PROTOCOL", ""},
      {"GIT_NO_LAZY_FETCH", "1"},
      {"GIT_NO_REPLACE_OBJECTS", "1"},
      {"GIT_GRAFT_FILE", "/dev/null"},
      {"GIT_PAGER", "cat"},
      // Where git before 2.32 looks for the user's configuration.
      {"HOME", "/dev/null"},
      {"XDG_CONFIG_HOME", "/dev/null"},
      {"LC_ALL", "C"},
  };
  spec.output.limit = max_output;
  spec.output.kept = max_output;
}

Result<GitOutput> run_spec(const Call& call, Workspace& workspace, const CommandSpec& spec) {
  BERTH_TRY(CommandOutcome outcome, workspace.run(call, spec));
  GitOutput output{.out = std::move(outcome.out.head), .err = std::move(outcome.err.head)};
  switch (outcome.kind) {
    case CommandOutcome::Kind::exited: output.exit_code = outcome.exit_code; break;
    case CommandOutcome::Kind::output_limited: output.cut = true; break;
    case CommandOutcome::Kind::timed_out:
      return make_error(ErrorCode::timed_out, "git did not finish before the deadline");
    case CommandOutcome::Kind::cancelled:
      return make_error(ErrorCode::cancelled, "the call was cancelled while git was running");
    case CommandOutcome::Kind::lost:
      return make_error(ErrorCode::unavailable, "git has no exit record: " + outcome.reason);
    case CommandOutcome::Kind::signaled:
      return make_error(ErrorCode::io, "git was ended by a signal").with("signal", std::int64_t{outcome.signal});
  }
  return output;
}

}  // namespace

CommandSpec git_command(const GitPlace& place, GitRun run) {
  CommandSpec spec;
  spec.argv = {"git", "--no-pager", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs"};
  const auto set = [&spec](Bytes setting) {
    spec.argv.emplace_back("-c");
    spec.argv.push_back(std::move(setting));
  };
  for (const char* setting : kSettings) set(setting);
  for (auto& setting : run.settings) set(std::move(setting));
  for (auto& word : run.words) spec.argv.push_back(std::move(word));

  isolate(spec, run.max_output);
  const auto tell = [&spec](std::string name, const Bytes& value) {
    if (!value.empty()) spec.env.emplace_back(std::move(name), value);
  };
  tell("GIT_DIR", place.git_dir);
  tell("GIT_WORK_TREE", place.work_tree);
  tell("GIT_INDEX_FILE", place.index_file);
  tell("GIT_OBJECT_DIRECTORY", place.object_directory);
  if (!place.alternate.empty()) tell("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(place.alternate));
  spec.stdin_bytes = std::move(run.input);
  return spec;
}

Result<GitOutput> run_git(const Call& call, Workspace& workspace, const GitPlace& place, GitRun run) {
  BERTH_TRY(GitOutput output, run_spec(call, workspace, git_command(place, std::move(run))));
  if (!output.cut && (output.exit_code == 127 || output.exit_code == 126)) {
    auto error = make_error(ErrorCode::unsupported, "git cannot be run where the workspace's commands run");
    error.hint = "install git there, or put it on the PATH of the workspace's commands";
    return error;
  }
  return output;
}

Result<GitOutput> run_script(const Call& call, Workspace& workspace, std::string_view script,
                             std::vector<Bytes> arguments, std::optional<Bytes> input, std::int64_t max_output) {
  CommandSpec spec;
  spec.argv = {"/bin/sh", "-c", Bytes(script), "sh"};
  for (auto& argument : arguments) spec.argv.push_back(std::move(argument));
  isolate(spec, max_output);
  spec.stdin_bytes = std::move(input);
  return run_spec(call, workspace, spec);
}

BytesView without_newline(BytesView output) noexcept {
  if (output.ends_with('\n')) output.remove_suffix(1);
  return output;
}

}  // namespace berth::git
