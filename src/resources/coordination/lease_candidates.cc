#include "resources/coordination/lease_strategy.h"
#include "resources/coordination/semantic_version.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::coordination {
namespace {

api::Complaints CheckName(std::string_view name, bool) { return api::CheckConfigMapKey(name); }

// The version in `field`; 0.0.0, with an error, where it is none.
SemanticVersion ReadVersion(Scope& spec, std::string_view field) {
  const std::string_view text = spec.String(field);
  if (text.empty()) return {};
  const auto version = SemanticVersion::Parse(text);
  if (!version) spec.errors.Invalid(spec.At(field), text, "must be a valid semantic version");
  return version.value_or(SemanticVersion());
}

void CheckVersionsAndStrategy(Scope& spec) {
  const SemanticVersion emulation = ReadVersion(spec, "emulationVersion");
  if (spec.String("binaryVersion").empty()) spec.errors.Required(spec.At("binaryVersion"));
  const SemanticVersion binary = ReadVersion(spec, "binaryVersion");
  if (const std::string_view text = spec.String("binaryVersion");
      !text.empty() && !spec.String("emulationVersion").empty() && binary.Compare(emulation) < 0) {
    spec.errors.Invalid(spec.At("binaryVersion"), text, "must be greater than or equal to `emulationVersion`");
  }
  const std::string_view strategy = spec.String("strategy");
  if (strategy.empty()) return spec.errors.Required(spec.At("strategy"));
  if (strategy == kOldestEmulationVersion && emulation.Compare(SemanticVersion()) == 0) {
    spec.errors.Required(spec.At("emulationVersion"), "must be specified when `strategy` is 'OldestEmulationVersion'");
  }
  CheckLeaseStrategy(spec.errors, spec.At("strategy"), strategy);
}

constexpr Rule kSpec[] = {Required("leaseName"), Call(CheckVersionsAndStrategy)};
constexpr Rule kUpdatedSpec[] = {ImmutableText("leaseName")};

void CheckSpec(Scope& candidate) {
  const Value before = candidate.old == nullptr ? Value() : candidate.old->Get("spec");
  const Value spec = candidate.Get("spec");
  Check(candidate, kSpec, candidate.At("spec"), spec, nullptr);
  if (candidate.old != nullptr) Check(candidate, kUpdatedSpec, candidate.At("spec"), spec, &before);
}

constexpr Rule kRules[] = {Call(CheckSpec)};

}  // namespace

constinit const registry::StrategyTable kLeaseCandidates = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules>,
    .facts =
        {
            .check_name = CheckName,
            .strict_finalizers = false,
            .allow_create_on_update = true,
            .allow_unconditional_update = false,
        },
};

}  // namespace resources::coordination
