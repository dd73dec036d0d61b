#include <algorithm>
#include <string>

#include "base/text.h"
#include "resources/behaviours.h"
#include "resources/certificates/x509_checks.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"

namespace resources::certificates {
namespace {

// Why `name` is no name of a bundle of `signer`: it begins with the signer's.
api::Complaints NameComplaints(std::string_view name, std::string_view signer, bool prefix) {
  if (signer.empty()) {
    if (name.contains(':')) return {"ClusterTrustBundle without signer name must not have \":\" in its name"};
    return api::CheckNameIsDnsSubdomain(name, prefix);
  }
  std::string wanted = base::Cat(signer, ":");
  std::ranges::replace(wanted, '/', ':');
  if (!name.starts_with(wanted)) {
    return {base::Cat("ClusterTrustBundle for signerName ", signer, " must be named with prefix ", wanted)};
  }
  return api::CheckNameIsDnsSubdomain(name.substr(wanted.size()), prefix);
}

void CheckMetadata(Scope& bundle) {
  const std::string_view signer = bundle.Get("spec").GetString("signerName");
  CheckObjectMeta(bundle, [&](std::string_view name, bool prefix) { return NameComplaints(name, signer, prefix); });
}

// A bundle that does not change is not read again.
void CheckBundle(Scope& bundle) {
  const FieldPath spec = bundle.At("spec");
  const std::string_view pem = bundle.Get("spec").GetString("trustBundle");
  if (bundle.old != nullptr && bundle.old->Get("spec").GetString("trustBundle") == pem) return;
  CheckTrustBundle(bundle.errors, spec.Child("trustBundle"), pem);
}

constexpr Rule kSpecRules[] = {Format("signerName", CheckSignerName)};
constexpr Rule kRules[] = {Call(CheckMetadata), IntoStruct("spec", kSpecRules), Call(CheckBundle)};
constexpr Rule kSpecChanges[] = {ImmutableText("signerName")};
constexpr Rule kUpdateRules[] = {
    Call(CheckMetadata),         IntoStruct("spec", kSpecRules),   Call(CheckBundle),
    Call(CheckObjectMetaUpdate), IntoStruct("spec", kSpecChanges),
};

}  // namespace

constinit const registry::Behaviour kClusterTrustBundles = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .update_checks = registry::MetadataChecks::kNone,
    .allow_unconditional_update = false,
};

}  // namespace resources::certificates
