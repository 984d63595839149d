#include "store/document_store.h"

#include <algorithm>

namespace berth::store {
namespace {

bool is_letter_or_digit(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_id_character(char c) noexcept { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; }

}  // namespace

bool is_document_id(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 128 && is_letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), is_id_character);
}

Result<void> check_document_id(std::string_view id) {
  if (is_document_id(id)) return {};
  auto error = make_error(ErrorCode::invalid_argument, "this cannot be the id of a document");
  error.hint = "an id is 1 to 128 characters of a-z, 0-9, '.', '_' and '-', and starts with a letter or digit";
  return error;
}

Result<void> check_document_size(std::int64_t size_bytes, const StoreOptions& options) {
  if (size_bytes <= options.max_document_bytes) return {};
  auto error =
      make_error(ErrorCode::too_large, "the document of " + std::to_string(size_bytes) +
                                           " bytes is over the limit of " + std::to_string(options.max_document_bytes))
          .with("limit", "max_document_bytes")
          .with("limit_bytes", options.max_document_bytes)
          .with("size_bytes", size_bytes);
  error.hint = "keep less in the document, or raise max_document_bytes";
  return error;
}

}  // namespace berth::store
