// StorageObjectInUseProtection: claims and persistent volumes begin with a finalizer that keeps them while pods, or
// claims, use them. Any thread.
#pragma once

#include "value/value.h"

namespace admission {

// Adds the finalizer of a claim, or of a persistent volume, to `object`, unless it is there.
void ProtectWhileInUse(const value::Value& object, bool is_claim, value::Arena& arena);

}  // namespace admission
