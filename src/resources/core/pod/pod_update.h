// What may change of a pod, by the endpoint that the change comes through, and what a write there keeps. Pure; any
// thread.
#pragma once

#include "registry/resource.h"
#include "resources/rules/rules.h"

namespace resources::core {

// Over a changed Pod, whose former self is `pod.old`.
void CheckPodUpdate(Scope& pod);                  // through its own endpoint (pod_update.cc)
void CheckEphemeralContainersUpdate(Scope& pod);  // through `ephemeralcontainers` (pod_update.cc)
void CheckPodResize(Scope& pod);                  // through `resize` (pod_resize.cc)
void CheckPodStatusUpdate(Scope& pod);            // through `status` (pod_status.cc)

// Over a changed Pod: its annotations, of which some may not change (pod_update.cc).
void CheckAnnotationsUpdate(Scope& pod, const FieldPath& annotations);

// A copy of a pod's spec in which changes can be taken back: its lists of containers, the containers and the affinity
// are its own. What is below them is shared, so that amounts stay as they were sent (go/sent_amounts.h)
// (pod_update.cc).
Value CopyOfSpec(value::Arena& arena, const Value& spec);

// Gives the containers of `pod`, a copy of `old`, the resources of those in `sent`, a list of containers, that have
// their names; a pod that is to get others says so in its status (pod_resize.cc).
void TakeResources(registry::WriteContext& context, const Value& pod, const Value& old, const Value& sent);

// StrategyTable::prepare_for_update of pods.
void PreparePodUpdate(registry::WriteContext& context, Value pod, const Value& old);

}  // namespace resources::core
