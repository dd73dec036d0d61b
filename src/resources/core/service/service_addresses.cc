// A service's cluster addresses and their families: what each must be, what goes together, what may change.
#include <algorithm>
#include <set>

#include "api/ip_address.h"
#include "api/quote.h"
#include "base/text.h"
#include "resources/core/service/service_spec.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

using api::IpAddress;
using base::Cat;

constexpr std::string_view kFamilies[] = {"IPv4", "IPv6"};
constexpr std::string_view kFamilyPolicies[] = {"PreferDualStack", "RequireDualStack", "SingleStack"};

bool Contains(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// The singular field is the first of the plural one.
void CheckFirst(Errors& errors, const FieldPath& path, const Value& spec) {
  const Value addresses = spec.Get("clusterIPs");
  const std::string_view first = spec.GetString("clusterIP");
  const auto invalid = [&](std::string_view detail) {
    errors.InvalidAs(path, PrintStrings("string", addresses), detail);
  };
  if (first.empty()) {
    if (!addresses.empty()) invalid("must be empty when `clusterIP` is not specified");
  } else if (addresses.empty()) {
    errors.Required(path);
  } else if (ItemAt(addresses, 0) != first) {
    invalid("first value must match `clusterIP`");
  }
}

void CheckFamilies(Errors& errors, const FieldPath& path, const Value& families) {
  std::set<std::string_view> seen;
  for (uint32_t i = 0; i < families.size(); ++i) {
    const std::string_view family = ItemAt(families, i);
    if (!Contains(kFamilies, family)) errors.NotSupported(path.Index(i), family, kFamilies);
    if (!seen.insert(family).second) errors.Duplicate(path.Index(i), family);
  }
}

// Each address by itself. False where one is none: then there is no use in looking further.
bool CheckEachAddress(Errors& errors, const FieldPath& path, const Value& addresses) {
  const size_t before = errors.size();
  for (uint32_t i = 0; i < addresses.size(); ++i) {
    const std::string_view address = ItemAt(addresses, i);
    if (i != 0 || address != kNoAddress) {
      CheckIp(errors, path.Index(i), address);
    } else if (addresses.size() > 1) {
      errors.InvalidAs(path, PrintStrings("string", addresses), "'None' must be the first and only value");
    }
  }
  const bool good = errors.size() == before;
  if (addresses.size() > 2) {
    errors.InvalidAs(path, PrintStrings("string", addresses), "may only hold up to 2 values");
  }
  return good;
}

bool IsV6(std::string_view address) {
  const auto read = IpAddress::ParseLoosely(address);
  return read && !read->is_v4();
}

void CheckOneOfEachFamily(Errors& errors, const FieldPath& path, const Value& addresses) {
  if (addresses.size() < 2) return;
  const auto v6 = [](const Value& address) { return IsV6(address.AsString()); };
  if (std::ranges::any_of(addresses.items(), v6) && !std::ranges::all_of(addresses.items(), v6)) return;
  errors.InvalidAs(path, PrintStrings("string", addresses), "may specify no more than one IP for each IP family");
}

}  // namespace

std::string PrintStrings(std::string_view go_type, const Value& list) {
  if (!list.is_array()) return Cat("[]", go_type, "(nil)");
  std::string out = Cat("[]", go_type, "{");
  for (uint32_t i = 0; i < list.size(); ++i) base::Append(out, i == 0 ? "" : ", ", api::Quote(ItemAt(list, i)));
  return out + "}";
}

std::string PrintPointer(const Value& text) { return api::Quote(text.is_string() ? text.AsString() : "null"); }

void CheckClusterAddresses(Errors& errors, const Value& service) {
  if (!NeedsClusterIp(service)) return;
  const Value spec = SpecOf(service);
  const FieldPath root("spec");
  const FieldPath path = root.Child("clusterIPs");
  const Value addresses = spec.Get("clusterIPs"), families = spec.Get("ipFamilies");
  CheckFirst(errors, path, spec);
  CheckFamilies(errors, root.Child("ipFamilies"), families);
  const Value policy = spec.Get("ipFamilyPolicy");
  if (policy.is_string() && !Contains(kFamilyPolicies, policy.AsString())) {
    errors.NotSupported(root.Child("ipFamilyPolicy"), policy.AsString(), kFamilyPolicies);
  }
  if (!CheckEachAddress(errors, path, addresses)) return;
  CheckOneOfEachFamily(errors, path, addresses);
  if (IsHeadless(service)) return;
  for (uint32_t i = 0; i < std::min(addresses.size(), families.size()); ++i) {
    const std::string_view family = ItemAt(families, i);
    if (!Contains(kFamilies, family) || IsV6(ItemAt(addresses, i)) == (family == "IPv6")) continue;
    errors.Invalid(path.Index(i), ItemAt(addresses, i),
                   Cat("expected an ", family, " value as indicated by `ipFamilies[", i, "]`"));
  }
}

}  // namespace resources::core
