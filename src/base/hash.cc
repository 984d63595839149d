#include "base/hash.h"

// The low-level interface is deprecated but pulls no provider machinery into the static guest, and a hash of a few
// kilobytes costs half of what EVP's set-up adds. OpenSSL still picks the SHA extensions at run time behind it.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

namespace berth {

struct Sha256Stream::State {
  SHA256_CTX context;
};

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) { SHA256_Init(&state_->context); }
Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::add(BytesView bytes) { SHA256_Update(&state_->context, bytes.data(), bytes.size()); }

Sha256 Sha256Stream::finish() {
  Sha256 digest;
  SHA256_Final(digest.bytes.data(), &state_->context);
  return digest;
}

Sha256 sha256(BytesView bytes) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  Sha256 digest;
  SHA256_Final(digest.bytes.data(), &context);
  return digest;
}

std::string to_hex(const Sha256& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(64, '\0');
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    text[2 * i] = kDigits[digest.bytes[i] >> 4];
    text[2 * i + 1] = kDigits[digest.bytes[i] & 15];
  }
  return text;
}

}  // namespace berth
