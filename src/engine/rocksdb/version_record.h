// VersionRecord: how one version of one object looks on disk: a key that sorts by collection, object and revision, and
// a value. Written by the rocksdb engine, and read back at start: then these are foreign bytes. docs/on-disk-format.md
// says the same in prose.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/engine.h"

namespace engine {

// Appends collection, NUL, key, NUL, revision as 8 bytes, greatest first.
void AppendVersionKey(std::string_view collection, std::string_view key, Revision revision, std::string& out);

// Appends all of the value but the object's bytes, which follow it as they are.
void AppendVersionHeader(const Version& version, std::string& out);

// Whether a stored value says that the key was deleted.
bool IsDeletion(std::string_view value);

// The version that key and value say; it views both. kCorrupt when they make no sense.
base::Result<Version> ParseVersion(std::string_view key, std::string_view value);

// The key under which the base revision of history stands, before every version's; and its value.
inline constexpr std::string_view kBaseKey("\0base", 5);
std::string BaseValue(Revision base);
base::Result<Revision> ParseBaseValue(std::string_view value);

}  // namespace engine
