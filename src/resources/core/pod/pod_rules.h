// What a pod must keep, split by subject; types that hold pod templates or persistent volumes use the same checks. Each
// is a ScopeCheck over the object that its comment names, `scope.path` being where that object stands, and
// `scope.old` its former self on update (what was broken before may stay so where the real server lets it). Pure; any
// thread.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "resources/rules/rules.h"

namespace resources::core {

// When an image is pulled: of a container's, and of a volume's.
inline constexpr std::string_view kPullPolicies[] = {"Always", "IfNotPresent", "Never"};

// Over a Pod: its annotations and its spec, as on create and on every update (pod_spec.cc).
void CheckPod(Scope& pod);
// Over a Pod that is created: CheckPod, and what only a creator must keep (pod_spec.cc).
void CheckNewPod(Scope& pod);
// Over a PodTemplateSpec: labels and annotations of its metadata, and its spec (pod_spec.cc).
void CheckPodTemplateSpec(Scope& pod_template);
// Over a PodSpec whose parent scope is the pod or the template: all of it, in the real server's order (pod_spec.cc).
void CheckPodSpec(Scope& spec);

// True where a PodSpec is that of a pod, not of a template.
bool IsSpecOfPod(const Scope& spec);
// The metadata of the pod whose spec this is; null for a template's.
Value MetadataOfPod(const Scope& spec);

// The volumes of a pod that are without fault. For mounts the others are not there.
class SoundVolumes {
 public:
  void Add(const Value& volume) { by_name_.emplace(volume.GetString("name"), volume); }
  const Value* Find(std::string_view name) const;  // the first one added, or nullptr

 private:
  std::map<std::string_view, Value> by_name_;  // names point into the spec
};

// Over a PodSpec, one subject each, called by CheckPodSpec where the real server looks at it.
void CheckPodVolumes(Scope& spec, SoundVolumes& sound);           // pod_volumes.cc: volumes, names and sources
void CheckPodContainers(Scope& spec, const SoundVolumes& sound);  // pod_containers.cc: containers of all three kinds

// Over a PodSpec: what it says for all of its containers together, with the gate for it (pod_resources.cc).
void CheckPodResources(Scope& spec);

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
// Over a Pod or a PodTemplateSpec (pod_annotations.cc); `annotations` is where its annotations are said to stand, which
// is not below metadata for a template.
void CheckPodAnnotations(Scope& pod, const FieldPath& annotations);
// Over a new Pod or a PodTemplateSpec: seccomp and AppArmor annotations say what the fields say (pod_annotations.cc).
void CheckAnnotationsMatchFields(Scope& pod);

}  // namespace resources::core
