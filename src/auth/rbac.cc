#include "auth/rbac.h"

#include <algorithm>
#include <utility>

#include "api/quote.h"
#include "base/text.h"

namespace auth {
namespace {

// Many bindings may name roles that are gone, or the same large role: of what is told for each there is so much.
constexpr size_t kMostMissing = 100;
constexpr size_t kMostRuleBytes = 2 << 20;

size_t BytesOf(const PolicyRule& rule) {
  constexpr size_t kBytesOfWord = 8;
  size_t bytes = 0;
  for (const auto* words : {&rule.verbs, &rule.groups, &rule.resources, &rule.resource_names, &rule.urls}) {
    for (const std::string& word : *words) bytes += word.size() + kBytesOfWord;
  }
  return bytes;
}

bool Has(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}
// The key under which the store keeps the object.
std::string Key(std::string_view namespace_name, std::string_view name) {
  return namespace_name.empty() ? std::string(name) : base::Cat(namespace_name, "/", name);
}

}  // namespace

RbacObjects::Binding RbacObjects::ParseBinding(const value::Value& binding) {
  const value::Value metadata = binding.Get("metadata"), role = binding.Get("roleRef");
  Binding parsed{.namespace_name = std::string(metadata.GetString("namespace")),
                 .name = std::string(metadata.GetString("name")),
                 .role_kind = std::string(role.GetString("kind")),
                 .role = std::string(role.GetString("name"))};
  for (const value::Value& subject : binding.Get("subjects").items()) {
    parsed.subjects.push_back({std::string(subject.GetString("kind")), std::string(subject.GetString("name")),
                               std::string(subject.GetString("namespace"))});
  }
  return parsed;
}

void RbacObjects::Set(Kind kind, const value::Value& object) {
  const value::Value metadata = object.Get("metadata");
  std::string key = Key(metadata.GetString("namespace"), metadata.GetString("name"));
  if (kind == Kind::kRole || kind == Kind::kClusterRole) {
    Roles& roles = kind == Kind::kRole ? roles_ : cluster_roles_;
    roles[std::move(key)] = std::make_shared<const PolicyRules>(ParsePolicyRules(object.Get("rules")));
  } else {
    Bindings& bindings = kind == Kind::kRoleBinding ? bindings_ : cluster_bindings_;
    bindings.insert_or_assign(std::move(key), ParseBinding(object));
  }
}

void RbacObjects::Remove(Kind kind, std::string_view key) {
  switch (kind) {
    case Kind::kRole:
      roles_.erase(key);
      break;
    case Kind::kClusterRole:
      cluster_roles_.erase(key);
      break;
    case Kind::kRoleBinding:
      bindings_.erase(key);
      break;
    case Kind::kClusterRoleBinding:
      cluster_bindings_.erase(key);
      break;
  }
}

void RbacObjects::Clear(Kind kind) {
  switch (kind) {
    case Kind::kRole:
      roles_.clear();
      break;
    case Kind::kClusterRole:
      cluster_roles_.clear();
      break;
    case Kind::kRoleBinding:
      bindings_.clear();
      break;
    case Kind::kClusterRoleBinding:
      cluster_bindings_.clear();
      break;
  }
}

void RbacObjects::Resolve(const Binding& binding, RbacPolicy& policy) const {
  const bool cluster_wide = binding.namespace_name.empty();
  const bool cluster_role = binding.role_kind == "ClusterRole";
  const Roles& roles = cluster_role ? cluster_roles_ : roles_;
  const auto role = roles.find(Key(cluster_role ? "" : binding.namespace_name, binding.role));
  const std::shared_ptr<const PolicyRules> rules = role == roles.end() ? nullptr : role->second;
  const std::string missing = rules ? ""
                                    : base::Cat(cluster_role ? "clusterrole" : "role", ".rbac.authorization.k8s.io ",
                                                api::Quote(binding.role), " not found");
  const std::string name = cluster_wide ? binding.name : base::Cat(binding.name, "/", binding.namespace_name);
  const std::string what = base::Cat(cluster_wide ? "ClusterRoleBinding " : "RoleBinding ", api::Quote(name), " of ",
                                     binding.role_kind, " ", api::Quote(binding.role), " to ");
  RbacPolicy::Scope& scope = cluster_wide ? policy.cluster_ : policy.namespaces_[binding.namespace_name];
  for (const Subject& subject : binding.subjects) {
    std::string whom = subject.name, user = subject.name;
    if (subject.kind == "ServiceAccount") {
      const std::string& home = subject.namespace_name.empty() ? binding.namespace_name : subject.namespace_name;
      if (home.empty()) continue;
      user = base::Cat("system:serviceaccount:", home, ":", subject.name);
      whom = base::Cat(subject.name, "/", home);
    } else if (subject.kind != "User" && subject.kind != "Group") {
      continue;
    }
    auto& index = subject.kind == "Group" ? scope.by_group : scope.by_user;
    index[user].push_back(std::make_shared<const RbacPolicy::Grant>(
        RbacPolicy::Grant{rules, missing, base::Cat(what, subject.kind, " ", api::Quote(whom))}));
  }
}

std::shared_ptr<const RbacPolicy> RbacObjects::Build() const {
  auto policy = std::make_shared<RbacPolicy>();
  for (const auto& [key, binding] : cluster_bindings_) Resolve(binding, *policy);
  for (const auto& [key, binding] : bindings_) Resolve(binding, *policy);
  return policy;
}

bool RbacPolicy::Scope::Visit(const api::User& user, const std::function<bool(const Grant&)>& visit) const {
  const auto visit_all = [&visit](const base::StringMap<GrantList>& index, std::string_view subject) {
    const auto found = index.find(subject);
    if (found == index.end()) return true;
    return std::all_of(found->second.begin(), found->second.end(), [&](const auto& grant) { return visit(*grant); });
  };
  if (!visit_all(by_user, user.name)) return false;
  return std::all_of(user.groups.begin(), user.groups.end(),
                     [&](const std::string& group) { return visit_all(by_group, group); });
}

void RbacPolicy::Visit(const api::User& user, std::string_view namespace_name,
                       const std::function<bool(const Grant&)>& visit) const {
  if (!cluster_.Visit(user, visit) || namespace_name.empty()) return;
  if (const auto scope = namespaces_.find(namespace_name); scope != namespaces_.end()) scope->second.Visit(user, visit);
}

Decision Rbac::Authorize(const Attributes& attributes, bool explain) const {
  const std::shared_ptr<const RbacPolicy> policy = policy_.Load();
  Decision decision;
  std::vector<std::string> missing;
  policy->Visit(attributes.user, attributes.namespace_name, [&](const RbacPolicy::Grant& grant) {
    if (grant.rules == nullptr) {
      if (missing.size() < kMostMissing && !Has(missing, grant.missing)) missing.push_back(grant.missing);
      return true;
    }
    const bool allows = std::any_of(grant.rules->begin(), grant.rules->end(),
                                    [&](const PolicyRule& rule) { return rule.Allows(attributes); });
    if (!allows) return true;
    decision.outcome = Decision::Outcome::kAllow;
    if (explain) decision.reason = base::Cat("RBAC: allowed by ", grant.description);
    return false;
  });
  if (decision.allowed() || missing.empty()) return decision;
  const std::string joined = base::Join(missing, ", ");
  decision.reason = missing.size() == 1 ? base::Cat("RBAC: ", joined) : base::Cat("RBAC: [", joined, "]");
  return decision;
}

void Rbac::CollectRules(const api::User& user, std::string_view namespace_name, UserRules& out) const {
  const std::shared_ptr<const RbacPolicy> policy = policy_.Load();
  size_t bytes = 0;
  policy->Visit(user, namespace_name, [&](const RbacPolicy::Grant& grant) {
    if (grant.rules == nullptr) {
      if (out.errors.size() < kMostMissing && !Has(out.errors, grant.missing)) out.errors.push_back(grant.missing);
      return true;
    }
    for (const PolicyRule& rule : *grant.rules) {
      bytes += BytesOf(rule);
      if (bytes > kMostRuleBytes) {
        out.errors.emplace_back("the user has too many rules to list them");
        return false;
      }
      out.rules.push_back(rule);
    }
    return true;
  });
}

}  // namespace auth
