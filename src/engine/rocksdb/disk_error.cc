#include "engine/rocksdb/disk_error.h"

namespace engine {

base::Error ErrorOf(const rocksdb::Status& status) {
  if (status.IsCorruption()) return {base::Code::kCorrupt, "the database is damaged: " + status.ToString()};
  if (status.IsNoSpace()) return {base::Code::kExhausted, "the disk is full: " + status.ToString()};
  return {base::Code::kIo, "the database failed: " + status.ToString()};
}

}  // namespace engine
