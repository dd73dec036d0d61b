// LateSync: a RocksDB file layer that syncs nothing while a database is being made. Making one takes a dozen syncs, and
// nobody was told of anything that they would keep: one round of them, before the first write, does as well. What a
// crash leaves until then is thrown away by the next start (DataDirectory::is_unfinished).
#pragma once

#include <rocksdb/env.h>

#include <memory>
#include <string>

#include "base/result.h"

namespace engine {

class LateSyncFileSystem;

class LateSync {
 public:
  // Passes everything on until Begin(). `env` (null: the machine's) outlives this.
  explicit LateSync(rocksdb::Env* env);

  rocksdb::Env* env() { return env_.get(); }
  // From now on syncs wait. Before the database is opened.
  void Begin();
  // Syncs do not wait any more; with `sync`, what the database in that directory needs of those that did is made up
  // for. kIo, kExhausted where the disk fails; may be called again then. While no other thread writes to the database.
  base::Result<> End(const std::string& directory, bool sync);

 private:
  std::shared_ptr<LateSyncFileSystem> files_;
  std::unique_ptr<rocksdb::Env> env_;
};

}  // namespace engine
