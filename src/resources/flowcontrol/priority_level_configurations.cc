#include <array>
#include <cmath>
#include <limits>
#include "value/json_writer.h"

#include "base/text.h"
#include "registry/object_meta.h"
#include "registry/semantic_equality.h"
#include "resources/flowcontrol/flow_rules.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::flowcontrol {
namespace {

constexpr int64_t kAnyNumber = std::numeric_limits<int64_t>::max();
constexpr int64_t kMostQueues = 10'000'000;
// How many bits of a request's hash shuffling may use: with more, hands would not be dealt evenly.
constexpr int64_t kHashBits = 60;
constexpr std::array<std::string_view, 2> kLevelTypes = {"Exempt", "Limited"};
constexpr std::array<std::string_view, 2> kResponseTypes = {"Queue", "Reject"};

// Hands are dealt from the queues: the bits that take.
int64_t EntropyBits(int64_t queues, int64_t hand) {
  return static_cast<int64_t>(std::ceil(std::log2(static_cast<double>(queues)) * static_cast<double>(hand)));
}

void CheckQueuing(Scope& queuing) {
  const int64_t length = queuing.Int("queueLengthLimit"), queues = queuing.Int("queues"),
                hand = queuing.Int("handSize");
  if (length <= 0) queuing.errors.Invalid(queuing.At("queueLengthLimit"), length, "must be positive");
  if (queues <= 0) {
    queuing.errors.Invalid(queuing.At("queues"), queues, "must be positive");
  } else if (queues > kMostQueues) {
    queuing.errors.Invalid(queuing.At("queues"), queues, base::Cat("must not be greater than ", kMostQueues));
  }
  const FieldPath path = queuing.At("handSize");
  if (hand <= 0) {
    queuing.errors.Invalid(path, hand, "must be positive");
  } else if (hand > queues) {
    queuing.errors.Invalid(path, hand, base::Cat("should not be greater than queues (", queues, ")"));
  } else if (EntropyBits(queues, hand) > kHashBits) {
    queuing.errors.Invalid(path, hand,
                           base::Cat("required entropy bits of deckSize ", queues, " and handSize ", hand,
                                     " should not be greater than ", kHashBits));
  }
}

constexpr Rule kQueuing[] = {Call(CheckQueuing)};

void CheckLimitResponse(Scope& limited) {
  const Value response = limited.Get("limitResponse");
  const FieldPath path = limited.At("limitResponse");
  const std::string_view type = response.GetString("type");
  const bool has_queuing = response.Find("queuing") != nullptr;
  if (type == "Reject") {
    if (!has_queuing) return;
    limited.errors.Forbidden(path.Child("queuing"), "must be nil if limited.limitResponse.type is not Limited");
  } else if (type != "Queue") {
    limited.errors.NotSupported(path.Child("type"), type, kResponseTypes);
  } else if (!has_queuing) {
    limited.errors.Required(path.Child("queuing"), "must not be empty if limited.limitResponse.type is Limited");
  } else {
    Check(limited, kQueuing, path.Child("queuing"), response.Get("queuing"), nullptr);
  }
}

constexpr Rule kExempt[] = {
    Range("nominalConcurrencyShares", 0, kAnyNumber, "must be a non-negative integer"),
    Range("lendablePercent", 0, 100, "must be between 0 and 100, inclusive"),
};
constexpr Rule kLimited[] = {
    Range("nominalConcurrencyShares", 0, kAnyNumber, "must be a non-negative integer"),
    Call(CheckLimitResponse),
    Range("lendablePercent", 0, 100, "must be between 0 and 100, inclusive"),
    Range("borrowingLimitPercent", 0, kAnyNumber, "if specified, must be a non-negative integer"),
};

void CheckLevel(Scope& spec) {
  const std::string_view type = spec.String("type");
  const bool exempt = registry::ObjectMeta(spec.parent->object).name() == "exempt";
  if (exempt != (type == "Exempt")) {
    spec.errors.Invalid(spec.At("type"), type, "type must be 'Exempt' if and only if name is 'exempt'");
  }
  if (type == "Exempt") {
    if (spec.Has("limited")) spec.errors.Forbidden(spec.At("limited"), "must be nil if the type is not Limited");
    if (spec.Has("exempt")) Check(spec, kExempt, spec.At("exempt"), spec.Get("exempt"), nullptr);
  } else if (type == "Limited") {
    if (spec.Has("exempt")) spec.errors.Forbidden(spec.At("exempt"), "must be nil if the type is Limited");
    if (!spec.Has("limited")) return spec.errors.Required(spec.At("limited"), "must not be empty when type is Limited");
    Check(spec, kLimited, spec.At("limited"), spec.Get("limited"), nullptr);
  } else {
    spec.errors.NotSupported(spec.At("type"), type, kLevelTypes);
  }
}

// `level` with nothing but its spec; of that, without `exempt` where that may be anything.
Value Fixed(const Value& spec, bool but_exempt, registry::Arena& arena) {
  const Value fixed = Value::Object(arena, 2);
  for (const value::Member& member : spec.members()) {
    if (!but_exempt || member.key != "exempt") fixed.Add(arena, member.key, member.value);
  }
  const Value level = Value::Object(arena, 1);
  level.Add(arena, "spec", fixed);
  return level;
}

void CheckMandatory(Scope& level) {
  const std::string_view name = registry::ObjectMeta(level.object).name();
  const Value wanted = MandatorySpec(level.context, name);
  if (wanted.is_null()) return;
  const bool but_exempt = name == "exempt";
  registry::Arena& arena = level.context.arena;
  if (registry::SameAt(*level.context.resource.type, "spec", Fixed(level.Get("spec"), but_exempt, arena),
                       Fixed(wanted, but_exempt, arena))) {
    return;
  }
  level.errors.InvalidAs(level.At("spec"),
                         base::Cat("flowcontrol.PriorityLevelConfigurationSpec", value::ToJson(level.Get("spec"))),
                         base::Cat("spec of '", name, "'", but_exempt ? " except the 'spec.exempt' field" : "",
                                   " must equal the fixed value"));
}

constexpr Rule kSpecRules[] = {Call(CheckLevel)};

void CheckSpec(Scope& level) {
  Check(level, kSpecRules, level.At("spec"), level.Get("spec"), nullptr);
  CheckMandatory(level);
}

constexpr Rule kRules[] = {Call(CheckSpec)};
constexpr Rule kStatus[] = {Call(CheckConditions)};
constexpr Rule kStatusRules[] = {Into("status", kStatus)};

}  // namespace

constinit const registry::StrategyTable kPriorityLevelConfigurations = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules, kStatusRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kFull,
            .has_generation = true,
            .generation_of = kSpec,
            .resets = kStatusResets,
            .status_write_keeps = registry::kWholeMetadata,
        },
};

}  // namespace resources::flowcontrol
