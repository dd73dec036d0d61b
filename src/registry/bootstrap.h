// Bootstrap: puts the objects that every server begins with into the store, where they are missing. Called once at
// start, before anything is served; blocks for one transaction.
#pragma once

#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "registry/resource_table.h"
#include "store/store.h"

namespace registry {

// An object in its stored form but for what differs from start to start: uid, resourceVersion, creationTimestamp and
// every other time of the start are "" and are filled in. Nothing is decoded: the text is trusted to be what this
// server would write.
struct BootstrapObject {
  std::string_view group, version, kind;  // of the stored form
  std::string_view json;
};

// Objects of kinds that are not served are left out. Fails as the store does.
base::Result<> PutMissing(store::Store& store, const ResourceTable& resources, std::span<const BootstrapObject> objects,
                          const base::Clock& clock, base::Random& random);

}  // namespace registry
