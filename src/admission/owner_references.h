// OwnerReferencesPermissionEnforcement: the owners of an object are changed by those who may delete it, and an owner's
// deletion is held up by those who may set the finalizers of the owner. Threads and ownership as Plugin.
#pragma once

#include <string_view>

#include "admission/plugins.h"

namespace admission {

class OwnerReferences final : public Plugin {
 public:
  OwnerReferences(std::string_view name, const PluginParts& parts) : Plugin(name), right_(parts.request_right) {}
  api::Result<> Validate(AdmissionRequest& request) const override;

 private:
  const RequestRight right_;
};

}  // namespace admission
