// The flags of how connections are served: certificates for names, ciphers, shared ports, what is said to browsers and
// to clients when the server stops, how long history is kept. Used where options are made of flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/options.h"

namespace server {

// Sets what the flags say. The complaints are those of kube-apiserver.
std::vector<std::string> TakeServingFlags(const FlagValues& flags, Options& options);

// Which flag of `fairlead serve` says how long history is kept: the first that is given.
std::string_view RetentionFlag(const FlagValues& flags);

}  // namespace server
