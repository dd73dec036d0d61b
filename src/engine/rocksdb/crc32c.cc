#include "engine/rocksdb/crc32c.h"

#include <array>

namespace engine {
namespace {

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0);
    table[i] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = MakeTable();

}  // namespace

uint32_t MaskedCrc(std::string_view bytes) {
  uint32_t crc = ~0U;
  for (char byte : bytes) crc = kTable[(crc ^ static_cast<uint8_t>(byte)) & 0xff] ^ (crc >> 8);
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

}  // namespace engine
