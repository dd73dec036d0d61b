// Feeds any key and value to the reader of stored records; what it takes must come out again as it went in.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <tuple>

#include "engine/rocksdb/version_record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // The first byte says where the key ends.
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t split = std::min<size_t>(data[0], rest.size());
  const base::Result<engine::Version> version = engine::ParseVersion(rest.substr(0, split), rest.substr(split));
  std::ignore = engine::ParseBaseValue(rest);
  if (!version) return 0;
  std::string key, value;
  engine::AppendVersionKey(version->collection, version->key, version->modified, key);
  if (key != rest.substr(0, split)) std::abort();
  engine::AppendVersionHeader(*version, value);
  if (version->value) value += version->value->bytes;
  const base::Result<engine::Version> again = engine::ParseVersion(key, value);
  if (!again || again->created != version->created || again->value.has_value() != version->value.has_value())
    std::abort();
  return 0;
}
