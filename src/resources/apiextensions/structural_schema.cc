#include "resources/apiextensions/structural_schema.h"

#include <algorithm>
#include <cstdint>

#include "api/quote.h"
#include "api/regexp_syntax.h"
#include "base/text.h"
#include "resources/apiextensions/schema_access.h"
#include "value/member_index.h"

namespace resources::apiextensions {
namespace {

constexpr std::string_view kJunctors[] = {"allOf", "anyOf", "oneOf"};

enum class Level : uint8_t { kRoot, kItem, kField };

// ---- keywords that are not supported

std::string OwnUnsupportedKeyword(const Value& schema) {
  for (std::string_view text : {"id", "$schema", "$ref"}) {
    if (schema.GetString(text).empty()) continue;
    return base::Cat("OpenAPIV3Schema '", text == "$schema" ? "schema" : text, "' is not supported");
  }
  for (std::string_view map : {"patternProperties", "dependencies"}) {
    if (!schema.Get(map).empty()) return base::Cat("OpenAPIV3Schema '", map, "' is not supported");
  }
  if (Has(schema, "additionalItems")) return "OpenAPIV3Schema 'additionalItems' is not supported";
  if (!schema.Get("definitions").empty()) return "OpenAPIV3Schema 'definitions' is not supported";
  return {};
}

// ---- invariants

bool IsIntegerOrString(const Value& any_of) {
  const auto says_only = [](const Value& schema, std::string_view type) {
    return std::ranges::all_of(schema.members(),
                               [&](const value::Member& member) {
                                 if (member.key == "type") return member.value.AsString() == type;
                                 return member.key == "externalDocs" || member.key == "example";
                               }) &&
           schema.GetString("type") == type;
  };
  return any_of.size() == 2 && says_only(any_of[0], "integer") && says_only(any_of[1], "string");
}

class Invariants {
 public:
  explicit Invariants(Errors& errors) : errors_(errors) {}

  void Check(const FieldPath& path, const Value& schema, Level level) {
    const std::string_view type = schema.GetString("type");
    const Value properties = schema.Get("properties"), more = schema.Get("additionalProperties");
    if (type == "array" && !Has(schema, "items")) errors_.Required(path.Child("items"), "must be specified");
    if (const Value items = SchemaIn(schema, "items"); items.is_object())
      Check(path.Child("items"), items, Level::kItem);
    const FieldPath fields = path.Child("properties");
    for (const value::Member& field : properties.members()) Check(fields.Key(field.key), field.value, Level::kField);
    if (!more.is_null() && level == Level::kRoot) {
      errors_.Forbidden(path.Child("additionalProperties"), "must not be used at the root");
    }
    if (more.is_object()) Check(path.Child("additionalProperties"), more, Level::kField);
    CheckExtensions(path, schema);
    const Value all_of = schema.Get("allOf");
    const bool first_is_union = !all_of.empty() && IsIntegerOrString(all_of[0].Get("anyOf"));
    CheckValueValidation(path, schema, IsIntegerOrString(schema.Get("anyOf")), first_is_union);
    CheckType(path, schema, level);
    CheckMeta(path, schema, level);
    if (IsSet(schema, kEmbedded) && !IsSet(schema, kPreserve) && properties.empty()) {
      errors_.Required(fields,
                       "must not be empty if x-kubernetes-embedded-resource is true without "
                       "x-kubernetes-preserve-unknown-fields");
    }
  }

 private:
  void CheckExtensions(const FieldPath& path, const Value& schema) {
    if (!IsSet(schema, kIntOrString)) return;
    for (std::string_view other : {kPreserve, kEmbedded}) {
      if (!IsSet(schema, other)) continue;
      errors_.Invalid(path.Child(other), Value::Bool(true), "must be false if x-kubernetes-int-or-string is true");
    }
  }

  void CheckType(const FieldPath& path, const Value& schema, Level level) {
    const std::string_view type = schema.GetString("type");
    const FieldPath at = path.Child("type");
    const bool embedded = IsSet(schema, kEmbedded);
    if (embedded && type.empty()) {
      errors_.Required(at, "must be object if x-kubernetes-embedded-resource is true");
    } else if (embedded && type != "object") {
      errors_.Invalid(at, type, "must be object if x-kubernetes-embedded-resource is true");
    } else if (type.empty() && !IsSet(schema, kIntOrString) && !IsSet(schema, kPreserve)) {
      errors_.Required(at, level == Level::kRoot   ? "must not be empty at the root"
                           : level == Level::kItem ? "must not be empty for specified array items"
                                                   : "must not be empty for specified object fields");
    }
    if (embedded && Has(schema, "additionalProperties")) {
      errors_.Forbidden(path.Child("additionalProperties"),
                        "must not be used if x-kubernetes-embedded-resource is set");
    }
    if (level == Level::kRoot && !type.empty() && type != "object") {
      errors_.Invalid(at, type, "must be object at the root");
    }
  }

  void CheckMeta(const FieldPath& path, const Value& schema, Level level) {
    const bool is_resource = level == Level::kRoot || IsSet(schema, kEmbedded);
    const FieldPath fields = path.Child("properties");
    const Value properties = schema.Get("properties");
    for (std::string_view name : {"kind", "apiVersion"}) {
      const Value* field = properties.Find(name);
      if (field == nullptr || !is_resource || field->GetString("type") == "string") continue;
      const FieldPath at = fields.Key(name);
      errors_.Invalid(at.Child("type"), field->GetString("type"), "must be string");
    }
    const Value* metadata = properties.Find("metadata");
    if (metadata == nullptr) return;
    const FieldPath at = fields.Key("metadata");
    if (is_resource && metadata->GetString("type") != "object") {
      errors_.Invalid(at.Child("type"), metadata->GetString("type"), "must be object");
    }
    if (level == Level::kRoot && SaysMoreThanNames(*metadata)) {
      errors_.Forbidden(
          at, "must not specify anything other than name and generateName, but metadata is implicitly specified");
    }
  }

  static bool SaysMoreThanNames(const Value& metadata) {
    return std::ranges::any_of(metadata.members(), [](const value::Member& member) {
      if (member.key == "type" || member.key == "default" || member.key == "externalDocs" || member.key == "example") {
        return false;
      }
      if (member.key != "properties") return true;
      return std::ranges::any_of(member.value.members(), [](const value::Member& field) {
        return field.key != "name" && field.key != "generateName";
      });
    });
  }

  void CheckValueValidation(const FieldPath& path, const Value& schema, bool skip_any_of, bool skip_first_any_of) {
    for (std::string_view junctor : kJunctors) {
      if (junctor == "anyOf" && skip_any_of) continue;
      const FieldPath list = path.Child(junctor);
      const Value clauses = schema.Get(junctor);
      for (uint32_t i = 0; i < clauses.size(); ++i) {
        CheckNested(list.Index(i), clauses[i], junctor == "allOf" && skip_first_any_of && i == 0);
      }
    }
    if (const Value clause = schema.Get("not"); clause.is_object()) CheckNested(path.Child("not"), clause, false);
    const std::string_view pattern = schema.GetString("pattern");
    if (const auto error = api::RegexpError(pattern)) {
      errors_.Invalid(path.Child("pattern"), pattern,
                      base::Cat("must be a valid regular expression, but isn't: ", *error));
    }
  }

  // Of a clause under a junctor: nothing of structure may stand there.
  void CheckNested(const FieldPath& path, const Value& clause, bool skip_any_of) {
    CheckValueValidation(path, clause, skip_any_of, false);
    if (const Value items = SchemaIn(clause, "items"); items.is_object())
      CheckNested(path.Child("items"), items, false);
    const FieldPath fields = path.Child("properties");
    for (const value::Member& field : clause.Get("properties").members()) {
      CheckNested(fields.Key(field.key), field.value, false);
    }
    const Value more = clause.Get("additionalProperties");
    if (more.is_object() || (more.is_bool() && more.AsBool())) {
      errors_.Forbidden(path.Child("additionalProperties"), "must be undefined to be structural");
    }
    for (std::string_view text : {"type", "title", "description"}) {
      if (!clause.GetString(text).empty()) errors_.Forbidden(path.Child(text), "must be empty to be structural");
    }
    for (std::string_view list : {kListMapKeys, kValidations}) {
      if (!clause.Get(list).empty()) errors_.Forbidden(path.Child(list), "must be empty to be structural");
    }
    for (std::string_view member : {std::string_view("default"), kListType, kMapType}) {
      if (Has(clause, member)) errors_.Forbidden(path.Child(member), "must be undefined to be structural");
    }
    for (std::string_view flag : {std::string_view("nullable"), kPreserve, kEmbedded, kIntOrString}) {
      if (IsSet(clause, flag)) errors_.Forbidden(path.Child(flag), "must be false to be structural");
    }
    if (clause.Get("properties").Find("metadata") != nullptr) {
      errors_.Forbidden(fields.Key("metadata"), "must not be specified in a nested context");
    }
  }

  Errors& errors_;
};

// ---- completeness: what a clause speaks of is in the skeleton too

class Completeness {
 public:
  explicit Completeness(Errors& errors) : errors_(errors) {}

  void CheckClauses(const FieldPath& said, const Value& schema, const FieldPath& at, const Value& skeleton) {
    if (const Value clause = schema.Get("not"); clause.is_object()) Check(said.Child("not"), clause, at, skeleton);
    for (std::string_view junctor : kJunctors) {
      const FieldPath list = said.Child(junctor);
      const Value clauses = schema.Get(junctor);
      for (uint32_t i = 0; i < clauses.size(); ++i) Check(list.Index(i), clauses[i], at, skeleton);
    }
  }

 private:
  // `clause` stands at `said` and speaks of what `skeleton` at `at` describes; null where nothing does.
  void Check(const FieldPath& said, const Value& clause, const FieldPath& at, const Value& skeleton) {
    if (skeleton.is_null()) return errors_.Required(at, base::Cat("because it is defined in ", said.text()));
    CheckClauses(said, clause, at, skeleton);
    if (const Value items = SchemaIn(clause, "items"); items.is_object()) {
      Check(said.Child("items"), items, at.Child("items"), SchemaIn(skeleton, "items"));
    }
    const FieldPath said_fields = said.Child("properties"), fields = at.Child("properties");
    const value::MemberIndex known_fields(skeleton.Get("properties"));
    for (const value::Member& field : clause.Get("properties").members()) {
      const Value* known = known_fields.Find(field.key);
      Check(said_fields.Key(field.key), field.value, fields.Key(field.key), known == nullptr ? Value() : *known);
    }
  }

  Errors& errors_;
};

}  // namespace

std::string UnsupportedKeyword(const Value& schema) {
  if (!schema.is_object()) return {};
  std::string found = OwnUnsupportedKeyword(schema);
  const auto look = [&](const Value& inner) {
    if (found.empty()) found = UnsupportedKeyword(inner);
  };
  look(schema.Get("not"));
  for (std::string_view junctor : kJunctors) {
    for (const Value& clause : schema.Get(junctor).items()) look(clause);
  }
  if (found.empty() && Has(schema, kPreserve) && !IsSet(schema, kPreserve)) {
    found = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (found.empty() && !schema.Get("items").items().empty()) {
    found = "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  look(schema.Get("items"));
  for (const value::Member& field : schema.Get("properties").members()) look(field.value);
  look(schema.Get("additionalProperties"));
  return found;
}

void CheckStructural(Errors& errors, const FieldPath& path, const Value& schema) {
  Errors found;
  Invariants(found).Check(path, schema, Level::kRoot);
  Completeness(found).CheckClauses(path, schema, path, schema);
  std::vector<api::FieldError> list = std::move(found).Take().Take();
  std::ranges::stable_sort(list, {},
                           [](const api::FieldError& error) { return base::Cat(error.field, ": ", error.Message()); });
  for (api::FieldError& error : list) errors.Add(std::move(error));
}

}  // namespace resources::apiextensions
