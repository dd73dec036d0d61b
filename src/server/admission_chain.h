// What every write passes: the admission plugins that the options turn on, in order, and around them the checks that
// kube-apiserver makes in the storage of single resources. Made once at start.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "admission/chain.h"
#include "pipeline/authz/authorizer.h"
#include "registry/resource.h"
#include "store/store.h"

namespace server {

struct AdmissionParts {
  store::Store& store;
  const registry::ResourceTable& resources;
  const pipeline::Authorizer& authorizer;
  std::span<const std::string> enabled, disabled;  // --enable-admission-plugins, --disable-admission-plugins
};

// `parts` outlive the chain.
std::unique_ptr<const admission::Chain> MakeAdmissionChain(const AdmissionParts& parts);

}  // namespace server
