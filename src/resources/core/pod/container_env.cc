#include <algorithm>
#include <set>

#include "resources/core/field_refs.h"
#include "resources/core/pod/container_rules.h"
#include "resources/core/pod/pod_disabled_fields.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

constexpr std::string_view kEnvFields[] = {
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs"};

// A key of a ConfigMap or a Secret.
void CheckKeySelector(Errors& errors, const FieldPath& path, const Value& selector) {
  const std::string_view name = selector.GetString("name"), key = selector.GetString("key");
  kDnsSubdomain(errors, path.Child("name"), name);
  if (key.empty()) return errors.Required(path.Child("key"));
  kConfigMapKey(errors, path.Child("key"), key);
}

void CheckValueFrom(Errors& errors, const FieldPath& path, const Value& from, bool has_value) {
  int sources = 0;
  if (const Value* field = from.Find("fieldRef")) {
    ++sources;
    CheckFieldRef(errors, path.Child("fieldRef"), *field, kEnvFields);
  }
  if (const Value* resource = from.Find("resourceFieldRef")) {
    ++sources;
    CheckResourceFieldRef(errors, path.Child("resourceFieldRef"), *resource);
  }
  for (std::string_view ref : {"configMapKeyRef", "secretKeyRef"}) {
    const Value* key = from.Find(ref);
    if (key == nullptr) continue;
    ++sources;
    CheckKeySelector(errors, path.Child(ref), *key);
  }
  if (sources == 0) {
    errors.Invalid(path, "",
                   "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
  } else if (has_value) {
    errors.Invalid(path, "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    errors.Invalid(path, "", "may not have more than one field specified at a time");
  }
}

void CheckEnvName(Errors& errors, const FieldPath& path, std::string_view name, bool relaxed) {
  PutComplaints(errors, path, name, relaxed ? api::CheckRelaxedEnvVarName(name) : api::CheckEnvVarName(name));
}

// The names and prefixes of variables in a PodSpec that are good only where names may be any printable text.
std::set<std::string_view> RelaxedNamesIn(const Value& spec) {
  std::set<std::string_view> names;
  const auto add = [&](std::string_view name) {
    if (!api::CheckEnvVarName(name).empty() && api::CheckRelaxedEnvVarName(name).empty()) names.insert(name);
  };
  VisitContainers(spec, [&](const Value& container) {
    for (const Value& variable : container.Get("env").items()) add(variable.GetString("name"));
    for (const Value& from : container.Get("envFrom").items()) add(from.GetString("prefix"));
  });
  return names;
}

void CheckEnvVar(Errors& errors, const FieldPath& path, const Value& variable, bool relaxed_names) {
  const std::string_view name = variable.GetString("name");
  if (name.empty()) {
    errors.Required(path.Child("name"));
  } else {
    CheckEnvName(errors, path.Child("name"), name, relaxed_names);
  }
  if (const Value* from = variable.Find("valueFrom")) {
    CheckValueFrom(errors, path.Child("valueFrom"), *from, !variable.GetString("value").empty());
  }
}

// The name may be the beginning of one, as that of a generated object.
void CheckEnvSource(Errors& errors, const FieldPath& path, const Value& source) {
  const std::string_view name = source.GetString("name");
  if (name.empty()) return errors.Required(path.Child("name"));
  PutComplaints(errors, path.Child("name"), name, api::CheckNameIsDnsSubdomain(name, true));
}

}  // namespace

void CheckContainerEnv(Scope& container, bool relaxed_names) {
  const FieldPath list = container.At("env");
  int64_t index = 0;
  for (const Value& variable : container.Get("env").items()) {
    const FieldPath at = list.Index(index++);
    CheckEnvVar(container.errors, at, variable, relaxed_names);
  }
}

void CheckContainerEnvFrom(Scope& container, bool relaxed_names) {
  Errors& errors = container.errors;
  const FieldPath list = container.At("envFrom");
  int64_t index = 0;
  for (const Value& from : container.Get("envFrom").items()) {
    const FieldPath at = list.Index(index++);
    const std::string_view prefix = from.GetString("prefix");
    if (!prefix.empty()) CheckEnvName(errors, at.Child("prefix"), prefix, relaxed_names);
    int sources = 0;
    for (std::string_view ref : {"configMapRef", "secretRef"}) {
      const Value* source = from.Find(ref);
      if (source == nullptr) continue;
      ++sources;
      CheckEnvSource(errors, at.Child(ref), *source);
    }
    if (sources == 0) errors.Invalid(list, "", "must specify one of: `configMapRef` or `secretRef`");
    if (sources > 1) errors.Invalid(list, "", "may not have more than one field specified at a time");
  }
}

bool RelaxesEnvNames(const Scope& spec) {
  if (spec.context.Has(Feature::kRelaxedEnvironmentVariableValidation)) return true;
  if (spec.old == nullptr) return false;
  const std::set<std::string_view> before = RelaxedNamesIn(*spec.old), now = RelaxedNamesIn(spec.object);
  return std::ranges::any_of(now, [&](std::string_view name) { return before.contains(name); });
}

}  // namespace resources::core
