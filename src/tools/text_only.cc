#include "tools/text_only.h"

#include "tools/media_type.h"

namespace berth::tools {
namespace {

constexpr std::int64_t kLookedAt = 8 * 1024;

}  // namespace

Result<void> check_is_text(const Call& call, ToolSession& session, const Bytes& path) {
  const ReadRange beginning{.offset = 0, .max_bytes = kLookedAt, .want_revision = WantRevision::no};
  BERTH_TRY(const auto page, session.workspace().read(call, path, beginning));
  if (media_type_of(page.content).kind == MediaType::Kind::text) return {};
  auto error = make_error(ErrorCode::invalid_argument, "the file is binary, and replacing text would damage it");
  error.hint = "change it with the program that made it";
  return std::move(error).at(path);
}

}  // namespace berth::tools
