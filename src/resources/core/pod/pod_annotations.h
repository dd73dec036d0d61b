// Annotations of pods that mean something to the server.
#pragma once

#include <string_view>

namespace resources::core {

// The pod stands for one that a node runs of its own accord.
inline constexpr std::string_view kMirrorPod = "kubernetes.io/config.mirror";
// Before the name of the container whose AppArmor profile the annotation names.
inline constexpr std::string_view kAppArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
// Before the name of a profile that the node has.
inline constexpr std::string_view kLocalhost = "localhost/";

}  // namespace resources::core
