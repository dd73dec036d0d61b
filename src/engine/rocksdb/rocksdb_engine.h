// The rocksdb engine: the log on this machine's disk. A sole writer; acknowledged means synced.
//
// Every version of every object is one RocksDB key until compaction of history makes it unreachable (version_record.h).
// Nothing is read but at start: the store holds everything in memory, so RocksDB has no block cache, small buffers and
// few threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "engine/encryption/published_cipher.h"
#include "engine/engine.h"

namespace rocksdb {
class Env;
}

namespace engine {

struct RocksDbOptions {
  std::string path;               // directory; made where it is missing
  size_t write_buffer = 4 << 20;  // bytes of recent writes in RocksDB's memory
  bool sync = true;               // false (--unsafe-no-fsync): a crash of the machine may lose acknowledged writes
  // Values are stored as this says at the time of each write, and read by it at the start; outlives the engine. null:
  // as they are. At the start what is not as it says is rewritten, and what it replaces goes from the disk.
  const PublishedCipher* cipher = nullptr;
  rocksdb::Env* env = nullptr;  // outlives the engine; for tests that make disks fail. null: the machine's
};

// Locks and checks the directory and opens the database. kUnavailable names the process that holds it; kCorrupt: files
// that are damaged, or of a newer format: nothing is repaired or dropped. After a failed write every write fails until
// Health() could open it anew.
base::Result<std::unique_ptr<Engine>> OpenRocksDbEngine(const RocksDbOptions& options);

}  // namespace engine
