#include <cstdint>
#include <string_view>

#include "fuzz/require.h"
#include "providers/state/document_format.h"

using namespace berth;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto document = state::parse_document({}, json);
  if (!document) {
    FUZZ_REQUIRE(document.error().code == ErrorCode::invalid_argument);
    FUZZ_REQUIRE(!document.error().message.empty() && is_utf8(document.error().message));
    return 0;
  }
  for (const auto& [path, file] : document->files()) {
    FUZZ_REQUIRE(!document->is_directory(path) && !document->has_file_above(path));
    FUZZ_REQUIRE(file->revision == state::revision_of(file->content));
  }
  const Bytes written = state::render_document({}, *document).value();
  FUZZ_REQUIRE(is_utf8(written));
  const auto again = state::parse_document({}, written);
  FUZZ_REQUIRE(again.has_value() && *again == *document);
  FUZZ_REQUIRE(state::render_document({}, *again).value() == written);
  return 0;
}
