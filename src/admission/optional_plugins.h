// The plugins that run only where --enable-admission-plugins names them: AlwaysPullImages, ExtendedResourceToleration,
// LimitPodHardAntiAffinityTopology, DenyServiceExternalIPs and NamespaceExists. As the registry calls them, for
// registry::AdmissionHooks. One for a server, any thread.
#pragma once

#include <string_view>

#include "registry/namespaces.h"
#include "registry/registry.h"

namespace admission {

class OptionalPlugins {
 public:
  struct Options {
    bool always_pull_images = false;
    bool extended_resource_toleration = false;
    bool anti_affinity_topology = false;  // LimitPodHardAntiAffinityTopology
    bool deny_external_ips = false;       // DenyServiceExternalIPs
    bool namespace_exists = false;
  };
  // `store` and `resources` outlive this.
  OptionalPlugins(const store::Store& store, const registry::ResourceTable& resources, Options options)
      : namespaces_(store, resources), options_(options) {}

  // A created or replaced object, before it is validated.
  void Mutate(const registry::Resource& resource, std::string_view subresource, const value::Value& object,
              const value::Value* old, value::Arena& arena) const;
  // An object as it will be stored (null: it is deleted) and as it is; 403 and 404.
  api::Result<> Validate(const registry::Resource& resource, std::string_view subresource, registry::Key key,
                         const value::Value* object, const value::Value* old) const;

 private:
  api::Result<> ValidatePod(const value::Value& pod, const value::Value* old) const;

  const registry::Namespaces namespaces_;
  const Options options_;
};

}  // namespace admission
