// ManifestJournal: a RocksDB file layer that keeps the manifest whole when a crash tears its last write.
//
// RocksDB refuses a manifest with a bad record, wherever it stands; and from the manifest alone nobody can tell a
// record that a crash cut off from one that was synced and has gone bad since. So every append goes to the file
// MANIFEST.journal first, and is synced there; a start writes it to the manifest again. A journal that is itself torn
// means that the manifest had not been touched.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace engine {

// The environment with that layer over its files. `env` outlives the result.
std::unique_ptr<rocksdb::Env> MakeManifestJournalEnv(rocksdb::Env* env);

// Gives the manifest of the database in that directory back what its last append lost. Before the database is opened.
// kIo, kExhausted where the disk fails.
base::Result<> MendManifest(rocksdb::Env* env, const std::string& directory);

struct ManifestAppend {
  std::string_view file;  // its name, without directory
  uint64_t offset = 0;    // where in the file
  std::string_view bytes;
};

std::string FormatManifestAppend(const ManifestAppend& append);
// Views into `journal`; nothing when it is not whole.
std::optional<ManifestAppend> ParseManifestAppend(std::string_view journal);

}  // namespace engine
