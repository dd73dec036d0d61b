// Subresources: what answers on paths that the generic verbs do not know: subresources with a body of their own kind
// (scale, binding, eviction, token), connections, and resources that are not stored (reviews). Filled by server/ and by
// the files here before the first request, then read from any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/string_map.h"
#include "handlers/scope.h"

namespace handlers {

class Subresources {
 public:
  // `verb` is get, create, update, patch or delete: of the method, the path has been checked to allow it. The scope
  // outlives the answer.
  using Handler = std::function<Answer(const Scope& scope, std::string_view verb)>;

  // `subresource` "" is the resource itself, for resources that are not stored.
  void Add(std::string_view group, std::string_view resource, std::string_view subresource, Handler handler);
  // The subresource of that name of every resource that has one, and no handler of its own for it.
  void AddToAll(std::string_view subresource, Handler handler);
  const Handler* Find(std::string_view group, std::string_view resource, std::string_view subresource) const;

 private:
  base::StringMap<Handler> handlers_;
  base::StringMap<Handler> of_all_;  // by subresource
};

// Where a custom resource has what a Scale says: paths like ".spec.replicas", without lists.
struct ScalePaths {
  std::string spec_replicas, status_replicas;
  std::string label_selector;  // a selector as text; "" none
};
// Null of built-in resources. The paths live as long as the resource.
using FindScalePaths = std::function<std::optional<ScalePaths>(const registry::Resource& resource)>;

// `scale` of every resource that has one: spec.replicas, or what the paths name, seen as a Scale.
void AddScales(Subresources& subresources, FindScalePaths find_paths = {});

// `binding` of pods and the bindings collection.
void AddBindings(Subresources& subresources);

// `eviction` of pods.
void AddEvictions(Subresources& subresources);

// `log`, `exec`, `attach`, `portforward` and `proxy` of pods, `proxy` of nodes and services.
void AddConnections(Subresources& subresources);

// `componentstatuses`, which are made up when asked for.
void AddComponentStatuses(Subresources& subresources);

}  // namespace handlers
