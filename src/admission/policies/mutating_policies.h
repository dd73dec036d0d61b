// The plugin MutatingAdmissionPolicy: changes objects as the stored MutatingAdmissionPolicies that are bound say, in
// the order of their names, and once more those that ask for it where something has changed after them. Runs before an
// object is validated, where the feature gate is on. Any thread.
//
// Cost: as of validating policies (validating_policies.h), and a copy of the object for each mutation.
#pragma once

#include "admission/plugin.h"
#include "admission/plugins.h"
#include "admission/policies/policy_set.h"

namespace admission {

class MutatingPolicies final : public Plugin {
 public:
  MutatingPolicies(std::string_view name, const PluginParts& parts);

  api::Result<> Mutate(AdmissionRequest& request) const override;

 private:
  store::Store& store_;
  const RequestRight right_;
  const PolicySets policies_;
};

}  // namespace admission
