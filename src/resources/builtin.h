// The built-in resources of v1.32 as the table that every server begins with.
//
// Made at start from constant rows (data/api/resources.json) for what an ApiResourceConfig chooses; strategies come
// from strategies.h, conversions from conversions.h.
#pragma once

#include "base/result.h"
#include "registry/resource_table.h"
#include "resources/api_resource_config.h"
#include "store/store.h"

namespace resources {

// Asks `store` for each resource's collection, and fails as that does; null: the records have none (for what only
// describes resources).
base::Result<registry::ResourceTableRef> MakeBuiltinTable(const ApiResourceConfig& enabled, store::Store* store);

}  // namespace resources
