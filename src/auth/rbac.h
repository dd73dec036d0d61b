// RBAC: what roles allow, whom bindings give them to. RbacPolicy is one immutable state of all four kinds, compiled for
// look-up by user and group; Rbac is the Authorizer that asks the newest one.
//
// A policy is built by one thread from the objects as they are stored (RbacObjects) and then shared; Publish() swaps it
// while others ask.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/authorizer.h"
#include "auth/policy_rule.h"
#include "base/published.h"
#include "base/string_map.h"
#include "value/value.h"

namespace auth {

class RbacPolicy {
 public:
  class Builder;

  // A binding that gives `rules` (null: the role it names is missing).
  struct Grant {
    std::shared_ptr<const PolicyRules> rules;
    std::string missing;      // `role.rbac.authorization.k8s.io "x" not found` where rules are missing
    std::string description;  // `RoleBinding "b/ns" of Role "r" to User "u"`
  };
  // Calls `visit` for every grant that applies to `user` in `namespace_name` ("" for the whole cluster), until it
  // returns false.
  void Visit(const api::User& user, std::string_view namespace_name,
             const std::function<bool(const Grant&)>& visit) const;

 private:
  using GrantList = std::vector<std::shared_ptr<const Grant>>;
  struct Scope {
    base::StringMap<GrantList> by_user, by_group;
    bool Visit(const api::User& user, const std::function<bool(const Grant&)>& visit) const;
  };
  friend class RbacObjects;
  Scope cluster_;
  base::StringMap<Scope> namespaces_;
};

// The objects of all four kinds as they are stored now. Kept up to date by one thread; Build() resolves the references.
class RbacObjects {
 public:
  enum class Kind : uint8_t { kRole, kClusterRole, kRoleBinding, kClusterRoleBinding };

  // Adds the object, or takes it in place of the one of that kind, namespace and name.
  void Set(Kind kind, const value::Value& object);
  // `key` is "namespace/name", or "name" for what is in no namespace.
  void Remove(Kind kind, std::string_view key);
  void Clear(Kind kind);
  std::shared_ptr<const RbacPolicy> Build() const;

 private:
  struct Subject {
    std::string kind, name, namespace_name;
  };
  struct Binding {
    std::string namespace_name, name, role_kind, role;  // namespace_name is "" for the whole cluster
    std::vector<Subject> subjects;
  };
  static Binding ParseBinding(const value::Value& binding);
  void Resolve(const Binding& binding, RbacPolicy& policy) const;

  using Roles = base::StringMap<std::shared_ptr<const PolicyRules>>;
  using Bindings = base::StringMap<Binding>;
  Roles roles_, cluster_roles_;           // by key
  Bindings bindings_, cluster_bindings_;  // by key
};

// For who reads all objects at once: takes them in any order.
class RbacPolicy::Builder {
 public:
  void AddRole(const value::Value& role) { objects_.Set(RbacObjects::Kind::kRole, role); }
  void AddClusterRole(const value::Value& role) { objects_.Set(RbacObjects::Kind::kClusterRole, role); }
  void AddRoleBinding(const value::Value& binding) { objects_.Set(RbacObjects::Kind::kRoleBinding, binding); }
  void AddClusterRoleBinding(const value::Value& binding) {
    objects_.Set(RbacObjects::Kind::kClusterRoleBinding, binding);
  }
  std::shared_ptr<const RbacPolicy> Build() && { return objects_.Build(); }

 private:
  RbacObjects objects_;
};

class Rbac final : public Authorizer {
 public:
  explicit Rbac(std::shared_ptr<const RbacPolicy> policy) : policy_(std::move(policy)) {}
  void Publish(std::shared_ptr<const RbacPolicy> policy) { policy_.Store(std::move(policy)); }
  std::shared_ptr<const RbacPolicy> policy() const { return policy_.Load(); }
  Decision Authorize(const Attributes& attributes, bool explain) const override;
  void CollectRules(const api::User& user, std::string_view namespace_name, UserRules& out) const override;

 private:
  base::PublishedShared<const RbacPolicy> policy_;
};

}  // namespace auth
