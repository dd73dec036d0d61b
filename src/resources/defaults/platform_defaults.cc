// Defaults of the groups that are neither core nor workloads.
#include <algorithm>
#include <string>
#include <string_view>

#include "resources/defaults/defaults.h"

namespace resources {
namespace {

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

void DefaultRoleRef(const Value& binding, Arena& arena) {
  Value* role = binding.Find("roleRef");
  if (role && role->GetString("apiGroup").empty()) role->Set(arena, "apiGroup", Value::String(kRbacGroup));
  if (role) return;
  Value made = Value::Object(arena);
  made.Add(arena, "apiGroup", Value::String(kRbacGroup));
  binding.Add(arena, "roleRef", made);
}

void DefaultSubject(const Value& subject, Arena& arena) {
  std::string_view kind = subject.GetString("kind");
  bool named = kind == "User" || kind == "Group";
  if (named && subject.GetString("apiGroup").empty()) subject.Set(arena, "apiGroup", Value::String(kRbacGroup));
}

void DefaultNetworkPolicy(const Value& policy, Arena& arena) {
  if (!policy.Find("spec")) policy.Add(arena, "spec", Value::Object(arena));
  Value spec = policy.Get("spec");
  if (!spec.Get("policyTypes").empty()) return;
  Value types = Value::Array(arena, 2);
  types.Append(arena, Value::String("Ingress"));
  if (!spec.Get("egress").empty()) types.Append(arena, Value::String("Egress"));
  spec.Set(arena, "policyTypes", types);
}

void DefaultDeviceRequest(const Value& request, Arena& arena) {
  if (request.GetString("allocationMode").empty()) request.Set(arena, "allocationMode", Value::String("ExactCount"));
  const Value count = request.Get("count");
  const bool counted = count.is_int() && count.AsInt() != 0;
  if (request.GetString("allocationMode") == "ExactCount" && !counted) request.Set(arena, "count", Value::Int(1));
}

void DefaultCsiDriverSpec(const Value& spec, Arena& arena) {
  if (!spec.Get("volumeLifecycleModes").empty()) return;
  Value modes = Value::Array(arena, 1);
  modes.Append(arena, Value::String("Persistent"));
  spec.Set(arena, "volumeLifecycleModes", modes);
}

void DefaultSeLinuxMount(const Value& spec, Arena& arena, const api::Features& features) {
  if (!features.Has(api::Feature::kSeLinuxMountReadWriteOncePod) || spec.Find("seLinuxMount")) return;
  spec.Add(arena, "seLinuxMount", Value::Bool(false));
}

void DefaultDefinitionNames(const Value& spec, Arena& arena) {
  Value names = spec.Get("names");
  std::string_view kind = names.GetString("kind");
  if (kind.empty()) return;
  if (names.GetString("singular").empty()) {
    std::string singular(kind);
    std::ranges::transform(singular, singular.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    names.Set(arena, "singular", Value::Copy(arena, singular));
  }
  if (names.GetString("listKind").empty()) names.Set(arena, "listKind", Value::Copy(arena, std::string(kind) + "List"));
}

void DefaultDefinitionSpec(const Value& spec, Arena& arena) {
  DefaultDefinitionNames(spec, arena);
  if (spec.Find("conversion")) return;
  Value conversion = Value::Object(arena, 1);
  conversion.Add(arena, "strategy", Value::String("None"));
  spec.Add(arena, "conversion", conversion);
}

void DefaultStoredVersions(const Value& definition, Arena& arena) {
  if (!definition.Find("status")) definition.Add(arena, "status", Value::Object(arena));
  Value status = definition.Get("status");
  if (!status.Get("storedVersions").empty()) return;
  for (const Value& version : definition.Get({"spec", "versions"}).items()) {
    Value storage = version.Get("storage");
    if (!storage.is_bool() || !storage.AsBool()) continue;
    Value versions = Value::Array(arena, 1);
    versions.Append(arena, Value::String(version.GetString("name")));
    status.Set(arena, "storedVersions", versions);
    return;
  }
}

void DefaultParametersScope(const Value& spec, Arena& arena) {
  Value* parameters = spec.Find("parameters");
  if (parameters && !parameters->Find("scope")) parameters->Add(arena, "scope", Value::String("Cluster"));
}

constexpr FieldDefault kPolicyPort[] = {{"protocol", "\"TCP\""}};
constexpr FieldDefault kStorageClass[] = {{"reclaimPolicy", "\"Delete\""}, {"volumeBindingMode", "\"Immediate\""}};
constexpr FieldDefault kCsiDriverSpec[] = {{"attachRequired", "true"},   {"podInfoOnMount", "false"},    {"storageCapacity", "false"},
                                           {"requiresRepublish", "false"},
                                           {"fsGroupPolicy", "\"ReadWriteOnceWithFSType\""}};
constexpr FieldDefault kMatching[] = {{"matchPolicy", "\"Equivalent\""}, {"namespaceSelector", "{}"}, {"objectSelector", "{}"}};
constexpr FieldDefault kValidatingWebhook[] = {{"failurePolicy", "\"Fail\""}, {"matchPolicy", "\"Equivalent\""}, {"namespaceSelector", "{}"},
                                               {"objectSelector", "{}"}, {"timeoutSeconds", "10"}};
constexpr FieldDefault kMutatingWebhook[] = {{"failurePolicy", "\"Fail\""}, {"matchPolicy", "\"Equivalent\""}, {"namespaceSelector", "{}"},
                                             {"objectSelector", "{}"}, {"timeoutSeconds", "10"}, {"reinvocationPolicy", "\"Never\""}};
constexpr FieldDefault kRule[] = {{"scope", "\"*\""}};
constexpr FieldDefault kServiceReference[] = {{"port", "443"}};
constexpr FieldDefault kParamRef[] = {{"parameterNotFoundAction", "\"Deny\""}};
constexpr FieldDefault kFailurePolicy[] = {{"failurePolicy", "\"Fail\""}};
constexpr FieldDefault kEndpointPort[] = {{"name", "\"\""}, {"protocol", "\"TCP\""}};
constexpr FieldDefault kPriorityClass[] = {{"preemptionPolicy", "\"PreemptLowerPriority\""}};
constexpr FieldDefault kFlowSchemaSpec[] = {{"matchingPrecedence", "1000"}};
constexpr FieldDefault kExemptLevel[] = {{"nominalConcurrencyShares", "0"}, {"lendablePercent", "0"}};
constexpr FieldDefault kLimitedLevel[] = {{"nominalConcurrencyShares", "30"}, {"lendablePercent", "0"}};
constexpr FieldDefault kQueuing[] = {{"handSize", "8"}, {"queues", "64"}, {"queueLengthLimit", "50"}};

constexpr TypeDefaults kTypes[] = {
    {"io.k8s.api.rbac.v1.ClusterRoleBinding", {}, DefaultRoleRef},
    {"io.k8s.api.rbac.v1.RoleBinding", {}, DefaultRoleRef},
    {"io.k8s.api.rbac.v1.Subject", {}, DefaultSubject},
    {"io.k8s.api.networking.v1.NetworkPolicy", {}, DefaultNetworkPolicy},
    {"io.k8s.api.networking.v1.NetworkPolicyPort", kPolicyPort},
    {"io.k8s.api.networking.v1.IngressClassSpec", {}, DefaultParametersScope},
    {"io.k8s.api.storage.v1.StorageClass", kStorageClass},
    {"io.k8s.api.storage.v1.CSIDriverSpec", kCsiDriverSpec, DefaultCsiDriverSpec, DefaultSeLinuxMount},
    {"io.k8s.api.admissionregistration.v1.ValidatingWebhook", kValidatingWebhook},
    {"io.k8s.api.admissionregistration.v1.MutatingWebhook", kMutatingWebhook},
    {"io.k8s.api.admissionregistration.v1.RuleWithOperations", kRule},
    {"io.k8s.api.admissionregistration.v1.NamedRuleWithOperations", kRule},
    {"io.k8s.api.admissionregistration.v1.ServiceReference", kServiceReference},
    {"io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec", kFailurePolicy},
    {"io.k8s.api.admissionregistration.v1.MatchResources", kMatching},
    {"io.k8s.api.admissionregistration.v1beta1.ValidatingAdmissionPolicySpec", kFailurePolicy},
    {"io.k8s.api.admissionregistration.v1beta1.MatchResources", kMatching},
    {"io.k8s.api.admissionregistration.v1beta1.NamedRuleWithOperations", kRule},
    {"io.k8s.api.admissionregistration.v1alpha1.ValidatingAdmissionPolicySpec", kFailurePolicy},
    {"io.k8s.api.admissionregistration.v1alpha1.MutatingAdmissionPolicySpec", kFailurePolicy},
    {"io.k8s.api.admissionregistration.v1alpha1.MatchResources", kMatching},
    {"io.k8s.api.admissionregistration.v1alpha1.NamedRuleWithOperations", kRule},
    {"io.k8s.api.admissionregistration.v1alpha1.ParamRef", kParamRef},
    {"io.k8s.api.discovery.v1.EndpointPort", kEndpointPort},
    {"io.k8s.api.scheduling.v1.PriorityClass", kPriorityClass},
    {"io.k8s.api.resource.v1alpha3.DeviceRequest", {}, DefaultDeviceRequest},
    {"io.k8s.api.resource.v1beta1.DeviceRequest", {}, DefaultDeviceRequest},
    {"io.k8s.api.flowcontrol.v1.FlowSchemaSpec", kFlowSchemaSpec},
    {"io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration", kExemptLevel},
    {"io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration", kLimitedLevel},
    {"io.k8s.api.flowcontrol.v1.QueuingConfiguration", kQueuing},
    {"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition", {}, DefaultStoredVersions},
    {"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec", {}, DefaultDefinitionSpec},
    {"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference", kServiceReference},
    {"io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference", kServiceReference},
};

}  // namespace

std::span<const TypeDefaults> PlatformDefaults() { return kTypes; }

}  // namespace resources
