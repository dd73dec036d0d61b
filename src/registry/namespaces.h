// Namespaces as other objects see them: nothing is created in one that does not exist or is going away, and three are
// never deleted. What the NamespaceLifecycle admission plugin does; its only state is the namespaces themselves. Any
// thread.
#pragma once

#include <string_view>

#include "api/error.h"
#include "registry/resource.h"
#include "store/store.h"

namespace registry {

class Namespaces {
 public:
  // Without a `namespaces` resource in the table every namespace is taken to exist. `enforced` false: all is admitted.
  Namespaces(const store::Store& store, const ResourceTable& resources, bool enforced = true);

  // 404 where the namespace does not exist; `creating` also 403 where it is being deleted. `name` as the answer says
  // it.
  api::Result<> AdmitWrite(const Resource& resource, std::string_view namespace_name, std::string_view name,
                           bool creating) const;
  // 403 for a namespace that may not be deleted.
  api::Result<> AdmitDelete(const Resource& resource, std::string_view name) const;

 private:
  const store::Store& store_;
  const Resource* namespaces_;
  const bool enforced_;
};

}  // namespace registry
