// Metrics of what is served: how many objects of each resource are stored, which version this is.
#pragma once

#include "base/metrics.h"
#include "handlers/endpoints/version.h"
#include "registry/resource_table.h"
#include "store/store.h"

namespace handlers {

// Objects are counted at each exposition. `store` and `tables` outlive `metrics`' last exposition.
void AddServedMetrics(const store::Store& store, const registry::ResourceTables& tables, const VersionInfo& version,
                      base::Metrics& metrics);

}  // namespace handlers
