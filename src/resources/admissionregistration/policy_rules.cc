#include "resources/admissionregistration/policy_rules.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "resources/admissionregistration/matching_rules.h"

namespace resources::admissionregistration {
namespace {

constexpr std::array<std::string_view, 21> kReserved = {
    "true", "false",  "null", "in",   "as",      "break",     "const",  "continue", "else", "for",  "function",
    "if",   "import", "let",  "loop", "package", "namespace", "return", "var",      "void", "while"};

bool IsIdentifier(std::string_view name) {
  const auto word = [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; };
  return !absl::ascii_isdigit(static_cast<unsigned char>(name.front())) && std::ranges::all_of(name, word) &&
         std::ranges::find(kReserved, name) == kReserved.end();
}

void CheckFailurePolicy(Scope& spec) {
  if (!spec.Has("failurePolicy")) spec.errors.Required(spec.At("failurePolicy"));
}

void CheckMatchConstraints(Scope& spec) {
  const FieldPath path = spec.At("matchConstraints");
  if (!spec.Has("matchConstraints")) return spec.errors.Required(path);
  CheckMatchResources(spec, "matchConstraints");
  if (spec.Get({"matchConstraints", "resourceRules"}).empty()) spec.errors.Required(path.Child("resourceRules"));
}

constexpr Rule kMatching[] = {
    Call(CheckFailurePolicy),
    EnumWhereSet("failurePolicy", kFailurePolicies),
    Call(CheckParamKind),
    Call(CheckMatchConstraints),
};

}  // namespace

void CheckMatching(Scope& spec) { Check(spec, kMatching, spec.path, spec.object, nullptr); }

void CheckPolicyConditions(Scope& spec) {
  if (spec.old != nullptr && value::Equal(spec.Get("paramKind"), spec.old->Get("paramKind")) &&
      value::Equal(spec.Get("matchConditions"), spec.old->Get("matchConditions"))) {
    return;
  }
  const std::set<std::string_view> stored = StoredExpressions(spec, "matchConditions", "expression");
  CheckMatchConditions(spec, {.has_params = spec.Has("paramKind"), .stored = &stored});
}

void CheckVariables(Scope& spec, ExpressionChecker& checker, const std::set<std::string_view>& stored) {
  const FieldPath list = spec.At("variables");
  const size_t count = spec.Get("variables").size();
  if (count > cel::kMostPolicyVariables) return spec.errors.TooMany(list, count, cel::kMostPolicyVariables);
  int64_t index = 0;
  for (const Value& variable : spec.Get("variables").items()) {
    const FieldPath at = list.Index(index++);
    const std::string_view name = variable.GetString("name"), expression = variable.GetString("expression");
    if (Trimmed(name).empty()) {
      spec.errors.Required(at.Child("name"), "name is not specified");
    } else if (!IsIdentifier(name)) {
      spec.errors.Invalid(at.Child("name"), name, "name is not a valid CEL identifier");
    }
    if (Trimmed(expression).empty()) {
      spec.errors.Required(at.Child("expression"), "expression is not specified");
      continue;
    }
    checker.Check(spec.errors, at.Child("expression"),
                  {.kind = ExpressionKind::kVariable,
                   .text = expression,
                   .reported = expression,
                   .name = name,
                   .has_params = spec.Has("paramKind"),
                   .stored = stored.contains(expression)});
  }
}

std::set<std::string_view> StoredExpressions(const Scope& spec, std::string_view list, std::string_view field) {
  std::set<std::string_view> stored;
  if (spec.old == nullptr) return stored;
  for (const Value& item : spec.old->Get(list).items()) stored.insert(item.GetString(field));
  return stored;
}

}  // namespace resources::admissionregistration
