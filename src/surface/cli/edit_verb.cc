#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "surface/cli/diff_text.h"
#include "surface/cli/edit_json.h"
#include "surface/cli/input.h"
#include "surface/cli/json_internal.h"
#include "surface/cli/verbs.h"

namespace berth::cli {
namespace {

struct EditArguments {
  std::string path;
  std::optional<std::string> old_text;
  std::optional<std::string> new_text;
  std::optional<std::int64_t> count;
  bool all = false;
  std::string edits_file;
  std::optional<std::string> if_revision;
};

Error wrong_edits(const std::string& what) { return make_error(ErrorCode::invalid_argument, what); }

Result<std::vector<Edit>> edits_of(const Session& session, const EditArguments& arguments) {
  if (!arguments.edits_file.empty()) {
    if (arguments.old_text || arguments.new_text || arguments.all || arguments.count) {
      return wrong_edits("--edits excludes --old, --new, --all and --count");
    }
    BERTH_TRY(const auto text, read_host_file(session.call(), arguments.edits_file));
    BERTH_TRY(const auto list, parse_json(text, "the edits"));
    auto edits = edits_from_json(list);
    if (!edits) return std::move(edits).error().at(arguments.edits_file);
    return edits;
  }
  if (!arguments.old_text || !arguments.new_text) {
    auto error = wrong_edits("an edit needs --old and --new, or --edits");
    error.hint = "say what to replace and by what: --old TEXT --new TEXT";
    return error;
  }
  if (arguments.all && arguments.count) return wrong_edits("--all and --count exclude each other");
  return std::vector<Edit>{{.old_text = *arguments.old_text,
                            .new_text = *arguments.new_text,
                            .count = arguments.all ? Edit::Count::all : Edit::Count::exactly,
                            .expected_count = arguments.count.value_or(1)}};
}

Result<int> run_edit(Session& session, const EditArguments& arguments) {
  BERTH_TRY(const auto edits, edits_of(session, arguments));
  EditOptions options;
  if (arguments.if_revision) options.expected_revision = Revision{*arguments.if_revision};
  BERTH_TRY(Workspace * workspace, session.workspace_for(Operation::edit, arguments.path));
  BERTH_TRY(const auto outcome, workspace->edit(session.call(), arguments.path, edits, options));
  if (session.json) {
    Json object = path_object(arguments.path);
    object["counts"] = outcome.counts;
    object["previous_revision"] = outcome.previous_revision.text;
    object["revision"] = outcome.revision.text;
    put_bytes(object, "diff", outcome.diff.text);
    object["diff_truncated"] = outcome.diff.truncated;
    print_json(session, object);
    return 0;
  }
  print_diff(session.console, outcome.diff.text);
  if (outcome.diff.truncated) session.console.note("berth: the diff is longer than is shown here");
  return 0;
}

}  // namespace

void add_edit_verb(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<EditArguments>();
  auto* verb = app.add_subcommand("edit", "Replace literal text in a file, all edits or none; prints the diff");
  verb->add_option("path", arguments->path, "The file")->type_name("PATH")->required();
  verb->add_option("--old", arguments->old_text, "The text to replace, exactly as it stands there")->type_name("TEXT");
  verb->add_option("--new", arguments->new_text, "What to put in its place")->type_name("TEXT");
  verb->add_flag("--all", arguments->all, "Replace every match");
  verb->add_option("--count", arguments->count, "How many matches there must be (1)")->type_name("N");
  verb->add_option("--edits", arguments->edits_file, "A JSON file with several edits; - is standard input")
      ->type_name("FILE");
  verb->add_option("--if-revision", arguments->if_revision, "Only when the file still has this revision")
      ->type_name("R");
  verb->footer(
      "--edits reads [{\"old\": …, \"new\": …, \"count\": N or \"all\": true}, …]; old_b64 and new_b64 hold bytes.\n"
      "Nothing fuzzy is applied: when the text is not there, places that differ only in white space are shown.\n"
      "  berth edit main.cc --old 'int main()' --new 'int main(int, char**)'");
  verb->callback(
      [&session, arguments] { session.action = [&session, arguments] { return run_edit(session, *arguments); }; });
}

}  // namespace berth::cli
