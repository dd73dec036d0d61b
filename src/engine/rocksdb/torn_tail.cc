#include "engine/rocksdb/torn_tail.h"

#include <cstdint>

#include "engine/rocksdb/crc32c.h"

namespace engine {
namespace {

// RocksDB's log format: blocks of 32 KiB; in a block, records of masked CRC-32C (4 bytes), length (2), type (1),
// payload; a batch is one record, or a first, middles and a last. The end of a block that has no room for a header is
// zero.
constexpr size_t kBlock = 32768;
constexpr size_t kHeader = 7;
constexpr size_t kEmptyBatch = 12;  // sequence number and count: RocksDB writes one when it opens after a torn log
enum Type : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

enum class Found { kRecord, kZeros, kCutOff, kBad };

// What stands at the front of the rest of a block; of a record its type and its size with the header.
Found RecordAt(std::string_view rest, bool last_block, uint8_t& type, size_t& size) {
  if (rest.size() < kHeader) return Found::kCutOff;
  auto byte = [rest](size_t at) { return static_cast<uint32_t>(static_cast<uint8_t>(rest[at])); };
  const size_t length = byte(4) | byte(5) << 8;
  type = static_cast<uint8_t>(byte(6));
  size = kHeader + length;
  if (type == 0 && length == 0) return Found::kZeros;
  if (size > rest.size()) return last_block ? Found::kCutOff : Found::kBad;
  const uint32_t crc = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
  return type <= kLast && MaskedCrc(rest.substr(6, 1 + length)) == crc ? Found::kRecord : Found::kBad;
}

}  // namespace

LogState ExamineLog(std::string_view log) {
  LogState state;
  const size_t content = log.find_last_not_of('\0') + 1;  // behind it, nothing was written
  bool behind = false;                                    // a record that is not whole: the next one may begin anywhere
  bool inside = false;                                    // of a batch whose last record is still to come
  for (size_t start = 0; start < log.size(); start += kBlock) {
    std::string_view block = log.substr(start, kBlock);
    const bool last_block = log.size() - start <= kBlock;
    while (block.size() >= kHeader) {
      uint8_t type = 0;
      size_t size = 0;
      const Found found = RecordAt(block, last_block, type, size);
      const bool begins = found == Found::kRecord && (type == kFull || type == kFirst);
      if (behind) {
        state.damaged = state.damaged || begins;
        if (found != Found::kRecord) size = 1;
      } else if (found == Found::kRecord) {
        inside = type == kFirst || type == kMiddle;
        state.batches = state.batches || type == kFirst || size > kHeader + kEmptyBatch;
      } else if (found == Found::kZeros && !inside && static_cast<size_t>(block.data() - log.data()) >= content) {
        return state;
      } else {
        behind = true;
        state.torn = found != Found::kCutOff;
        size = 1;
      }
      block.remove_prefix(size);
    }
  }
  return state;
}

}  // namespace engine
