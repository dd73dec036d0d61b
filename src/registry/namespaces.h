// Namespaces as other objects see them: nothing is created in one that does not exist or is going away, and three are
// never deleted. What the NamespaceLifecycle admission plugin does; its only state is the namespaces themselves. Any
// thread.
#pragma once

#include <string_view>

#include "api/error.h"
#include "registry/resource_table.h"
#include "store/store.h"

namespace registry {

class Namespaces {
 public:
  // Without a `namespaces` resource in the table every namespace is taken to exist.
  Namespaces(const store::Store& store, const ResourceTable& resources);

  // 404 where the namespace does not exist; `creating` also 403 where it is being deleted. `name` as the answer says
  // it.
  api::Result<> AdmitWrite(const Resource& resource, std::string_view namespace_name, std::string_view name,
                           bool creating) const;
  // 403 for a namespace that may not be deleted.
  static api::Result<> AdmitDelete(const Resource& resource, std::string_view name);

 private:
  const store::Store& store_;
  const ResourceRef namespaces_;
};

}  // namespace registry
