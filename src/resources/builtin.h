// The built-in resources of v1.32 as the table that every server begins with.
//
// Made at start from constant rows (data/api/resources.json) for what an ApiResourceConfig chooses; strategies come
// from strategies.h, conversions from conversions.h.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "registry/resource_table.h"
#include "resources/api_resource_config.h"
#include "store/store.h"

namespace resources {

// Asks `store` for each resource's collection, and fails as that does; null: the records have none (for what only
// describes resources).
base::Result<registry::ResourceTableRef> MakeBuiltinTable(const ApiResourceConfig& enabled, store::Store* store);

// Group and plural of what a collection of the store holds, as the stored version has them; nullopt of what is not
// built in.
std::optional<std::pair<std::string_view, std::string_view>> StoredResource(std::string_view collection);

}  // namespace resources
