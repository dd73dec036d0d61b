#include "base/random.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <array>
#include <cstring>
#include <string_view>

namespace base {
namespace {
// Asking OpenSSL costs about half a microsecond whatever the size, and every request wants an id: small wishes are
// served from bytes drawn ahead, per thread, each given once and wiped.
class Pool {
 public:
  static constexpr size_t kMost = 64;

  void Take(uint8_t* bytes, size_t size) {
    if (left_ < size) {
      RAND_bytes(pool_.data(), static_cast<int>(pool_.size()));
      left_ = pool_.size();
    }
    uint8_t* const from = pool_.data() + pool_.size() - left_;
    std::memcpy(bytes, from, size);
    OPENSSL_cleanse(from, size);
    left_ -= size;
  }

 private:
  std::array<uint8_t, 1024> pool_;
  size_t left_ = 0;
};

class KernelRandom final : public Random {
 public:
  void Fill(uint8_t* bytes, size_t size) override {
    thread_local Pool pool;
    if (size <= Pool::kMost) return pool.Take(bytes, size);
    RAND_bytes(bytes, static_cast<int>(size));
  }
};
}  // namespace

Random& SystemRandom() {
  static KernelRandom random;
  return random;
}

std::string NewUuid(Random& random) {
  std::array<uint8_t, 16> bits;
  random.Fill(bits.data(), bits.size());
  bits[6] = (bits[6] & 0x0f) | 0x40;
  bits[8] = (bits[8] & 0x3f) | 0x80;
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (size_t i = 0; i < bits.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kHex[bits[i] >> 4];
    text += kHex[bits[i] & 15];
  }
  return text;
}

std::string NewNameSuffix(Random& random, size_t length) {
  static constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";  // 27 characters
  std::string text;
  while (text.size() < length) {
    uint8_t bits;
    random.Fill(&bits, 1);
    if (bits < kAlphabet.size() * (256 / kAlphabet.size())) text += kAlphabet[bits % kAlphabet.size()];
  }
  return text;
}

}  // namespace base
