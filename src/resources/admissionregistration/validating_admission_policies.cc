#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "registry/object_meta.h"
#include "resources/admissionregistration/policy_rules.h"
#include "resources/admissionregistration/type_checking.h"
#include "resources/rules/conditions.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::admissionregistration {
namespace {

constexpr int64_t kMostAuditAnnotations = 20;
constexpr size_t kMostValueExpression = 5 * 1024;
constexpr std::array<std::string_view, 3> kReasons = {"Forbidden", "Invalid", "RequestEntityTooLarge"};

// The expressions of one spec, looked at in their order.
struct Expressions {
  Scope& spec;
  ExpressionChecker checker;
  bool has_params = spec.Has("paramKind");
  std::set<std::string_view> validations = StoredExpressions(spec, "validations", "expression");
  std::set<std::string_view> messages = StoredExpressions(spec, "validations", "messageExpression");
  std::set<std::string_view> annotations = StoredExpressions(spec, "auditAnnotations", "valueExpression");
};

bool BreaksLine(std::string_view text) { return text.find_first_of("\n\r") != text.npos; }

void CheckMessage(Errors& errors, const FieldPath& at, const Value& validation) {
  const std::string_view message = validation.GetString("message"), text = Trimmed(message);
  if (!message.empty() && text.empty()) {
    errors.Invalid(at.Child("message"), message, "message must be non-empty if specified");
  } else if (BreaksLine(text)) {
    errors.Invalid(at.Child("message"), message, "message must not contain line breaks");
  }
  const Value* reason = validation.Find("reason");
  if (reason == nullptr || std::ranges::find(kReasons, reason->AsString()) != kReasons.end()) return;
  errors.NotSupported(at.Child("reason"), reason->AsString(), kReasons);
}

void CheckValidation(Expressions& expressions, const FieldPath& at, const Value& validation) {
  Errors& errors = expressions.spec.errors;
  const std::string_view expression = validation.GetString("expression");
  if (Trimmed(expression).empty()) {
    errors.Required(at.Child("expression"), "expression is not specified");
  } else {
    expressions.checker.Check(errors, at.Child("expression"),
                              {.kind = ExpressionKind::kValidation,
                               .text = expression,
                               .reported = expression,
                               .has_params = expressions.has_params,
                               .stored = expressions.validations.contains(expression)});
  }
  const std::string_view message = validation.GetString("messageExpression");
  if (!message.empty() && Trimmed(message).empty()) {
    errors.Invalid(at.Child("messageExpression"), message, "must be non-empty if specified");
  } else if (!message.empty()) {
    expressions.checker.Check(errors, at.Child("messageExpression"),
                              {.kind = ExpressionKind::kMessage,
                               .text = message,
                               .reported = message,
                               .has_params = expressions.has_params,
                               .has_authorizer = false,
                               .stored = expressions.messages.contains(message)});
  }
  CheckMessage(errors, at, validation);
}

void CheckAuditKey(Scope& spec, const FieldPath& path, std::string_view key) {
  const std::string_view name = registry::ObjectMeta(spec.parent->object).name();
  if (name.empty()) return spec.errors.Invalid(path, key, "requires metadata.name be non-empty");
  const std::string whole = base::Cat(name, "/", key);
  PutComplaints(spec.errors, path, whole, api::CheckQualifiedName(whole));
}

void CheckAuditAnnotation(Expressions& expressions, const FieldPath& at, const Value& annotation) {
  Errors& errors = expressions.spec.errors;
  CheckAuditKey(expressions.spec, at.Child("key"), annotation.GetString("key"));
  const FieldPath path = at.Child("valueExpression");
  const std::string_view whole = annotation.GetString("valueExpression"), text = Trimmed(whole);
  if (text.empty()) return errors.Required(path, "valueExpression is not specified");
  if (text.size() > kMostValueExpression) return errors.Required(path, "must not exceed 5120 bytes in length");
  expressions.checker.Check(errors, path,
                            {.kind = ExpressionKind::kAuditAnnotation,
                             .text = text,
                             .reported = whole,
                             .has_params = expressions.has_params,
                             .stored = expressions.annotations.contains(whole)});
}

void CheckAuditAnnotations(Expressions& expressions) {
  const Value annotations = expressions.spec.Get("auditAnnotations");
  const FieldPath list = expressions.spec.At("auditAnnotations");
  if (annotations.size() > kMostAuditAnnotations) {
    expressions.spec.errors.Invalid(list, annotations, "must not have more than 20 auditAnnotations");
  }
  std::set<std::string_view> keys;
  for (uint32_t i = 0; i < annotations.size(); ++i) {
    const FieldPath at = list.Index(i);
    CheckAuditAnnotation(expressions, at, annotations[i]);
    const std::string_view key = annotations[i].GetString("key");
    if (!keys.insert(key).second) expressions.spec.errors.Duplicate(at.Child("key"), key);
  }
}

void CheckExpressions(Scope& spec) {
  Expressions expressions{spec, {}};
  CheckVariables(spec, expressions.checker, expressions.validations);
  if (spec.Get("validations").empty() && spec.Get("auditAnnotations").empty()) {
    for (std::string_view field : {"validations", "auditAnnotations"}) {
      spec.errors.Required(spec.At(field), "validations or auditAnnotations must contain at least one item");
    }
    return;
  }
  const FieldPath list = spec.At("validations");
  int64_t index = 0;
  for (const Value& validation : spec.Get("validations").items()) {
    CheckValidation(expressions, list.Index(index++), validation);
  }
  CheckAuditAnnotations(expressions);
}

void CheckStatusConditions(Scope& status) {
  CheckConditions(status.errors, status.At("conditions"), status.Get("conditions"));
}

constexpr Rule kSpecRules[] = {Call(CheckMatching), Call(CheckPolicyConditions), Call(CheckExpressions)};
constexpr Rule kRules[] = {IntoStruct("spec", kSpecRules)};
constexpr Rule kStatus[] = {Call(CheckTypeChecking), Call(CheckStatusConditions)};
constexpr Rule kStatusRules[] = {Into("status", kStatus)};

}  // namespace

constinit const registry::StrategyTable kValidatingAdmissionPolicies = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules, kStatusRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kFull,
            .strict_finalizers = false,
            .allow_unconditional_update = false,
            .has_generation = true,
            .generation_of = kSpec,
            .resets = kStatusResets,
            .status_write_keeps = registry::kForStatus,
        },
};

}  // namespace resources::admissionregistration
