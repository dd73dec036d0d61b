// Commands: what the program does under each of its names. Each returns the exit status. Called by main alone.
#pragma once

#include <span>
#include <string_view>

namespace server {

using Arguments = std::span<const std::string_view>;  // without the program's name

int RunServe(Arguments arguments);          // fairlead serve
int RunKubeApiserver(Arguments arguments);  // kube-apiserver
int RunEtcd(Arguments arguments);           // etcd
int RunCel(Arguments arguments);            // fairlead cel

}  // namespace server
