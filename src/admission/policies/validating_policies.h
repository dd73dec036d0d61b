// The plugin ValidatingAdmissionPolicy: what the stored ValidatingAdmissionPolicies that are bound have against a
// request, in the order of their names. Policies and their bindings are never held against policies, nor are access
// reviews: nobody can lock themselves out. Any thread.
//
// Cost: linear in the policies and bindings that are there; what expressions of one policy cost with one parameter
// object is bounded (policy_evaluator.h), and so is the number of these objects (policy_parameters.h).
#pragma once

#include "admission/plugin.h"
#include "admission/plugins.h"
#include "admission/policies/policy_set.h"

namespace admission {

class ValidatingPolicies final : public Plugin {
 public:
  ValidatingPolicies(std::string_view name, const PluginParts& parts);

  api::Result<> Validate(AdmissionRequest& request) const override;

 private:
  store::Store& store_;
  const RequestRight right_;
  const PolicySets policies_;
};

}  // namespace admission
