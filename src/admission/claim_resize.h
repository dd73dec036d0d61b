// PersistentVolumeClaimResize: only bound claims grow, and only where their storage class allows it. Any thread.
#pragma once

#include <string_view>

#include "absl/functional/function_ref.h"
#include "api/error.h"
#include "value/value.h"

namespace admission {

// The StorageClass of that name, or null Value where there is none.
using FindStorageClass = absl::FunctionRef<value::Value(std::string_view name)>;

// 403 for a claim that asks for more than `old` did and may not.
api::Result<> AdmitResize(const value::Value& claim, const value::Value& old, FindStorageClass find);

}  // namespace admission
