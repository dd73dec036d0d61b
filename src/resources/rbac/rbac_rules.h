// What roles and bindings of both scopes demand alike: the rules of a role, the role and the subjects of a binding.
// Each is a ScopeCheck over the object that its comment names. Pure; any thread.
#pragma once

#include <string_view>

#include "resources/rules/rules.h"

namespace resources::rbac {

inline constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

// Over a PolicyRule of a Role, and of a ClusterRole, which may name paths that are no resources.
void CheckNamespacedRule(Scope& rule);
void CheckClusterRule(Scope& rule);

// Over a RoleBinding and a ClusterRoleBinding: roleRef and subjects.
void CheckRoleBinding(Scope& binding);
void CheckClusterRoleBinding(Scope& binding);
// Over a changed binding: the role is what it was.
void CheckSameRole(Scope& binding);

}  // namespace resources::rbac
