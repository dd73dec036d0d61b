// Where objects stand in the store: "namespace/name" or "name" in the collection of their Storage. Pure functions, any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "api/names.h"
#include "api/quote.h"
#include "base/text.h"
#include "registry/registry.h"

namespace registry {

inline std::string StoreKey(const Resource& resource, Key key) {
  return resource.namespaced ? base::Cat(key.namespace_name, "/", key.name) : std::string(key.name);
}

// The whole key as the real server's errors quote it, below /registry/.
inline std::string ErrorKey(const Resource& resource, Key key) {
  return base::Cat(resource.storage->collection, "/", StoreKey(resource, key));
}

// 400 for a name that cannot be a segment of a path, and of an object to be stored for one that the store cannot hold.
inline api::Result<> CheckName(std::string_view name, bool to_be_stored = false) {
  if (name.empty()) return api::Fail(api::BadRequest("Name parameter required."));
  api::Complaints complaints = api::CheckPathSegment(name);
  if (to_be_stored && name.contains('\0')) complaints.emplace_back("may not contain NUL");
  if (complaints.empty()) return {};
  std::string why;
  for (const std::string& complaint : complaints) base::Append(why, why.empty() ? "" : ";", complaint);
  return api::Fail(api::BadRequest(base::Cat("Name parameter invalid: ", api::Quote(name), ": ", why)));
}

}  // namespace registry
