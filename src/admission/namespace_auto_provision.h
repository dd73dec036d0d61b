// NamespaceAutoProvision: makes the namespaces that objects are created in. Threads and ownership as Plugin.
#pragma once

#include <string_view>

#include "admission/plugins.h"

namespace admission {

class NamespaceAutoProvision final : public Plugin {
 public:
  NamespaceAutoProvision(std::string_view name, const PluginParts& parts) : Plugin(name), store_(parts.store) {}
  bool Waits(const AdmissionRequest& request) const override;
  base::Task<api::Result<>> MutateAsync(AdmissionRequest& request) const override;

 private:
  store::Store& store_;
};

}  // namespace admission
