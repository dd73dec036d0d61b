// What config maps and secrets have in common: keys, sizes and the promise never to change. Pure; any thread.
#pragma once

#include <initializer_list>
#include <string_view>

#include "resources/rules/rules.h"

namespace resources::core {

// Bytes of all values together.
inline constexpr int64_t kMostDataBytes = 1024 * 1024;

// A key of the map at `data`.
void CheckDataKey(Errors& errors, const FieldPath& data, std::string_view key);

// The size of what the texts of a map of bytes (base64) stand for.
int64_t BytesIn(const Value& map);

struct DataMap {
  std::string_view name;
  bool none_is_empty = false;  // no map and an empty one are the same
};
// Over the whole object on update: once it is immutable, neither that nor its `maps` change.
void CheckImmutableData(Scope& object, std::initializer_list<DataMap> maps);

}  // namespace resources::core
