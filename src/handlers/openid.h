// OpenID: who else wants to check service account tokens reads here where the keys are, and the keys:
// /.well-known/openid-configuration and /openid/v1/jwks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "handlers/endpoints.h"

namespace handlers {

struct OpenIdFacts {
  std::string issuer;                      // --service-account-issuer
  std::string jwks_uri;                    // where this server's keys can be read
  std::vector<std::string> key_files_pem;  // contents of --service-account-key-file, PEM, public or private keys
};

// The keys as a JSON Web Key Set, in order, each once. Fails on what holds no key.
base::Result<std::string> JsonWebKeySet(const std::vector<std::string>& key_files_pem);

// Fails on what holds no key; installs nothing then.
base::Result<> InstallOpenId(const OpenIdFacts& facts, Endpoints& endpoints);

}  // namespace handlers
