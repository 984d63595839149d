#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "providers/state/call_watch.h"

namespace berth::state {

/// Reads JSON (RFC 8259) piece by piece, without building a tree: what is not understood is kept as it was written.
///
/// The text must be UTF-8. Values may be nested 64 deep. Errors are `invalid_argument` with the byte offset in
/// `offset`, or those of the call. After an error the reader must not be used further. Memory: what the caller keeps.
class JsonReader {
 public:
  JsonReader(const Call& call, BytesView text) noexcept : watch_(call), text_(text) {}

  /// Give the first character of the next value without reading it; '\0' at the end of the text.
  char peek() noexcept;

  /// Read `{` or `[`, then each member or item with `next_member` or `next_item`, which read the closing bracket too.
  Result<void> open_object() { return open('{'); }
  Result<void> open_array() { return open('['); }
  /// Whether a member follows; its key is then in `key`, and its value must be read next. Keys as `read_string`.
  Result<bool> next_member(Bytes& key);
  /// The member that was read last, as it was written: from its key to where the reader stands.
  BytesView last_member() const noexcept { return text_.substr(key_at_, at_ - key_at_); }
  /// Whether an item follows; it must be read next.
  Result<bool> next_item();

  /// Append a string to `bytes`. Lone surrogates U+DC80–U+DCFF stand for the bytes 80–FF, as Python's surrogateescape
  /// writes them; any other lone surrogate is an error.
  Result<void> read_string(Bytes& bytes);

  /// Read any value and give it as it was written.
  Result<BytesView> read_raw();

  /// Check that only white space follows.
  Result<void> finish();

  /// Where the reader stands, in bytes from the start.
  std::size_t offset() const noexcept { return at_; }
  Error error(std::string message) const;

 private:
  static constexpr int kMaxDepth = 64;

  Result<void> open(char bracket);
  /// Read the comma before the next piece, or the bracket that closes. Gives whether a piece follows.
  Result<bool> next(char closing);
  Result<void> read_escape(Bytes& bytes);
  Result<unsigned> read_hex4();
  Result<void> skip_string();
  Result<void> skip_number();
  Result<void> skip_word(std::string_view word);
  Result<void> skip_value();
  void skip_space() noexcept;
  bool skip_digits() noexcept;
  Result<void> look_at_call();

  CallWatch watch_;
  BytesView text_;
  std::size_t at_ = 0;
  std::size_t looked_at_ = 0;  ///< where the reader stood at the last look at the call
  std::size_t key_at_ = 0;
  int depth_ = 0;
  bool first_ = true;  ///< no piece of the innermost bracket was read yet
};

/// Append a JSON string of UTF-8 bytes with its quotes: `"` `\` and control characters escaped, the rest as it is.
void append_json_string(Bytes& json, BytesView utf8);

/// As `append_json_string` for any bytes: those that are not UTF-8 become lone surrogates, which `read_string` turns
/// back. Strict readers refuse them.
void append_json_bytes(Bytes& json, BytesView bytes);

}  // namespace berth::state
