// CRC-32C as RocksDB puts it before a record: masked, so that the checksum of bytes which hold checksums is no weaker.
#pragma once

#include <cstdint>
#include <string_view>

namespace engine {

uint32_t MaskedCrc(std::string_view bytes);

}  // namespace engine
