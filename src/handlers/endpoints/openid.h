// OpenID: who else wants to check service account tokens reads here where the keys are, and the keys:
// /.well-known/openid-configuration and /openid/v1/jwks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "handlers/endpoints/endpoints.h"

namespace handlers {

struct OpenIdFacts {
  std::string issuer;                      // --service-account-issuer
  std::string jwks_uri;                    // where this server's keys can be read
  std::vector<std::string> key_files_pem;  // contents of --service-account-key-file, PEM, public or private keys
};

// The keys are read when somebody first asks for them; auth::TokenKeys::Parse says at start whether the files hold any.
void InstallOpenId(OpenIdFacts facts, Endpoints& endpoints);

}  // namespace handlers
