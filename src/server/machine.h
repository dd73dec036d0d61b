// Machine: what a server tells clients about the machine it runs on. Pure questions to the system; any thread.
#pragma once

#include <string>

namespace server {

// The host's name; "localhost" where it has none.
std::string MachineName();

// An address under which other machines reach a server that listens on `bind_address`: itself, unless it is a loopback
// or unspecified one: then the machine's first other IPv4 address, and 127.0.0.1 where there is none.
std::string ReachableAddress(const std::string& bind_address);

}  // namespace server
