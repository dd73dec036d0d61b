// DefaultIngressClass: an ingress that asks for no class is given the one that is marked as default. As the registry
// calls it, for registry::AdmissionHooks. One for a server, any thread. Cost: an ingress without class reads all
// classes, which are few.
#pragma once

#include <string_view>

#include "registry/registry.h"

namespace admission {

class DefaultIngressClass {
 public:
  // `store` and `resources` outlive this.
  DefaultIngressClass(const store::Store& store, const registry::ResourceTable& resources)
      : store_(store), resources_(resources) {}

  // A created object, before it is validated; others and subresources pass as they are.
  void Mutate(const registry::Resource& resource, std::string_view operation, std::string_view subresource,
              const value::Value& object, value::Arena& arena) const;

 private:
  std::string_view Find(value::Arena& arena) const;

  const store::Store& store_;
  const registry::ResourceTable& resources_;
};

}  // namespace admission
