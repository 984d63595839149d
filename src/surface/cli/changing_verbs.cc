#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "surface/cli/input.h"
#include "surface/cli/json_internal.h"
#include "surface/cli/verbs.h"

namespace berth::cli {
namespace {

struct WriteArguments {
  std::string path;
  std::optional<std::string> if_revision;
  bool create = false;
  std::string git_mode;
};

Result<int> run_write(Session& session, const WriteArguments& arguments) {
  if (arguments.create && arguments.if_revision) {
    return make_error(ErrorCode::invalid_argument, "--create and --if-revision exclude each other").at(arguments.path);
  }
  WriteOptions options;
  if (arguments.git_mode == "0644" || arguments.git_mode == "100644") options.git_mode = GitMode::regular;
  if (arguments.git_mode == "0755" || arguments.git_mode == "100755") options.git_mode = GitMode::executable;
  BERTH_TRY(Workspace * workspace, session.workspace_for(Operation::write, arguments.path));
  BERTH_TRY(const auto content, read_standard_input(session.call()));
  auto written = arguments.create        ? workspace->create(session.call(), arguments.path, content, options)
                 : arguments.if_revision ? workspace->replace(session.call(), arguments.path, content,
                                                              Revision{*arguments.if_revision}, options)
                                         : workspace->write(session.call(), arguments.path, content, options);
  BERTH_TRY(const auto outcome, std::move(written));
  if (session.json) {
    Json object = path_object(arguments.path);
    object["created"] = outcome.created;
    object["bytes"] = outcome.bytes;
    object["revision"] = outcome.revision.text;
    if (outcome.previous_revision) object["previous_revision"] = outcome.previous_revision->text;
    object["token"] = outcome.token.text();
    print_json(session, object);
    return 0;
  }
  session.console.out(outcome.created ? "created " : "wrote ");
  session.console.out_name(Tone::path, arguments.path);
  session.console.out(fmt::format(" ({} bytes), revision {}\n", outcome.bytes, outcome.revision.text));
  return 0;
}

struct MoveArguments {
  std::string from;
  std::string to;
  std::optional<std::string> if_revision;
};

// The one that was asked for, or that of the file as it is now.
Result<Revision> revision_to_move(const Call& call, Workspace& workspace, const MoveArguments& arguments) {
  if (arguments.if_revision) return Revision{*arguments.if_revision};
  BERTH_TRY(const auto page, workspace.read(call, arguments.from));
  if (page.revision) return *page.revision;
  auto error = make_error(ErrorCode::too_large, "the file is larger than one read may be").at(arguments.from);
  error.hint = "give the revision it must have with --if-revision";
  return error;
}

Result<MoveOutcome> move_file(const Call& call, Workspace& workspace, const MoveArguments& arguments) {
  BERTH_TRY(const auto revision, revision_to_move(call, workspace, arguments));
  return workspace.move_if(call, arguments.from, arguments.to, revision);
}

Result<int> run_move(Session& session, const MoveArguments& arguments) {
  BERTH_TRY(Workspace * workspace, session.workspace_for({{Operation::write, arguments.from, Leaf::itself},
                                                          {Operation::write, arguments.to, Leaf::itself}}));
  auto moved = move_file(session.call(), *workspace, arguments);
  if (!moved && moved.error().code == ErrorCode::is_a_directory) {
    auto error = make_error(ErrorCode::is_a_directory, "`mv` moves one file, and this is a directory");
    error.path = moved.error().path;
    error.hint = workspace->capabilities().run_commands
                     ? "move it with a command, `berth run -- mv -n FROM TO`, or move its files one by one"
                     : "move its files one by one; `berth list` names them";
    return error;
  }
  BERTH_TRY(const auto outcome, std::move(moved));
  const bool atomic = outcome.fidelity == MoveOutcome::Fidelity::atomic_rename;
  if (session.json) {
    Json object = Json::object();
    put_bytes(object, "from", arguments.from);
    put_bytes(object, "to", arguments.to);
    object["fidelity"] = atomic ? "atomic_rename" : "link_unlink";
    object["revision"] = outcome.revision.text;
    print_json(session, object);
    return 0;
  }
  session.console.out("moved ");
  session.console.out_name(Tone::path, arguments.from);
  session.console.out(" to ");
  session.console.out_name(Tone::path, arguments.to);
  session.console.out(atomic ? "\n" : " (linked, then unlinked)\n");
  return 0;
}

struct RemoveArguments {
  std::string path;
  std::optional<std::string> if_revision;
  bool recursive = false;
};

Result<int> run_remove(Session& session, const RemoveArguments& arguments) {
  if (arguments.recursive && arguments.if_revision) {
    return make_error(ErrorCode::invalid_argument, "-r and --if-revision exclude each other").at(arguments.path);
  }
  BERTH_TRY(Workspace * workspace, session.workspace_for({{Operation::write, arguments.path, Leaf::itself}}));
  auto removed = arguments.recursive ? workspace->remove(session.call(), arguments.path)
                 : arguments.if_revision
                     ? workspace->delete_if(session.call(), arguments.path, Revision{*arguments.if_revision})
                     : workspace->delete_file(session.call(), arguments.path);
  if (!removed && removed.error().code == ErrorCode::is_a_directory && removed.error().hint.empty()) {
    auto error = std::move(removed).error();
    error.hint = "`rm -r` removes a directory with everything in it";
    return error;
  }
  BERTH_TRY(const auto outcome, std::move(removed));
  if (session.json) {
    Json object = path_object(arguments.path);
    object["removed"] = outcome.removed;
    print_json(session, object);
    return 0;
  }
  session.console.out(outcome.removed == 0 ? "nothing at " : "removed ");
  session.console.out_name(Tone::path, arguments.path);
  session.console.out(outcome.removed > 1 ? fmt::format(" ({} entries)\n", outcome.removed) : "\n");
  return 0;
}

Result<int> run_make_directory(Session& session, const std::string& path) {
  BERTH_TRY(Workspace * workspace, session.workspace_for(Operation::write, path));
  BERTH_TRY(const auto outcome, workspace->make_directory(session.call(), path));
  if (session.json) {
    Json object = path_object(path);
    object["created"] = outcome.created;
    print_json(session, object);
    return 0;
  }
  session.console.out(outcome.created ? "created " : "already there: ");
  session.console.out_name(Tone::directory, path);
  session.console.out("\n");
  return 0;
}

}  // namespace

void add_changing_verbs(CLI::App& app, Session& session) {
  {
    auto arguments = std::make_shared<WriteArguments>();
    auto* verb = app.add_subcommand("write", "Write a file from standard input, atomically");
    verb->add_option("path", arguments->path, "The file; missing parents are made")->type_name("PATH")->required();
    verb->add_flag("--create", arguments->create, "Only when nothing stands there");
    verb->add_option("--if-revision", arguments->if_revision, "Only when the file still has this revision")
        ->type_name("R");
    verb->add_option("--git-mode", arguments->git_mode, "Set the mode to exactly 0644 or 0755 (100644, 100755)")
        ->type_name("MODE")
        ->check(CLI::IsMember({"0644", "0755", "100644", "100755"}));
    verb->footer(
        "A file that stands there is overwritten: its content is replaced in one step, its mode is kept.\n"
        "--create refuses that, and --if-revision refuses it when the file is no longer what you read;\n"
        "`berth read --json PATH` gives its revision.\n"
        "  echo hello | berth write notes/today.txt --create");
    verb->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run_write(session, *arguments); }; });
  }
  {
    auto arguments = std::make_shared<MoveArguments>();
    auto* verb = app.add_subcommand("mv", "Move a file without overwriting anything");
    verb->add_option("from", arguments->from, "The file")->type_name("FROM")->required();
    verb->add_option("to", arguments->to, "Its new path")->type_name("TO")->required();
    verb->add_option("--if-revision", arguments->if_revision, "Only when the file still has this revision")
        ->type_name("R");
    verb->footer(
        "Without --if-revision the file is moved as it is now: its revision is read first, and a change by somebody\n"
        "else between that and the move is an error. Directories are not moved.\n"
        "  berth mv draft.txt final.txt");
    verb->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run_move(session, *arguments); }; });
  }
  {
    auto arguments = std::make_shared<RemoveArguments>();
    auto* verb = app.add_subcommand("rm", "Remove a file, or a whole tree with -r");
    verb->add_option("path", arguments->path, "What to remove")->type_name("PATH")->required();
    verb->add_flag("-r,--recursive", arguments->recursive, "A directory with everything in it; links are not followed");
    verb->add_option("--if-revision", arguments->if_revision, "Only when the file still has this revision")
        ->type_name("R");
    verb->footer("Without -r a missing file is fine; with -r it is an error.\n  berth rm -r build");
    verb->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run_remove(session, *arguments); }; });
  }
  {
    auto path = std::make_shared<std::string>();
    auto* verb = app.add_subcommand("mkdir", "Make a directory and its missing parents");
    verb->add_option("path", *path, "The directory; one that is there is fine")->type_name("PATH")->required();
    verb->callback(
        [&session, path] { session.action = [&session, path] { return run_make_directory(session, *path); }; });
  }
}

}  // namespace berth::cli
