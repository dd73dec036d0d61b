#include "resources/certificates/x509_checks.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::certificates {
namespace {

void CheckMetadata(Scope& bundle) {
  const std::string_view signer = bundle.Get("spec").GetString("signerName");
  CheckObjectMeta(bundle,
                  [&](std::string_view name, bool prefix) { return CheckTrustBundleName(name, signer, prefix); });
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

constinit const registry::StrategyTable kClusterTrustBundles = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .update_checks = registry::MetadataChecks::kNone,
            .allow_unconditional_update = false,
        },
};

}  // namespace resources::certificates
