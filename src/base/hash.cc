#include "base/hash.h"

#include <span>

// The low-level interface is deprecated but pulls no provider machinery into the static guest, and a hash of a few
// kilobytes costs half of what EVP's set-up adds. OpenSSL still picks the SHA extensions at run time behind it.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/md5.h>
#include <openssl/sha.h>

namespace berth {
namespace {

std::string to_hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace

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

std::string to_hex(const Sha256& digest) { return to_hex(std::span(digest.bytes)); }

std::string md5_hex(BytesView bytes) {
  std::array<std::uint8_t, MD5_DIGEST_LENGTH> digest{};
  MD5_CTX context;
  MD5_Init(&context);
  MD5_Update(&context, bytes.data(), bytes.size());
  MD5_Final(digest.data(), &context);
  return to_hex(std::span(digest));
}

}  // namespace berth
