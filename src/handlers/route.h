// Route: what a path of the resource API names, and whether it exists: the answer is the same 404 that the real
// server's routes give, for every shape of path. Pure function over the resource table, any thread, a few look-ups of a
// hash; views point into the path, the rest into the table.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/error.h"
#include "registry/resource_table.h"

namespace handlers {

struct Route {
  enum class Shape : uint8_t {
    kVersion,        // /api, /apis, /apis/GROUP, /apis/GROUP/VERSION: discovery
    kAllNamespaces,  // a namespaced collection across namespaces
    kCollection,
    kItem,
    kSubresource,
  };
  Shape shape = Shape::kVersion;
  bool watch = false;         // /watch/...
  bool in_namespace = false;  // /namespaces/NAMESPACE/...
  const registry::Resource* resource = nullptr;
  const registry::Subresource* subresource = nullptr;
  std::string_view namespace_name, name;  // "" also where the path has nothing between two slashes
  std::string_view rest;                  // what follows a subresource that connects: "a/b"
};

// `path` is unescaped. 404 as text for groups that are unknown, as Status for what is unknown within a group.
api::Result<Route> FindRoute(const registry::ResourceTable& resources, std::string_view path);

// The verb of `method` on the route: get, list, create, update, patch, delete, deletecollection; "" where the route
// does not take it (405).
std::string_view VerbOf(const Route& route, std::string_view method);

}  // namespace handlers
