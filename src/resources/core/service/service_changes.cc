// What of a service's addresses, families and load balancer may change.
#include "resources/core/service/service_changes.h"

#include "resources/core/service/service_spec.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

constexpr std::string_view kMayNotChange = "may not change once set";

bool IsSingleStack(const Value& spec) { return spec.GetString("ipFamilyPolicy") == "SingleStack"; }

struct Lists {
  const Value &now, &before;
};

bool FirstDiffers(const Lists& lists) {
  return !lists.before.empty() && !lists.now.empty() && ItemAt(lists.now, 0) != ItemAt(lists.before, 0);
}

}  // namespace

void CheckAddressChanges(Scope& service) {
  const Value &now = service.object, &before = *service.old;
  if (!NeedsClusterIp(now) || !NeedsClusterIp(before) || (IsHeadless(now) && IsHeadless(before))) return;
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("clusterIPs");
  const Value addresses = SpecOf(now).Get("clusterIPs"), old_addresses = SpecOf(before).Get("clusterIPs");
  const auto invalid = [&](uint32_t i, std::string_view detail) {
    service.errors.InvalidAs(path.Index(i), PrintStrings("string", addresses), detail);
  };
  if (old_addresses.size() == addresses.size()) {
    for (uint32_t i = 0; i < addresses.size(); ++i) {
      if (ItemAt(old_addresses, i) != ItemAt(addresses, i)) invalid(i, kMayNotChange);
    }
    return;
  }
  const bool released = old_addresses.size() > addresses.size();
  if (released && addresses.empty()) invalid(0, "primary clusterIP can not be unset");
  if (FirstDiffers({addresses, old_addresses})) invalid(0, kMayNotChange);
  if (released && addresses.size() == 1 && !IsSingleStack(SpecOf(now))) {
    service.errors.InvalidAs(spec.Child("ipFamilyPolicy"), PrintPointer(SpecOf(now).Get("ipFamilyPolicy")),
                             "must be set to 'SingleStack' when releasing the secondary clusterIP");
  }
}

void CheckFamilyChanges(Scope& service) {
  const Value &now = service.object, &before = *service.old;
  if (!NeedsClusterIp(now) || !NeedsClusterIp(before) || IsHeadless(now) || IsHeadless(before)) return;
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("ipFamilies");
  const FieldPath first = path.Index(0);
  const Value addresses = SpecOf(now).Get("clusterIPs");
  const Value families = SpecOf(now).Get("ipFamilies"), old_families = SpecOf(before).Get("ipFamilies");
  Errors& errors = service.errors;
  if (old_families.size() == families.size()) {
    for (uint32_t i = 0; i < families.size(); ++i) {
      if (ItemAt(old_families, i) == ItemAt(families, i)) continue;
      errors.InvalidAs(first, PrintStrings("core.IPFamily", families), kMayNotChange);
    }
    return;
  }
  const bool released = old_families.size() > families.size();
  if (released && addresses.empty()) {
    errors.InvalidAs(first, PrintStrings("core.IPFamily", families), "primary ipFamily can not be unset");
  }
  // Here the real server shows the addresses.
  if (FirstDiffers({families, old_families})) {
    errors.InvalidAs(first, PrintStrings("string", addresses), kMayNotChange);
  }
  if (released && families.size() == 1 && !IsSingleStack(SpecOf(now))) {
    errors.InvalidAs(spec.Child("ipFamilyPolicy"), PrintPointer(SpecOf(now).Get("ipFamilyPolicy")),
                     "must be set to 'SingleStack' when releasing the secondary ipFamily");
  }
}

void CheckLoadBalancerClass(Scope& service) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("loadBalancerClass");
  const Value name = SpecOf(service.object).Get("loadBalancerClass");
  const bool balances = TypeOf(service.object) == kLoadBalancer;
  if (balances && service.old != nullptr && TypeOf(*service.old) == kLoadBalancer &&
      !value::Equal(name, SpecOf(*service.old).Get("loadBalancerClass"))) {
    service.errors.InvalidAs(path, PrintPointer(name), kMayNotChange);
  }
  if (name.is_null()) return;
  if (balances) {
    kQualifiedName(service.errors, path, name.AsString());
  } else {
    service.errors.Forbidden(path, "may only be used when `type` is 'LoadBalancer'");
  }
}

void CheckHealthCheckChange(Scope& service) {
  if (!NeedsHealthCheck(service.object) || !NeedsHealthCheck(*service.old)) return;
  const FieldPath spec("spec");
  if (NumberAt(SpecOf(service.object), "healthCheckNodePort") ==
      NumberAt(SpecOf(*service.old), "healthCheckNodePort")) {
    return;
  }
  service.errors.Forbidden(spec.Child("healthCheckNodePort"), "field is immutable");
}

}  // namespace resources::core
