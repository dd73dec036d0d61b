// Feeds any bytes to the reader of the manifest's journal; what it takes must be what it writes.
#include <cstdlib>

#include "engine/rocksdb/manifest_journal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view journal(reinterpret_cast<const char*>(data), size);
  const std::optional<engine::ManifestAppend> append = engine::ParseManifestAppend(journal);
  if (append && engine::FormatManifestAppend(*append) != journal) std::abort();
  return 0;
}
