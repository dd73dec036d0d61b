#include <algorithm>
#include <set>

#include "api/ip_address.h"
#include "base/text.h"
#include "registry/object_meta.h"
#include "registry/semantic_equality.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::discovery {
namespace {

using registry::WriteContext;

constexpr int64_t kMostEndpoints = 1000, kMostAddresses = 100, kMostPorts = 20000, kMostZones = 8;
constexpr std::string_view kAddressTypes[] = {"FQDN", "IPv4", "IPv6"};
constexpr std::string_view kProtocols[] = {"SCTP", "TCP", "UDP"};
constexpr std::string_view kHostLabel = "kubernetes.io/hostname";

// Labels in front: the parts of a slice whose change makes a new generation.
constexpr std::string_view kGenerationOf[] = {"metadata.labels", "addressType", "endpoints", "ports"};

bool SameAt(WriteContext& context, std::string_view path, const Value& a, const Value& b) {
  return registry::SameAt(*context.resource.type, path, a, b);
}

void DropHints(WriteContext& context, const Value& slice, const Value& old) {
  if (context.Has(Feature::kTopologyAwareHints)) return;
  const auto has_hints = [](const Value& endpoint) { return endpoint.Find("hints") != nullptr; };
  if (std::ranges::any_of(old.Get("endpoints").items(), has_hints)) return;
  for (const Value& endpoint : slice.Get("endpoints").items()) endpoint.Remove("hints");
}

void PrepareForCreate(WriteContext& context, Value slice) {
  DropHints(context, slice, Value());
  for (const Value& endpoint : slice.Get("endpoints").items()) endpoint.Remove("deprecatedTopology");
}

// Topology is not written any more; a node that only it named, and that it named before, moves to nodeName.
void DropTopology(WriteContext& context, const Value& slice, const Value& old) {
  std::set<std::string_view> known;
  for (const Value& endpoint : old.Get("endpoints").items()) {
    known.insert(endpoint.Get("deprecatedTopology").GetString(kHostLabel));
  }
  known.erase("");
  for (const Value& endpoint : slice.Get("endpoints").items()) {
    const std::string_view node = endpoint.Get("deprecatedTopology").GetString(kHostLabel);
    if (endpoint.Find("nodeName") == nullptr && known.contains(node) &&
        api::CheckNameIsDnsSubdomain(node, false).empty()) {
      endpoint.Set(context.arena, "nodeName", Value::String(node));
    }
    endpoint.Remove("deprecatedTopology");
  }
}

// The generation counts what was sent, topology and all.
void PrepareForUpdate(WriteContext& context, Value slice, const Value& old) {
  const bool changes =
      std::ranges::any_of(kGenerationOf, [&](std::string_view path) { return !SameAt(context, path, slice, old); });
  if (changes) {
    registry::ObjectMeta(slice, context.arena).SetGeneration(registry::ObjectMeta(old).generation() + 1);
  }
  DropHints(context, slice, old);
  if (!SameAt(context, "endpoints", slice, old)) DropTopology(context, slice, old);
}

void CheckAddressType(Scope& slice) {
  const std::string_view type = slice.String("addressType");
  if (type.empty()) return slice.errors.Required(slice.At("addressType"));
  if (std::ranges::find(kAddressTypes, type) != std::end(kAddressTypes)) return;
  slice.errors.NotSupported(slice.At("addressType"), type, kAddressTypes);
}

// A name of at least two labels, with or without the dot at its end.
void CheckFullName(Errors& errors, const FieldPath& path, std::string_view name) {
  if (name.empty()) return errors.Required(path);
  if (name.ends_with('.')) name.remove_suffix(1);
  if (const api::Complaints bad = api::CheckDns1123Subdomain(name); !bad.empty()) {
    return errors.Invalid(path, name, base::Join(bad, ","));
  }
  if (!name.contains('.')) {
    return errors.Invalid(path, name, "should be a domain with at least two segments separated by dots");
  }
  for (std::string_view rest = name; !rest.empty();) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), label.size() + 1));
    const api::Complaints bad = api::CheckDns1123Label(label);
    if (!bad.empty()) return errors.Invalid(path, label, base::Join(bad, ","));
  }
}

void CheckAddress(Errors& errors, const FieldPath& path, std::string_view type, std::string_view text) {
  if (type == "FQDN") return CheckFullName(errors, path, text);
  if (type != "IPv4" && type != "IPv6") return;
  const auto address = api::IpAddress::ParseLoosely(text);
  if (!address || address->is_v4() != (type == "IPv4")) {
    errors.Invalid(path, text, base::Cat("must be a valid ", type, " address"));
  }
  CheckOrdinaryIp(errors, path, text);
}

void CheckZones(Scope& hints) {
  const FieldPath list = hints.At("forZones");
  const Value zones = hints.Get("forZones");
  if (zones.size() > kMostZones) return hints.errors.TooMany(list, zones.size(), kMostZones);
  std::set<std::string_view> names;
  for (uint32_t i = 0; i < zones.size(); ++i) {
    const FieldPath zone = list.Index(i);
    const FieldPath path = zone.Child("name");
    const std::string_view name = zones[i].GetString("name");
    if (!names.insert(name).second) hints.errors.Duplicate(path, name);
    kLabelValue(hints.errors, path, name);
  }
}

void CheckEndpoint(Scope& endpoint) {
  static constexpr Rule kHintRules[] = {Call(CheckZones)};
  const FieldPath list = endpoint.At("addresses");
  const Value addresses = endpoint.Get("addresses");
  if (addresses.empty()) endpoint.errors.Required(list, "must contain at least 1 address");
  if (addresses.size() > kMostAddresses) endpoint.errors.TooMany(list, addresses.size(), kMostAddresses);
  const std::string_view type = endpoint.parent->String("addressType");
  for (uint32_t i = 0; i < addresses.size(); ++i) {
    CheckAddress(endpoint.errors, list.Index(i), type, addresses[i].AsString());
  }
  if (endpoint.Has("nodeName")) {
    const std::string_view node = endpoint.String("nodeName");
    PutComplaints(endpoint.errors, endpoint.At("nodeName"), node, api::CheckNameIsDnsSubdomain(node, false));
  }
  if (endpoint.Has("hostname")) kDnsLabel(endpoint.errors, endpoint.At("hostname"), endpoint.String("hostname"));
  if (const Value* hints = endpoint.object.Find("hints")) {
    Check(endpoint, kHintRules, endpoint.At("hints"), *hints, nullptr);
  }
}

void CheckEndpoints(Scope& slice) {
  static constexpr Rule kEndpointRules[] = {Call(CheckEndpoint)};
  const FieldPath list = slice.At("endpoints");
  const Value endpoints = slice.Get("endpoints");
  if (endpoints.size() > kMostEndpoints) return slice.errors.TooMany(list, endpoints.size(), kMostEndpoints);
  for (uint32_t i = 0; i < endpoints.size(); ++i) Check(slice, kEndpointRules, list.Index(i), endpoints[i], nullptr);
}

void CheckPort(Scope& port, std::set<std::string_view>& names) {
  const std::string_view name = port.String("name"), protocol = port.String("protocol");
  if (!name.empty()) kDnsLabel(port.errors, port.At("name"), name);
  if (!names.insert(name).second) port.errors.Duplicate(port.At("name"), name);
  if (!port.Has("protocol")) {
    port.errors.Required(port.At("protocol"));
  } else if (std::ranges::find(kProtocols, protocol) == std::end(kProtocols)) {
    port.errors.NotSupported(port.At("protocol"), protocol, kProtocols);
  }
  if (port.Has("appProtocol")) kQualifiedName(port.errors, port.At("appProtocol"), port.String("appProtocol"));
}

void CheckPorts(Scope& slice) {
  const FieldPath list = slice.At("ports");
  const Value ports = slice.Get("ports");
  if (ports.size() > kMostPorts) return slice.errors.TooMany(list, ports.size(), kMostPorts);
  std::set<std::string_view> names;
  for (uint32_t i = 0; i < ports.size(); ++i) {
    const FieldPath path = list.Index(i);
    Scope port{slice.context, path, ports[i], nullptr, slice.errors, &slice};
    CheckPort(port, names);
  }
}

void CheckChange(Scope& slice) {
  CheckUnchanged(slice.errors, slice.At("addressType"), slice.String("addressType"),
                 slice.old->GetString("addressType"));
}

void Warnings(WriteContext& context, const Value& slice, const Value* old) {
  if (old != nullptr || slice.GetString("addressType") != "FQDN") return;
  context.warnings.emplace_back("spec.addressType: FQDN endpoints are deprecated");
}

constexpr Rule kRules[] = {Call(CheckAddressType), Call(CheckEndpoints), Call(CheckPorts)};
constexpr Rule kUpdateRules[] = {Call(CheckObjectMeta), Call(CheckAddressType), Call(CheckEndpoints), Call(CheckPorts),
                                 Call(CheckChange)};

}  // namespace

constinit const registry::StrategyTable kEndpointSlices = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .warnings_on_write = Warnings,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .has_generation = true,
        },
};

}  // namespace resources::discovery
