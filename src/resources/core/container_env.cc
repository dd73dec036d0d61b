#include "resources/core/container_rules.h"
#include "resources/core/field_refs.h"
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

void CheckEnvVar(Scope& variable) {
  const std::string_view name = variable.String("name");
  if (name.empty()) {
    variable.errors.Required(variable.At("name"));
  } else {
    PutComplaints(variable.errors, variable.At("name"), name, api::CheckRelaxedEnvVarName(name));
  }
  if (const Value* from = variable.object.Find("valueFrom")) {
    CheckValueFrom(variable.errors, variable.At("valueFrom"), *from, !variable.String("value").empty());
  }
}

// The name may be the beginning of one, as that of a generated object.
void CheckEnvSource(Errors& errors, const FieldPath& path, const Value& source) {
  const std::string_view name = source.GetString("name");
  if (name.empty()) return errors.Required(path.Child("name"));
  PutComplaints(errors, path.Child("name"), name, api::CheckNameIsDnsSubdomain(name, true));
}

constexpr Rule kEnvVar[] = {Call(CheckEnvVar)};
constexpr Rule kEnv[] = {Each("env", kEnvVar)};

}  // namespace

void CheckContainerEnv(Scope& container) { Check(container, kEnv, container.path, container.object, nullptr); }

void CheckContainerEnvFrom(Scope& container) {
  Errors& errors = container.errors;
  const FieldPath list = container.At("envFrom");
  int64_t index = 0;
  for (const Value& from : container.Get("envFrom").items()) {
    const FieldPath at = list.Index(index++);
    const std::string_view prefix = from.GetString("prefix");
    if (!prefix.empty()) PutComplaints(errors, at.Child("prefix"), prefix, api::CheckRelaxedEnvVarName(prefix));
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

}  // namespace resources::core
