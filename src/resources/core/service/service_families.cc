#include "resources/core/service/service_families.h"

#include <algorithm>
#include <set>

#include "api/ip_address.h"
#include "base/text.h"
#include "resources/core/service/service_spec.h"

namespace resources::core {
namespace {

using registry::Arena;

constexpr std::string_view kSingle = "SingleStack", kPrefer = "PreferDualStack", kRequire = "RequireDualStack";

std::string_view OtherFamily(std::string_view family) { return family == "IPv4" ? "IPv6" : "IPv4"; }

bool IsSelectorlessHeadless(const Value& spec) {
  return spec.GetString("clusterIP") == kNoAddress && spec.Get("selector").empty();
}

// A copy of the list, whose items are not shared with another object.
Value ListOf(const Value& list, Arena& arena) { return list.is_array() ? value::DeepCopy(arena, list) : list; }

void Copy(const Value& spec, const Value& old_spec, std::string_view member, Arena& arena) {
  const Value kept = old_spec.Get(member);
  if (!kept.is_null()) spec.Set(arena, member, ListOf(kept, arena));
}

// What was allocated once stays where the new object does not name it.
void KeepAllocated(const Value& service, const Value& old, Arena& arena) {
  const Value spec = SpecOf(service), old_spec = SpecOf(old);
  if (NeedsClusterIp(service) && NeedsClusterIp(old)) {
    if (spec.GetString("clusterIP").empty()) Copy(spec, old_spec, "clusterIP", arena);
    if (spec.Get("clusterIPs").empty() && !old_spec.Get("clusterIPs").empty()) {
      Copy(spec, old_spec, "clusterIPs", arena);
    }
  }
  if (NeedsHealthCheck(service) && NeedsHealthCheck(old) && NumberAt(spec, "healthCheckNodePort") == 0) {
    Copy(spec, old_spec, "healthCheckNodePort", arena);
  }
}

bool TakesNodePorts(const Value& service) {
  if (TypeOf(service) == kNodePort) return true;
  const Value wanted = SpecOf(service).Get("allocateLoadBalancerNodePorts");
  return TypeOf(service) == kLoadBalancer && (!wanted.is_bool() || wanted.AsBool());
}

// Ports without a node port get that of the old port of the same name, where no other port has it.
void KeepNodePorts(const Value& service, const Value& old, Arena& arena) {
  if (!TakesNodePorts(service) || !TakesNodePorts(old)) return;
  const Value ports = SpecOf(service).Get("ports"), old_ports = SpecOf(old).Get("ports");
  std::set<int64_t> used;
  for (const Value& port : ports.items()) used.insert(NumberAt(port, "nodePort"));
  for (const Value& port : ports.items()) {
    if (NumberAt(port, "nodePort") != 0) continue;
    int64_t number = 0;
    for (const Value& before : old_ports.items()) {
      if (before.GetString("name") == port.GetString("name")) number = NumberAt(before, "nodePort");
    }
    if (number != 0 && !used.contains(number)) port.Set(arena, "nodePort", Value::Int(number));
  }
}

void FollowSingular(const Value& spec, const Value& old_spec, Arena& arena) {
  const std::string_view first = spec.GetString("clusterIP"), old_first = old_spec.GetString("clusterIP");
  if (!old_spec.Get("clusterIPs").empty() && spec.Get("clusterIPs").empty() && first == old_first) {
    Copy(spec, old_spec, "clusterIPs", arena);
  }
  if (first == old_first || !SameLists(spec.Get("clusterIPs"), old_spec.Get("clusterIPs"))) return;
  if (first.empty()) {
    spec.Remove("clusterIPs");
  } else {
    const Value single = Value::String(first);
    spec.Set(arena, "clusterIPs", Value::ArrayOf(arena, {&single, 1}));
  }
}

void DefaultPolicy(const Value& spec, const Value* old, Arena& arena) {
  if (!spec.Get("ipFamilyPolicy").is_null()) return;
  const Value before = old != nullptr ? SpecOf(*old).Get("ipFamilyPolicy") : Value();
  if (!before.is_null()) {
    spec.Set(arena, "ipFamilyPolicy", before);
  } else {
    spec.Set(arena, "ipFamilyPolicy", Value::String(IsSelectorlessHeadless(spec) ? kRequire : kSingle));
  }
}

bool Reduced(const Value& now, const Value& before) { return !now.empty() && now.size() < before.size(); }

// Single stack asks for one of each, and gets the first.
void ReleaseSecond(const Value& spec, const Value& old_spec, std::string_view member, Arena& arena) {
  const Value list = spec.Get(member);
  if (list.size() < 2 || !SameLists(list, old_spec.Get(member))) return;
  spec.Set(arena, member, Value::ArrayOf(arena, list.items().first(1)));
}

class Families {
 public:
  Families(const Value& spec, Arena& arena, std::span<const std::string_view> served)
      : spec_(spec), arena_(arena), served_(served), policy_(spec.GetString("ipFamilyPolicy")) {}

  void PrepareUpdate(const Value& old_spec) {
    if (policy_ == kSingle) {
      ReleaseSecond(spec_, old_spec, "clusterIPs", arena_);
      ReleaseSecond(spec_, old_spec, "ipFamilies", arena_);
      return;
    }
    if (Reduced(spec_.Get("clusterIPs"), old_spec.Get("clusterIPs"))) {
      InvalidPolicy("must be 'SingleStack' to release the secondary cluster IP");
    }
    if (Reduced(spec_.Get("ipFamilies"), old_spec.Get("ipFamilies"))) {
      InvalidPolicy("must be 'SingleStack' to release the secondary IP family");
    }
  }

  void CheckPolicy() {
    if (policy_ != kSingle) return;
    if (spec_.Get("clusterIPs").size() == 2) {
      InvalidPolicy("must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified");
    }
    if (spec_.Get("ipFamilies").size() == 2) {
      InvalidPolicy("must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified");
    }
  }

  // An address that is named says its family.
  void FollowAddresses() {
    const Value addresses = spec_.Get("clusterIPs");
    for (uint32_t i = 0; i < addresses.size() && ItemAt(addresses, i) != kNoAddress; ++i) {
      if (i < spec_.Get("ipFamilies").size()) continue;
      const auto address = api::IpAddress::ParseLoosely(ItemAt(addresses, i));
      const std::string_view family = address && !address->is_v4() ? "IPv6" : "IPv4";
      if (Serves(family)) {
        AddFamily(family);
      } else {
        const FieldPath spec("spec");
        const FieldPath list = spec.Child("clusterIPs");
        errors_.InvalidAs(list.Index(i), PrintStrings("string", addresses),
                          base::Cat(family, " is not configured on this cluster"));
      }
    }
  }

  // A service that selects nothing and has no address may have families that the cluster has not.
  void FillSelectorlessHeadless() {
    if (spec_.Get("ipFamilies").empty()) AddFamily(served_[0]);
    if (spec_.Get("ipFamilies").size() < 2 && policy_ != kSingle) AddFamily(OtherFamily(First()));
  }

  void CheckServed() {
    if (policy_ == kRequire && served_.size() < 2) {
      InvalidPolicy("this cluster is not configured for dual-stack services");
    }
    const Value families = spec_.Get("ipFamilies");
    const FieldPath spec("spec");
    const FieldPath list = spec.Child("ipFamilies");
    for (uint32_t i = 0; i < families.size(); ++i) {
      if (!Serves(ItemAt(families, i))) {
        errors_.Invalid(list.Index(i), ItemAt(families, i), "not configured on this cluster");
      }
    }
  }

  void Fill() {
    if (spec_.Get("ipFamilies").empty()) AddFamily(served_[0]);
    if (policy_ != kSingle && spec_.Get("ipFamilies").size() == 1 && served_.size() == 2)
      AddFamily(OtherFamily(First()));
  }

  bool good() const { return errors_.empty(); }
  api::FieldErrors Take() { return std::move(errors_).Take(); }

 private:
  bool Serves(std::string_view family) const { return std::ranges::find(served_, family) != served_.end(); }
  std::string_view First() const { return ItemAt(spec_.Get("ipFamilies"), 0); }
  void AddFamily(std::string_view family) {
    Value families = spec_.Get("ipFamilies");
    families = families.is_array() ? value::DeepCopy(arena_, families) : Value::Array(arena_, 2);
    families.Append(arena_, Value::String(family));
    spec_.Set(arena_, "ipFamilies", families);
  }
  void InvalidPolicy(std::string_view detail) {
    const FieldPath spec("spec");
    errors_.Invalid(spec.Child("ipFamilyPolicy"), policy_, detail);
  }

  const Value spec_;
  Arena& arena_;
  const std::span<const std::string_view> served_;
  const std::string_view policy_;
  Errors errors_;
};

}  // namespace

void NormaliseAddresses(registry::WriteContext& context, const Value& service, const Value* old) {
  const Value spec = SpecOf(service);
  if (old != nullptr) {
    KeepAllocated(service, *old, context.arena);
    KeepNodePorts(service, *old, context.arena);
    FollowSingular(spec, SpecOf(*old), context.arena);
  } else if (spec.Get("clusterIPs").empty() && !spec.GetString("clusterIP").empty()) {
    const Value single = Value::String(spec.GetString("clusterIP"));
    spec.Set(context.arena, "clusterIPs", Value::ArrayOf(context.arena, {&single, 1}));
  }
}

bool KeepsPreferredFamilies(const Value& service, const Value* old) {
  if (old == nullptr || TypeOf(service) != TypeOf(*old)) return false;
  if (TypeOf(service) != kClusterIp && !MayHaveNodePorts(service)) return false;
  const Value spec = SpecOf(service), old_spec = SpecOf(*old);
  const std::string_view before = old_spec.GetString("ipFamilyPolicy");
  return spec.GetString("ipFamilyPolicy") == kPrefer && (before.empty() || before == kPrefer) &&
         SameLists(spec.Get("clusterIPs"), old_spec.Get("clusterIPs")) &&
         SameLists(spec.Get("ipFamilies"), old_spec.Get("ipFamilies"));
}

api::FieldErrors FillFamilies(registry::WriteContext& context, const Value& service, const Value* old,
                              std::span<const std::string_view> families) {
  if (!NeedsClusterIp(service) || KeepsPreferredFamilies(service, old)) return {};
  const Value spec = SpecOf(service);
  DefaultPolicy(spec, old, context.arena);
  Errors bad;
  CheckClusterAddresses(bad, service);
  if (!bad.empty()) return std::move(bad).Take();

  Families filling(spec, context.arena, families);
  if (old != nullptr) filling.PrepareUpdate(SpecOf(*old));
  filling.CheckPolicy();
  filling.FollowAddresses();
  if (!filling.good()) return filling.Take();
  if (IsSelectorlessHeadless(spec)) {
    filling.FillSelectorlessHeadless();
    return {};
  }
  filling.CheckServed();
  if (filling.good()) filling.Fill();
  return filling.Take();
}

}  // namespace resources::core
