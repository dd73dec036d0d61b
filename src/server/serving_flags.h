// The flags of how connections are served: certificates for names, ciphers, shared ports, what is said to browsers and
// to clients when the server stops. Used by OptionsOf alone.
#pragma once

#include <string>
#include <vector>

#include "server/options.h"

namespace server {

// Sets what the flags say. The complaints are those of kube-apiserver.
std::vector<std::string> TakeServingFlags(const FlagValues& flags, Options& options);

}  // namespace server
