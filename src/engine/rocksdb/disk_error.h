// What RocksDB says failed, as an error of ours: kCorrupt, kExhausted or kIo.
#pragma once

#include <rocksdb/status.h>

#include "base/result.h"

namespace engine {

base::Error ErrorOf(const rocksdb::Status& status);

}  // namespace engine
