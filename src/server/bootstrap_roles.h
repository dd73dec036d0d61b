// Gives roles and bindings that every server begins with, and that are stored already, what they lack: another version
// of the server, or other feature gates, may have brought more, or somebody may have taken too much away. What was
// added to them stays, and so do those whose annotation rbac.authorization.kubernetes.io/autoupdate is "false", and
// bindings to another role. Called once at start, before anything is served; blocks for one transaction where something
// lacks.
#pragma once

#include <span>

#include "base/clock.h"
#include "base/result.h"
#include "registry/bootstrap.h"
#include "registry/resource_table.h"
#include "store/store.h"

namespace server {

// `objects` of other kinds do not count. Fails as the store does.
base::Result<> ReconcileBootstrapRoles(store::Store& store, const registry::ResourceTable& resources,
                                       std::span<const registry::BootstrapObject> objects, const base::Clock& clock);

}  // namespace server
