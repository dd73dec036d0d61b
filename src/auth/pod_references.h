// What a pod names of other objects in its namespace, and a persistent volume of secrets: what the node that runs the
// pod may therefore read. Pure; any thread. Views point into the object, or hold during the call.
#pragma once

#include <string_view>

#include "absl/functional/function_ref.h"
#include "value/value.h"

namespace auth {

enum class PodReference {
  kSecret,         // of volumes, environments and for pulling images
  kConfigMap,      // of volumes and environments
  kClaim,          // persistent volume claims, also those made for ephemeral volumes
  kResourceClaim,  // by name, or as the pod's status names what was made of a template
  kServiceAccount,
};
using VisitReference = absl::FunctionRef<void(PodReference kind, std::string_view name)>;
// Names that are "" are left out; one may come several times.
void ForEachReference(const value::Value& pod, VisitReference visit);

// A pod that a kubelet shows of what it runs by itself.
bool IsMirrorPod(const value::Value& pod);

// The secrets of a volume that the kubelet needs. Call with volumes only that are claimed.
using VisitSecret = absl::FunctionRef<void(std::string_view namespace_name, std::string_view name)>;
void ForEachVolumeSecret(const value::Value& volume, VisitSecret visit);

}  // namespace auth
