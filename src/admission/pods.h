// The plugins that change pods, in the real server's order, as the registry calls them: supplies
// registry::AdmissionHooks::mutate. One for a server, any thread.
#pragma once

#include <functional>
#include <string_view>

#include "registry/registry.h"

namespace admission {

class PodPlugins {
 public:
  struct Options {
    bool default_toleration_seconds = true;
    bool priority = true;
  };
  // `store` and `resources` outlive this.
  PodPlugins(store::Store& store, const registry::ResourceTable& resources, Options options)
      : store_(store), resources_(resources), options_(options) {}

  // A created or replaced pod, before it is validated; other objects and subresources pass as they are.
  api::Result<> Mutate(const registry::Resource& resource, std::string_view operation, const value::Value& object,
                       const value::Value* old, value::Arena& arena) const;

 private:
  value::Value FindClass(std::string_view name, value::Arena& arena) const;

  store::Store& store_;
  const registry::ResourceTable& resources_;
  const Options options_;
};

}  // namespace admission
