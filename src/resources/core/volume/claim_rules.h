// What a claim to a volume must keep, as an object of its own and as a template within a pod's volume. Pure; any
// thread.
#pragma once

#include "resources/rules/rules.h"

namespace resources::core {

// What a claim may keep that was broken before.
struct ClaimOptions {
  bool allow_invalid_selector_values = false;
  bool allow_invalid_data_source_groups = false;
  bool attributes_classes = false;  // spec.volumeAttributesClassName is looked at
};

// Over a PersistentVolumeClaimSpec.
void CheckClaimSpec(Scope& spec, ClaimOptions options = {});

// Over a PersistentVolumeClaimTemplate: of its metadata only labels and annotations may be set.
void CheckClaimTemplate(Scope& claim);

// The access modes of a claim or a persistent volume, which are at `path`.
void CheckAccessModes(Errors& errors, const FieldPath& path, const Value& modes);

// An amount of which not even a part is negative; an amount above zero.
void CheckAmountNotNegative(Errors& errors, const FieldPath& path, const Value& amount);
void CheckAmountPositive(Errors& errors, const FieldPath& path, const Value& amount);
// An amount whose whole value, rounded up, is not negative.
void CheckAmountUsable(Errors& errors, const FieldPath& path, const Value& amount);

inline constexpr std::string_view kVolumeModes[] = {"Block", "Filesystem"};

}  // namespace resources::core
