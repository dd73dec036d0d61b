#include <algorithm>

#include "api/ip_address.h"
#include "api/quote.h"
#include "base/text.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/generation.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::networking {
namespace {

constexpr std::string_view kProtocols[] = {"TCP", "UDP", "SCTP"};
constexpr std::string_view kDirections[] = {"Ingress", "Egress"};

void CheckProtocol(Scope& port) {
  const std::string_view protocol = port.String("protocol");
  if (!port.Has("protocol") || std::ranges::find(kProtocols, protocol) != std::end(kProtocols)) return;
  port.errors.NotSupported(port.At("protocol"), protocol, kProtocols);
}

void CheckPort(Scope& port) {
  CheckProtocol(port);
  const Value first = port.Get("port"), last = port.Get("endPort");
  const FieldPath at_last = port.At("endPort");
  const int64_t end = last.is_int() ? last.AsInt() : 0;
  if (first.is_null()) {
    if (!last.is_null()) port.errors.Invalid(at_last, end, "may not be specified when `port` is not specified");
    return;
  }
  if (first.is_string()) {
    if (!last.is_null()) port.errors.Invalid(at_last, end, "may not be specified when `port` is non-numeric");
    return kPortName(port.errors, port.At("port"), first.AsString());
  }
  CheckPortNumber(port.errors, port.At("port"), first.AsInt());
  if (last.is_null()) return;
  // Here the real server shows the first port.
  if (end < first.AsInt()) port.errors.Invalid(at_last, first.AsInt(), "must be greater than or equal to `port`");
  CheckPortNumber(port.errors, at_last, end);
}

void CheckIpBlock(Scope& peer) {
  const FieldPath path = peer.At("ipBlock");
  const Value block = peer.Get("ipBlock");
  const std::string_view text = block.GetString("cidr");
  if (text.empty()) return peer.errors.Required(path.Child("cidr"));
  CheckCidr(peer.errors, path.Child("cidr"), text);
  const auto range = api::IpPrefix::ParseLoosely(text);
  if (!range) return;
  const FieldPath list = path.Child("except");
  int64_t i = 0;
  for (const Value& item : block.Get("except").items()) {
    const FieldPath at = list.Index(i++);
    CheckCidr(peer.errors, at, item.AsString());
    const auto hole = api::IpPrefix::ParseLoosely(item.AsString());
    if (!hole || (range->Contains(hole->first()) && range->bits() < hole->bits())) continue;
    peer.errors.Invalid(at, item.AsString(), "must be a strict subset of `cidr`");
  }
}

void CheckPeer(Scope& peer, LabelSelectorOptions options) {
  int kinds = 0;
  for (const std::string_view selector : {"podSelector", "namespaceSelector"}) {
    if (!peer.Has(selector)) continue;
    ++kinds;
    CheckLabelSelector(peer.errors, peer.At(selector), peer.Get(selector), options);
  }
  const bool block = peer.Has("ipBlock");
  if (block) CheckIpBlock(peer);
  if (kinds == 0 && !block) peer.errors.Required(peer.path, "must specify a peer");
  if (kinds > 0 && block) peer.errors.Forbidden(peer.path, "may not specify both ipBlock and another peer");
}

// The rules of one direction: which ports, and who is on the other side.
void CheckDirection(Scope& spec, std::string_view direction, std::string_view peers, LabelSelectorOptions options) {
  static constexpr Rule kPortRules[] = {Call(CheckPort)};
  const FieldPath list = spec.At(direction);
  const Value rules = spec.Get(direction);
  for (uint32_t i = 0; i < rules.size(); ++i) {
    const FieldPath path = list.Index(i);
    const FieldPath at_ports = path.Child("ports"), at_peers = path.Child(peers);
    int64_t index = 0;
    for (const Value& port : rules[i].Get("ports").items()) {
      Check(spec, kPortRules, at_ports.Index(index++), port, nullptr);
    }
    index = 0;
    for (const Value& item : rules[i].Get(peers).items()) {
      const FieldPath at = at_peers.Index(index++);
      Scope peer{spec.context, at, item, nullptr, spec.errors, &spec};
      CheckPeer(peer, options);
    }
  }
}

void CheckPolicyTypes(Scope& spec) {
  const FieldPath list = spec.At("policyTypes");
  const Value types = spec.Get("policyTypes");
  if (types.size() > std::size(kDirections)) {
    std::string printed = "[]networking.PolicyType{";
    for (const Value& type : types.items()) {
      base::Append(printed, printed.ends_with('{') ? "" : ", ", api::Quote(type.AsString()));
    }
    return spec.errors.InvalidAs(list, printed + "}", "may not specify more than two policyTypes");
  }
  for (uint32_t i = 0; i < types.size(); ++i) {
    const std::string_view type = types[i].AsString();
    if (std::ranges::find(kDirections, type) != std::end(kDirections)) continue;
    spec.errors.NotSupported(list.Index(i), type, kDirections);
  }
}

// Label values that are none may stay where the policy's own selector has had one.
LabelSelectorOptions OptionsOf(const Value* old) {
  if (old == nullptr) return {};
  Errors errors;
  CheckLabelSelector(errors, FieldPath(), old->Get({"spec", "podSelector"}));
  return {.allow_invalid_values = !errors.empty()};
}

void CheckSpec(Scope& policy) {
  const FieldPath path("spec");
  const Value object = policy.Get("spec");
  const LabelSelectorOptions options = OptionsOf(policy.old);
  Scope spec{policy.context, path, object, nullptr, policy.errors, &policy};
  CheckLabelSelector(spec.errors, spec.At("podSelector"), spec.Get("podSelector"), options);
  CheckDirection(spec, "ingress", "from", options);
  CheckDirection(spec, "egress", "to", options);
  CheckPolicyTypes(spec);
}

constexpr std::string_view kSpecMember = "spec";

constexpr Rule kRules[] = {Call(CheckSpec)};
constexpr Rule kUpdateRules[] = {Call(CheckObjectMeta), Call(CheckSpec), Call(CheckObjectMetaUpdate), Call(CheckSpec)};

}  // namespace

constinit const registry::StrategyTable kNetworkPolicies = {
    .prepare_for_update = CountChangesOf<kSpecMember>,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .has_generation = true,
            .generation_of = kSpec,
        },
};

}  // namespace resources::networking
