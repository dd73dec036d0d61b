#include "admission/role_escalation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "api/quote.h"
#include "auth/escalation.h"
#include "auth/find_stored.h"
#include "base/text.h"
#include "registry/semantic_equality.h"
#include "registry/stored_form.h"
#include "store/cell.h"
#include "store/snapshot.h"

namespace admission {
namespace {

using value::Value;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kPrivileged = "system:masters";
constexpr size_t kMostErrors = 100;  // of roles that are not there; bindings to them are many at no cost

bool Aggregates(const Value* role) {
  return role != nullptr && !role->Get({"aggregationRule", "clusterRoleSelectors"}).empty();
}

bool AppliesTo(const Value& subject, const api::User& user, std::string_view namespace_name) {
  const std::string_view kind = subject.GetString("kind"), name = subject.GetString("name");
  if (kind == "User") return user.name == name;
  if (kind == "Group") return user.InGroup(name);
  if (kind != "ServiceAccount") return false;
  const std::string_view own = subject.GetString("namespace");
  const std::string_view home = own.empty() ? namespace_name : own;
  return !home.empty() && user.name == base::Cat("system:serviceaccount:", home, ":", name);
}

}  // namespace

struct RoleEscalation::Write {
  const registry::Call& call;
  const registry::Resource& resource;
  registry::Key key;
  const Value& object;
  const Value* old;
  value::Arena& arena;

  const api::User& user() const { return call.request.user; }
  std::unexpected<api::Error> Refuse(std::string why) const {
    return api::Fail(
        api::Forbidden(std::move(why), resource.group_resource(), object.Get("metadata").GetString("name")));
  }
};

api::Result<> RoleEscalation::Mutate(AdmissionRequest& request) const {
  const registry::Resource& resource = request.resource;
  if (resource.group != kGroup || request.operation == registry::Operation::kDelete) return {};
  if (request.call.request.user.InGroup(kPrivileged)) return {};
  const Write write{request.call, resource, request.key, request.object, request.old, request.arena};
  const bool is_role = resource.plural == "roles" || resource.plural == "clusterroles";
  return is_role ? AdmitRole(write) : AdmitBinding(write);
}

bool RoleEscalation::Allows(const Write& write, std::string_view verb, std::string_view resource,
                            std::string_view name) const {
  return authorizer_
      .Authorize({.user = write.user(),
                  .verb = verb,
                  .namespace_name = write.key.namespace_name,
                  .group = kGroup,
                  .version = "*",
                  .resource = resource,
                  .name = name})
      .allowed();
}

api::Result<> RoleEscalation::AdmitRole(const Write& write) const {
  // The name is that of the path: nobody has one on create.
  const api::RequestInfo& info = write.call.request.info;
  const std::string_view name = info.is_resource_request ? std::string_view(info.name) : write.key.name;
  if (Allows(write, "escalate", write.resource.plural, name)) return {};
  if (write.old != nullptr &&
      registry::SameButForCollector(*write.resource.type, write.object, *write.old, write.arena))
    return {};
  const auth::UserRules held = Held(write);
  const auto granted = auth::ParsePolicyRules(write.object.Get("rules"));
  std::string missing = auth::Escalation(write.user(), held, granted);
  if (!missing.empty()) return write.Refuse(std::move(missing));
  // What is aggregated can be anything.
  const bool aggregates = Aggregates(&write.object) || Aggregates(write.old);
  if (!aggregates || auth::Escalation(write.user(), held, auth::FullAuthority()).empty()) return {};
  return write.Refuse("must have cluster-admin privileges to use the aggregationRule");
}

api::Result<> RoleEscalation::AdmitBinding(const Write& write) const {
  if (write.old != nullptr &&
      registry::SameButForCollector(*write.resource.type, write.object, *write.old, write.arena))
    return {};
  const Value role = write.object.Get("roleRef");
  const std::string_view kind = role.GetString("kind");
  const std::string_view plural = kind == "Role" ? "roles" : kind == "ClusterRole" ? "clusterroles" : "";
  const bool of_group = role.GetString("apiGroup") == kGroup;
  if (!plural.empty() && of_group && Allows(write, "bind", plural, role.GetString("name"))) return {};
  const auto rules = RulesOf(write, role);
  if (!rules) return std::unexpected(rules.error());
  std::string missing = auth::Escalation(write.user(), Held(write), auth::ParsePolicyRules(*rules));
  if (!missing.empty()) return write.Refuse(std::move(missing));
  return {};
}

Value RoleEscalation::Find(std::string_view plural, std::string_view key, value::Arena& arena) const {
  return auth::FindStored(store_, resources_.Find(kGroup, "v1", plural), key, arena);
}

// What is not there is named as the request's resource, whatever it is.
api::Result<Value> RoleEscalation::RulesOf(const Write& write, const Value& role_ref) const {
  const std::string_view kind = role_ref.GetString("kind"), name = role_ref.GetString("name");
  const bool in_namespace = kind == "Role";
  if (!in_namespace && kind != "ClusterRole") {
    return api::Fail(api::Generic(500, base::Cat("unsupported role reference kind: ", api::Quote(kind))));
  }
  const Value role = in_namespace ? Find("roles", base::Cat(write.key.namespace_name, "/", name), write.arena)
                                  : Find("clusterroles", name, write.arena);
  if (!role.is_object()) return api::Fail(api::NotFound(write.resource.group_resource(), name));
  return role.Get("rules");
}

void RoleEscalation::AddHeld(const Write& write, std::string_view plural, std::string_view prefix,
                             auth::UserRules& held) const {
  const registry::Resource* bindings = resources_.Find(kGroup, "v1", plural);
  if (bindings == nullptr) return;
  const store::Snapshot snapshot = store_.Latest(bindings->storage->id);
  store::Scan scan = snapshot.Scan(prefix, "");
  absl::flat_hash_set<std::string> seen;  // roles that a binding has brought already
  while (const store::Cell* cell = scan.Next()) {
    const auto binding = registry::DecodeStored(*bindings, *cell, write.arena);
    if (!binding) continue;
    const bool applies = std::ranges::any_of(binding->Get("subjects").items(), [&](const Value& subject) {
      return AppliesTo(subject, write.user(), write.key.namespace_name);
    });
    const Value role = binding->Get("roleRef");
    if (!applies || !seen.insert(base::Cat(role.GetString("kind"), "/", role.GetString("name"))).second) continue;
    const auto rules = RulesOf(write, role);
    if (rules) {
      auto parsed = auth::ParsePolicyRules(*rules);
      std::ranges::move(parsed, std::back_inserter(held.rules));
    } else if (held.errors.size() < kMostErrors &&
               std::ranges::find(held.errors, rules.error().message) == held.errors.end()) {
      held.errors.push_back(rules.error().message);
    }
  }
}

auth::UserRules RoleEscalation::Held(const Write& write) const {
  auth::UserRules held;
  AddHeld(write, "clusterrolebindings", "", held);
  const std::string_view home = write.key.namespace_name;
  if (!home.empty()) AddHeld(write, "rolebindings", base::Cat(home, "/"), held);
  return held;
}

}  // namespace admission
