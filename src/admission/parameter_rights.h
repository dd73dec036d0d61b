// Admission policies and their bindings are written by those only who may read the objects that the policy takes
// parameters from. No plugin of kube-apiserver, where the storage of these resources asks: runs before all plugins that
// validate. Reads what is stored now. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "admission/plugin.h"
#include "api/error.h"
#include "auth/authorizer.h"
#include "registry/registry.h"

namespace admission {

class ParameterRights final : public Plugin {
 public:
  // All outlive this.
  ParameterRights(store::Store& store, const auth::Authorizer& authorizer)
      : Plugin("ParameterRights"), store_(store), authorizer_(authorizer) {}

  // 422 where who calls may not read the object's parameters. Other resources and writes of a status pass.
  api::Result<> Validate(AdmissionRequest& request) const override;

 private:
  struct Kind;
  // What a kind of parameters is asked for by; "*" stands for what is not known.
  static Kind Resolve(const registry::ResourceTable& resources, std::string_view api_version, std::string_view kind);
  // What is said of who may not, "" of who may.
  std::string PolicyComplaint(const registry::Call& call, const value::Value& policy) const;
  std::string BindingComplaint(const registry::Call& call, const registry::Resource& bindings,
                               const value::Value& binding, value::Arena& arena) const;

  store::Store& store_;
  const auth::Authorizer& authorizer_;
};

}  // namespace admission
