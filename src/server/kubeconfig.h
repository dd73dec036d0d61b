// Kubeconfig: the file that tells kubectl and client libraries where a server is and who they are. Written by
// `fairlead serve`.
#pragma once

#include <string>

#include "base/random.h"
#include "base/result.h"

namespace server {

struct KubeconfigFacts {
  std::string server;            // "https://127.0.0.1:6443"
  std::string certificate_file;  // PEM that clients may trust
  std::string token;
};

// Writes the file, readable by its owner alone. It is made at each start, so a crash of the machine may lose it.
base::Result<> WriteKubeconfig(const std::string& path, const KubeconfigFacts& facts);

// The token kept in `path`; a new one is made and kept where there is none. `sync`: a crash of the machine keeps it.
base::Result<std::string> FindOrMakeToken(const std::string& path, base::Random& random, bool sync = true);

}  // namespace server
