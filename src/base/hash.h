#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"

namespace berth {

/// A SHA-256 digest (FIPS 180-4).
struct Sha256 {
  std::array<std::uint8_t, 32> bytes{};

  bool operator==(const Sha256&) const = default;
};

/// Hash bytes at once.
Sha256 sha256(BytesView bytes);

/// Hash a stream piece by piece. One thread at a time.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;

  void add(BytesView bytes);
  /// Finish; the stream must not be used afterwards.
  Sha256 finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Render as 64 lower-case hexadecimal digits.
std::string to_hex(const Sha256& digest);

/// Hash bytes with MD5 (RFC 1321), as 32 lower-case hexadecimal digits. For formats that others chose; proves nothing.
std::string md5_hex(BytesView bytes);

}  // namespace berth
