// The plugins that look at pods, their classes and their nodes, in the real server's order, as the registry calls them:
// for registry::AdmissionHooks. One for a server, any thread.
#pragma once

#include <functional>
#include <string_view>

#include "admission/default_toleration_seconds.h"
#include "registry/registry.h"

namespace admission {

class PodPlugins {
 public:
  struct Options {
    bool default_toleration_seconds = true;
    TolerationSeconds toleration_seconds;
    bool priority = true;
    bool runtime_class = true;
    bool taint_nodes = true;
  };
  // `store` and `resources` outlive this.
  PodPlugins(store::Store& store, const registry::ResourceTable& resources, Options options)
      : store_(store), resources_(resources), options_(options) {}

  // A created or replaced object, before it is validated; others and subresources pass as they are.
  api::Result<> Mutate(const registry::Resource& resource, std::string_view operation, const value::Value& object,
                       const value::Value* old, value::Arena& arena) const;
  // The same object as it will be stored.
  api::Result<> Validate(const registry::Resource& resource, std::string_view operation, const value::Value& object,
                         value::Arena& arena) const;

 private:
  api::Result<> MutatePod(std::string_view operation, const value::Value& pod, const value::Value* old,
                          value::Arena& arena) const;
  value::Value FindPriority(std::string_view name, value::Arena& arena) const;
  value::Value FindRuntime(std::string_view name, value::Arena& arena) const;

  store::Store& store_;
  const registry::ResourceTable& resources_;
  const Options options_;
};

}  // namespace admission
