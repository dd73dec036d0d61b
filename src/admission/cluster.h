// The plugins that look at what the whole cluster shares: namespaces, signing requests, the system's own classes. As
// the registry calls them, for registry::AdmissionHooks::validate. Pure; any thread.
#pragma once

#include <string_view>

#include "registry/registry.h"

namespace admission {

class ClusterPlugins {
 public:
  struct Options {
    bool pod_security = true;
    bool certificate_subject = true;
  };
  explicit ClusterPlugins(Options options) : options_(options) {}

  // An object as it will be stored (null: it is deleted) and as it is; 403 and 422.
  api::Result<> Validate(const registry::Call& call, const registry::Resource& resource, std::string_view operation,
                         registry::Key key, const value::Value* object, const value::Value* old) const;

 private:
  const Options options_;
};

}  // namespace admission
