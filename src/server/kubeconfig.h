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

// Writes the file, readable by its owner alone.
base::Result<> WriteKubeconfig(const std::string& path, const KubeconfigFacts& facts);

// The token kept in `path`; a new one is made and kept where there is none.
base::Result<std::string> FindOrMakeToken(const std::string& path, base::Random& random);

// Writes `text` to `path` in place of what is there, whole or not at all.
base::Result<> WriteFile(const std::string& path, const std::string& text, int mode);

}  // namespace server
