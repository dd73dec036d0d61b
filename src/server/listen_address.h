// ListenAddress: where `fairlead serve` listens. Used by main alone, before anything else runs.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "server/flags.h"
#include "server/options.h"

namespace server {

// Sets the address and port of `options`, which hold what kube-apiserver's flags say: --listen ("address:port",
// "[address]:port" or ":port", every address) where neither --bind-address nor --secure-port is given, and its default
// for the one of these that is not. kInvalid where --listen is given beside them, or is none.
base::Result<> SetListenAddress(const FlagValues& flags, Options& options);

// How clients on this machine reach it.
std::string ServerUrl(const std::string& bind_address, uint16_t port);

}  // namespace server
