// What the server makes of a pod that is created, before it is validated.
#pragma once

#include <string_view>

#include "registry/resource.h"

namespace resources::core {

// Gives a new pod its first status, drops what disabled features brought, puts the labels that its affinity terms name
// into their selectors, and lets AppArmor annotations and fields say the same. StrategyTable::prepare_for_create.
void PrepareNewPod(registry::WriteContext& context, value::Value pod);

// The class of service that containers' resources make, or, with the gate PodLevelResources, those of the pod itself
// where it has any: BestEffort where none asks for processor or memory, Guaranteed where all of them are limited to
// what they ask for, else Burstable.
std::string_view ComputeQosClass(const value::Value& pod, const api::Features& features);
// The one that the pod's status has, else what is computed.
std::string_view QosClass(const value::Value& pod, const api::Features& features);

}  // namespace resources::core
