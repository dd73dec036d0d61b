// What the spec of a persistent volume must keep, as an object of its own and inline in a volume attachment. Pure; any
// thread.
#pragma once

#include <span>
#include <string_view>

#include "resources/rules/rules.h"

namespace resources::core {

// Over a PersistentVolumeSpec whose outermost scope is the volume.
void CheckPersistentVolumeSpec(Scope& spec);
// Over a PersistentVolumeSpec that stands for a volume which is nobody's object.
void CheckInlineVolumeSpec(Scope& spec);

// The fields of a PersistentVolumeSpec that say where the volume comes from, in the order of their type.
std::span<const std::string_view> PersistentVolumeSourceFields();

}  // namespace resources::core
