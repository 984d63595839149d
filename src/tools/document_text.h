#pragma once

#include <optional>
#include <string>

#include "tools/tool_session.h"

namespace berth::tools {

/// The text of a PDF, or why there is none.
struct DocumentText {
  std::optional<Bytes> text;
  bool truncated = false;  ///< the text is longer than 4 MiB
  std::string why_not;     ///< a sentence's part, when there is no text

  bool operator==(const DocumentText&) const = default;
};

/// Extract the text of a PDF with the workspace's own `pdftotext` (see docs/decisions/0011-documents.md): content that
/// nobody trusts is parsed where it already is, never in our process. The document goes in on standard input, so
/// nothing but what was read already is opened. Bounded in time and output, and ended with everything it started. No
/// program, a broken document and a workspace that runs no commands are no errors: `why_not`. Errors: the call's own
/// end, and the environment's.
Result<DocumentText> document_text(const Call& call, ToolSession& session, BytesView document);

}  // namespace berth::tools
