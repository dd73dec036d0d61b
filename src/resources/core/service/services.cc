#include <algorithm>
#include <set>

#include "api/ip_address.h"
#include "api/quote.h"
#include "base/text.h"
#include "resources/core/service/service_rules.h"
#include "resources/core/service/service_spec.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::core {
namespace {

using base::Cat;
using registry::WriteContext;

bool SameMember(const Value& a, const Value& b, std::string_view member) {
  return value::Equal(a.Get(member), b.Get(member));
}

// Whether every node port of `now` was one before.
bool AddsNoNodePort(const Value& now, const Value& before) {
  std::set<int64_t> known{0};
  for (const Value& port : before.Get("ports").items()) known.insert(NumberAt(port, "nodePort"));
  return std::ranges::all_of(now.Get("ports").items(),
                             [&](const Value& port) { return known.contains(NumberAt(port, "nodePort")); });
}

void DropAddresses(const Value& now, const Value& before) {
  if (SameMember(now, before, "clusterIP") && SameMember(now, before, "clusterIPs")) {
    now.Remove("clusterIP");
    now.Remove("clusterIPs");
  }
  if (SameMember(now, before, "ipFamilies")) now.Remove("ipFamilies");
  if (now.GetString("ipFamilyPolicy") == before.GetString("ipFamilyPolicy")) now.Remove("ipFamilyPolicy");
}

// A change of type takes what the new type has no use for with it, where the same request did not ask for it.
void DropWhatTheTypeHasNot(const Value& service, const Value& old) {
  const Value now = SpecOf(service), before = SpecOf(old);
  if (NeedsClusterIp(old) && !NeedsClusterIp(service)) DropAddresses(now, before);
  if (MayHaveNodePorts(old) && !MayHaveNodePorts(service) && AddsNoNodePort(now, before)) {
    for (const Value& port : now.Get("ports").items()) port.Remove("nodePort");
  }
  const auto drop_unchanged = [&](std::string_view member) {
    if (SameMember(now, before, member)) now.Remove(member);
  };
  if (NeedsHealthCheck(old) && !NeedsHealthCheck(service)) drop_unchanged("healthCheckNodePort");
  if (TypeOf(old) == kLoadBalancer && TypeOf(service) != kLoadBalancer) {
    drop_unchanged("allocateLoadBalancerNodePorts");
    drop_unchanged("loadBalancerClass");
  }
  if (IsExternal(old) && !IsExternal(service)) drop_unchanged("externalTrafficPolicy");
  if (TypeOf(service) != kLoadBalancer) service.Get("status").Remove("loadBalancer");
}

void DropTrafficDistribution(WriteContext& context, const Value& service, const Value& old) {
  constexpr std::string_view kField = "trafficDistribution";
  if (context.Has(Feature::kServiceTrafficDistribution) || old.Get("spec").Find(kField) != nullptr) return;
  service.Get("spec").Remove(kField);
}

void PrepareForCreate(WriteContext& context, Value service) { DropTrafficDistribution(context, service, Value()); }

void PrepareForUpdate(WriteContext& context, Value service, const Value& old) {
  if (!context.subresource.empty()) return;
  // The status is the old object's until here, and that must stay as it is.
  if (Value* status = service.Find("status")) *status = value::DeepCopy(context.arena, *status);
  DropTrafficDistribution(context, service, old);
  DropWhatTheTypeHasNot(service, old);
}

// What only is a name has traffic inside no more than outside; said of it, it is kept all the same.
std::string_view HiddenMember(const Value& service) {
  const bool hides = TypeOf(service) == kExternalName && SpecOf(service).Find("internalTrafficPolicy") != nullptr;
  return hides ? "spec.internalTrafficPolicy" : "";
}

// What of an address or range will not pass for ever.
void WarnOfAddress(std::vector<std::string>& warnings, std::string_view path, std::string_view text) {
  const auto address = api::IpAddress::ParseStrictly(text);
  if (!address) {
    warnings.push_back(
        Cat(path, ": IP address was accepted, but will be invalid in a future Kubernetes release: ", address.error()));
  } else if (address->written_as_v6() && address->strict_text() != text) {
    warnings.push_back(Cat(path, ": IPv6 address ", api::Quote(text), " is not in RFC 5952 canonical format (",
                           api::Quote(address->strict_text()), "), which may cause controller apply-loops"));
  }
}

void WarnOfRange(std::vector<std::string>& warnings, std::string_view path, std::string_view text) {
  const auto range = api::IpPrefix::ParseStrictly(text);
  if (!range) {
    warnings.push_back(
        Cat(path, ": IP prefix was accepted, but will be invalid in a future Kubernetes release: ", range.error()));
  } else if (range->address().written_as_v6() && range->strict_text() != text) {
    warnings.push_back(Cat(path, ": IPv6 prefix ", api::Quote(text), " is not in RFC 5952 canonical format (",
                           api::Quote(range->strict_text()), "), which may cause controller apply-loops"));
  }
}

using Warn = void (*)(std::vector<std::string>& warnings, std::string_view path, std::string_view text);

void WarnOfEach(WriteContext& context, const Value& service, std::string_view field, Warn warn) {
  const Value list = SpecOf(service).Get(field);
  for (uint32_t i = 0; i < list.size(); ++i) {
    warn(context.warnings, Cat("spec.", field, "[", i, "]"), ItemAt(list, i));
  }
}

void Warnings(WriteContext& context, const Value& service, const Value*) {
  if (!context.subresource.empty()) return;
  const Value spec = SpecOf(service);
  std::vector<std::string>& warnings = context.warnings;
  if (service.Get({"metadata", "annotations"}).Find("service.kubernetes.io/topology-aware-hints") != nullptr) {
    warnings.emplace_back(
        "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use "
        "service.kubernetes.io/topology-mode instead");
  }
  const std::string_view address = spec.GetString("clusterIP");
  if (!address.empty() && address != kNoAddress) WarnOfEach(context, service, "clusterIPs", WarnOfAddress);
  WarnOfEach(context, service, "externalIPs", WarnOfAddress);
  const std::string_view balancer = spec.GetString("loadBalancerIP");
  if (!balancer.empty()) WarnOfAddress(warnings, "spec.loadBalancerIP", balancer);
  WarnOfEach(context, service, "loadBalancerSourceRanges", WarnOfRange);
  if (TypeOf(service) == kExternalName && !spec.Get("externalIPs").empty()) {
    warnings.emplace_back(R"(spec.externalIPs is ignored when spec.type is "ExternalName")");
  }
  if (TypeOf(service) != kExternalName && !spec.GetString("externalName").empty()) {
    warnings.emplace_back(R"(spec.externalName is ignored when spec.type is not "ExternalName")");
  }
}

constexpr Rule kRules[] = {Call(CheckService)};
constexpr Rule kUpdateRules[] = {Call(CheckObjectMetaUpdate), Call(CheckServiceChange), Call(CheckObjectMeta),
                                 Call(CheckService)};
constexpr Rule kStatusRules[] = {Call(CheckObjectMetaUpdate), Call(CheckServiceStatus)};

}  // namespace

constinit const registry::StrategyTable kServices = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .warnings_on_write = Warnings,
    .hidden_member = HiddenMember,
    .facts =
        {
            .check_name = api::CheckNameIsDns1035Label,
            .update_checks = registry::MetadataChecks::kInRules,
            .allow_create_on_update = true,
            .returns_deleted_object = true,
            .companion = "endpoints",
        },
};

}  // namespace resources::core
