// Admission policies and their bindings are written by those only who may read the objects that the policy takes
// parameters from. Asked when an object has passed validation; reads what is stored now. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "api/error.h"
#include "pipeline/authz/authorizer.h"
#include "registry/registry.h"

namespace server {

class ParameterRights {
 public:
  // All outlive this.
  ParameterRights(store::Store& store, const registry::ResourceTables& tables, const pipeline::Authorizer& authorizer)
      : store_(store), tables_(tables), authorizer_(authorizer) {}

  // 422 where who calls may not read the parameters of `object`. Other resources and writes of a status pass. `old` is
  // null on create.
  api::Result<> Validate(const registry::Call& call, const registry::Resource& resource, const value::Value& object,
                         const value::Value* old, value::Arena& arena) const;

 private:
  struct Kind;
  // What a kind of parameters is asked for by; "*" stands for what is not known.
  Kind Resolve(std::string_view api_version, std::string_view kind) const;
  // What is said of who may not, "" of who may.
  std::string PolicyComplaint(const api::User& user, const value::Value& policy) const;
  std::string BindingComplaint(const api::User& user, const registry::Resource& bindings, const value::Value& binding,
                               value::Arena& arena) const;

  store::Store& store_;
  const registry::ResourceTables& tables_;
  const pipeline::Authorizer& authorizer_;
};

}  // namespace server
