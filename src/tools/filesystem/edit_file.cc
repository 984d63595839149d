#include <fmt/format.h>

#include "tools/filesystem/filesystem_internal.h"
#include "tools/make_tool.h"
#include "tools/staleness.h"
#include "tools/text.h"
#include "tools/text_only.h"

namespace berth::tools::filesystem {
namespace {

constexpr std::int64_t kMostEdits = 100;

struct TextPair {
  std::string old_text;
  std::string new_text;

  static const Fields<TextPair>& fields() {
    static const auto table =
        Fields<TextPair>()
            .field("oldText", &TextPair::old_text, "The text to replace, exactly as it stands in the file", kRequired)
            .field("newText", &TextPair::new_text, "The text to put in its place; empty removes it", kRequired);
    return table;
  }
};

struct Arguments {
  std::string path;
  std::vector<TextPair> edits;
  bool dry_run = false;

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>()
                                  .field("path", &Arguments::path, "The file", kRequired)
                                  .field("edits", &Arguments::edits, "One after the other, all or none",
                                         {.need = Rule::Need::required, .minimum = 1, .maximum = kMostEdits})
                                  .field("dryRun", &Arguments::dry_run, "Show the change, do not make it");
    return table;
  }
};

struct Edited {
  Bytes content;
  Bytes path;
  bool applied = false;
  Revision previous_revision;
  std::optional<Revision> revision;
  Bytes diff;
  bool diff_truncated = false;

  static const Fields<Edited>& fields() {
    static const auto table = Fields<Edited>()
                                  .bytes("content", &Edited::content, "The diff in a fence")
                                  .bytes("path", &Edited::path, "")
                                  .field("applied", &Edited::applied, "False for a dry run")
                                  .field("previous_revision", &Edited::previous_revision, "")
                                  .field("revision", &Edited::revision, "Of the new content, where it was written")
                                  .field("diff_truncated", &Edited::diff_truncated, "");
    return table;
  }
};

// That server's clients expect each edit to see what the ones before it made.
Result<Bytes> apply_in_turn(const Call& call, const Bytes& path, Bytes content, const std::vector<TextPair>& pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Edit edit{.old_text = pairs[i].old_text, .new_text = pairs[i].new_text};
    auto edited = apply_edits(content, std::span(&edit, 1), call);
    if (!edited) {
      Error error = std::move(edited).error();
      for (auto& field : error.fields) {
        if (field.name == "edit") field.value = static_cast<std::int64_t>(i);
      }
      if (pairs.size() > 1) error.message = fmt::format("edit {} of {}: {}", i + 1, pairs.size(), error.message);
      return std::move(error).at(path);
    }
    content = std::move(edited->content);
  }
  return content;
}

std::string fenced(BytesView diff, bool was_cut) {
  std::string fence = "```";
  while (diff.find(fence) != BytesView::npos) fence += '`';
  return fmt::format("{}diff\n{}\n{}\n\n", fence, diff_text(diff, was_cut), fence);
}

Result<Edited> edit(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  auto& workspace = session.workspace();
  BERTH_TRY(const auto path, path_argument(arguments.path));
  BERTH_CHECK(session.permit(call, arguments.dry_run ? Operation::read : Operation::edit, path));
  BERTH_CHECK(check_is_text(call, session, path));
  BERTH_TRY(const auto expected, expected_of(call, session, path, std::nullopt));
  BERTH_TRY(auto page, workspace.read(call, path));
  if (!page.revision) return make_error(ErrorCode::changed_during_read, "the file could not be read whole").at(path);
  if (expected.revision && *expected.revision != *page.revision) {
    return explain_stale(make_error(ErrorCode::revision_mismatch, "").at(path), expected);
  }
  BERTH_TRY(auto content, apply_in_turn(call, path, page.content, arguments.edits));
  if (content == page.content) {
    return make_error(ErrorCode::invalid_argument, "the edits together change nothing").at(path);
  }
  const auto most = static_cast<std::size_t>(session.options().max_page_bytes);
  auto diff = unified_diff(path, page.content, content, most);
  Edited edited{.path = path,
                .applied = !arguments.dry_run,
                .previous_revision = *page.revision,
                .diff = std::move(diff.text),
                .diff_truncated = diff.truncated};
  edited.content = fenced(edited.diff, edited.diff_truncated);
  if (arguments.dry_run) return edited;
  auto written = workspace.replace(call, path, content, *page.revision);
  if (!written) return explain_stale(std::move(written).error(), expected);
  session.reads().saw(expected.real_path, written->revision);
  edited.revision = written->revision;
  return edited;
}

}  // namespace

std::unique_ptr<Tool> make_edit_file() {
  return make_tool<Arguments, Arguments, Edited>(
      {.info = {.name = "edit_file",
                .title = "Edit a file",
                .description =
                    "Replace text in a file, one place after the other, all or none; answers with the diff. Each "
                    "`oldText` must match exactly, white space included, and only once: add lines around it until it "
                    "is unique. Line endings stay as they are. A file that changed since you read it is not edited.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.destructive = true},
                .needs = {.reads = true, .writes = true},
                .uses = {Operation::edit}},
       .operation = edit,
       .render = [](const Arguments&, const Edited& edited) { return edited.content; },
       .render_error = kRenderError});
}

}  // namespace berth::tools::filesystem
