#include "resources/rbac/rbac_rules.h"

#include <array>
#include "base/text.h"
#include "value/json_writer.h"

#include "resources/rules/field_checks.h"

namespace resources::rbac {
namespace {

constexpr std::array<std::string_view, 1> kGroups = {kGroup};
constexpr std::array<std::string_view, 1> kNoGroup = {""};
constexpr std::array<std::string_view, 2> kRoleKinds = {"Role", "ClusterRole"};
constexpr std::array<std::string_view, 1> kClusterRoleKind = {"ClusterRole"};
constexpr std::array<std::string_view, 3> kSubjectKinds = {"ServiceAccount", "User", "Group"};

void CheckRule(Scope& rule, bool namespaced) {
  if (rule.Get("verbs").empty()) rule.errors.Required(rule.At("verbs"), "verbs must contain at least one value");
  if (const Value urls = rule.Get("nonResourceURLs"); !urls.empty()) {
    const FieldPath path = rule.At("nonResourceURLs");
    if (namespaced) rule.errors.Invalid(path, urls, "namespaced rules cannot apply to non-resource URLs");
    if (!rule.Get("apiGroups").empty() || !rule.Get("resources").empty() || !rule.Get("resourceNames").empty()) {
      rule.errors.Invalid(path, urls, "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (rule.Get("apiGroups").empty()) {
    rule.errors.Required(rule.At("apiGroups"), "resource rules must supply at least one api group");
  }
  if (rule.Get("resources").empty()) {
    rule.errors.Required(rule.At("resources"), "resource rules must supply at least one resource");
  }
}

void CheckRoleName(Scope& role) {
  const std::string_view name = role.String("name");
  PutComplaints(role.errors, role.At("name"), name, api::CheckPathSegment(name));
}

void CheckServiceAccount(Scope& subject, bool namespaced) {
  if (const std::string_view name = subject.String("name"); !name.empty()) {
    PutComplaints(subject.errors, subject.At("name"), name, api::CheckDns1123Subdomain(name));
  }
  if (const std::string_view group = subject.String("apiGroup"); !group.empty()) {
    subject.errors.NotSupported(subject.At("apiGroup"), group, kNoGroup);
  }
  if (!namespaced && subject.String("namespace").empty()) subject.errors.Required(subject.At("namespace"));
}

void CheckSubject(Scope& subject, bool namespaced) {
  const std::string_view kind = subject.String("kind");
  if (kind == "ServiceAccount") {
    CheckServiceAccount(subject, namespaced);
  } else if (kind == "User" || kind == "Group") {
    const std::string_view group = subject.String("apiGroup");
    if (group != kGroup) subject.errors.NotSupported(subject.At("apiGroup"), group, kGroups);
  } else {
    subject.errors.NotSupported(subject.At("kind"), kind, kSubjectKinds);
  }
}

void CheckNamespacedSubject(Scope& subject) { CheckSubject(subject, true); }
void CheckClusterSubject(Scope& subject) { CheckSubject(subject, false); }

constexpr Rule kRoleRef[] = {
    OneOf("apiGroup", kGroups),
    OneOf("kind", kRoleKinds),
    Required("name"),
    Call(CheckRoleName),
};
constexpr Rule kClusterRoleRef[] = {
    OneOf("apiGroup", kGroups),
    OneOf("kind", kClusterRoleKind),
    Required("name"),
    Call(CheckRoleName),
};
constexpr Rule kSubject[] = {Required("name"), Call(CheckNamespacedSubject)};
constexpr Rule kClusterSubject[] = {Required("name"), Call(CheckClusterSubject)};
constexpr Rule kBindingSubjects[] = {Each("subjects", kSubject)};
constexpr Rule kClusterBindingSubjects[] = {Each("subjects", kClusterSubject)};

}  // namespace

void CheckNamespacedRule(Scope& rule) { CheckRule(rule, true); }
void CheckClusterRule(Scope& rule) { CheckRule(rule, false); }

// A binding without a role is held against the rules too.
void CheckRoleBinding(Scope& binding) {
  Check(binding, kRoleRef, binding.At("roleRef"), binding.Get("roleRef"), nullptr);
  Check(binding, kBindingSubjects, binding.path, binding.object, nullptr);
}

void CheckClusterRoleBinding(Scope& binding) {
  Check(binding, kClusterRoleRef, binding.At("roleRef"), binding.Get("roleRef"), nullptr);
  Check(binding, kClusterBindingSubjects, binding.path, binding.object, nullptr);
}

void CheckSameRole(Scope& binding) {
  const Value role = binding.Get("roleRef");
  if (value::Equal(role, binding.old->Get("roleRef"))) return;
  binding.errors.InvalidAs(binding.At("roleRef"), base::Cat("rbac.RoleRef", value::ToJson(role)),
                           "cannot change roleRef");
}

}  // namespace resources::rbac
