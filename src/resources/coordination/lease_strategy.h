// How the holder of a lease is chosen, as leases and their candidates name it. Called by both kinds' rules; pure.
#pragma once

#include <string_view>

#include "resources/rules/errors.h"

namespace resources::coordination {

inline constexpr std::string_view kOldestEmulationVersion = "OldestEmulationVersion";

// `path` is the strategy's own. A name without a domain is one of those that Kubernetes defines.
void CheckLeaseStrategy(Errors& errors, const FieldPath& path, std::string_view strategy);

}  // namespace resources::coordination
