// What flow schemas and priority levels demand alike. Called by both kinds' rules. Pure; any thread.
#pragma once

#include <string_view>

#include "resources/rules/rules.h"

namespace resources::flowcontrol {

inline constexpr std::string_view kGroup = "flowcontrol.apiserver.k8s.io";

// Over a status: each condition has a type of its own.
void CheckConditions(Scope& status);

// The spec of the object of that kind and name that every server must have ("exempt", "catch-all"), in `arena`; null
// where there is none.
Value MandatorySpec(const registry::WriteContext& context, std::string_view name);

}  // namespace resources::flowcontrol
