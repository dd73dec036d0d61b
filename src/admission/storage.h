// The plugins for claims and persistent volumes, in the real server's order, as the registry calls them: supplies
// registry::AdmissionHooks::mutate and validate. One for a server, any thread.
#pragma once

#include <string_view>

#include "registry/registry.h"

namespace admission {

class StoragePlugins {
 public:
  struct Options {
    bool default_storage_class = true;
    bool object_in_use_protection = true;
    bool claim_resize = true;
  };
  // `store` and `resources` outlive this.
  StoragePlugins(store::Store& store, const registry::ResourceTable& resources, Options options)
      : store_(store), resources_(resources), options_(options) {}

  // A created claim takes the default storage class where it asks for none; created claims and volumes are kept from
  // deletion while they are in use. Other objects pass as they are.
  void Mutate(const registry::Resource& resource, std::string_view operation, const value::Value& object,
              value::Arena& arena) const;

  // A claim that is updated may ask for more only where its storage class lets it: 403.
  api::Result<> Validate(const registry::Resource& resource, std::string_view operation, std::string_view subresource,
                         const value::Value& object, const value::Value* old, value::Arena& arena) const;

 private:
  value::Value FindClass(std::string_view name, value::Arena& arena) const;
  std::string_view DefaultClass(value::Arena& arena) const;

  store::Store& store_;
  const registry::ResourceTable& resources_;
  const Options options_;
};

}  // namespace admission
