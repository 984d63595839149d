#include "tools/filesystem/text_reading.h"

#include <algorithm>

#include "tools/lines.h"
#include "tools/media_type.h"
#include "tools/staleness.h"

namespace berth::tools::filesystem {
namespace {

constexpr std::int64_t kLookedAt = 8 * 1024;
constexpr std::int64_t kFirstWindow = 64 * 1024;

Error too_large(const Bytes& path, std::int64_t total_bytes, std::int64_t most) {
  auto error = make_error(ErrorCode::too_large, "the text is longer than an answer may carry")
                   .at(path)
                   .with("total_bytes", total_bytes)
                   .with("max_bytes", most);
  error.hint = "read a part of it with `head` or `tail`, or find the place with grep";
  return error;
}

Result<void> check_text(const Bytes& path, BytesView beginning) {
  if (media_type_of(beginning).kind == MediaType::Kind::text) return {};
  auto error = make_error(ErrorCode::invalid_argument, "the file is binary, not text");
  error.hint = "read it with read_media_file";
  return std::move(error).at(path);
}

// The last lines of a text, from the first byte of the first of them on; nothing when it may begin before the text.
std::optional<BytesView> last_lines(BytesView text, std::int64_t lines, bool is_whole) {
  auto at = text.size();
  if (text.ends_with('\n')) --at;
  for (; lines > 0; --lines) {
    const auto found = at == 0 ? BytesView::npos : text.rfind('\n', at - 1);
    if (found == BytesView::npos) return is_whole ? std::optional(text) : std::nullopt;
    at = found;
  }
  return text.substr(at + 1);
}

Result<ReadPage> read_head(const Call& call, Workspace& workspace, const Bytes& path, std::int64_t lines,
                           std::int64_t most) {
  BERTH_TRY(auto page, workspace.read_lines(call, path, {.first = 1, .count = lines, .max_bytes = most}));
  if (page.line_cut || (page.truncated && page.line_count < lines)) return too_large(path, page.total_bytes, most);
  return ReadPage{.content = Bytes(without_ending(page.content)), .total_bytes = page.total_bytes, .token = page.token};
}

// A window at the end that doubles until it holds the lines: each reading is of one state of the file.
Result<ReadPage> read_tail(const Call& call, Workspace& workspace, const Bytes& path, std::int64_t lines,
                           std::int64_t total_bytes, std::int64_t most) {
  for (auto window = std::min(kFirstWindow, most);; window = std::min(window * 2, most)) {
    const auto offset = std::max<std::int64_t>(0, total_bytes - window);
    BERTH_TRY(auto page, workspace.read(call, path, {.offset = offset, .want_revision = WantRevision::no}));
    if (const auto found = last_lines(page.content, lines, offset == 0)) {
      page.content = Bytes(without_ending(*found));
      return page;
    }
    if (window == most) return too_large(path, page.total_bytes, most);
  }
}

}  // namespace

Result<FileText> read_text(const Call& call, ToolSession& session, const Bytes& path, FilePart part, std::int64_t lines,
                           std::int64_t most) {
  BERTH_CHECK(session.permit(call, Operation::read, path));
  return permitted_read_text(call, session, path, part, lines, most);
}

Result<FileText> permitted_read_text(const Call& call, ToolSession& session, const Bytes& path, FilePart part,
                                     std::int64_t lines, std::int64_t most) {
  auto& workspace = session.workspace();
  BERTH_TRY(const auto real_path, ledger_key(call, session, path));
  const auto first_bytes = part == FilePart::whole ? std::max<std::int64_t>(most, 1) : kLookedAt;
  BERTH_TRY(auto page, workspace.read(call, path, {.max_bytes = first_bytes}));
  BERTH_CHECK(check_text(path, page.content));
  if (part == FilePart::whole) {
    if (page.total_bytes > most) return too_large(path, page.total_bytes, most);
  } else if (part == FilePart::head) {
    BERTH_TRY(page, read_head(call, workspace, path, lines, most));
  } else {
    BERTH_TRY(page, read_tail(call, workspace, path, lines, page.total_bytes, most));
  }
  if (page.revision) {
    session.reads().saw(real_path, *page.revision);
  } else {
    session.reads().saw(real_path, page.token);
  }
  return FileText{std::move(page.content), page.total_bytes, std::move(page.revision)};
}

}  // namespace berth::tools::filesystem
