#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "policy/rules/patch_intents.h"
#include "surface/cli/diff_text.h"
#include "surface/cli/edit_json.h"
#include "surface/cli/input.h"
#include "surface/cli/json_internal.h"
#include "surface/cli/operations_json.h"
#include "surface/cli/verbs.h"

namespace berth::cli {
namespace {

struct PatchArguments {
  std::optional<std::string> file;
  std::string form = "auto";
  std::string operations;  ///< a file of them; empty: the patch is a text
  bool dry_run = false;
};

std::string_view what_name(PatchedFile::What what) {
  switch (what) {
    case PatchedFile::What::created: return "created";
    case PatchedFile::What::modified: return "modified";
    case PatchedFile::What::deleted: return "deleted";
    case PatchedFile::What::moved: return "moved";
    case PatchedFile::What::copied: return "copied";
  }
  return "modified";
}

Json to_json(const PatchedFile& file) {
  Json object = path_object(file.path.text());
  object["what"] = what_name(file.what);
  if (file.from) put_bytes(object, "from", file.from->text());
  if (file.previous_revision) object["previous_revision"] = file.previous_revision->text;
  if (file.revision) object["revision"] = file.revision->text;
  if (file.git_mode) object["git_mode"] = git_mode_name(*file.git_mode);
  put_bytes(object, "diff", file.diff.text);
  object["diff_truncated"] = file.diff.truncated;
  return object;
}

Result<Patch> patch_of(const Call& call, const Workspace& workspace, const PatchArguments& arguments) {
  if (!arguments.operations.empty()) {
    BERTH_TRY(const auto text, read_host_file(call, arguments.operations));
    BERTH_TRY(const auto list, parse_json(text, "the operations"));
    return operations_from_json(workspace, list);
  }
  BERTH_TRY(const auto text, read_host_file(call, arguments.file.value_or("-")));
  const PatchForm form = arguments.form == "unified"       ? PatchForm::unified
                         : arguments.form == "begin-patch" ? PatchForm::begin_patch
                                                           : form_of(text);
  return parse_patch(text, form);
}

Result<int> run_patch(Session& session, const PatchArguments& arguments) {
  if (!arguments.operations.empty() && (arguments.file || arguments.form != "auto")) {
    return make_error(ErrorCode::invalid_argument, "--operations excludes FILE and --form");
  }
  BERTH_TRY(Workspace * workspace, session.workspace_for(std::vector<Intent>{}));
  BERTH_TRY(const Patch patch, patch_of(session.call(), *workspace, arguments));
  PatchOptions options;
  if (arguments.dry_run) options.mode = PatchOptions::Mode::check;
  const auto use = arguments.dry_run ? PatchUse::look : PatchUse::apply;
  BERTH_CHECK(session.workspace_for(intents_of(patch, use)));
  BERTH_TRY(const auto outcome, workspace->apply_patch(session.call(), patch, options));
  if (session.json) {
    Json object = Json::object();
    object["applied"] = outcome.applied;
    Json files = Json::array();
    for (const auto& file : outcome.files) files.push_back(to_json(file));
    object["files"] = std::move(files);
    print_json(session, object);
    return 0;
  }
  for (const auto& file : outcome.files) {
    session.console.out(fmt::format("{} ", what_name(file.what)));
    session.console.out_name(Tone::path, file.path.text());
    if (file.from) {
      session.console.out(" from ");
      session.console.out_name(Tone::path, file.from->text());
    }
    session.console.out("\n");
    if (arguments.dry_run) print_diff(session.console, file.diff.text);
  }
  if (arguments.dry_run) session.console.note("berth: nothing was changed");
  return 0;
}

}  // namespace

void add_patch_verb(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<PatchArguments>();
  auto* verb = app.add_subcommand("patch", "Apply a patch, all files or none");
  verb->add_option("file", arguments->file, "The patch, a file of the host; - is standard input (the default)")
      ->type_name("FILE");
  verb->add_flag("--dry-run", arguments->dry_run, "Work it out and show it, change nothing");
  verb->add_option("--form", arguments->form, "How it is written: auto, unified, or begin-patch")
      ->type_name("FORM")
      ->check(CLI::IsMember({"auto", "unified", "begin-patch"}));
  verb->add_option("--operations", arguments->operations, "A JSON file with operations instead; - is standard input")
      ->type_name("FILE");
  verb->footer(
      "Reads what `git diff` and `diff -u` write, and the *** Begin Patch form. Every hunk must stand exactly where\n"
      "it says, or at the only place where its lines are; nothing fuzzy is applied.\n"
      "  git diff | berth -w elsewhere patch\n"
      "--operations reads an array of these. `edits` are those of `berth edit --edits`; `edits`, `git_mode` and\n"
      "`if_revision` may be left out; path_b64, from_b64, to_b64 and content_b64 hold bytes.\n"
      "  [{\"create\": {\"path\": …, \"content\": …, \"git_mode\": \"0755\"}},\n"
      "   {\"update\": {\"path\": …, \"edits\": [{\"old\": …, \"new\": …}]}},\n"
      "   {\"delete\": {\"path\": …, \"if_revision\": …}},\n"
      "   {\"move\":   {\"from\": …, \"to\": …, \"edits\": […]}},\n"
      "   {\"copy\":   {\"from\": …, \"to\": …, \"edits\": […]}}]");
  verb->callback(
      [&session, arguments] { session.action = [&session, arguments] { return run_patch(session, *arguments); }; });
}

}  // namespace berth::cli
