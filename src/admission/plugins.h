// The plugins that are built, by name. Each one's rules stand in a file of their own; here they are joined to the
// chain.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "admission/default_toleration_seconds.h"
#include "admission/node_restriction.h"
#include "admission/plugin.h"
#include "admission/stored_objects.h"
#include "api/request.h"
#include "base/metrics.h"
#include "base/result.h"
#include "cel/authorizer.h"
#include "exchange/webhook_client.h"

namespace admission {

// Whether a user may do `verb` (approve, sign, attest) to the signer of that name.
using SignerRight = std::function<bool(const api::User& user, std::string_view verb, std::string_view signer)>;

// Whether a user may do what an expression asks about.
using RequestRight = std::function<cel::AuthorizerDecision(const api::User& user, const cel::AuthorizerCheck& check)>;

// What plugins work with. References outlive them.
struct PluginParts {
  store::Store& store;
  const registry::ResourceTable& resources;
  SignerRight signer_right;
  TolerationSeconds toleration_seconds;
  RequestRight request_right = {};
  NodeRestrictionGates node_restriction = {};
  // What a plugin of that name is configured with: its document, a null Value where there is none. Asked while plugins
  // are made; what it gives lives as long as they do.
  std::function<value::Value(std::string_view name)> configuration = {};
  bool relax_pod_security = false;  // gate UserNamespacesPodSecurityStandards
  bool mutating_policies = false;   // gate MutatingAdmissionPolicy
  // A client of webhooks with the credentials of that kubeconfig file ("" none). Asked while plugins are made; empty:
  // webhooks are not called.
  std::function<base::Result<std::shared_ptr<exchange::WebhookClient>>(const std::string& kubeconfig)> webhook_client =
      {};
  base::Metrics* metrics = nullptr;  // what webhooks do is counted there
};

// The plugin of that name in --enable-admission-plugins; null for one that is not built. Fails (kInvalid) where its
// configuration is not one.
base::Result<std::unique_ptr<const Plugin>> MakePlugin(std::string_view name, const PluginParts& parts);

}  // namespace admission
