// NamespaceLifecycle: nothing is created in a namespace that does not exist or is going away, and three namespaces are
// never deleted. Its only state is the stored namespaces themselves. Any thread.
#pragma once

#include "admission/plugin.h"
#include "registry/resource_table.h"
#include "store/store.h"

namespace admission {

class NamespaceLifecycle final : public Plugin {
 public:
  // Both outlive this. Without a `namespaces` resource in the table every namespace is taken to exist.
  NamespaceLifecycle(const store::Store& store, const registry::ResourceTable& resources)
      : Plugin("NamespaceLifecycle"), store_(store), resources_(resources) {}

  // 404 where the namespace does not exist; 403 where something is created while it is being deleted, and for a
  // namespace that may not be deleted.
  api::Result<> Mutate(AdmissionRequest& request) const override;

 private:
  const store::Store& store_;
  const registry::ResourceTable& resources_;
};

// NamespaceExists: nothing is written in a namespace that does not exist. Any thread.
class NamespaceExists final : public Plugin {
 public:
  // Both outlive this.
  NamespaceExists(const store::Store& store, const registry::ResourceTable& resources)
      : Plugin("NamespaceExists"), store_(store), resources_(resources) {}

  // 404.
  api::Result<> Validate(AdmissionRequest& request) const override;

 private:
  const store::Store& store_;
  const registry::ResourceTable& resources_;
};

}  // namespace admission
