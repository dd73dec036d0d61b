// BootstrapTokens (--enable-bootstrap-token-auth): tokens with which nodes join, each kept in a secret of kube-system.
// Looks at the secret as it is stored now. Any thread.
#pragma once

#include <string_view>

#include "auth/authenticator.h"
#include "base/clock.h"
#include "registry/resource_table.h"
#include "store/store.h"

namespace auth {

class BootstrapTokens final : public TokenAuthenticator {
 public:
  // All outlive this.
  BootstrapTokens(store::Store& store, const registry::ResourceTable& resources, const base::Clock& clock)
      : store_(store), resources_(resources), clock_(clock) {}

  // "abcdef.0123456789abcdef": the user is system:bootstrap:abcdef. What is wrong with a token's secret is not told:
  // the token is nobody's.
  Identity AuthenticateToken(std::string_view token) const override;

 private:
  store::Store& store_;
  const registry::ResourceTable& resources_;
  const base::Clock& clock_;
};

}  // namespace auth
