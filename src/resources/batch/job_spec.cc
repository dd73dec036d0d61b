#include "base/text.h"
#include "resources/batch/job_rules.h"
#include "resources/core/pod/selected_template.h"
#include "resources/rules/field_checks.h"

namespace resources::batch {
namespace {

constexpr int64_t kMostCompletions = 100'000;  // beyond it parallelism and failed indexes are held down further
constexpr int64_t kMostParallelism = 100'000;
constexpr int64_t kMostFailedIndexes = 100'000;
constexpr int64_t kMostOfManyCompletions = 10'000;
constexpr int64_t kMostManagerBytes = 63;

bool IsIndexed(const Scope& spec) { return spec.String("completionMode") == "Indexed"; }

void CheckMaxFailedIndexes(Scope& spec) {
  const Value* most = spec.object.Find("maxFailedIndexes");
  if (most == nullptr) return;
  CheckNonNegative(spec.errors, spec.At("maxFailedIndexes"), most->AsInt());
  if (!spec.Has("backoffLimitPerIndex")) {
    spec.errors.Required(spec.At("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
  }
}

void CheckManager(Scope& spec) {
  const Value* manager = spec.object.Find("managedBy");
  if (manager == nullptr) return;
  const std::string_view name = manager->AsString();
  CheckDomainPrefixedPath(spec.errors, spec.At("managedBy"), name);
  if (static_cast<int64_t>(name.size()) > kMostManagerBytes) {
    spec.errors.TooLong(spec.At("managedBy"), kMostManagerBytes);
  }
}

// Above `most`, what an Indexed job has of `field` cannot be followed.
void CheckNotAbove(Scope& spec, std::string_view field, int64_t most, std::string_view when) {
  if (spec.Int(field) <= most) return;
  spec.errors.Invalid(spec.At(field), spec.Int(field), base::Cat("must be less than or equal to ", most, when));
}

void CheckManyCompletions(Scope& spec) {
  if (spec.Int("completions") <= kMostCompletions || !spec.Has("backoffLimitPerIndex")) return;
  if (!spec.Has("maxFailedIndexes")) {
    spec.errors.Required(spec.At("maxFailedIndexes"),
                         base::Cat("must be specified when completions is above ", kMostCompletions));
  }
  const std::string when =
      base::Cat(" when completions are above ", kMostCompletions, " and used with backoff limit per index");
  CheckNotAbove(spec, "parallelism", kMostOfManyCompletions, when);
  CheckNotAbove(spec, "maxFailedIndexes", kMostOfManyCompletions, when);
}

void CheckIndexed(Scope& spec) {
  if (!spec.Has("completions")) spec.errors.Required(spec.At("completions"), "when completion mode is Indexed");
  CheckNotAbove(spec, "parallelism", kMostParallelism, " when completion mode is Indexed");
  if (spec.Has("completions") && spec.Has("maxFailedIndexes") &&
      spec.Int("maxFailedIndexes") > spec.Int("completions")) {
    spec.errors.Invalid(spec.At("maxFailedIndexes"), spec.Int("maxFailedIndexes"),
                        "must be less than or equal to completions");
  }
  CheckNotAbove(spec, "maxFailedIndexes", kMostFailedIndexes, "");
  CheckManyCompletions(spec);
}

void CheckCompletionMode(Scope& spec) {
  const Value* mode = spec.object.Find("completionMode");
  const bool non_indexed = mode == nullptr || mode->AsString() == "NonIndexed";
  if (!non_indexed && !IsIndexed(spec)) {
    spec.errors.NotSupported(spec.At("completionMode"), mode->AsString(), {"NonIndexed", "Indexed"});
  }
  if (IsIndexed(spec)) CheckIndexed(spec);
  if (!non_indexed) return;
  for (std::string_view field : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
    if (spec.Has(field)) spec.errors.Invalid(spec.At(field), spec.Int(field), "requires indexed completion mode");
  }
}

void CheckPodReplacement(Scope& spec) {
  const Value* policy = spec.object.Find("podReplacementPolicy");
  if (policy == nullptr || policy->AsString() == "Failed") return;
  const FieldPath path = spec.At("podReplacementPolicy");
  if (spec.Has("podFailurePolicy")) {
    spec.errors.NotSupported(path, policy->AsString(), {"Failed"});
  } else if (policy->AsString() != "TerminatingOrFailed") {
    spec.errors.NotSupported(path, policy->AsString(), {"Failed", "TerminatingOrFailed"});
  }
}

// The pods of a job end: they are not restarted always, and never where failures have a policy.
void CheckRestartPolicy(Scope& spec) {
  const std::string_view policy = spec.object.Get({"template", "spec"}).GetString("restartPolicy");
  const FieldPath pod_template = spec.At("template"), pod = pod_template.Child("spec");
  const FieldPath path = pod.Child("restartPolicy");
  if (policy.empty() || policy == "Always") {
    spec.errors.Required(path, R"(valid values: "OnFailure", "Never")");
  } else if (policy != "OnFailure" && policy != "Never") {
    spec.errors.NotSupported(path, policy, {"OnFailure", "Never"});
  } else if (spec.Has("podFailurePolicy") && policy != "Never") {
    spec.errors.Invalid(path, policy, R"(only "Never" is supported when podFailurePolicy is specified)");
  }
}

constexpr Rule kRules[] = {
    NonNegative("parallelism"),
    NonNegative("completions"),
    NonNegative("activeDeadlineSeconds"),
    NonNegative("backoffLimit"),
    NonNegative("ttlSecondsAfterFinished"),
    NonNegative("backoffLimitPerIndex"),
    Call(CheckMaxFailedIndexes),
    Call(CheckManager),
    Call(CheckCompletionMode),
    Call(CheckPodFailurePolicy),
    Call(CheckSuccessPolicy),
    Call(CheckPodReplacement),
    Call(core::CheckTemplate),
    Call(CheckRestartPolicy),
};

}  // namespace

void CheckJobSpec(Scope& spec) { Check(spec, kRules, spec.path, spec.object, spec.old); }

void WarnOfJobSpec(registry::WriteContext& context, std::string_view path, const Value& spec) {
  constexpr int64_t kMany = 10'000;
  const auto number = [&](std::string_view field) { return spec.Get(field).is_int() ? spec.Get(field).AsInt() : 0; };
  if (spec.GetString("completionMode") == "Indexed" && number("completions") > kMostCompletions &&
      number("parallelism") > kMany) {
    context.warnings.push_back(
        base::Cat(path,
                  ": In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, "
                  "Kubernetes might not be able to track completedIndexes when a big number of indexes fail"));
  }
}

}  // namespace resources::batch
