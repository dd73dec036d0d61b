#include "resources/apiextensions/expression_rules.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "api/quote.h"
#include "base/text.h"
#include "customresources/rule_compiler.h"
#include "customresources/schema_field_path.h"
#include "resources/apiextensions/schema_access.h"
#include "resources/apiextensions/structural_schema.h"

namespace resources::apiextensions {
namespace {

using base::Cat;
using customresources::Trimmed;

constexpr std::array<std::string_view, 4> kReasons = {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
                                                      "FieldValueRequired"};

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

// `known`: whether all keywords of the schema are supported.
void CheckFieldPath(Errors& errors, const FieldPath& path, std::string_view field, const Value& schema, bool known) {
  if (field.empty()) return;
  if (Trimmed(field).empty()) errors.Invalid(path, field, "fieldPath must be non-empty if specified");
  if (BreaksLine(field)) errors.Invalid(path, field, "fieldPath must not contain line breaks");
  if (known && !customresources::FindField(field, schema, true)) {
    errors.Invalid(path, field, "fieldPath must be a valid path");
  }
}

constexpr uint64_t kMostRuleCost = 10'000'000;
constexpr uint64_t kMostSchemaCost = 100'000'000;
constexpr uint64_t kLargest = std::numeric_limits<uint64_t>::max();

uint64_t Multiply(uint64_t cost, uint64_t times) {
  if (cost == 0) return 0;
  return kLargest / cost < times ? kLargest : cost * times;
}

std::string CostText(std::string_view what, uint64_t cost, uint64_t most) {
  const double times = static_cast<double>(cost) / static_cast<double>(most);
  char factor[64] = "more than 100x";
  if (times <= 100) std::snprintf(factor, sizeof factor, times < 1.5 ? "%.6fx" : "%.1fx", times);
  return Cat(what, " exceeds budget by factor of ", factor,
             " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and "
             "strings are declared)");
}

// A rule as the real server shows it.
std::string PrintRule(const Value& rule) {
  const auto text = [&](std::string_view field) { return api::Quote(rule.GetString(field)); };
  const Value optional = rule.Get("optionalOldSelf");
  return Cat("apiextensions.ValidationRule{Rule:", text("rule"), ", Message:", text("message"),
             ", MessageExpression:", text("messageExpression"), ", Reason:(*apiextensions.FieldValueErrorReason)(",
             rule.Find("reason") != nullptr ? "0xc000000000" : "nil", "), FieldPath:", text("fieldPath"),
             ", OptionalOldSelf:(*bool)(", optional.is_bool() ? "0xc000000000" : "nil", ")}");
}

schema::ValidationRule RuleOf(const Value& rule) {
  const Value optional = rule.Get("optionalOldSelf");
  return {.rule = rule.GetString("rule"),
          .message = rule.GetString("message"),
          .message_expression = rule.GetString("messageExpression"),
          .reason = rule.GetString("reason"),
          .field_path = rule.GetString("fieldPath"),
          .optional_old_self = optional.is_bool() ? std::optional(optional.AsBool()) : std::nullopt};
}

// How many values of its parts a value may have; nullopt is not bounded.
std::optional<uint64_t> MostParts(const Value& schema) {
  const auto bound = [&](std::string_view keyword) -> std::optional<uint64_t> {
    const Value found = schema.Get(keyword);
    if (!found.is_int()) return std::nullopt;
    return static_cast<uint64_t>(std::max<int64_t>(found.AsInt(), 0));
  };
  const std::string_view type = schema.GetString("type");
  if (type == "object" && Has(schema, "additionalProperties")) return bound("maxProperties");
  if (type == "array") return bound("maxItems");
  return 1;
}

// The rules of one schema.
class Compiler {
 public:
  Compiler(Errors& errors, const ExpressionScope& scope, const cel::Declaration& declaration,
           std::string_view uncorrelated, const ExpressionOptions& options)
      : errors_(errors),
        scope_(scope),
        declaration_(declaration),
        uncorrelated_(uncorrelated),
        options_(options),
        compiler_(scope.declarations(), declaration) {}

  void Check(const FieldPath& path, const Value& rule) {
    const schema::ValidationRule text = RuleOf(rule);
    const customresources::CompiledRule compiled = compiler_.Compile(text, VersionsOf(text));
    const FieldPath at = path.Child("rule"), message_at = path.Child("messageExpression");
    CheckCost(at, "estimated rule cost", scope_.Times(compiled.cost, declaration_));
    if (!compiled.error.empty()) errors_.InvalidAs(at, PrintRule(rule), compiled.error);
    if (!compiled.message_error.empty()) errors_.InvalidAs(message_at, PrintRule(rule), compiled.message_error);
    if (compiled.message != nullptr) CheckCost(message_at, "estimated messageExpression cost", compiled.message_cost);
    if (compiled.uses_old_self) {
      if (uncorrelated_.empty()) return;
      errors_.Invalid(at, text.rule,
                      Cat("oldSelf cannot be used on the uncorrelatable portion of the schema within ", uncorrelated_));
    } else if (text.optional_old_self) {
      errors_.Invalid(path.Child("optionalOldSelf"), Value::Bool(*text.optional_old_self),
                      "may not be set if oldSelf is not used in rule");
    }
  }

 private:
  customresources::RuleCompiler::Versions VersionsOf(const schema::ValidationRule& rule) const {
    const auto version = [](bool known) { return known ? cel::kStoredExpressions : cel::kNewExpressions; };
    const KnownExpressions* known = options_.known;
    return {version(known != nullptr && known->rules.contains(rule.rule)),
            version(known != nullptr && known->messages.contains(rule.message_expression))};
  }

  void CheckCost(const FieldPath& path, std::string_view what, uint64_t cost) {
    if (!options_.may_cost_more && cost > kMostRuleCost) errors_.Forbidden(path, CostText(what, cost, kMostRuleCost));
    scope_.total().Observe(path.text(), cost);
  }

  Errors& errors_;
  const ExpressionScope& scope_;
  const cel::Declaration& declaration_;
  const std::string_view uncorrelated_;
  const ExpressionOptions& options_;
  customresources::RuleCompiler compiler_;
};

}  // namespace

// ---- what was there before

void KnownExpressions::Add(const Value& schema) {
  if (schema.is_array()) {
    for (const Value& one : schema.items()) Add(one);
  }
  if (!schema.is_object()) return;
  for (const Value& rule : schema.Get(kValidations).items()) {
    rules.emplace(rule.GetString("rule"));
    if (const std::string_view message = rule.GetString("messageExpression"); !message.empty()) {
      messages.emplace(message);
    }
  }
  for (std::string_view one : {"items", "allOf", "anyOf", "oneOf", "not", "additionalProperties", "additionalItems"}) {
    Add(schema.Get(one));
  }
  for (std::string_view map : {"properties", "patternProperties", "definitions", "dependencies"}) {
    for (const value::Member& member : schema.Get(map).members()) Add(member.value);
  }
}

// ---- costs

void TotalCost::Observe(std::string path, uint64_t cost) {
  total_ = kLargest - total_ < cost ? kLargest : total_ + cost;
  if (cost < kMostSchemaCost / 100) return;
  const auto at = std::ranges::find_if(dearest_, [&](const auto& other) { return other.second < cost; });
  dearest_.emplace(at, std::move(path), cost);
  if (dearest_.size() > kMostTold) dearest_.pop_back();
}

void TotalCost::Tell(Errors& errors, const FieldPath& path) const {
  if (total_ <= kMostSchemaCost) return;
  for (const auto& [expression, cost] : dearest_) {
    errors.Forbidden(FieldPath(expression),
                     "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema");
  }
  errors.Forbidden(path, CostText("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
                                  total_, kMostSchemaCost));
}

// ---- scopes

bool ExpressionScope::HasRules(const Value& schema) { return !schema.Get(kValidations).empty(); }

ExpressionScope ExpressionScope::Below(const Value& schema, Step step) const {
  ExpressionScope below(schema, *total_);
  below.parent_ = this;
  below.has_rules_ |= has_rules_;
  below.step_ = step;
  const auto parts = MostParts(schema_);
  below.most_ = most_ && parts ? std::optional(Multiply(*most_, *parts)) : std::nullopt;
  return below;
}

ExpressionScope ExpressionScope::Property(const Value& schema, std::string_view name) const {
  ExpressionScope below = Below(schema, Step::kProperty);
  below.name_ = name;
  return below;
}
ExpressionScope ExpressionScope::Element(const Value& schema) const { return Below(schema, Step::kElement); }

const cel::Declaration* ExpressionScope::Declaration() const {
  if (looked_ || !has_rules_) return declaration_;
  looked_ = true;
  if (const cel::Declaration* around = parent_ != nullptr ? parent_->Declaration() : nullptr) {
    declarations_ = parent_->declarations_;
    if (step_ == Step::kElement) {
      declaration_ = around->element;
    } else if (std::string escaped; cel::EscapeName(name_, escaped)) {
      const cel::DeclaredField* field = around->Field(escaped);
      declaration_ = field != nullptr ? field->declaration : nullptr;
    }
  }
  if (declaration_ == nullptr) {
    declarations_ = std::make_shared<cel::Declarations>();
    declaration_ =
        cel::DeclareSchema(*declarations_, schema_, "object", parent_ == nullptr || IsSet(schema_, kEmbedded));
  }
  return declaration_;
}

uint64_t ExpressionScope::Times(uint64_t cost, const cel::Declaration& declaration) const {
  return Multiply(cost, most_ ? *most_ : cel::kMaxRequestBytes / (declaration.min_serialized_size + 1));
}

// ---- checks

void CheckExpressionTexts(Errors& errors, const FieldPath& path, const Value& schema) {
  const Value rules = schema.Get(kValidations);
  if (rules.empty()) return;
  const FieldPath list = path.Child(kValidations);
  const bool known = UnsupportedKeyword(schema).empty();
  for (uint32_t i = 0; i < rules.size() && !errors.full(); ++i) {
    const FieldPath at = list.Index(i);
    CheckRuleAndMessage(errors, at, rules[i]);
    const Value* reason = rules[i].Find("reason");
    if (reason != nullptr && std::ranges::find(kReasons, reason->AsString()) == kReasons.end()) {
      errors.NotSupported(at.Child("reason"), reason->AsString(), kReasons);
    }
    CheckFieldPath(errors, at.Child("fieldPath"), rules[i].GetString("fieldPath"), schema, known);
  }
}

void CompileExpressions(Errors& errors, const FieldPath& path, const Value& schema, const ExpressionScope& scope,
                        std::string_view uncorrelated, const ExpressionOptions& options) {
  const Value rules = schema.Get(kValidations);
  if (rules.empty()) return;
  const FieldPath list = path.Child(kValidations);
  const cel::Declaration* declaration = scope.Declaration();
  if (declaration == nullptr) {
    return errors.Internal(list,
                           "internal error: failed to construct type information for x-kubernetes-validations rules: "
                           "unable to convert structural schema to CEL declarations");
  }
  Compiler compiler(errors, scope, *declaration, uncorrelated, options);
  for (uint32_t i = 0; i < rules.size(); ++i) compiler.Check(list.Index(i), rules[i]);
}

}  // namespace resources::apiextensions
