// What a pod must keep, split by subject; types that hold pod templates or persistent volumes use the same checks. Each
// is a ScopeCheck over the object that its comment names, `scope.path` being where that object stands. Pure; any
// thread.
#pragma once

#include "resources/rules/rules.h"

namespace resources::core {

// Over a PodSpec: all of it, in the real server's order (pod_spec.cc).
void CheckPodSpec(Scope& spec);
// Over a PodTemplateSpec: labels and annotations of its metadata, and its spec (pod_spec.cc).
void CheckPodTemplateSpec(Scope& pod_template);

// Over a PodSpec, one subject each, called by CheckPodSpec.
void CheckPodVolumes(Scope& spec);     // pod_volumes.cc: volumes, names and sources
void CheckPodContainers(Scope& spec);  // pod_containers.cc: containers, init and ephemeral containers
void CheckPodSecurity(Scope& spec);    // pod_security.cc: securityContext of the pod, host namespaces, os
void CheckPodScheduling(
    Scope& spec);  // pod_scheduling.cc: node selectors, affinity, tolerations, spread, gates, priority, overhead
void CheckPodNetworking(Scope& spec);  // pod_networking.cc: DNS, host aliases, hostname
// Over a container, called by CheckPodContainers for its securityContext (pod_security.cc).
void CheckContainerSecurity(Scope& container);

}  // namespace resources::core
