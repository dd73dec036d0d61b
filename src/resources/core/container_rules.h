// What a container must keep, one function a subject, called by pod_containers.cc in the real server's order. Each
// takes the container's scope and leaves its errors there. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "resources/core/pod_rules.h"
#include "resources/core/resource_rules.h"
#include "resources/rules/rules.h"

namespace resources::core {

// What of the pod its containers are held against.
struct ContainerSurroundings {
  const SoundVolumes& volumes;
  std::optional<int64_t> grace_seconds;  // the pod's terminationGracePeriodSeconds
  bool allow_zero_sleep = false;         // a sleep of no time was there before
  RequirementOptions requirements;
};

// What holds for resource requirements in the pod of this spec.
RequirementOptions RequirementsOf(const Scope& spec);

void CheckImageSpace(Scope& container);        // pod_containers.cc: no space around the image's name
void CheckContainerPorts(Scope& container);    // pod_containers.cc
void CheckContainerEnv(Scope& container);      // container_env.cc
void CheckContainerEnvFrom(Scope& container);  // container_env.cc
void CheckVolumeMounts(Scope& container, const SoundVolumes& volumes);             // container_mounts.cc
void CheckVolumeDevices(Scope& container, const SoundVolumes& volumes);            // container_mounts.cc
void CheckLifecycle(Scope& container, const ContainerSurroundings& surroundings);  // container_probes.cc
void CheckProbes(Scope& container, const ContainerSurroundings& surroundings);     // container_probes.cc

// A field of the pod that a container is told (env, downward API volumes), of which `supported` and single labels and
// annotations may be named (container_env.cc).
void CheckFieldSelector(Errors& errors, const FieldPath& path, const Value& selector,
                        std::span<const std::string_view> supported);
// A resource of a container; a volume names the container too (container_env.cc).
void CheckResourceFieldSelector(Errors& errors, const FieldPath& path, const Value& selector, bool names_container);

// A path that does not leave where it is mounted: relative, without `..` (container_mounts.cc).
void CheckDescendingPath(Errors& errors, const FieldPath& path, std::string_view text);
// No element of the path is `..` (container_mounts.cc).
void CheckNoBacksteps(Errors& errors, const FieldPath& path, std::string_view text);

}  // namespace resources::core
