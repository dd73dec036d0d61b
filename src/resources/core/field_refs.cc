#include "resources/core/field_refs.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "api/quantity.h"
#include "base/text.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

// "metadata.labels['key']" as ("metadata.labels", "key"); nothing where no key is in brackets.
std::optional<std::pair<std::string_view, std::string_view>> SplitKey(std::string_view field) {
  if (!field.ends_with("']")) return std::nullopt;
  field.remove_suffix(2);
  const size_t open = field.find("['");
  if (open == field.npos || open == 0) return std::nullopt;
  return std::pair(field.substr(0, open), field.substr(open + 2));
}

bool HasKeys(std::string_view field) { return field == "metadata.annotations" || field == "metadata.labels"; }

constexpr std::string_view kPodFields[] = {
    "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
    "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
    "status.podIP",         "status.podIPs"};

// Why `field` is no field of a pod in that version; "" where it is one.
std::string Unknown(std::string_view version, std::string_view field) {
  if (version != "v1") return base::Cat("unsupported pod version: ", version);
  if (const auto split = SplitKey(field)) {
    return HasKeys(split->first) ? "" : base::Cat("field label does not support subscript: ", field);
  }
  if (field == "spec.host" || std::ranges::find(kPodFields, field) != std::end(kPodFields)) return {};
  return base::Cat("field label not supported: ", field);
}

constexpr std::string_view kResources[] = {"limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
                                           "requests.cpu", "requests.ephemeral-storage", "requests.memory"};
constexpr std::string_view kCpuDivisors[] = {"1m", "1"};
constexpr std::string_view kByteDivisors[] = {"1",   "1k",  "1M",  "1G",  "1T",  "1P", "1E",
                                              "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};
constexpr std::string_view kByteTexts = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";

bool IsHugePages(std::string_view resource) {
  return resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-");
}

bool IsOf(std::string_view resource, std::string_view name) {
  return resource == base::Cat("limits.", name) || resource == base::Cat("requests.", name);
}

void CheckDivisor(Errors& errors, const FieldPath& path, std::string_view resource, std::string_view divisor) {
  const auto amount = api::Quantity::Parse(divisor);
  if (divisor.empty() || !amount || amount->IsZero()) return;
  const auto refuse = [&](std::string_view amounts, std::string_view of) {
    errors.Invalid(path.Child("divisor"), resource,
                   base::Cat("only divisor's values ", amounts, " are supported with the ", of, " resource"));
  };
  if (IsOf(resource, "cpu")) {
    if (std::ranges::find(kCpuDivisors, divisor) == std::end(kCpuDivisors)) refuse("1m and 1", "cpu");
    return;
  }
  if (std::ranges::find(kByteDivisors, divisor) != std::end(kByteDivisors)) return;
  if (IsOf(resource, "memory")) refuse(kByteTexts, "memory");
  if (IsOf(resource, "ephemeral-storage")) refuse(kByteTexts, "local ephemeral storage");
  if (IsHugePages(resource)) refuse(kByteTexts, "hugepages");
}

}  // namespace

void CheckFieldRef(Errors& errors, const FieldPath& path, const Value& ref, std::span<const std::string_view> fields) {
  const std::string_view version = ref.GetString("apiVersion");
  std::string_view field = ref.GetString("fieldPath");
  if (version.empty()) return errors.Required(path.Child("apiVersion"));
  if (field.empty()) return errors.Required(path.Child("fieldPath"));
  if (const std::string why = Unknown(version, field); !why.empty()) {
    return errors.Invalid(path.Child("fieldPath"), field, base::Cat("error converting fieldPath: ", why));
  }
  if (field == "spec.host") field = "spec.nodeName";
  if (const auto split = SplitKey(field)) {
    const auto& [of, key] = *split;
    std::string name(key);
    if (of == "metadata.annotations") absl::AsciiStrToLower(&name);
    return kQualifiedName(errors, path, name);
  }
  if (std::ranges::find(fields, field) == fields.end()) {
    errors.NotSupported(path.Child("fieldPath"), field, fields);
  }
}

void CheckResourceFieldRef(Errors& errors, const FieldPath& path, const Value& ref, ResourceFieldRefOptions options) {
  const std::string_view resource = ref.GetString("resource");
  if (options.names_container && ref.GetString("containerName").empty()) {
    errors.Required(path.Child("containerName"));
  } else if (resource.empty()) {
    errors.Required(path.Child("resource"));
  } else if (std::ranges::find(kResources, resource) == std::end(kResources) && !IsHugePages(resource)) {
    errors.NotSupported(path.Child("resource"), resource, kResources);
  }
  CheckDivisor(errors, path, resource, ref.GetString("divisor"));
}

}  // namespace resources::core
