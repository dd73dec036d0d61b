#include "resources/admissionregistration/webhook_rules.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/text.h"
#include "resources/admissionregistration/matching_rules.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/webhook_checks.h"

namespace resources::admissionregistration {
namespace {

constexpr std::array<std::string_view, 2> kNoSideEffects = {"None", "NoneOnDryRun"};
constexpr std::array<std::string_view, 4> kSideEffects = {"None", "NoneOnDryRun", "Some", "Unknown"};
constexpr std::string_view kSelectors[] = {"namespaceSelector", "objectSelector"};

// What the former configuration lets the new one do.
struct Tolerance {
  bool side_effects = false, unknown_reviews = false, repeated_names = false, bad_selectors = false;
  bool same_conditions = false;  // no match condition has changed: they are not looked at
  std::set<std::string_view> expressions;
};

bool HasBadSelector(const Value& webhook) {
  return std::ranges::any_of(kSelectors, [&](std::string_view field) {
    Errors errors;
    CheckLabelSelector(errors, FieldPath(), webhook.Get(field));
    return !errors.empty();
  });
}

Tolerance ToleranceOf(const Value& before, const Value& now) {
  Tolerance tolerance;
  tolerance.same_conditions = before.size() == now.size();
  std::set<std::string_view> names;
  for (uint32_t i = 0; i < before.size(); ++i) {
    const Value& webhook = before[i];
    const Value versions = webhook.Get("admissionReviewVersions"), conditions = webhook.Get("matchConditions");
    tolerance.side_effects |=
        std::ranges::find(kNoSideEffects, webhook.GetString("sideEffects")) == kNoSideEffects.end();
    tolerance.unknown_reviews |= !versions.empty() && !HasKnownReviewVersion(versions);
    tolerance.repeated_names |= !names.insert(webhook.GetString("name")).second;
    tolerance.bad_selectors |= HasBadSelector(webhook);
    tolerance.same_conditions = tolerance.same_conditions && value::Equal(now[i].Get("matchConditions"), conditions);
    for (const Value& condition : conditions.items()) tolerance.expressions.insert(condition.GetString("expression"));
  }
  return tolerance;
}

// A name of at least three labels.
void CheckName(Scope& webhook) {
  const std::string_view name = webhook.String("name");
  const FieldPath path = webhook.At("name");
  if (name.empty()) return webhook.errors.Required(path);
  std::string joined;
  for (const std::string& complaint : api::CheckDns1123Subdomain(name)) {
    base::Append(joined, joined.empty() ? "" : ",", complaint);
  }
  if (!joined.empty()) return webhook.errors.Invalid(path, name, joined);
  if (std::ranges::count(name, '.') < 2) {
    webhook.errors.Invalid(path, name, "should be a domain with at least three segments separated by dots");
  }
}

void CheckSideEffects(Scope& webhook, const Tolerance& tolerance) {
  const auto allowed = tolerance.side_effects ? std::span<const std::string_view>(kSideEffects)
                                              : std::span<const std::string_view>(kNoSideEffects);
  const FieldPath path = webhook.At("sideEffects");
  if (!webhook.Has("sideEffects")) {
    std::string detail = "must specify one of ";
    for (size_t i = 0; i < allowed.size(); ++i) base::Append(detail, i > 0 ? ", " : "", allowed[i]);
    return webhook.errors.Required(path, detail);
  }
  const std::string_view effects = webhook.String("sideEffects");
  if (std::ranges::find(allowed, effects) == allowed.end()) webhook.errors.NotSupported(path, effects, allowed);
}

constexpr Rule kRuleWithOperations[] = {Call(CheckRuleWithOperations)};
constexpr Rule kBeforeSideEffects[] = {
    Call(CheckName),
    Each("rules", kRuleWithOperations),
    EnumWhereSet("failurePolicy", kFailurePolicies),
    EnumWhereSet("matchPolicy", kMatchPolicies),
};
constexpr Rule kAfterSideEffects[] = {
    Range("timeoutSeconds", 1, 30, "the timeout value must be between 1 and 30 seconds"),
};
constexpr Rule kReinvocation[] = {EnumWhereSet("reinvocationPolicy", kReinvocationPolicies)};

void CheckWebhook(Scope& webhook, const Tolerance& tolerance, bool mutating) {
  Check(webhook, kBeforeSideEffects, webhook.path, webhook.object, nullptr);
  CheckSideEffects(webhook, tolerance);
  Check(webhook, kAfterSideEffects, webhook.path, webhook.object, nullptr);
  for (std::string_view field : kSelectors) {
    CheckLabelSelector(webhook.errors, webhook.At(field), webhook.Get(field),
                       {.allow_invalid_values = tolerance.bad_selectors});
  }
  if (mutating) Check(webhook, kReinvocation, webhook.path, webhook.object, nullptr);
  CheckWebhookClient(webhook.errors, webhook.At("clientConfig"), webhook.Get("clientConfig"));
  if (!tolerance.same_conditions) CheckMatchConditions(webhook, {.stored = &tolerance.expressions});
  CheckReviewVersions(webhook.errors, webhook.At("admissionReviewVersions"), webhook.Get("admissionReviewVersions"),
                      "must specify one of v1, v1beta1", !tolerance.unknown_reviews);
}

void CheckWebhooks(Scope& configuration, bool mutating) {
  const Value webhooks = configuration.Get("webhooks");
  const Tolerance tolerance =
      configuration.old == nullptr ? Tolerance() : ToleranceOf(configuration.old->Get("webhooks"), webhooks);
  const FieldPath list = configuration.At("webhooks");
  std::set<std::string_view> names;
  for (uint32_t i = 0; i < webhooks.size(); ++i) {
    const FieldPath at = list.Index(i);
    Scope webhook{configuration.context, at, webhooks[i], nullptr, configuration.errors, &configuration};
    CheckWebhook(webhook, tolerance, mutating);
    const std::string_view name = webhook.String("name");
    if (tolerance.repeated_names || name.empty() || names.insert(name).second) continue;
    configuration.errors.Duplicate(at.Child("name"), name);
  }
}

}  // namespace

void CheckValidatingWebhooks(Scope& configuration) { CheckWebhooks(configuration, false); }
void CheckMutatingWebhooks(Scope& configuration) { CheckWebhooks(configuration, true); }

}  // namespace resources::admissionregistration
