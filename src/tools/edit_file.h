#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/fields.h"
#include "tools/tool_session.h"

namespace berth::tools {

/// One replacement; see `Edit`.
struct TextEdit {
  Bytes old_text;
  Bytes new_text;
  std::int64_t count = 1;  ///< how often `old_text` must stand there
  bool all = false;        ///< every match, however many

  static const Fields<TextEdit>& fields();
};

struct EditFileRequest {
  Bytes path;
  std::vector<TextEdit> edits;
  std::optional<Revision> expected_revision;

  static const Fields<EditFileRequest>& fields();
};

struct EditFileResponse {
  Bytes path;
  std::vector<std::int64_t> counts;  ///< replacements by each edit
  Revision previous_revision;
  Revision revision;
  Bytes diff;
  bool diff_truncated = false;

  static const Fields<EditFileResponse>& fields();
  bool operator==(const EditFileResponse&) const = default;
};

/// Replace literal text, all edits or none, every byte outside them kept (C-EDIT). A file that changed since the
/// conversation read it is `revision_mismatch`. What was written counts as read. Errors besides: those of
/// `Workspace::edit`.
Result<EditFileResponse> edit_file(const Call& call, ToolSession& session, const EditFileRequest& request);
/// The same for a caller that asked for permission already.
Result<EditFileResponse> permitted_edit_file(const Call& call, ToolSession& session, const EditFileRequest& request);

std::string render(const EditFileResponse& response);

std::unique_ptr<Tool> edit_file_tool();   ///< one edit, its fields beside the path
std::unique_ptr<Tool> multi_edit_tool();  ///< a list of edits

}  // namespace berth::tools
