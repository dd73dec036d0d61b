// RuntimeClass: what a pod's runtime class says of its overhead and of the nodes it may run on. Any thread.
#pragma once

#include <string_view>

#include "absl/functional/function_ref.h"
#include "api/error.h"
#include "value/value.h"

namespace admission {

// The RuntimeClass of that name; null Value where there is none.
using FindRuntimeClass = absl::FunctionRef<value::Value(std::string_view name)>;

// Gives a new pod the overhead, node selector and tolerations of its class. 403 for a class that does not exist and for
// what contradicts it.
api::Result<> ApplyRuntimeClass(const value::Value& pod, value::Arena& arena, FindRuntimeClass find);
// 403 for a new pod, as it will be stored, whose overhead is not that of its class.
api::Result<> CheckOverhead(const value::Value& pod, FindRuntimeClass find);

}  // namespace admission
