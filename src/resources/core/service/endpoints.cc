#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::core {
namespace {

constexpr std::string_view kProtocols[] = {"SCTP", "TCP", "UDP"};

void CheckAddress(Scope& address) {
  const std::string_view ip = address.String("ip");
  CheckIp(address.errors, address.At("ip"), ip);
  if (!address.String("hostname").empty()) {
    kDnsLabel(address.errors, address.At("hostname"), address.String("hostname"));
  }
  if (address.Has("nodeName")) {
    const std::string_view node = address.String("nodeName");
    PutComplaints(address.errors, address.At("nodeName"), node, api::CheckNameIsDnsSubdomain(node, false));
  }
  CheckOrdinaryIp(address.errors, address.At("ip"), ip);
}

void CheckSomeAddress(Scope& subset) {
  if (!subset.Get("addresses").empty() || !subset.Get("notReadyAddresses").empty()) return;
  subset.errors.Required(subset.path, "must specify `addresses` or `notReadyAddresses`");
}

// Several ports are told apart by their names.
void CheckPortName(Scope& port) {
  const std::string_view name = port.String("name");
  if (!name.empty()) {
    kDnsLabel(port.errors, port.At("name"), name);
  } else if (port.parent->Get("ports").size() > 1) {
    port.errors.Required(port.At("name"));
  }
}

void CheckPortNumberOf(Scope& port) { CheckPortNumber(port.errors, port.At("port"), port.Int("port")); }

void CheckAppProtocol(Scope& port) {
  if (port.Has("appProtocol")) kQualifiedName(port.errors, port.At("appProtocol"), port.String("appProtocol"));
}

constexpr Rule kAddressRules[] = {Call(CheckAddress)};
constexpr Rule kPortRules[] = {
    Call(CheckPortName),
    Call(CheckPortNumberOf),
    RequiredEnum("protocol", kProtocols),
    Call(CheckAppProtocol),
};
constexpr Rule kSubsetRules[] = {
    Call(CheckSomeAddress),
    Each("addresses", kAddressRules),
    Each("notReadyAddresses", kAddressRules),
    Each("ports", kPortRules),
};
constexpr Rule kRules[] = {Each("subsets", kSubsetRules)};
constexpr Rule kUpdateRules[] = {Call(CheckObjectMetaUpdate), Call(CheckObjectMeta), Each("subsets", kSubsetRules)};

}  // namespace

constinit const registry::StrategyTable kEndpoints = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .allow_create_on_update = true,
        },
};

}  // namespace resources::core
