// Admission policies and their bindings are written by those only who may read the objects that the policy takes
// parameters from. No plugin of kube-apiserver, where the storage of these resources asks: runs before all plugins that
// validate. Reads what is stored now. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "api/error.h"
#include "admission/plugin.h"
#include "pipeline/authz/authorizer.h"
#include "registry/registry.h"

namespace server {

class ParameterRights final : public admission::Plugin {
 public:
  // All outlive this.
  ParameterRights(store::Store& store, const registry::ResourceTable& resources, const pipeline::Authorizer& authorizer)
      : Plugin("ParameterRights"), store_(store), resources_(resources), authorizer_(authorizer) {}

  // 422 where who calls may not read the object's parameters. Other resources and writes of a status pass.
  api::Result<> Validate(registry::AdmissionRequest& request) const override;

 private:
  struct Kind;
  // What a kind of parameters is asked for by; "*" stands for what is not known.
  Kind Resolve(std::string_view api_version, std::string_view kind) const;
  // What is said of who may not, "" of who may.
  std::string PolicyComplaint(const api::User& user, const value::Value& policy) const;
  std::string BindingComplaint(const api::User& user, const registry::Resource& bindings, const value::Value& binding,
                               value::Arena& arena) const;

  store::Store& store_;
  const registry::ResourceTable& resources_;
  const pipeline::Authorizer& authorizer_;
};

}  // namespace server
