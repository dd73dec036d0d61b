#include "api/ip_address.h"
#include "api/quote.h"
#include "base/text.h"
#include "resources/networking/references.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::networking {
namespace {

// The name is the address, in its one canonical form.
api::Complaints CheckName(std::string_view name, bool) {
  const auto address = api::IpAddress::ParseStrictly(name);
  if (!address) return {address.error()};
  if (address->strict_text() != name) return {"must be a canonical format IP address"};
  return {};
}

void CheckParent(Scope& parent) {
  if (!parent.String("group").empty()) kDnsSubdomain(parent.errors, parent.At("group"), parent.String("group"));
  CheckSegment(parent, "resource", "");
  CheckSegment(parent, "name", "");
  if (!parent.String("namespace").empty()) CheckSegment(parent, "namespace", "");
}

void CheckSpec(Scope& address) {
  static constexpr Rule kParentRules[] = {Call(CheckParent)};
  const FieldPath spec("spec");
  const Value* parent = address.Get("spec").Find("parentRef");
  if (parent == nullptr) return address.errors.Required(spec.Child("parentRef"));
  Check(address, kParentRules, spec.Child("parentRef"), *parent, nullptr);
}

std::string Print(const Value& parent) {
  if (parent.is_null()) return api::Quote("null");
  const auto text = [&](std::string_view field) { return api::Quote(parent.GetString(field)); };
  return base::Cat("networking.ParentReference{Group:", text("group"), ", Resource:", text("resource"),
                   ", Namespace:", text("namespace"), ", Name:", text("name"), "}");
}

void CheckChange(Scope& address) {
  const FieldPath spec("spec");
  const Value now = address.Get({"spec", "parentRef"}), before = address.old->Get({"spec", "parentRef"});
  if (!value::Equal(now, before)) {
    address.errors.InvalidAs(spec.Child("parentRef"), Print(now), "field is immutable");
  }
}

constexpr Rule kRules[] = {Call(CheckSpec)};
constexpr Rule kUpdateRules[] = {Call(CheckObjectMeta), Call(CheckSpec), Call(CheckObjectMetaUpdate),
                                 Call(CheckChange)};

}  // namespace

constinit const registry::StrategyTable kIpAddresses = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .check_name = CheckName,
            .generate_name_is_name = true,
            .update_checks = registry::MetadataChecks::kInRules,
        },
};

}  // namespace resources::networking
