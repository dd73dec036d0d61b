// The flags of auditing: the policy, and the log that events go to. Used by OptionsOf alone.
#pragma once

#include <string>
#include <vector>

#include "server/options.h"

namespace server {

// Sets what the flags say. The complaints are those of kube-apiserver.
std::vector<std::string> TakeAuditFlags(const FlagValues& flags, Options& options);

}  // namespace server
