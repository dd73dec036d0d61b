#include <algorithm>
#include <utility>

#include "base/text.h"
#include "resources/core/container_rules.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

constexpr std::string_view kEnvFields[] = {
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs"};
// Fields of a pod that have a name to select them by.
constexpr std::string_view kFieldLabels[] = {
    "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
    "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
    "status.podIP",         "status.podIPs"};
constexpr std::string_view kResources[] = {"limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
                                           "requests.cpu", "requests.ephemeral-storage", "requests.memory"};
constexpr std::string_view kCpuDivisors[] = {"1m", "1"};
constexpr std::string_view kByteDivisors[] = {"1",   "1k",  "1M",  "1G",  "1T",  "1P", "1E",
                                              "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};

bool Has(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool IsHugePageField(std::string_view resource) {
  return resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-");
}

// "metadata.labels['key']" as its field and its key.
std::optional<std::pair<std::string_view, std::string_view>> SplitSubscript(std::string_view path) {
  constexpr std::string_view kOpen = "['", kClose = "']";
  if (!path.ends_with(kClose)) return std::nullopt;
  path.remove_suffix(kClose.size());
  const size_t open = path.find(kOpen);
  if (open == 0 || open == std::string_view::npos) return std::nullopt;
  return std::pair(path.substr(0, open), path.substr(open + kOpen.size()));
}

bool HasSubscripts(std::string_view field) { return field == "metadata.annotations" || field == "metadata.labels"; }

// Why a field path of a version says nothing; "" where it does.
std::string CannotConvert(std::string_view version, std::string_view path) {
  if (version != "v1") return base::Cat("unsupported pod version: ", version);
  if (const auto split = SplitSubscript(path)) {
    return HasSubscripts(split->first) ? "" : base::Cat("field label does not support subscript: ", path);
  }
  if (path == "spec.host" || Has(kFieldLabels, path)) return "";
  return base::Cat("field label not supported: ", path);
}

void CheckByteDivisor(Errors& errors, const FieldPath& path, std::string_view resource, std::string_view divisor,
                      std::string_view what) {
  if (Has(kByteDivisors, divisor)) return;
  errors.Invalid(
      path, resource,
      base::Cat("only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported "
                "with the ",
                what, " resource"));
}

void CheckDivisor(Errors& errors, const FieldPath& path, std::string_view resource, const Value& divisor) {
  if (QuantityOf(divisor).IsZero()) return;
  const std::string_view text = divisor.AsString();
  if (resource == "limits.cpu" || resource == "requests.cpu") {
    if (Has(kCpuDivisors, text)) return;
    errors.Invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource");
  } else if (resource == "limits.memory" || resource == "requests.memory") {
    CheckByteDivisor(errors, path, resource, text, "memory");
  } else if (resource == "limits.ephemeral-storage" || resource == "requests.ephemeral-storage") {
    CheckByteDivisor(errors, path, resource, text, "local ephemeral storage");
  } else if (IsHugePageField(resource)) {
    CheckByteDivisor(errors, path, resource, text, "hugepages");
  }
}

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
    CheckFieldSelector(errors, path.Child("fieldRef"), *field, kEnvFields);
  }
  if (const Value* resource = from.Find("resourceFieldRef")) {
    ++sources;
    CheckResourceFieldSelector(errors, path.Child("resourceFieldRef"), *resource, false);
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

void CheckFieldSelector(Errors& errors, const FieldPath& path, const Value& selector,
                        std::span<const std::string_view> supported) {
  const std::string_view version = selector.GetString("apiVersion");
  std::string_view field = selector.GetString("fieldPath");
  const FieldPath at = path.Child("fieldPath");
  if (version.empty()) return errors.Required(path.Child("apiVersion"));
  if (field.empty()) return errors.Required(at);
  if (const std::string why = CannotConvert(version, field); !why.empty()) {
    return errors.Invalid(at, field, base::Cat("error converting fieldPath: ", why));
  }
  if (const auto split = SplitSubscript(field)) {
    const bool annotation = split->first == "metadata.annotations";
    return kQualifiedName(errors, path, annotation ? base::ToLower(split->second) : std::string(split->second));
  }
  if (field == "spec.host") field = "spec.nodeName";
  if (!Has(supported, field)) errors.NotSupported(at, field, supported);
}

void CheckResourceFieldSelector(Errors& errors, const FieldPath& path, const Value& selector, bool names_container) {
  const std::string_view resource = selector.GetString("resource");
  if (names_container && selector.GetString("containerName").empty()) {
    errors.Required(path.Child("containerName"));
  } else if (resource.empty()) {
    errors.Required(path.Child("resource"));
  } else if (!Has(kResources, resource) && !IsHugePageField(resource)) {
    errors.NotSupported(path.Child("resource"), resource, kResources);
  }
  CheckDivisor(errors, path.Child("divisor"), resource, selector.Get("divisor"));
}

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
