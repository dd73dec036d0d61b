// WalPreallocation: a RocksDB file layer that fills a write-ahead log with zeros some way ahead of what is written.
//
// A sync after a write that made the file longer has to commit the file system's journal as well. After a write into
// blocks that are there and were written before, it has not: less time, less CPU, and no waiting for other files'
// journal entries. A log that ends in zeros reads as one that ends there.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <memory>

namespace engine {

// The environment with that layer over its files. `env` (null: the machine's) outlives the result.
std::unique_ptr<rocksdb::Env> MakeZeroAheadEnv(rocksdb::Env* env);

}  // namespace engine
