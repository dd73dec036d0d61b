// What plugins answer to an object that they do not take: 403. Pure; any thread.
#pragma once

#include <expected>
#include <string_view>

#include "api/error.h"
#include "value/value.h"

namespace admission {

// `pods "name" is forbidden: why`; a pod that has no name yet is told by the beginning of it.
std::unexpected<api::Error> RefusePod(const value::Value& pod, std::string_view why);
// The same of an object of any resource.
std::unexpected<api::Error> Refuse(api::GroupResource resource, const value::Value& object, std::string_view why);

}  // namespace admission
