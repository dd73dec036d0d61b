#include "resources/core/tolerations.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

constexpr std::string_view kEffects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
constexpr std::string_view kOperators[] = {"Equal", "Exists"};

void CheckEffect(Errors& errors, const FieldPath& path, std::string_view effect) {
  if (std::ranges::find(kEffects, effect) == std::end(kEffects)) errors.NotSupported(path, effect, kEffects);
}

// The complaints about a label value as one error.
void CheckValue(Errors& errors, const FieldPath& path, std::string_view value) {
  const api::Complaints complaints = api::CheckLabelValue(value);
  if (!complaints.empty()) errors.Invalid(path, value, base::Join(complaints, ";"));
}

void CheckOperator(Errors& errors, const FieldPath& path, std::string_view op, std::string_view value) {
  if (op.empty() || op == "Equal") {
    CheckValue(errors, path, value);
  } else if (op != "Exists") {
    errors.NotSupported(path, op, kOperators);
  } else if (!value.empty()) {
    errors.Invalid(path, value, "value must be empty when `operator` is 'Exists'");
  }
}

void CheckToleration(Errors& errors, const FieldPath& path, const Value& toleration) {
  const std::string_view key = toleration.GetString("key"), op = toleration.GetString("operator");
  const std::string_view effect = toleration.GetString("effect");
  const FieldPath at_operator = path.Child("operator"), at_effect = path.Child("effect");
  if (!key.empty()) kQualifiedName(errors, path.Child("key"), key);
  if (key.empty() && op != "Exists") {
    errors.Invalid(at_operator, op,
                   "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
  }
  if (toleration.Find("tolerationSeconds") != nullptr && effect != "NoExecute") {
    errors.Invalid(at_effect, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  CheckOperator(errors, at_operator, op, toleration.GetString("value"));
  if (!effect.empty()) CheckEffect(errors, at_effect, effect);
}

}  // namespace

void CheckTolerations(Errors& errors, const FieldPath& path, const Value& tolerations) {
  int64_t index = 0;
  for (const Value& toleration : tolerations.items()) CheckToleration(errors, path.Index(index++), toleration);
}

void CheckTaints(Errors& errors, const FieldPath& path, const Value& taints) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  int64_t index = 0;
  for (const Value& taint : taints.items()) {
    const FieldPath item = path.Index(index++);
    const std::string_view key = taint.GetString("key"), effect = taint.GetString("effect");
    kQualifiedName(errors, item.Child("key"), key);
    CheckValue(errors, item.Child("value"), taint.GetString("value"));
    if (effect.empty()) {
      errors.Required(item.Child("effect"));
    } else {
      CheckEffect(errors, item.Child("effect"), effect);
    }
    if (seen.emplace(effect, key).second) continue;
    errors.Add({api::FieldError::Type::kDuplicate, item.text(), PrintBadValue(taint),
                "taints must be unique by key and effect pair"});
  }
}

}  // namespace resources::core
