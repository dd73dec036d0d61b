// Roles and their bindings are written by those only who hold what they grant, or may escalate, or bind. No plugin of
// kube-apiserver, where the storage of these resources asks: runs after all plugins that mutate. Reads what is stored
// now. Any thread.
#pragma once

#include <string_view>

#include "admission/plugin.h"
#include "auth/authorizer.h"
#include "registry/registry.h"

namespace admission {

class RoleEscalation final : public Plugin {
 public:
  // All outlive this.
  RoleEscalation(store::Store& store, const registry::ResourceTable& resources, const auth::Authorizer& authorizer)
      : Plugin("RoleEscalation"), store_(store), resources_(resources), authorizer_(authorizer) {}

  // 403 where the object grants more than its writer may. Other resources pass.
  api::Result<> Mutate(AdmissionRequest& request) const override;

 private:
  struct Write;

  api::Result<> AdmitRole(const Write& write) const;
  api::Result<> AdmitBinding(const Write& write) const;
  bool Allows(const Write& write, std::string_view verb, std::string_view resource, std::string_view name) const;
  // The object of that key; null Value where there is none.
  value::Value Find(std::string_view plural, std::string_view key, value::Arena& arena) const;
  api::Result<value::Value> RulesOf(const Write& write, const value::Value& role_ref) const;
  auth::UserRules Held(const Write& write) const;
  void AddHeld(const Write& write, std::string_view plural, std::string_view prefix, auth::UserRules& held) const;

  store::Store& store_;
  const registry::ResourceTable& resources_;
  const auth::Authorizer& authorizer_;
};

}  // namespace admission
