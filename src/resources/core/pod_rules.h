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

// Over a PodSpec, one subject each, called by CheckPodSpec, which knows their order.
void CheckPodVolumes(Scope& spec);     // pod_volumes.cc: volumes, names and sources
void CheckPodContainers(Scope& spec);  // pod_containers.cc: containers, init and ephemeral containers

// Over a PodSpec (pod_networking.cc).
void CheckHostNetworkPorts(Scope& spec);  // host ports of a pod that lives in the host's network
void CheckDnsConfig(Scope& spec);         // dnsConfig, and what dnsPolicy None asks of it
void CheckHostAliases(Scope& spec);

// Over a PodSpec (pod_scheduling.cc).
void CheckNodeSelector(Scope& spec);
void CheckAffinity(Scope& spec);
void CheckReadinessGates(Scope& spec);
void CheckSchedulingGates(Scope& spec);
void CheckTopologySpread(Scope& spec);
void CheckTolerations(Scope& spec);

// Over a PodSpec (pod_security.cc).
void CheckPodSecurity(Scope& spec);    // securityContext of the pod
void CheckHostProcesses(Scope& spec);  // Windows' host process containers, all or none
void CheckPodOs(Scope& spec);          // os, and what each system may not have
// Over a container, for its securityContext (pod_security.cc).
void CheckContainerSecurity(Scope& container);
// Over a Pod or a PodTemplateSpec (pod_security.cc); `annotations` is where its annotations are said to stand, which is
// not below metadata for a template.
void CheckPodAnnotations(Scope& pod, const FieldPath& annotations);
// Over a new Pod or a PodTemplateSpec: seccomp and AppArmor annotations say what the fields say (pod_security.cc).
void CheckAnnotationsMatchFields(Scope& pod);

}  // namespace resources::core
