#include <algorithm>
#include <string>

#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::scheduling {
namespace {

constexpr int64_t kHighestOfUsers = 1'000'000'000;
constexpr std::string_view kSystemPrefix = "system-";

struct SystemClass {
  std::string_view name;
  int64_t value;
};
constexpr SystemClass kSystemClasses[] = {
    {"system-node-critical", 2'000'001'000},
    {"system-cluster-critical", 2'000'000'000},
};

// Why a class of that name is none of the system's; "" for one that is.
std::string WhyNotOfSystem(const Scope& priority_class, std::string_view name) {
  const auto known = std::ranges::find(kSystemClasses, name, &SystemClass::name);
  if (known == std::end(kSystemClasses)) return std::string(name) + " is not a known system priority class";
  if (priority_class.Int("value") != known->value) {
    return "value of " + std::string(name) + " PriorityClass must be " + std::to_string(known->value);
  }
  const Value is_default = priority_class.Get("globalDefault");
  if (!is_default.is_bool() || !is_default.AsBool()) return {};
  return "globalDefault of " + std::string(name) + " PriorityClass must be false";
}

void CheckValue(Scope& priority_class) {
  const std::string_view name = priority_class.object.Get("metadata").GetString("name");
  if (!name.starts_with(kSystemPrefix)) {
    if (priority_class.Int("value") <= kHighestOfUsers) return;
    return priority_class.errors.Forbidden(
        priority_class.At("value"),
        "maximum allowed value of a user defined priority is " + std::to_string(kHighestOfUsers));
  }
  const std::string why = WhyNotOfSystem(priority_class, name);
  if (why.empty()) return;
  const FieldPath metadata("metadata");
  priority_class.errors.Forbidden(metadata.Child("name"),
                                  "priority class names with '" + std::string(kSystemPrefix) +
                                      "' prefix are reserved for system use only. error: " + why);
}

void CheckPolicy(Scope& priority_class) {
  if (!priority_class.Has("preemptionPolicy")) return;
  const std::string_view policy = priority_class.String("preemptionPolicy");
  if (policy.empty()) return priority_class.errors.Required(priority_class.At("preemptionPolicy"));
  if (policy == "PreemptLowerPriority" || policy == "Never") return;
  priority_class.errors.NotSupported(priority_class.At("preemptionPolicy"), policy, {"PreemptLowerPriority", "Never"});
}

void CheckSameValue(Scope& priority_class) {
  const Value before = priority_class.old->Get("value");
  if (priority_class.Int("value") == (before.is_int() ? before.AsInt() : 0)) return;
  priority_class.errors.Forbidden(priority_class.At("value"), "may not be changed in an update.");
}

constexpr Rule kRules[] = {Call(CheckValue), Call(CheckPolicy)};
constexpr Rule kUpdateRules[] = {Call(CheckSameValue), Immutable("preemptionPolicy")};

}  // namespace

constinit const registry::StrategyTable kPriorityClasses = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .has_generation = true,
        },
};

}  // namespace resources::scheduling
