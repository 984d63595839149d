#pragma once

#include <cstdint>
#include <optional>

#include "tools/tool_session.h"

namespace berth::tools::filesystem {

/// Of the text that one answer carries. That server's clients take a text for the whole file, so what is longer is
/// refused, never cut.
inline constexpr std::int64_t kTextBytes = 8 * 1024 * 1024;

struct FileText {
  Bytes content;
  std::int64_t total_bytes = 0;
  std::optional<Revision> revision;  ///< of a file that was read whole

  bool operator==(const FileText&) const = default;
};

enum class FilePart { whole, head, tail };

/// Read a text file, or its first or last `lines` lines (without the ending of the last one, as that server gives
/// them). The conversation has then read it. Errors: `invalid_argument` for what is binary, `too_large` for more than
/// `most` bytes, and those of `FileReads::read`.
Result<FileText> read_text(const Call& call, ToolSession& session, const Bytes& path, FilePart part, std::int64_t lines,
                           std::int64_t most);
/// The same for a caller that asked for permission already.
Result<FileText> permitted_read_text(const Call& call, ToolSession& session, const Bytes& path, FilePart part,
                                     std::int64_t lines, std::int64_t most);

}  // namespace berth::tools::filesystem
