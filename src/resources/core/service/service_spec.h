// What the spec of a service says, as its validation, its strategy and the allocation of its addresses and ports ask
// it. `service` is a canonical tree of the whole object. Pure functions, any thread.
#pragma once

#include <string_view>

#include "resources/rules/errors.h"

namespace resources::core {

inline constexpr std::string_view kClusterIp = "ClusterIP", kNodePort = "NodePort", kLoadBalancer = "LoadBalancer",
                                  kExternalName = "ExternalName";
inline constexpr std::string_view kNoAddress = "None";  // clusterIP of a headless service

inline Value SpecOf(const Value& service) { return service.Get("spec"); }
inline std::string_view TypeOf(const Value& service) { return SpecOf(service).GetString("type"); }

// The number at `field`, 0 where there is none.
inline int64_t NumberAt(const Value& object, std::string_view field) {
  const Value found = object.Get(field);
  return found.is_int() ? found.AsInt() : 0;
}

inline bool NeedsClusterIp(const Value& service) { return TypeOf(service) != kExternalName; }
inline bool MayHaveNodePorts(const Value& service) {
  return TypeOf(service) == kNodePort || TypeOf(service) == kLoadBalancer;
}
inline bool NeedsHealthCheck(const Value& service) {
  return TypeOf(service) == kLoadBalancer && SpecOf(service).GetString("externalTrafficPolicy") == "Local";
}
// Whether traffic from outside of the cluster is meant to reach it.
inline bool IsExternal(const Value& service) {
  return MayHaveNodePorts(service) || (TypeOf(service) == kClusterIp && !SpecOf(service).Get("externalIPs").empty());
}
inline bool IsHeadless(const Value& service) {
  const Value addresses = SpecOf(service).Get("clusterIPs");
  return addresses.size() == 1 && addresses[0].AsString() == kNoAddress;
}

// Lists of strings: item `i`, and whether they are the same.
inline std::string_view ItemAt(const Value& list, uint32_t i) { return list[i].AsString(); }
inline bool SameLists(const Value& a, const Value& b) {
  if (a.size() != b.size()) return false;
  for (uint32_t i = 0; i < a.size(); ++i) {
    if (ItemAt(a, i) != ItemAt(b, i)) return false;
  }
  return true;
}

// Bad values as the real server prints them: a list of strings of that Go type, which may be absent; a pointer to a
// string.
std::string PrintStrings(std::string_view go_type, const Value& list);
std::string PrintPointer(const Value& text);

// clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy, each and together.
void CheckClusterAddresses(Errors& errors, const Value& service);

}  // namespace resources::core
