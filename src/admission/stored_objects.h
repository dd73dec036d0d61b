// StoredObjects: what plugins look up beside the object they admit: classes, namespaces, quotas. Reads the newest
// snapshot at each call, so what was written is seen by the next request. Any thread.
#pragma once

#include <optional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "registry/resource_table.h"
#include "store/store.h"
#include "value/value.h"

namespace admission {

class StoredObjects {
 public:
  // Both outlive this.
  StoredObjects(store::Store& store, const registry::ResourceTable& resources) : store_(store), resources_(resources) {}

  // The object of that name, decoded into `arena`, which then holds all of it; a null Value where there is none, or
  // where no such resource is served.
  value::Value Find(std::string_view group, std::string_view version, std::string_view plural,
                    std::string_view namespace_name, std::string_view name, value::Arena& arena) const;
  // All objects in `namespace_name` ("": all there are), in order of their keys. `wanted` sees the stored bytes and
  // says which ones are decoded.
  void ForEach(std::string_view group, std::string_view version, std::string_view plural,
               std::string_view namespace_name, value::Arena& arena,
               absl::FunctionRef<bool(std::string_view bytes)> wanted,
               absl::FunctionRef<void(const value::Value& object)> visit) const;
  // The labels of that namespace, decoded into `arena`, where they speak of `prefix` at all, else a null Value; none
  // where there is no such namespace.
  std::optional<value::Value> NamespaceLabels(std::string_view name, std::string_view prefix,
                                              value::Arena& arena) const;
  // For those who look at many objects: the resource, null where it is not served; its newest snapshot; one object.
  const registry::Resource* Resource(std::string_view group, std::string_view version, std::string_view plural) const {
    return resources_.Find(group, version, plural);
  }
  store::Snapshot Latest(const registry::Resource& resource) const;
  static value::Value Decode(const registry::Resource& resource, const store::Cell& cell, value::Arena& arena);

 private:
  store::Store& store_;
  const registry::ResourceTable& resources_;
};

}  // namespace admission
