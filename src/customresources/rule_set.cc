#include "customresources/rule_set.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/field_path.h"
#include "api/quote.h"
#include "base/text.h"
#include "cel/schema_declaration.h"
#include "customresources/rule_compiler.h"
#include "customresources/schema_field_path.h"
#include "customresources/validate.h"

namespace customresources {

using api::FieldPath;
using base::Cat;
using schema::Property;
using schema::Structural;
using schema::ValidationRule;
using value::Arena;
using value::Member;

// A schema with rules, or with such below.
struct RuleSet::Node {
  struct Rule {
    const ValidationRule* text;
    CompiledRule compiled;
    std::string field_path;  // where its failure is told, from here: "a.b"; "" here
  };
  const Structural* schema;
  const cel::Declaration* declaration;
  bool any_uses_old_self = false;
  std::vector<Rule> rules;
  std::unique_ptr<const Node> items, additional;
  std::vector<std::pair<std::string_view, std::unique_ptr<const Node>>> properties;  // by name
};

namespace {

using Node = RuleSet::Node;
using Type = api::FieldError::Type;

constexpr int64_t kObjectBudget = 10'000'000;
constexpr size_t kMostMessage = 5 * 1024;
constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

// ---- what declarations and paths are made of

// What declarations want to know of a schema, as a document.
Value DocumentOf(Arena& arena, const Structural& schema) {
  const Value document = Value::Object(arena, 8);
  const auto put = [&](std::string_view key, const Value& content) { document.Add(arena, key, content); };
  const auto flag = [&](std::string_view key, bool set) {
    if (set) put(key, Value::Bool(true));
  };
  const auto texts = [&](std::string_view key, std::span<const std::string_view> from) {
    if (from.empty()) return;
    const Value list = Value::Array(arena, static_cast<uint32_t>(from.size()));
    for (std::string_view text : from) list.Append(arena, Value::String(text));
    put(key, list);
  };
  if (schema.type != schema::JsonType::kAny) put("type", Value::String(schema::NameOf(schema.type)));
  flag("nullable", schema.nullable);
  flag("x-kubernetes-int-or-string", schema.int_or_string);
  flag("x-kubernetes-embedded-resource", schema.embedded);
  flag("x-kubernetes-preserve-unknown-fields", schema.preserve_unknown);
  if (schema.list_type != schema::ListType::kAtomic) {
    put("x-kubernetes-list-type", Value::String(schema.list_type == schema::ListType::kSet ? "set" : "map"));
  }
  texts("x-kubernetes-list-map-keys", schema.list_map_keys);
  if (schema.default_value != nullptr) put("default", *schema.default_value);
  if (const schema::ValueRules* rules = schema.rules) {
    if (!rules->format.empty()) put("format", Value::String(rules->format));
    if (rules->max_length) put("maxLength", Value::Int(*rules->max_length));
    if (rules->max_items) put("maxItems", Value::Int(*rules->max_items));
    if (rules->max_properties) put("maxProperties", Value::Int(*rules->max_properties));
    texts("required", rules->required);
    if (!rules->enum_values.empty()) {
      const Value list = Value::Array(arena, static_cast<uint32_t>(rules->enum_values.size()));
      for (const Value& one : rules->enum_values) list.Append(arena, one);
      put("enum", list);
    }
  }
  if (schema.items != nullptr) put("items", DocumentOf(arena, *schema.items));
  if (schema.additional != nullptr) put("additionalProperties", DocumentOf(arena, *schema.additional));
  if (!schema.properties.empty()) {
    const Value properties = Value::Object(arena, static_cast<uint32_t>(schema.properties.size()));
    for (const Property& property : schema.properties) {
      properties.Add(arena, property.name, DocumentOf(arena, *property.schema));
    }
    put("properties", properties);
  }
  return document;
}

// ---- compiling

class Builder {
 public:
  std::unique_ptr<const Node> Build(const Structural& schema, bool is_resource) {
    Arena arena;
    const Value document = DocumentOf(arena, schema);
    return Make(schema, document, cel::DeclareSchema(*declarations_, document, "object", is_resource));
  }

 private:
  std::unique_ptr<const Node> Make(const Structural& schema, const Value& document,
                                   const cel::Declaration* declaration) {
    // What expressions cannot use has no rules; a definition with such rules is refused.
    if (!schema.has_validations || declaration == nullptr) return nullptr;
    auto node = std::make_unique<Node>();
    node->schema = &schema;
    node->declaration = declaration;
    if (schema.rules != nullptr) TakeRules(*node, schema.rules->validations, document);
    if (schema.items != nullptr) node->items = Make(*schema.items, document.Get("items"), declaration->element);
    if (schema.additional != nullptr) {
      node->additional = Make(*schema.additional, document.Get("additionalProperties"), declaration->element);
    }
    const Value properties = document.Get("properties");
    for (uint32_t i = 0; i < schema.properties.size(); ++i) {
      const Property& property = schema.properties[i];
      if (!property.schema->has_validations) continue;
      const Value& content = properties.members()[i].value;
      if (auto made = Make(*property.schema, content, DeclarationOf(*declaration, property, content))) {
        node->properties.emplace_back(property.name, std::move(made));
      }
    }
    return node;
  }

  const cel::Declaration* DeclarationOf(const cel::Declaration& object, const Property& property,
                                        const Value& document) {
    std::string escaped;
    if (!cel::EscapeName(property.name, escaped)) {
      return cel::DeclareSchema(*declarations_, document, Cat(object.name, ".", property.name),
                                property.schema->embedded);
    }
    const cel::DeclaredField* field = object.Field(escaped);
    return field != nullptr ? field->declaration : nullptr;
  }

  void TakeRules(Node& node, std::span<const ValidationRule> rules, const Value& document) {
    if (rules.empty()) return;
    RuleCompiler compiler(declarations_, *node.declaration);
    for (const ValidationRule& rule : rules) {
      Node::Rule made{.text = &rule,
                      .compiled = compiler.Compile(rule, {cel::kStoredExpressions, cel::kStoredExpressions}),
                      .field_path = {}};
      node.any_uses_old_self |= made.compiled.uses_old_self;
      if (!rule.field_path.empty()) {
        if (auto field = FindField(rule.field_path, document, true)) made.field_path = std::move(field->text);
        if (made.field_path.starts_with('.')) made.field_path.erase(0, 1);
      }
      node.rules.push_back(std::move(made));
    }
  }

  const std::shared_ptr<cel::Declarations> declarations_ = std::make_shared<cel::Declarations>();
};

// ---- evaluating

// A value beside what it was, where that can be told.
class Correlated {
 public:
  Correlated(const Structural& schema, const Value& value, const Value& old)
      : schema_(schema), value_(value), old_(old) {}

  bool IsUnchanged() const {
    if (!unchanged_) unchanged_ = customresources::IsUnchanged(schema_, value_, old_);
    return *unchanged_;
  }
  std::optional<Correlated> Key(std::string_view key) const {
    if (!value_.is_object() || !old_.is_object()) return std::nullopt;
    const Value *value = FindMember(value_, key), *old = FindMember(old_, key);
    const Structural* schema = schema_.Of(key);
    if (value == nullptr || old == nullptr || schema == nullptr) return std::nullopt;
    return std::optional<Correlated>(std::in_place, *schema, *value, *old);
  }
  std::optional<Correlated> Index(uint32_t index) const {
    if (!value_.is_array() || !old_.is_array() || schema_.list_type != schema::ListType::kMap) return std::nullopt;
    if (!items_) items_.emplace(schema_, old_);
    const Value* old = items_->Find(value_[index]);
    if (old == nullptr || schema_.items == nullptr) return std::nullopt;
    return std::optional<Correlated>(std::in_place, *schema_.items, value_[index], *old);
  }

 private:
  const Structural& schema_;
  const Value& value_;
  const Value& old_;
  mutable std::optional<bool> unchanged_;
  mutable std::optional<ItemIndex> items_;
};

// The value, or the nearest one around it whose old value is known: what did not change may go on breaking rules.
struct Correlation {
  const Correlated* current = nullptr;
  const Correlated* parent = nullptr;

  bool IsUnchanged() const {
    const Correlated* known = current != nullptr ? current : parent;
    return known != nullptr && known->IsUnchanged();
  }
};

struct Place {
  const Node& node;
  const FieldPath& path;
  bool is_root;
};

std::string_view MessageOf(const ValidationRule& rule) {
  return Trimmed(rule.message.empty() ? rule.rule : rule.message);
}

class Evaluation {
 public:
  Evaluation(const RuleEvaluator::Ratcheting& ratcheting, ErrorList& errors, std::vector<std::string>& warnings)
      : ratcheting_(ratcheting), errors_(errors), warnings_(warnings) {}

  // False where nothing more is to be evaluated. `old` is null where there is none.
  bool Check(const Place& place, const Value& value, const Value* old, const Correlation& correlation) {
    if (value.is_null()) return true;
    if (old != nullptr && old->is_null()) old = nullptr;
    if (!CheckRules(place, value, old, correlation)) return false;
    if (value.is_array()) return CheckItems(place, value, old, correlation);
    return CheckMembers(place, value, old, correlation);
  }

 private:
  struct Variables {
    cel::Value self, old_self, optional_old_self;
    bool has_old = false;
    bool has_optional = false;
  };

  bool CheckMembers(const Place& place, const Value& object, const Value* old, const Correlation& correlation) {
    const Node& node = place.node;
    const auto below = [&](const Node& next, const Member& member, const FieldPath& path) {
      const Value* before = old != nullptr && old->is_object() ? FindMember(*old, member.key) : nullptr;
      const std::optional<Correlated> child =
          correlation.current != nullptr ? correlation.current->Key(member.key) : std::nullopt;
      Correlation inside = correlation;
      if (place.is_root && (member.key == "apiVersion" || member.key == "kind")) {
        inside = {};  // both are converted to the version of the request
      } else if (correlation.current != nullptr) {
        inside = {child ? &*child : nullptr, correlation.current};
      }
      return Check({next, path, false}, member.value, before, inside);
    };
    if (node.additional != nullptr) {
      for (const Member& member : object.members()) {
        if (!below(*node.additional, member, place.path.Key(member.key))) return false;
      }
    }
    for (const auto& [name, next] : node.properties) {
      const Value* found = FindMember(object, name);
      if (found == nullptr) continue;
      if (!below(*next, {name, *found}, place.path.Child(name))) return false;
    }
    return true;
  }

  bool CheckItems(const Place& place, const Value& list, const Value* old, const Correlation& correlation) {
    const Node& node = place.node;
    if (node.items == nullptr) return true;
    std::optional<ItemIndex> before;
    if (old != nullptr && old->is_array() && node.schema->list_type == schema::ListType::kMap) {
      before.emplace(*node.schema, *old);
    }
    for (uint32_t i = 0; i < list.size(); ++i) {
      const std::optional<Correlated> child =
          correlation.current != nullptr ? correlation.current->Index(i) : std::nullopt;
      Correlation inside = correlation;
      if (correlation.current != nullptr) {
        inside = {child ? &*child : nullptr, correlation.current};
      }
      const Value* was = before ? before->Find(list[i]) : nullptr;
      if (!Check({*node.items, place.path.Index(i), false}, list[i], was, inside)) return false;
    }
    return true;
  }

  bool CheckRules(const Place& place, const Value& value, const Value* old, const Correlation& correlation) {
    const Node& node = place.node;
    if (node.rules.empty()) return true;
    if (budget_ <= 0) {
      Invalid(place, std::string(kOutOfBudget));
      return false;
    }
    // What is bound refers to these.
    Arena arena;
    const Value self = cel::WithBytes(arena, value, *node.declaration);
    const Value old_self = old != nullptr ? cel::WithBytes(arena, *old, *node.declaration) : Value();
    Variables variables{.self = cel::Value::Document(self, node.declaration),
                        .old_self = {},
                        .optional_old_self = cel::Value::None(),
                        .has_old = node.any_uses_old_self && old != nullptr,
                        .has_optional = node.any_uses_old_self};
    if (variables.has_old) {
      variables.old_self = cel::Value::Document(old_self, node.declaration);
      variables.optional_old_self = cel::Value::OptionalOf(arena, variables.old_self);
    }
    for (const Node::Rule& rule : node.rules) {
      if (!CheckRule(place, rule, variables, old != nullptr, correlation)) return false;
    }
    return true;
  }

  bool CheckRule(const Place& place, const Node::Rule& rule, const Variables& variables, bool has_old,
                 const Correlation& correlation) {
    const CompiledRule& compiled = rule.compiled;
    if (!compiled.error.empty()) {
      Invalid(place, Cat("rule compile error: Invalid value: ", compiled.error));
      return true;
    }
    if (compiled.program == nullptr) return true;
    const bool optional = rule.text->optional_old_self.value_or(false);
    if (compiled.uses_old_self && !has_old && !(ratcheting_.enabled && optional)) return true;
    cel::Evaluation evaluation;
    const cel::Value result = Run(*compiled.program, variables, optional, evaluation);
    if (!Pay(evaluation.cost)) {
      Invalid(place, std::string(kOutOfBudget));
      return false;
    }
    if (result.is_error()) return TellError(place, *rule.text, result.text(), evaluation.limit_exceeded);
    if (result.is_true()) return true;
    return TellFailure(place, rule, variables, correlation);
  }

  static cel::Value Run(const cel::Program& program, const Variables& variables, bool optional,
                        cel::Evaluation& evaluation) {
    cel::Activation activation(program.environment());
    activation.Bind(kSelf, variables.self);
    if (optional && variables.has_optional) {
      activation.Bind(kOldSelf, variables.optional_old_self);
    } else if (!optional && variables.has_old) {
      activation.Bind(kOldSelf, variables.old_self);
    }
    return program.Evaluate(activation, evaluation);
  }

  bool Pay(uint64_t cost) {
    if (std::cmp_greater(cost, budget_)) return false;
    budget_ -= static_cast<int64_t>(cost);
    return true;
  }

  // A rule could not be evaluated.
  bool TellError(const Place& place, const ValidationRule& rule, std::string_view error, bool limit_exceeded) {
    if (limit_exceeded) {
      Invalid(place,
              Cat("'", error, "': no further validation rules will be run due to call cost exceeds limit for rule: ",
                  MessageOf(rule)));
      return false;
    }
    if (error.starts_with("no such overload")) {
      Invalid(place, Cat("'", error,
                         "': call arguments did not match a supported operator, function or macro signature for rule: ",
                         MessageOf(rule)));
    } else {
      Invalid(place, Cat(error, " evaluating rule: ", MessageOf(rule)));
    }
    return true;
  }

  // A rule does not hold.
  bool TellFailure(const Place& place, const Node::Rule& rule, const Variables& variables,
                   const Correlation& correlation) {
    std::string path = place.path.text();
    if (!rule.field_path.empty()) path = path.empty() ? rule.field_path : Cat(path, ".", rule.field_path);
    if (path.empty()) path = "<nil>";
    std::string message = Cat(rule.text->message.empty() ? "failed rule: " : "", MessageOf(*rule.text));
    std::string_view reason = rule.text->reason;
    bool goes_on = true;
    if (rule.compiled.message != nullptr) {
      goes_on = EvaluateMessage(rule, variables, message);
      if (!goes_on) reason = {};
    }
    api::FieldError error{Type::kInvalid, std::move(path), TypeOf(place), std::move(message)};
    if (reason == "FieldValueForbidden") error.type = Type::kForbidden;
    if (reason == "FieldValueRequired") error.type = Type::kRequired;
    if (reason == "FieldValueDuplicate") {
      error.type = Type::kDuplicate;
      error.detail.clear();
    }
    if (!rule.compiled.uses_old_self && correlation.IsUnchanged()) {
      Warn(error);
    } else {
      errors_.Add(std::move(error));
    }
    return goes_on;
  }

  // Sets `message` where the expression gives one; false where the budget is spent, with the text that says so.
  bool EvaluateMessage(const Node::Rule& rule, const Variables& variables, std::string& message) {
    cel::Evaluation evaluation;
    // Also a rule whose oldSelf is optional has the plain one here.
    const cel::Value result = Run(*rule.compiled.message, variables, false, evaluation);
    if (std::cmp_greater(evaluation.cost, budget_)) {
      message =
          "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be "
          "run";
      return false;
    }
    if (result.is_error() && evaluation.limit_exceeded) {
      message = Cat("no further validation rules will be run due to call cost exceeds limit for messageExpression: ",
                    api::Quote(rule.text->message_expression));
      return false;
    }
    budget_ -= static_cast<int64_t>(evaluation.cost);
    if (!result.is(cel::ValueKind::kString)) return true;
    const std::string_view text = Trimmed(result.text());
    if (text.empty() || text.size() > kMostMessage || text.contains('\n')) return true;
    message = text;
    return true;
  }

  static std::string TypeOf(const Place& place) { return api::Quote(schema::NameOf(place.node.schema->type)); }

  void Invalid(const Place& place, std::string detail) {
    std::string path = place.path.text();
    errors_.Invalid(path.empty() ? "<nil>" : std::move(path), TypeOf(place), std::move(detail));
  }

  void Warn(const api::FieldError& error) {
    if (warned_ > RuleSet::kMostWarningBytes) return;
    warnings_.push_back(Cat(error.field, ": ", error.Message()));
    warned_ += warnings_.back().size();
  }

  const RuleEvaluator::Ratcheting ratcheting_;
  ErrorList& errors_;
  std::vector<std::string>& warnings_;
  int64_t budget_ = kObjectBudget;
  size_t warned_ = 0;
};

}  // namespace

RuleSet::RuleSet(const Structural& schema, bool is_resource) : schema_(schema), is_resource_(is_resource) {}
RuleSet::~RuleSet() = default;

void RuleSet::Evaluate(const Value& object, const Value* old, const Ratcheting& ratcheting, ErrorList& errors,
                       std::vector<std::string>& warnings) const {
  std::call_once(compiled_, [&] { root_ = Builder().Build(schema_, is_resource_); });
  if (root_ == nullptr) return;
  std::optional<Correlated> correlated;
  if (old != nullptr && ratcheting.unchanged_may_fail) correlated.emplace(schema_, object, *old);
  const FieldPath object_path;
  const FieldPath& path = ratcheting.path != nullptr ? *ratcheting.path : object_path;
  Evaluation(ratcheting, errors, warnings)
      .Check({*root_, path, true}, object, old, {correlated ? &*correlated : nullptr, nullptr});
}

}  // namespace customresources
