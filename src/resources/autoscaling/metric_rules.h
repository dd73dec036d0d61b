// What an autoscaler may look at: metrics of autoscaling/v2. Pure; any thread.
#pragma once

#include "resources/rules/rules.h"

namespace resources::autoscaling {

// Over a CrossVersionObjectReference.
void CheckObjectReference(Scope& reference);
inline constexpr Rule kObjectReferenceRules[] = {Call(CheckObjectReference)};

// Over a MetricSpec: one source, that of its type, and a target.
void CheckMetric(Scope& metric);

}  // namespace resources::autoscaling
