// What is said of a pod that is accepted, though its author will hardly have meant it so: deprecated names and volumes,
// parts of bytes, variables and ports that hide others. Called where pods and pod templates are written. Pure; any
// thread.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "registry/resource.h"
#include "resources/rules/errors.h"

namespace resources::core {

// More than an answer ever tells of: it has room for 4096 characters of all warnings.
inline constexpr size_t kMostWarnings = 4096;

// StrategyTable::warnings_on_write of pods. Says nothing of updates.
void WarnOfPod(registry::WriteContext& context, const Value& pod, const Value* old);

// Of a PodTemplateSpec at `path`.
void WarnOfPodTemplate(const FieldPath& path, const Value& pod_template, std::vector<std::string>& warnings);

// The same of the template in an object that is written: `members` lead to it ({"spec", "template"}). Says nothing of
// an update that leaves the generation as it was.
void WarnOfTemplateAt(registry::WriteContext& context, const Value& object, const Value* old,
                      std::initializer_list<std::string_view> members);

// Of a PersistentVolumeClaimSpec at `path`: amounts that are parts of a byte.
void WarnOfClaimSpec(const FieldPath& path, const Value& spec, std::vector<std::string>& warnings);

// Of paths within one volume, some of which are others or lie within others.
void WarnOfOverlappingPaths(const Value& volumes, std::vector<std::string>& warnings);

}  // namespace resources::core
