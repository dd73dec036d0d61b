// Fields of pods that belong to feature gates: writing drops those whose gate is off where the stored object does not
// use them already. Called by the strategies of pods and of everything with a pod template, before validation, so that
// nothing of them is validated either. Pure; any thread.
#pragma once

#include "registry/resource.h"

namespace resources::core {

using registry::Value;

// Of a PodSpec, in place. `old` is the former PodSpec; null for a new one.
void DropDisabledFields(registry::WriteContext& context, const Value& spec, const Value& old);
// Of a PodStatus, in place; `old_spec` as above.
void DropDisabledStatusFields(registry::WriteContext& context, const Value& status, const Value& old_spec);

// Calls `visit` with every container of a PodSpec: init, ordinary, ephemeral ones.
template <class Visit>
void VisitContainers(const Value& spec, Visit visit) {
  for (std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const Value& container : spec.Get(list).items()) visit(container);
  }
}

}  // namespace resources::core
