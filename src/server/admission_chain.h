// What every write passes: the admission plugins that run, in order, and around them the checks that
// kube-apiserver makes in the storage of single resources. Made once at start.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "admission/chain.h"
#include "admission/default_toleration_seconds.h"
#include "admission/node_restriction.h"
#include "auth/authorizer.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/result.h"
#include "exchange/client.h"
#include "registry/resource_table.h"
#include "server/admission_configuration.h"
#include "store/store.h"

namespace server {

struct AdmissionParts {
  store::Store& store;
  const registry::ResourceTable& resources;
  const auth::Authorizer& authorizer;
  std::span<const std::string> plugins;  // that run, in order; such as are not built do nothing
  admission::TolerationSeconds toleration_seconds;
  admission::NodeRestrictionGates node_restriction;
  const AdmissionConfiguration& configuration;
  bool relax_pod_security = false;  // gate UserNamespacesPodSecurityStandards
  bool mutating_policies = false;   // gate MutatingAdmissionPolicy
  exchange::Client& client;         // of webhooks
  base::Random& random;
  base::Metrics& metrics;
  bool routes_to_endpoints = false;  // --enable-aggregator-routing
};

// `parts` outlive the chain. Fails (kInvalid) where a plugin's configuration is not one.
base::Result<std::unique_ptr<const admission::Chain>> MakeAdmissionChain(const AdmissionParts& parts);

}  // namespace server
