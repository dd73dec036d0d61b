#include "customresources/compiled_schema.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "openssl/evp.h"
#include "schema/structural_decode.h"
#include "value/json_writer.h"

namespace customresources {

using schema::Additional;
using schema::JsonType;
using schema::Property;
using schema::Structural;
using schema::ValidationRule;
using schema::ValueRules;
using value::Arena;
using value::Member;
using value::Value;

namespace {

constexpr uint32_t kSharedNodes = 24;  // sub-schemas from this size on are shared between definitions

// Of each schema in a definition, in the order of a walk over it: what it says, and how many schemas it holds with
// itself.
struct Summary {
  SchemaKey key;
  uint32_t count = 1;
};

bool IsSet(const Value& schema, std::string_view flag) {
  const Value found = schema.Get(flag);
  return found.is_bool() && found.AsBool();
}

bool SaysNothing(std::string_view member) {
  return member == "description" || member == "title" || member == "example" || member == "externalDocs" ||
         member == "id" || member == "$schema";
}

// The schemas within a schema, in the order in which both walks come to them.
template <class Visit>
void EachSchema(const Member& member, Visit visit) {
  const std::string_view key = member.key;
  if (key == "properties") {
    for (const Member& property : member.value.members()) visit(property.value);
  } else if (key == "items" || key == "additionalProperties" || key == "not") {
    if (member.value.is_object()) visit(member.value);
  } else if (key == "allOf" || key == "anyOf" || key == "oneOf") {
    for (const Value& clause : member.value.items()) visit(clause);
  }
}

bool HoldsSchemas(const Member& member) {
  const std::string_view key = member.key;
  if (key == "properties" || key == "allOf" || key == "anyOf" || key == "oneOf") return true;
  return (key == "items" || key == "additionalProperties" || key == "not") && member.value.is_object();
}

// Puts the summaries of `schema` and what it holds behind `out`.
void Summarise(const Value& schema, std::vector<Summary>& out) {
  const size_t at = out.size();
  out.emplace_back();
  std::string text;
  for (const Member& member : schema.members()) {
    if (SaysNothing(member.key) || member.value.is_null()) continue;
    value::AppendJsonString(text, member.key);
    if (!HoldsSchemas(member)) {
      value::WriteJson(member.value, text, value::KeyOrder::kSorted);
      continue;
    }
    if (member.key == "properties") {
      for (const Member& property : member.value.members()) value::AppendJsonString(text, property.key);
    }
    EachSchema(member, [&](const Value& inner) {
      const size_t child = out.size();
      Summarise(inner, out);
      text.append(reinterpret_cast<const char*>(out[child].key.data()), out[child].key.size());
      out[at].count += out[child].count;
    });
  }
  EVP_Digest(text.data(), text.size(), out[at].key.data(), nullptr, EVP_sha256(), nullptr);
}

JsonType TypeNamed(std::string_view name) {
  for (JsonType type : {JsonType::kObject, JsonType::kArray, JsonType::kString, JsonType::kInteger, JsonType::kNumber,
                        JsonType::kBoolean}) {
    if (schema::NameOf(type) == name) return type;
  }
  return JsonType::kAny;
}

std::optional<int64_t> Whole(const Value& schema, std::string_view member) {
  const Value found = schema.Get(member);
  return found.is_int() ? std::optional(found.AsInt()) : std::nullopt;
}

}  // namespace

// Builds the nodes of one CompiledSchema.
class SchemaBuilder {
 public:
  SchemaBuilder(SchemaCompiler& compiler, const std::vector<Summary>& summaries)
      : compiler_(compiler), summaries_(summaries), made_(std::make_shared<CompiledSchema>()), arena_(made_->arena_) {}

  // Of the schema whose summary is at `at`.
  std::shared_ptr<const CompiledSchema> Build(const Value& schema, size_t at) {
    made_->key_ = summaries_[at].key;
    made_->root_ = Make(schema, at);
    return compiler_.Insert(std::move(made_));
  }

 private:
  // The node of `schema`, made or found; `at` goes behind its summaries.
  const Structural* Node(const Value& schema, size_t& at) {
    const size_t own = at;
    const Summary& summary = summaries_[own];
    at += summary.count;
    if (const auto known = nodes_.find(summary.key); known != nodes_.end()) return known->second;
    const Structural* node = nullptr;
    if (summary.count >= kSharedNodes) {
      std::shared_ptr<const CompiledSchema> part = compiler_.Find(summary.key);
      if (part == nullptr) part = SchemaBuilder(compiler_, summaries_).Build(schema, own);
      node = &part->root();
      made_->parts_.push_back(std::move(part));
    } else {
      node = Make(schema, own);
    }
    nodes_.emplace(summary.key, node);
    return node;
  }

  template <class T>
  T* New(T content) {
    return new (arena_.AllocateArray<T>(1)) T(std::move(content));
  }

  std::span<const std::string_view> Texts(const Value& list) {
    std::string_view* texts = arena_.AllocateArray<std::string_view>(list.size());
    uint32_t count = 0;
    for (const Value& text : list.items()) new (&texts[count++]) std::string_view(arena_.CopyString(text.AsString()));
    return {texts, count};
  }

  std::string_view Text(const Value& schema, std::string_view member) {
    return arena_.CopyString(schema.GetString(member));
  }

  const Structural* Make(const Value& schema, size_t at) {
    Structural node;
    ValueRules rules;
    size_t next = at + 1;
    for (const Member& member : schema.members()) {
      if (!member.value.is_null()) TakeSchemas(node, rules, member, next);
    }
    TakeStructure(node, schema);
    if (TakeRules(rules, schema)) node.rules = New(rules);
    node.has_validations |= !rules.validations.empty();
    Structural* const made = New(node);
    if (const Value content = schema.Get("default"); !content.is_null()) {
      Value pruned = value::DeepCopy(arena_, content);
      schema::CoerceEmbedded(arena_, pruned, *made, {.drop_malformed_metadata = true});
      schema::Prune(pruned, *made, false);
      made->default_value = New(pruned);
      made->has_defaults = true;
    }
    return made;
  }

  void TakeSchemas(Structural& node, ValueRules& rules, const Member& member, size_t& next) {
    const std::string_view key = member.key;
    if (key == "properties") {
      TakeProperties(node, member.value, next);
    } else if (key == "items" && member.value.is_object()) {
      node.items = Node(member.value, next);
      Inherit(node, *node.items);
    } else if (key == "additionalProperties" && member.value.is_object()) {
      node.additional = Node(member.value, next);
      node.additional_kind = Additional::kSchema;
      Inherit(node, *node.additional);
    } else if (key == "additionalProperties" && member.value.is_bool()) {
      node.additional_kind = member.value.AsBool() ? Additional::kAny : Additional::kForbidden;
    } else if (key == "not" && member.value.is_object()) {
      rules.is_not = Node(member.value, next);
    } else if (key == "allOf") {
      rules.all_of = Clauses(member.value, next);
    } else if (key == "anyOf") {
      rules.any_of = Clauses(member.value, next);
    } else if (key == "oneOf") {
      rules.one_of = Clauses(member.value, next);
    }
  }

  void TakeProperties(Structural& node, const Value& properties, size_t& next) {
    Property* made = arena_.AllocateArray<Property>(properties.size());
    uint32_t count = 0;
    for (const Member& property : properties.members()) {
      const Structural* schema = Node(property.value, next);
      new (&made[count++]) Property{arena_.CopyString(property.key), schema};
      Inherit(node, *schema);
    }
    std::sort(made, made + count, [](const Property& a, const Property& b) { return a.name < b.name; });
    node.properties = {made, count};
  }

  static void Inherit(Structural& node, const Structural& below) {
    node.has_defaults |= below.has_defaults;
    node.has_embedded |= below.has_embedded;
    node.has_identified_lists |= below.has_identified_lists;
    node.has_validations |= below.has_validations;
  }

  std::span<const Structural* const> Clauses(const Value& list, size_t& next) {
    const Structural** clauses = arena_.AllocateArray<const Structural*>(list.size());
    uint32_t count = 0;
    for (const Value& clause : list.items()) clauses[count++] = Node(clause, next);
    return {clauses, count};
  }

  void TakeStructure(Structural& node, const Value& schema) {
    node.type = TypeNamed(schema.GetString("type"));
    node.nullable = IsSet(schema, "nullable");
    node.int_or_string = IsSet(schema, "x-kubernetes-int-or-string");
    node.preserve_unknown = IsSet(schema, "x-kubernetes-preserve-unknown-fields");
    node.embedded = IsSet(schema, "x-kubernetes-embedded-resource");
    node.has_embedded |= node.embedded;
    const std::string_view list_type = schema.GetString("x-kubernetes-list-type");
    node.list_type_declared = !list_type.empty();
    node.list_type = list_type == "set"   ? schema::ListType::kSet
                     : list_type == "map" ? schema::ListType::kMap
                                          : schema::ListType::kAtomic;
    node.has_identified_lists |= node.list_type != schema::ListType::kAtomic;
    node.list_map_keys = Texts(schema.Get("x-kubernetes-list-map-keys"));
    const std::string_view map_type = schema.GetString("x-kubernetes-map-type");
    node.map_type_declared = !map_type.empty();
    node.map_atomic = map_type == "atomic";
  }

  const Value* Number(const Value& schema, std::string_view member) {
    const Value found = schema.Get(member);
    return found.is_number() ? New(value::DeepCopy(arena_, found)) : nullptr;
  }

  // Whether the schema demands anything.
  bool TakeRules(ValueRules& rules, const Value& schema) {
    rules.format = Text(schema, "format");
    rules.pattern = Text(schema, "pattern");
    rules.minimum = Number(schema, "minimum");
    rules.maximum = Number(schema, "maximum");
    rules.multiple_of = Number(schema, "multipleOf");
    rules.exclusive_minimum = IsSet(schema, "exclusiveMinimum");
    rules.exclusive_maximum = IsSet(schema, "exclusiveMaximum");
    rules.unique_items = IsSet(schema, "uniqueItems");
    rules.min_length = Whole(schema, "minLength");
    rules.max_length = Whole(schema, "maxLength");
    rules.min_items = Whole(schema, "minItems");
    rules.max_items = Whole(schema, "maxItems");
    rules.min_properties = Whole(schema, "minProperties");
    rules.max_properties = Whole(schema, "maxProperties");
    rules.required = Texts(schema.Get("required"));
    if (const Value allowed = schema.Get("enum"); !allowed.empty()) {
      rules.enum_values = value::DeepCopy(arena_, allowed).items();
    }
    TakeValidations(rules, schema.Get("x-kubernetes-validations"));
    const bool bounds_count = rules.min_length || rules.max_length || rules.min_items || rules.max_items ||
                              rules.min_properties || rules.max_properties;
    return bounds_count || !rules.format.empty() || !rules.pattern.empty() || rules.minimum != nullptr ||
           rules.maximum != nullptr || rules.multiple_of != nullptr || rules.unique_items || !rules.required.empty() ||
           !rules.enum_values.empty() || !rules.validations.empty() || !rules.all_of.empty() || !rules.any_of.empty() ||
           !rules.one_of.empty() || rules.is_not != nullptr;
  }

  void TakeValidations(ValueRules& rules, const Value& list) {
    ValidationRule* made = arena_.AllocateArray<ValidationRule>(list.size());
    uint32_t count = 0;
    for (const Value& rule : list.items()) {
      const Value optional = rule.Get("optionalOldSelf");
      new (&made[count++]) ValidationRule{Text(rule, "rule"),
                                          Text(rule, "message"),
                                          Text(rule, "messageExpression"),
                                          Text(rule, "reason"),
                                          Text(rule, "fieldPath"),
                                          optional.is_bool() ? std::optional(optional.AsBool()) : std::nullopt};
    }
    rules.validations = {made, count};
  }

  SchemaCompiler& compiler_;
  const std::vector<Summary>& summaries_;
  std::shared_ptr<CompiledSchema> made_;
  Arena& arena_;
  absl::flat_hash_map<SchemaKey, const Structural*> nodes_;
};

std::shared_ptr<const CompiledSchema> SchemaCompiler::Compile(const Value& openapi_schema) {
  Arena arena;
  Value schema = openapi_schema;
  if (!schema.is_object()) {
    schema = Value::Object(arena, 2);
    schema.Add(arena, "type", Value::String("object"));
    schema.Add(arena, "x-kubernetes-preserve-unknown-fields", Value::Bool(true));
  }
  std::vector<Summary> summaries;
  Summarise(schema, summaries);
  if (auto known = Find(summaries[0].key)) return known;
  return SchemaBuilder(*this, summaries).Build(schema, 0);
}

size_t SchemaCompiler::interned() const {
  const std::lock_guard lock(mutex_);
  return made_.size();
}

std::shared_ptr<const CompiledSchema> SchemaCompiler::Find(const SchemaKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = made_.find(key);
  return found == made_.end() ? nullptr : found->second.lock();
}

// What another thread made meanwhile stays.
std::shared_ptr<const CompiledSchema> SchemaCompiler::Insert(std::shared_ptr<const CompiledSchema> made) {
  const std::lock_guard lock(mutex_);
  if (made_.size() >= sweep_at_) {
    absl::erase_if(made_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = 2 * made_.size() + 64;
  }
  std::weak_ptr<const CompiledSchema>& place = made_[made->key()];
  if (auto other = place.lock()) return other;
  place = made;
  return made;
}

}  // namespace customresources
