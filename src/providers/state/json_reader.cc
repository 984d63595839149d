#include "providers/state/json_reader.h"

#include <algorithm>

namespace berth::state {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

void append_utf8(Bytes& bytes, unsigned code) {
  if (code < 0x80) {
    bytes += static_cast<char>(code);
  } else if (code < 0x800) {
    bytes += static_cast<char>(0xC0 | code >> 6);
    bytes += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x10000) {
    bytes += static_cast<char>(0xE0 | code >> 12);
    bytes += static_cast<char>(0x80 | (code >> 6 & 63));
    bytes += static_cast<char>(0x80 | (code & 63));
  } else {
    bytes += static_cast<char>(0xF0 | code >> 18);
    bytes += static_cast<char>(0x80 | (code >> 12 & 63));
    bytes += static_cast<char>(0x80 | (code >> 6 & 63));
    bytes += static_cast<char>(0x80 | (code & 63));
  }
}

bool is_plain(char c) noexcept { return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20; }

}  // namespace

Error JsonReader::error(std::string message) const {
  return make_error(ErrorCode::invalid_argument, std::move(message) + " at byte " + std::to_string(at_))
      .with("offset", static_cast<std::int64_t>(at_));
}

void JsonReader::skip_space() noexcept {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
    ++at_;
  }
}

char JsonReader::peek() noexcept {
  skip_space();
  return at_ < text_.size() ? text_[at_] : '\0';
}

Result<void> JsonReader::open(char bracket) {
  if (peek() != bracket) return error(bracket == '{' ? "an object is needed" : "an array is needed");
  if (++depth_ > kMaxDepth) return error("the values are nested too deep");
  ++at_;
  first_ = true;
  return {};
}

Result<void> JsonReader::look_at_call() {
  const std::size_t read = at_ - looked_at_;
  looked_at_ = at_;
  return watch_.spend(read);
}

Result<bool> JsonReader::next(char closing) {
  BERTH_CHECK(look_at_call());
  const char c = peek();
  if (c == closing) {
    ++at_;
    --depth_;
    first_ = false;
    return false;
  }
  if (first_) {
    first_ = false;
    return true;
  }
  if (c != ',') return error("a comma or the end of a bracket is needed");
  ++at_;
  skip_space();
  return true;
}

Result<bool> JsonReader::next_member(Bytes& key) {
  BERTH_TRY(const bool more, next('}'));
  if (!more) return false;
  key.clear();
  key_at_ = at_;
  BERTH_CHECK(read_string(key));
  if (peek() != ':') return error("a colon is needed");
  ++at_;
  skip_space();
  return true;
}

Result<bool> JsonReader::next_item() { return next(']'); }

Result<void> JsonReader::read_string(Bytes& bytes) {
  if (peek() != '"') return error("a string is needed");
  ++at_;
  while (true) {
    const std::size_t plain = at_;
    const std::size_t piece_end = std::min(text_.size(), at_ + CallWatch::kLookBytes);
    while (at_ < piece_end && is_plain(text_[at_])) ++at_;
    bytes.append(text_.substr(plain, at_ - plain));
    if (at_ == text_.size()) return error("a string has no end");
    if (at_ == piece_end) {
      BERTH_CHECK(look_at_call());
      continue;
    }
    if (text_[at_] == '"') break;
    if (text_[at_] != '\\') return error("a string holds a control character that is not escaped");
    BERTH_CHECK(read_escape(bytes));
  }
  ++at_;
  return {};
}

Result<void> JsonReader::read_escape(Bytes& bytes) {
  const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  if (const std::size_t found = kNames.find(c); c != '\0' && found != std::string_view::npos) {
    bytes += kValues[found];
    at_ += 2;
    return {};
  }
  if (c != 'u') return error("a string holds an unknown escape");
  const std::size_t start = at_;
  at_ += 2;
  BERTH_TRY(const unsigned code, read_hex4());
  if (code < 0xD800 || code > 0xDFFF) {
    append_utf8(bytes, code);
    return {};
  }
  if (code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
    const std::size_t second = at_;
    at_ += 2;
    BERTH_TRY(const unsigned low, read_hex4());
    if (low >= 0xDC00 && low <= 0xDFFF) {
      append_utf8(bytes, 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
      return {};
    }
    at_ = second;
  }
  if (code < 0xDC80 || code > 0xDCFF) {
    at_ = start;
    return error("a string holds half of a surrogate pair");
  }
  bytes += static_cast<char>(code & 0xFF);
  return {};
}

Result<unsigned> JsonReader::read_hex4() {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    const int digit = is_digit(c)            ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return error("a \\u escape needs four hexadecimal digits");
    code = code << 4 | static_cast<unsigned>(digit);
  }
  return code;
}

Result<BytesView> JsonReader::read_raw() {
  skip_space();
  const std::size_t begin = at_;
  BERTH_CHECK(skip_value());
  return text_.substr(begin, at_ - begin);
}

// Recursion is bounded by kMaxDepth through open().
Result<void> JsonReader::skip_value() {
  switch (peek()) {
    case '{': {
      BERTH_CHECK(open('{'));
      while (true) {
        BERTH_TRY(const bool more, next('}'));
        if (!more) return {};
        BERTH_CHECK(skip_string());
        if (peek() != ':') return error("a colon is needed");
        ++at_;
        BERTH_CHECK(skip_value());
      }
    }
    case '[': {
      BERTH_CHECK(open('['));
      while (true) {
        BERTH_TRY(const bool more, next(']'));
        if (!more) return {};
        BERTH_CHECK(skip_value());
      }
    }
    case '"': return skip_string();
    case 't': return skip_word("true");
    case 'f': return skip_word("false");
    case 'n': return skip_word("null");
    case '\0':
      if (at_ == text_.size()) return error("the text ends too early");
      [[fallthrough]];
    default: return skip_number();
  }
}

Result<void> JsonReader::skip_string() {
  if (peek() != '"') return error("a string is needed");
  ++at_;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] != '\\') {
      if (!is_plain(text_[at_])) return error("a string holds a control character that is not escaped");
      ++at_;
      continue;
    }
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    at_ += 2;
    if (c == 'u') {
      BERTH_CHECK(read_hex4());
    } else if (c == '\0' || std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) {
      at_ -= 2;
      return error("a string holds an unknown escape");
    }
  }
  if (at_ >= text_.size()) return error("a string has no end");
  ++at_;
  return {};
}

bool JsonReader::skip_digits() noexcept {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  return at_ > begin;
}

Result<void> JsonReader::skip_number() {
  const std::size_t begin = at_;
  if (at_ < text_.size() && text_[at_] == '-') ++at_;
  const std::size_t digits = at_;
  const bool whole = skip_digits();
  if (!whole) {
    at_ = begin;
    return error("a value is needed");
  }
  if (text_[digits] == '0' && at_ - digits > 1) return error("a number starts with a zero");
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    if (!skip_digits()) return error("a number has no digits after its point");
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    if (!skip_digits()) return error("a number has no digits in its exponent");
  }
  return {};
}

Result<void> JsonReader::skip_word(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return error("a value is needed");
  at_ += word.size();
  return {};
}

Result<void> JsonReader::finish() {
  skip_space();
  if (at_ != text_.size()) return error("something follows the end");
  return {};
}

namespace {

constexpr char kHex[] = "0123456789abcdef";

void append_escaped(Bytes& json, BytesView utf8) {
  while (!utf8.empty()) {
    std::size_t plain = 0;
    while (plain < utf8.size() && is_plain(utf8[plain])) ++plain;
    json.append(utf8.substr(0, plain));
    utf8.remove_prefix(plain);
    if (utf8.empty()) return;
    const char c = utf8.front();
    utf8.remove_prefix(1);
    switch (c) {
      case '"': json += "\\\""; break;
      case '\\': json += "\\\\"; break;
      case '\b': json += "\\b"; break;
      case '\f': json += "\\f"; break;
      case '\n': json += "\\n"; break;
      case '\r': json += "\\r"; break;
      case '\t': json += "\\t"; break;
      default:
        json += "\\u00";
        json += kHex[static_cast<unsigned char>(c) >> 4];
        json += kHex[static_cast<unsigned char>(c) & 15];
    }
  }
}

}  // namespace

void append_json_string(Bytes& json, BytesView utf8) {
  json += '"';
  append_escaped(json, utf8);
  json += '"';
}

void append_json_bytes(Bytes& json, BytesView bytes) {
  json += '"';
  while (!bytes.empty()) {
    std::size_t valid = 0;
    while (valid < bytes.size()) {
      const std::size_t length = utf8_length_at(bytes, valid);
      if (length == 0) break;
      valid += length;
    }
    append_escaped(json, bytes.substr(0, valid));
    bytes.remove_prefix(valid);
    if (bytes.empty()) break;
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    json += "\\udc";
    json += kHex[byte >> 4];
    json += kHex[byte & 15];
  }
  json += '"';
}

}  // namespace berth::state
