// What may change of a pod, by the endpoint that the change comes through, and what a write there keeps. Pure; any
// thread.
#pragma once

#include "registry/resource.h"
#include "resources/rules/rules.h"

namespace resources::core {

// Over a changed Pod, whose former self is `pod.old`.
void CheckPodUpdate(Scope& pod);                  // through its own endpoint (pod_update.cc)
void CheckEphemeralContainersUpdate(Scope& pod);  // through `ephemeralcontainers` (pod_update.cc)
void CheckPodStatusUpdate(Scope& pod);            // through `status` (pod_status.cc)

// Over a changed Pod: its annotations, of which some may not change (pod_update.cc).
void CheckAnnotationsUpdate(Scope& pod, const FieldPath& annotations);

// Behaviour::prepare_for_update of pods.
void PreparePodUpdate(registry::WriteContext& context, Value pod, const Value& old);

}  // namespace resources::core
