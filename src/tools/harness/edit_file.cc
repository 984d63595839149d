#include "tools/edit_file.h"

#include <fmt/format.h>

#include "tools/harness/harness_internal.h"
#include "tools/make_tool.h"
#include "tools/text.h"
#include "tools/text_only.h"

namespace berth::tools::harness {
namespace {

constexpr std::int64_t kMostEdits = 100;

struct Replacement {
  std::string old_text;
  std::string new_text;

  static const Fields<Replacement>& fields() {
    static const auto table =
        Fields<Replacement>()
            .field("old_text", &Replacement::old_text, "The text to replace, exactly as it stands in the file",
                   kRequired)
            .field("new_text", &Replacement::new_text, "The text to put in its place; empty removes it", kRequired);
    return table;
  }
};

struct Arguments {
  std::string path;
  std::optional<std::string> old_text;
  std::optional<std::string> new_text;
  std::optional<std::vector<Replacement>> replacements;
  std::optional<std::string> expected_hash;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("path", &Arguments::path, "The file", kRequired)
            .field("old_text", &Arguments::old_text, "The text to replace, exactly as it stands in the file")
            .field("new_text", &Arguments::new_text, "The text to put in its place; empty removes it")
            .field("replacements", &Arguments::replacements,
                   "Several at once, instead of `old_text` and `new_text`: all or none of them",
                   {.minimum = 1, .maximum = kMostEdits})
            .field("expected_hash", &Arguments::expected_hash, "Edit only what still has this hash");
    return table;
  }
};

Error wrong(std::string_view argument, std::string message) {
  return make_error(ErrorCode::invalid_argument, std::move(message)).with("argument", std::string(argument));
}

Result<std::vector<Replacement>> replacements_of(const Arguments& arguments) {
  if (arguments.replacements && (arguments.old_text || arguments.new_text)) {
    return wrong("replacements", "give `old_text` and `new_text`, or `replacements`, not both");
  }
  if (arguments.replacements) return *arguments.replacements;
  if (!arguments.old_text || !arguments.new_text) {
    return wrong("old_text", "`old_text` and `new_text` are needed, or `replacements`");
  }
  return std::vector<Replacement>{{*arguments.old_text, *arguments.new_text}};
}

Result<EditFileResponse> edit(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  BERTH_TRY(const auto replacements, replacements_of(arguments));
  EditFileRequest request;
  request.path = arguments.path;
  for (const auto& [old_text, new_text] : replacements) {
    request.edits.push_back({.old_text = old_text, .new_text = new_text, .count = 1, .all = false});
  }
  BERTH_CHECK(session.permit(call, Operation::edit, arguments.path));
  BERTH_CHECK(check_is_text(call, session, arguments.path));
  BERTH_TRY(request.expected_revision, expected_revision(call, session, arguments.path, arguments.expected_hash));
  BERTH_TRY(auto response, permitted_edit_file(call, session, request));
  BERTH_TRY(response.path, shown_path(session, arguments.path));
  return response;
}

// The operation counts edits from 0.
ToolResult render_error(const Arguments& arguments, const Error& error) {
  Error worded = error;
  for (auto& field : worded.fields) {
    if (field.name != "edit") continue;
    field.name = "replacement";
    if (auto* number = std::get_if<std::int64_t>(&field.value)) ++*number;
  }
  if (!arguments.replacements)
    std::erase_if(worded.fields, [](const auto& field) { return field.name == "replacement"; });
  if (error.code == ErrorCode::ambiguous_match) worded.hint = "add lines around the text until it is unique";
  return error_result(worded);
}

}  // namespace

std::unique_ptr<Tool> make_edit_file(const HarnessOptions& options) {
  return make_tool<Arguments, Arguments, EditFileResponse>(
      {.info = {.name = "edit_file",
                .title = "Edit a file",
                .description =
                    "Replace text in a file, in one place or several, all or none. Each `old_text` must match "
                    "exactly, white space included, and only once: add lines around it until it is unique. A "
                    "file that changed since you read it is not edited: read it again first.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.destructive = true},
                .needs = {.reads = true, .writes = true},
                .uses = {Operation::edit}},
       .operation = edit,
       .render =
           [options](const Arguments&, const EditFileResponse& response) {
             return fmt::format("Edited {}.{}", shown_name(response.path),
                                hash_part(options, response.revision, " [", "]"));
           },
       .render_error = render_error});
}

}  // namespace berth::tools::harness
