#include "base/random.h"

#include <openssl/rand.h>

#include <array>
#include <string_view>

namespace base {
namespace {
class KernelRandom final : public Random {
 public:
  void Fill(uint8_t* bytes, size_t size) override { RAND_bytes(bytes, static_cast<int>(size)); }
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
