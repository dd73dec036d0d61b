// Priority: a pod's priority and preemption policy, resolved from its class when it is created. Any thread.
#pragma once

#include <optional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "api/error.h"
#include "value/value.h"

namespace admission {

// The PriorityClass of that name, or with "" the one that is the default for all pods; null Value where there is none.
using FindPriorityClass = absl::FunctionRef<value::Value(std::string_view name)>;

// Sets spec.priority, spec.preemptionPolicy and spec.priorityClassName of a pod that is created. 403 for a class that
// does not exist and for values that contradict the class.
api::Result<> ResolvePriority(const value::Value& pod, value::Arena& arena, FindPriorityClass find);

// An update keeps what was resolved: where it leaves priority or policy out, the old ones come back.
void KeepPriority(const value::Value& pod, const value::Value& old, value::Arena& arena);

// 403 for a class, as it will be stored, that would be the default of all pods beside another one.
api::Result<> CheckDefaultClass(const value::Value& priority_class, bool creating, FindPriorityClass find);

// 403 where the class of that name is the system's own, which nobody deletes.
api::Result<> CheckSystemClass(std::string_view name);

}  // namespace admission
