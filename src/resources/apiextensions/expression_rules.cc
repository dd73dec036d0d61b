#include "resources/apiextensions/expression_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "absl/strings/ascii.h"
#include "resources/apiextensions/field_path.h"
#include "resources/apiextensions/schema_access.h"
#include "resources/apiextensions/structural_schema.h"

namespace resources::apiextensions {
namespace {

constexpr std::array<std::string_view, 4> kReasons = {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
                                                      "FieldValueRequired"};

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

bool BreaksLine(std::string_view text) { return text.find_first_of("\n\r") != text.npos; }

void CheckRuleAndMessage(Errors& errors, const FieldPath& path, const Value& rule) {
  const std::string_view expression = Trimmed(rule.GetString("rule"));
  const std::string_view message = rule.GetString("message"), text = Trimmed(message);
  if (expression.empty()) {
    errors.Required(path.Child("rule"), "rule is not specified");
  } else if (!message.empty() && text.empty()) {
    errors.Invalid(path.Child("message"), message, "message must be non-empty if specified");
  } else if (BreaksLine(text)) {
    errors.Invalid(path.Child("message"), message, "message must not contain line breaks");
  } else if (BreaksLine(expression) && text.empty()) {
    errors.Required(path.Child("message"), "message must be specified if rule contains line breaks");
  }
  const std::string_view by_expression = rule.GetString("messageExpression");
  if (!by_expression.empty() && Trimmed(by_expression).empty()) {
    errors.Required(path.Child("messageExpression"), "messageExpression must be non-empty if specified");
  }
}

void CheckFieldPath(Errors& errors, const FieldPath& path, std::string_view field, const Value& schema) {
  if (field.empty()) return;
  if (Trimmed(field).empty()) errors.Invalid(path, field, "fieldPath must be non-empty if specified");
  if (BreaksLine(field)) errors.Invalid(path, field, "fieldPath must not contain line breaks");
  if (UnsupportedKeyword(schema).empty() && !FindField(field, schema, true)) {
    errors.Invalid(path, field, "fieldPath must be a valid path");
  }
}

// The compiler of expressions comes in here, for schemas that are right; until it does, every expression passes.
void CompileExpressions(Errors&, const FieldPath&, const Value&) {}

}  // namespace

void CheckExpressions(Errors& errors, const FieldPath& path, const Value& schema, bool schema_is_wrong) {
  const Value rules = schema.Get(kValidations);
  const FieldPath list = path.Child(kValidations);
  const size_t before = errors.size();
  for (uint32_t i = 0; i < rules.size(); ++i) {
    const FieldPath at = list.Index(i);
    CheckRuleAndMessage(errors, at, rules[i]);
    const Value* reason = rules[i].Find("reason");
    if (reason != nullptr && std::ranges::find(kReasons, reason->AsString()) == kReasons.end()) {
      errors.NotSupported(at.Child("reason"), reason->AsString(), kReasons);
    }
    CheckFieldPath(errors, at.Child("fieldPath"), rules[i].GetString("fieldPath"), schema);
  }
  if (!rules.empty() && !schema_is_wrong && errors.size() == before) CompileExpressions(errors, path, schema);
}

}  // namespace resources::apiextensions
