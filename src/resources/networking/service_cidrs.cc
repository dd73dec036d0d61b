#include "api/ip_address.h"
#include "base/text.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::networking {
namespace {

using base::Cat;

void CheckRange(Errors& errors, const FieldPath& path, std::string_view text) {
  const auto range = api::IpPrefix::ParseStrictly(text);
  if (!range) return errors.Invalid(path, text, range.error());
  if (!(range->address() == range->first())) {
    errors.Invalid(path, text, "wrong CIDR format, IP doesn't match network IP address");
  }
  if (range->strict_text() != text) errors.Invalid(path, text, "CIDR not in RFC 5952 canonical format");
}

// One range of each family.
bool AreOfBothFamilies(const Value& ranges) {
  const auto first = api::IpPrefix::ParseLoosely(ranges[0].AsString());
  const auto second = api::IpPrefix::ParseLoosely(ranges[1].AsString());
  return first && second && first->is_v4() != second->is_v4();
}

void CheckSpec(Scope& object) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("cidrs");
  const Value ranges = object.Get({"spec", "cidrs"});
  if (ranges.empty()) return object.errors.Required(path, "at least one CIDR required");
  const auto refuse = [&](std::string_view detail) {
    object.errors.InvalidAs(path, Cat("networking.ServiceCIDRSpec{CIDRs:", PrintBadValue(ranges), "}"), detail);
  };
  if (ranges.size() > 2) return refuse("may only hold up to 2 values");
  if (ranges.size() == 2 && !AreOfBothFamilies(ranges)) {
    return refuse("may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64");
  }
  for (uint32_t i = 0; i < ranges.size(); ++i) CheckRange(object.errors, path.Index(i), ranges[i].AsString());
}

void CheckChange(Scope& object) {
  const FieldPath spec("spec");
  const Value now = object.Get({"spec", "cidrs"}), before = object.old->Get({"spec", "cidrs"});
  if (value::Equal(now, before)) return;
  object.errors.InvalidAs(spec.Child("cidrs"), now.is_array() ? PrintBadValue(now) : "[]string(nil)",
                          "field is immutable");
}

constexpr Rule kRules[] = {Call(CheckSpec)};
constexpr Rule kUpdateRules[] = {Call(CheckObjectMeta), Call(CheckSpec), Call(CheckObjectMetaUpdate),
                                 Call(CheckChange)};
constexpr Rule kStatusRules[] = {Call(CheckObjectMetaUpdate)};

// Neither endpoint resets what the other is for.
constexpr registry::ResetPaths kResets[] = {{"", {}}, {"status", {}}};

}  // namespace

constinit const registry::StrategyTable kServiceCidrs = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .resets = kResets,
            .creates_with_status = true,
            .updates_with_status = true,
            .status_write_keeps = registry::kForStatus,
        },
};

}  // namespace resources::networking
