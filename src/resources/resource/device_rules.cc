#include "resources/resource/device_rules.h"

#include <algorithm>
#include <string>

#include "api/ip_address.h"
#include "api/quote.h"
#include "base/text.h"
#include "resources/rules/conditions.h"
#include "resources/rules/field_checks.h"
#include "value/json_writer.h"

namespace resources::resource {
namespace {

constexpr int64_t kMostRequests = 32;
constexpr int64_t kMostConstraints = 32;
constexpr int64_t kMostConfigurations = 32;
constexpr int64_t kMostSelectors = 32;
constexpr int64_t kMostExpressionBytes = 10 * 1024;
constexpr int64_t kMostParametersBytes = 10 * 1024;
constexpr int64_t kMostIdentifierBytes = 32;
constexpr int64_t kMostPoolNameBytes = 253;
constexpr int64_t kMostConditions = 8;
constexpr int64_t kMostAddresses = 16;
constexpr int64_t kMostInterfaceNameBytes = 256;
constexpr int64_t kMostHardwareAddressBytes = 128;

std::string_view TextAt(const Value& item, std::string_view key) {
  if (!key.empty()) return item.GetString(key);
  return item.is_string() ? item.AsString() : std::string_view();
}

void CheckIdentifier(Errors& errors, const FieldPath& path, std::string_view id) {
  if (static_cast<int64_t>(id.size()) > kMostIdentifierBytes) errors.TooLong(path, kMostIdentifierBytes);
  for (const std::string& complaint : api::CheckCIdentifier(id)) errors.TypeInvalid(path, Value::String(id), complaint);
}

void CheckExpression(Errors& errors, const FieldPath& path, std::string_view expression) {
  if (static_cast<int64_t>(expression.size()) > kMostExpressionBytes) errors.TooLong(path, kMostExpressionBytes);
}

void CheckCount(Errors& errors, const FieldPath& path, const Value& request) {
  const Value given = request.Get("count");
  const int64_t count = given.is_int() ? given.AsInt() : 0;
  const std::string_view mode = request.GetString("allocationMode");
  if (mode == "All") {
    if (count != 0) errors.Invalid(path.Child("count"), count, "must not be specified when allocationMode is 'All'");
  } else if (mode == "ExactCount") {
    if (count <= 0) errors.Invalid(path.Child("count"), count, "must be greater than zero");
  } else {
    errors.NotSupported(path.Child("allocationMode"), mode, {"All", "ExactCount"});
  }
}

void CheckRequest(Errors& errors, const FieldPath& path, const Value& request) {
  kDnsLabel(errors, path.Child("name"), request.GetString("name"));
  const std::string_view device_class = request.GetString("deviceClassName");
  if (device_class.empty()) {
    errors.Required(path.Child("deviceClassName"));
  } else {
    kDnsSubdomain(errors, path.Child("deviceClassName"), device_class);
  }
  CheckSelectors(errors, path.Child("selectors"), request.Get("selectors"));
  CheckCount(errors, path, request);
}

void CheckConstraint(Errors& errors, const FieldPath& path, const Value& constraint, const RequestNames& requests) {
  CheckRequestNames(errors, path.Child("requests"), constraint.Get("requests"), requests);
  if (constraint.Find("matchAttribute") == nullptr) {
    errors.Required(path.Child("matchAttribute"));
  } else {
    CheckAttributeName(errors, path.Child("matchAttribute"), constraint.GetString("matchAttribute"), true);
  }
}

// The length of the JSON that was sent, white space and all.
int64_t JsonBytes(const Value& v) {
  return static_cast<int64_t>(v.source().empty() ? value::ToJson(v).size() : v.source().size());
}

// However it is written, one network is one.
ItemKey NetworkKey(const Value& item) {
  const auto prefix = item.is_string() ? api::IpPrefix::ParseLoosely(item.AsString()) : std::nullopt;
  return {prefix ? base::Cat(prefix->address().text(), "/", prefix->bits()) : ""};
}

void CheckNetwork(Errors& errors, const FieldPath& path, const Value& network) {
  const auto check_length = [&](std::string_view field, int64_t most) {
    if (static_cast<int64_t>(network.GetString(field).size()) > most) errors.TooLong(path.Child(field), most);
  };
  check_length("interfaceName", kMostInterfaceNameBytes);
  check_length("hardwareAddress", kMostHardwareAddressBytes);
  const FieldPath addresses = path.Child("ips");
  const Value list = network.Get("ips");
  CheckSlice(errors, addresses, list, kMostAddresses,
             [&](const FieldPath& at, const Value& address) { CheckCidr(errors, at, TextAt(address, "")); });
  CheckNoneRepeats(errors, addresses, list, "", NetworkKey);
}

bool AsksForAdmin(const Value& devices) {
  return std::ranges::any_of(devices.Get("requests").items(),
                             [](const Value& request) { return request.Find("adminAccess") != nullptr; });
}

}  // namespace

void CheckSlice(Errors& errors, const FieldPath& path, const Value& list, int64_t most, CheckItem check_item) {
  for (uint32_t i = 0; i < list.size(); ++i) check_item(path.Index(i), list[i]);
  if (most >= 0 && list.size() > most) errors.TooMany(path, list.size(), most);
}

void CheckSet(Errors& errors, const FieldPath& path, const Value& list, int64_t most, std::string_view key,
              CheckItem check_item) {
  CheckSlice(errors, path, list, most, check_item);
  CheckNoneRepeats(errors, path, list, key, [&](const Value& item) { return ItemKey{std::string(TextAt(item, key))}; });
}

void CheckNoneRepeats(Errors& errors, const FieldPath& path, const Value& list, std::string_view field,
                      KeyOfItem key_of) {
  std::set<std::string> seen;
  for (uint32_t i = 0; i < list.size(); ++i) {
    const ItemKey key = key_of(list[i]);
    if (seen.insert(key.text).second) continue;
    const FieldPath item = path.Index(i);
    errors.DuplicateAs(field.empty() ? item : item.Child(field), key.quoted ? api::Quote(key.text) : key.text);
  }
}

void CheckPoolName(Errors& errors, const FieldPath& path, std::string_view name) {
  if (name.empty()) return errors.Required(path);
  if (static_cast<int64_t>(name.size()) > kMostPoolNameBytes) errors.TooLong(path, kMostPoolNameBytes);
  while (true) {
    const size_t slash = std::min(name.find('/'), name.size());
    kDnsSubdomain(errors, path, name.substr(0, slash));
    if (slash == name.size()) return;
    name.remove_prefix(slash + 1);
  }
}

void CheckAttributeName(Errors& errors, const FieldPath& path, std::string_view name, bool with_domain) {
  if (name.empty()) return errors.Required(path, "name required");
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) {
    CheckIdentifier(errors, path, name);
    if (with_domain) errors.Invalid(path, name, "must include a domain");
    return;
  }
  const std::string_view domain = name.substr(0, slash), id = name.substr(slash + 1);
  if (id.contains('/')) return;  // the real server does not look at names of more parts
  if (domain.empty()) {
    errors.Required(path, "the domain must not be empty");
  } else {
    CheckDriverName(errors, path, domain);
  }
  if (id.empty()) {
    errors.Required(path, "the name must not be empty");
  } else {
    CheckIdentifier(errors, path, id);
  }
}

void CheckParameters(Errors& errors, const FieldPath& path, const Value& parameters, bool stored) {
  if (parameters.is_null()) return errors.Required(path);
  if (!stored && JsonBytes(parameters) > kMostParametersBytes) {
    errors.TooLong(path, kMostParametersBytes);
  } else if (!parameters.is_object()) {
    errors.Invalid(path, "<value omitted>", "parameters must be a valid JSON object");
  }
}

void CheckSelectors(Errors& errors, const FieldPath& path, const Value& selectors) {
  CheckSlice(errors, path, selectors, kMostSelectors, [&](const FieldPath& at, const Value& selector) {
    const FieldPath cel = at.Child("cel");
    if (selector.Find("cel") == nullptr) return errors.Required(cel);
    CheckExpression(errors, cel.Child("expression"), selector.Get("cel").GetString("expression"));
  });
}

void CheckConfiguration(Errors& errors, const FieldPath& path, const Value& configuration, bool stored) {
  const FieldPath opaque = path.Child("opaque");
  const Value* parameters = configuration.Find("opaque");
  if (parameters == nullptr) return errors.Required(opaque);
  CheckDriverName(errors, opaque.Child("driver"), parameters->GetString("driver"));
  CheckParameters(errors, opaque.Child("parameters"), parameters->Get("parameters"), stored);
}

RequestNames RequestNamesOf(const Value& devices) { return TextsOf(devices.Get("requests"), "name"); }

void CheckRequestName(Errors& errors, const FieldPath& path, std::string_view name, const RequestNames& requests) {
  kDnsLabel(errors, path, name);
  if (requests.contains(name)) return;
  errors.Invalid(path, name, "must be the name of a request in the claim");
}

void CheckRequestNames(Errors& errors, const FieldPath& path, const Value& names, const RequestNames& requests) {
  CheckSet(errors, path, names, kMostRequests, "",
           [&](const FieldPath& at, const Value& name) { CheckRequestName(errors, at, TextAt(name, ""), requests); });
}

std::string DeviceName(const Value& device) {
  return base::Cat(device.GetString("driver"), "/", device.GetString("pool"), "/", device.GetString("device"));
}

void CheckDeviceReport(Errors& errors, const FieldPath& path, const Value& device) {
  const FieldPath conditions = path.Child("conditions");
  const Value list = device.Get("conditions");
  if (list.size() > kMostConditions) errors.TooMany(conditions, list.size(), kMostConditions);
  CheckConditions(errors, conditions, list);
  if (const Value data = device.Get("data"); !data.is_null()) CheckParameters(errors, path.Child("data"), data, false);
  CheckNetwork(errors, path.Child("networkData"), device.Get("networkData"));
}

void CheckClaimSpec(Errors& errors, const FieldPath& path, const Value& spec, bool stored) {
  const FieldPath devices = path.Child("devices");
  const Value claim = spec.Get("devices");
  const RequestNames requests = RequestNamesOf(claim);
  CheckSet(errors, devices.Child("requests"), claim.Get("requests"), kMostRequests, "name",
           [&](const FieldPath& at, const Value& request) { CheckRequest(errors, at, request); });
  CheckSlice(errors, devices.Child("constraints"), claim.Get("constraints"), kMostConstraints,
             [&](const FieldPath& at, const Value& constraint) { CheckConstraint(errors, at, constraint, requests); });
  CheckSlice(errors, devices.Child("config"), claim.Get("config"), kMostConfigurations,
             [&](const FieldPath& at, const Value& configuration) {
               CheckRequestNames(errors, at.Child("requests"), configuration.Get("requests"), requests);
               CheckConfiguration(errors, at, configuration, stored);
             });
}

std::string PrintStruct(std::string_view type, const Value& v) {
  return "resource." + std::string(type) + (v.is_null() ? "{}" : value::ToJson(v));
}

void DropAdminAccess(const registry::WriteContext& context, const Value& devices, const Value& old_devices) {
  if (context.Has(Feature::kDraAdminAccess)) return;
  if (AsksForAdmin(old_devices)) return;
  for (const Value& request : devices.Get("requests").items()) request.Remove("adminAccess");
}

}  // namespace resources::resource
