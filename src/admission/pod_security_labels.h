// PodSecurity's look at namespaces: the labels that say which pods may run there. Pure; any thread.
#pragma once

#include "api/error.h"
#include "value/value.h"

namespace admission {

// 422 for a level or version in the labels of `object`, a namespace, that is none; of an update only where other labels
// were wrong before. `old` is null where it is created.
api::Result<> CheckPodSecurityLabels(const value::Value& object, const value::Value* old);

}  // namespace admission
