#include "tools/apply_patch.h"

#include <fmt/format.h>

#include "policy/rules/patch_intents.h"
#include "tools/make_tool.h"
#include "tools/staleness.h"
#include "tools/text.h"
#include "tools/value_fields.h"

namespace berth::tools {
namespace {

// What the conversation knows of the files that the patch changes. Links in a patch's paths are refused, so that its
// paths are the real ones.
Result<PatchOptions> options_of(const Call& call, ToolSession& session, const Patch& patch,
                                const ApplyPatchRequest& request) {
  PatchOptions options;
  if (request.dry_run) options.mode = PatchOptions::Mode::check;
  for (const auto& operation : patch.operations) {
    if (operation.kind == PatchOperation::Kind::create) continue;
    const auto seen = session.reads().seen(operation.path);
    if (!seen) continue;
    if (const auto* revision = std::get_if<Revision>(&*seen)) {
      options.expected_revisions.emplace(operation.path, *revision);
      continue;
    }
    BERTH_TRY(const auto expected, expected_of(call, session, operation.path.text(), std::nullopt));
    BERTH_TRY(auto revision, revision_to_compare(call, session, operation.path.text(), expected));
    options.expected_revisions.emplace(operation.path, std::move(revision));
  }
  return options;
}

}  // namespace

const Fields<ApplyPatchRequest>& ApplyPatchRequest::fields() {
  static const auto table =
      Fields<ApplyPatchRequest>()
          .bytes("patch", &ApplyPatchRequest::patch, "A unified diff as git writes it, or a `*** Begin Patch`",
                 kRequired)
          .field("dry_run", &ApplyPatchRequest::dry_run, "Work it out and show it, change nothing");
  return table;
}

const Fields<ApplyPatchResponse>& ApplyPatchResponse::fields() {
  static const auto table = Fields<ApplyPatchResponse>()
                                .field("applied", &ApplyPatchResponse::applied, "False for a dry run")
                                .field("files", &ApplyPatchResponse::files, "By path");
  return table;
}

Result<ApplyPatchResponse> apply_patch(const Call& call, ToolSession& session, const ApplyPatchRequest& request) {
  BERTH_TRY(const auto patch, parse_patch(request.patch, form_of(request.patch)));
  BERTH_CHECK(session.permit(call, intents_of(patch, request.dry_run ? PatchUse::look : PatchUse::apply)));
  BERTH_TRY(const auto options, options_of(call, session, patch, request));
  auto outcome = session.workspace().apply_patch(call, patch, options);
  if (!outcome) {
    return explain_stale(
        std::move(outcome).error(),
        {.source = options.expected_revisions.empty() ? Expected::Source::nothing : Expected::Source::conversation});
  }
  if (outcome->applied) {
    for (const auto& file : outcome->files) {
      if (file.what == PatchedFile::What::moved && file.from) session.reads().forget(*file.from);
      if (file.revision)
        session.reads().saw(file.path, *file.revision);
      else
        session.reads().forget(file.path);
    }
  }
  return ApplyPatchResponse{outcome->applied, std::move(outcome->files)};
}

std::string render(const ApplyPatchResponse& response) {
  std::string text;
  for (const auto& file : response.files) {
    text += fmt::format("{} {}", enum_name(file.what), shown_name(file.path.text()));
    if (file.from) text += fmt::format(" from {}", shown_name(file.from->text()));
    text += "\n";
    if (!response.applied) text += decode_utf8(file.diff.text).text;
  }
  return text + (response.applied
                     ? fmt::format("Applied to {}", counted(static_cast<std::int64_t>(response.files.size()), "file"))
                     : "Nothing was changed: a dry run");
}

std::unique_ptr<Tool> apply_patch_tool() {
  return make_tool<ApplyPatchRequest, ApplyPatchResponse>(
      {.name = "apply_patch",
       .title = "Apply a patch",
       .description =
           "Change several files at once, all or none: make, edit, delete, rename. Every hunk must match exactly, "
           "at the line it names or at the only place where its lines stand. A file that changed since you "
           "read it is not patched.",
       .annotations = {.destructive = true},
       .needs = {.reads = true, .writes = true, .transactions = true},
       .uses = {Operation::edit, Operation::write}},
      apply_patch, render);
}

}  // namespace berth::tools
