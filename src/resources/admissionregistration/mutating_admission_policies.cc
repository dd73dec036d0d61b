#include <algorithm>
#include <array>

#include "resources/admissionregistration/matching_rules.h"
#include "resources/admissionregistration/policy_rules.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::admissionregistration {
namespace {

// How a mutation may be said: the type of patch, its field, and what is said of a field too few and too many.
struct Patch {
  std::string_view type, field, missing, printed, unwanted;
  ExpressionKind kind;
};
constexpr Patch kPatches[] = {
    {"JSONPatch", "jsonPatch", "must be specified when patchType is JSONPatch", "{jsonPatch}",
     "must not be specified when patchType is ApplyConfiguration", ExpressionKind::kJsonPatch},
    {"ApplyConfiguration", "applyConfiguration", "must be specified when patchType is ApplyConfiguration",
     "{applyConfiguration}", "must not be specified when patchType is JSONPatch", ExpressionKind::kApplyConfiguration},
};
constexpr std::array<std::string_view, 2> kPatchTypes = {"ApplyConfiguration", "JSONPatch"};

std::set<std::string_view> StoredConfigurations(const Scope& spec) {
  std::set<std::string_view> stored;
  if (spec.old == nullptr) return stored;
  for (const Value& mutation : spec.old->Get("mutations").items()) {
    stored.insert(mutation.Get("applyConfiguration").GetString("expression"));
  }
  return stored;
}

void CheckExpression(Scope& mutation, const Patch& patch, ExpressionChecker& checker) {
  const FieldPath path = mutation.At(patch.field);
  const std::string_view whole = mutation.Get(patch.field).GetString("expression"), text = Trimmed(whole);
  if (text.empty()) return mutation.errors.Required(path.Child("expression"));
  // A JSON patch too counts as stored where an applied configuration was the same.
  checker.Check(mutation.errors, path.Child("expression"),
                {.kind = patch.kind,
                 .text = text,
                 .reported = text,
                 .has_params = mutation.parent->Has("paramKind"),
                 .stored = StoredConfigurations(*mutation.parent).contains(whole)});
}

void CheckMutation(Scope& mutation, ExpressionChecker& checker) {
  const std::string_view type = mutation.String("patchType");
  if (type.empty()) return mutation.errors.Required(mutation.At("patchType"));
  const auto own = std::ranges::find(kPatches, type, &Patch::type);
  if (own == std::end(kPatches)) return mutation.errors.NotSupported(mutation.At("patchType"), type, kPatchTypes);
  if (mutation.Has(own->field)) {
    CheckExpression(mutation, *own, checker);
  } else {
    mutation.errors.Required(mutation.At(own->field), own->missing);
  }
  for (const Patch& other : kPatches) {
    if (other.type == type || !mutation.Has(other.field)) continue;
    mutation.errors.Invalid(mutation.At(other.field), other.printed, other.unwanted);
  }
}

void CheckOperations(Scope& spec) { CheckMutatingOperations(spec, "matchConstraints"); }

void CheckMutations(Scope& spec) {
  ExpressionChecker checker;
  CheckVariables(spec, checker, {});
  const Value mutations = spec.Get("mutations");
  const FieldPath list = spec.At("mutations");
  if (mutations.empty()) spec.errors.Required(list, "mutations must contain at least one item");
  for (uint32_t i = 0; i < mutations.size(); ++i) {
    const FieldPath at = list.Index(i);
    Scope mutation{spec.context, at, mutations[i], nullptr, spec.errors, &spec};
    CheckMutation(mutation, checker);
  }
}

constexpr Rule kSpecRules[] = {
    Call(CheckMatching),
    Call(CheckOperations),
    Call(CheckPolicyConditions),
    Call(CheckMutations),
    RequiredEnum("reinvocationPolicy", kReinvocationPolicies),
};
constexpr Rule kRules[] = {IntoStruct("spec", kSpecRules)};

}  // namespace

constinit const registry::StrategyTable kMutatingAdmissionPolicies = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kFull,
            .strict_finalizers = false,
            .allow_unconditional_update = false,
            .has_generation = true,
            .generation_of = kSpec,
        },
};

}  // namespace resources::admissionregistration
