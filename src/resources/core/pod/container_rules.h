// What a container must keep, one function a subject, called by pod_containers.cc in the real server's order. Each
// takes the container's scope and leaves its errors there. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "resources/core/pod/pod_rules.h"
#include "resources/core/resource_rules.h"
#include "resources/rules/rules.h"

namespace resources::core {

// What of the pod its containers are held against.
struct ContainerSurroundings {
  const SoundVolumes& volumes;
  std::optional<int64_t> grace_seconds;  // the pod's terminationGracePeriodSeconds
  bool allow_zero_sleep = false;         // a sleep of no time was there before, or may be now
  bool allow_sidecar_resize_policy = false;
  bool relaxed_env_names = true;  // names of variables are any printable text
  bool restarts_never = false;    // the pod's restartPolicy is Never
  RequirementOptions requirements;
};

// What holds for resource requirements in the pod of this spec.
RequirementOptions RequirementsOf(const Scope& spec);

void CheckImageSpace(Scope& container);                        // pod_containers.cc: no space around the image's name
void CheckContainerPorts(Scope& container);                    // pod_containers.cc
void CheckContainerEnv(Scope& container, bool relaxed_names);  // container_env.cc
void CheckContainerEnvFrom(Scope& container, bool relaxed_names);  // container_env.cc
// Whether names of variables in the pod of this spec may be any printable text (container_env.cc): by the gate, or as
// one of that kind stays that was there before.
bool RelaxesEnvNames(const Scope& spec);
void CheckVolumeMounts(Scope& container, const SoundVolumes& volumes);             // container_mounts.cc
void CheckVolumeDevices(Scope& container, const SoundVolumes& volumes);            // container_mounts.cc
void CheckLifecycle(Scope& container, const ContainerSurroundings& surroundings);  // container_probes.cc
void CheckProbes(Scope& container, const ContainerSurroundings& surroundings);     // container_probes.cc

}  // namespace resources::core
