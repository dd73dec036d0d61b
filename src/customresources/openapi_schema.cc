#include "customresources/openapi_schema.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "customresources/resource_type.h"

namespace customresources {

using base::Cat;
using value::Arena;
using value::Member;
using value::Value;

namespace {

constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";
constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";
constexpr std::string_view kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
constexpr std::string_view kListMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
constexpr std::string_view kEmbeddedApiVersion =
    "apiVersion defines the versioned schema of this representation of an object. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
constexpr std::string_view kEmbeddedKind =
    "kind is a string value representing the type of this object. In CamelCase. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

bool IsSet(const Value& schema, std::string_view flag) {
  const Value found = schema.Get(flag);
  return found.is_bool() && found.AsBool();
}

bool IsJunctor(std::string_view key) { return key == "allOf" || key == "anyOf" || key == "oneOf" || key == "not"; }

// What a structural schema keeps none of.
bool IsLost(std::string_view key) {
  return key == "id" || key == "$schema" || key == "example" || key == "externalDocs";
}

class Publisher {
 public:
  Publisher(Arena& arena, const OpenApiKind& kind, OpenApiForm form) : arena_(arena), kind_(kind), form_(form) {}

  Value Kind(const Value& schema) {
    Value out;
    if (!schema.is_object() || (is_v2() && IsSet(schema, kPreserve))) {
      out = Value::Object(arena_, 4);
      out.Add(arena_, "type", Value::String("object"));
    } else {
      out = Schema(schema);
      const Value properties = Properties(out);
      properties.Set(arena_, "metadata", Reference(kObjectMeta, kind_.metadata_text));
      AddTypeMeta(properties);
    }
    AddExtensions(out, kind_.kind);
    return out;
  }

  Value List() {
    const Value out = Value::Object(arena_, 8);
    Put(out, "type", "object");
    Put(out, "description", Cat(kind_.list_kind, " is a list of ", kind_.kind));
    const Value required = Value::Array(arena_, 1);
    required.Append(arena_, Value::String("items"));
    out.Add(arena_, "required", required);
    const Value items = Value::Object(arena_, 3);
    Put(items, "type", "array");
    Put(items, "description",
        Cat("List of ", kind_.plural,
            ". More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"));
    const Value item = Value::Object(arena_, 1);
    Put(item, "$ref", Cat(Prefix(), OpenApiName(kind_.group, kind_.version, kind_.kind)));
    items.Add(arena_, "items", item);
    const Value properties = Value::Object(arena_, 4);
    properties.Add(arena_, "items", items);
    properties.Add(arena_, "metadata", Reference(kListMeta, kind_.list_metadata_text));
    AddTypeMeta(properties);
    out.Add(arena_, "properties", properties);
    AddExtensions(out, kind_.list_kind);
    return out;
  }

 private:
  bool is_v2() const { return form_ == OpenApiForm::kV2; }
  std::string_view Prefix() const { return is_v2() ? "#/definitions/" : "#/components/schemas/"; }

  void Put(const Value& object, std::string_view key, std::string_view text) {
    object.Add(arena_, key, Value::Copy(arena_, text));
  }

  Value Text(std::string_view description) {
    const Value out = Value::Object(arena_, 2);
    Put(out, "type", "string");
    if (!description.empty()) Put(out, "description", description);
    return out;
  }

  Value Reference(std::string_view type, std::string_view description) {
    const Value reference = Value::Object(arena_, 1);
    Put(reference, "$ref", Cat(Prefix(), type));
    const Value out = Value::Object(arena_, 2);
    if (!description.empty()) Put(out, "description", description);
    if (is_v2()) {
      out.Add(arena_, "$ref", reference.Get("$ref"));
      return out;
    }
    const Value all = Value::Array(arena_, 1);
    all.Append(arena_, reference);
    out.Add(arena_, "allOf", all);
    return out;
  }

  void AddTypeMeta(const Value& properties) {
    properties.Set(arena_, "apiVersion", Text(kind_.api_version_text));
    properties.Set(arena_, "kind", Text(kind_.kind_text));
  }

  void AddExtensions(const Value& out, std::string_view kind) {
    const Value gvk = Value::Object(arena_, 3);
    Put(gvk, "group", kind_.group);
    Put(gvk, "kind", kind);
    Put(gvk, "version", kind_.version);
    const Value kinds = Value::Array(arena_, 1);
    kinds.Append(arena_, gvk);
    out.Set(arena_, "x-kubernetes-group-version-kind", kinds);
    const Value fields = Value::Array(arena_, kind_.selectable_fields.size());
    for (const Value& field : kind_.selectable_fields.items()) {
      const std::string_view path = field.GetString("jsonPath");
      const Value entry = Value::Object(arena_, 1);
      Put(entry, "fieldPath", path.starts_with('.') ? path.substr(1) : path);
      fields.Append(arena_, entry);
    }
    out.Set(arena_, "x-kubernetes-selectable-fields", fields);
  }

  // The properties of a schema that was made here.
  Value Properties(const Value& out) {
    if (const Value* found = out.Find("properties")) return *found;
    const Value made = Value::Object(arena_, 4);
    out.Add(arena_, "properties", made);
    return made;
  }

  // The schema and what is in it, as it is published.
  Value Schema(const Value& schema) {
    const bool nullable = IsSet(schema, "nullable"), preserves = IsSet(schema, kPreserve);
    const bool hides = is_v2() && (nullable || preserves);  // what is below
    const Value out = Value::Object(arena_, schema.size() + 2);
    for (const Member& member : schema.members()) {
      const std::string_view key = member.key;
      if (IsLost(key) || member.value.is_null()) continue;
      if (is_v2() && (IsJunctor(key) || key == "nullable" || key == "default")) continue;
      if (key == "type") {
        if (!LosesType(schema)) out.Add(arena_, key, member.value);
      } else if (key == "properties") {
        if (!hides && !member.value.empty()) out.Add(arena_, key, Map(member.value));
      } else if (key == "items") {
        if (!hides) out.Add(arena_, key, Schema(member.value));
      } else if (key == "additionalProperties") {
        out.Add(arena_, key, member.value.is_object() ? Schema(member.value) : member.value);
      } else if (key == "required") {
        AddRequired(out, schema);
      } else if (key == "default" || !IsUnsaid(member.value)) {
        out.Add(arena_, key, member.value);
      }
    }
    if (IsSet(schema, kIntOrString) && !is_v2()) Unfold(out);
    if (IsSet(schema, kEmbedded) && !(is_v2() && preserves)) Embed(out);
    return out;
  }

  static bool IsUnsaid(const Value& v) {
    return (v.is_bool() && !v.AsBool()) || (v.is_string() && v.AsString().empty()) || (v.is_array() && v.empty());
  }

  // kubectl takes what has a type and nothing below it for a mistake.
  bool LosesType(const Value& schema) const {
    if (!is_v2()) return false;
    const bool preserves = IsSet(schema, kPreserve);
    const std::string_view type = schema.GetString("type");
    return IsSet(schema, "nullable") || (preserves && (type == "object" || type == "array")) ||
           (type == "array" && !schema.Get("items").is_object());
  }

  Value Map(const Value& schemas) {
    const Value out = Value::Object(arena_, schemas.size() + 3);
    for (const Member& member : schemas.members()) out.Add(arena_, member.key, Schema(member.value));
    return out;
  }

  void AddRequired(const Value& out, const Value& schema) {
    const Value required = schema.Get("required");
    if (required.empty()) return;
    if (!is_v2()) {
      out.Add(arena_, "required", value::DeepCopy(arena_, required));
      return;
    }
    if (IsSet(schema.Get("additionalProperties"), "nullable")) return;
    const Value properties = schema.Get("properties");
    const bool hides = IsSet(schema, "nullable") || IsSet(schema, kPreserve);
    const Value kept = Value::Array(arena_, required.size());
    for (const Value& name : required.items()) {
      const Value* property = hides ? nullptr : properties.Find(name.AsString());
      if (property == nullptr || !IsSet(*property, "nullable")) kept.Append(arena_, name);
    }
    if (!kept.empty()) out.Add(arena_, "required", kept);
  }

  static bool SaysOnly(const Value& clause, std::string_view type) {
    return clause.size() == 1 && clause.GetString("type") == type;
  }
  static bool IsEither(const Value& any_of) {
    return any_of.size() == 2 && SaysOnly(any_of[0], "integer") && SaysOnly(any_of[1], "string");
  }

  Value Either() {
    const Value clauses = Value::Array(arena_, 2);
    for (std::string_view type : {"integer", "string"}) {
      const Value clause = Value::Object(arena_, 1);
      Put(clause, "type", type);
      clauses.Append(arena_, clause);
    }
    return clauses;
  }

  // Says in plain words what x-kubernetes-int-or-string does.
  void Unfold(const Value& out) {
    const Value any_of = out.Get("anyOf"), all_of = out.Get("allOf");
    if (IsEither(any_of) || (!all_of.empty() && IsEither(all_of[0].Get("anyOf")))) return;
    if (any_of.empty()) {
      out.Set(arena_, "anyOf", Either());
      return;
    }
    const Value clauses = Value::Array(arena_, all_of.size() + 1);
    const Value first = Value::Object(arena_, 1);
    first.Add(arena_, "anyOf", Either());
    clauses.Append(arena_, first);
    for (const Value& clause : all_of.items()) clauses.Append(arena_, clause);
    out.Set(arena_, "allOf", clauses);
  }

  void Embed(const Value& out) {
    const Value properties = Properties(out);
    properties.Set(arena_, "apiVersion", Text(kEmbeddedApiVersion));
    properties.Set(arena_, "kind", Text(kEmbeddedKind));
    properties.Set(arena_, "metadata", Reference(kObjectMeta, kind_.metadata_text));
    Value required = out.Get("required");
    if (!required.is_array()) required = Value::Array(arena_, 2);
    for (std::string_view name : {"kind", "apiVersion"}) {
      const auto same = [&](const Value& other) { return other.AsString() == name; };
      if (!std::ranges::any_of(required.items(), same)) required.Append(arena_, Value::String(name));
    }
    out.Set(arena_, "required", required);
  }

  Arena& arena_;
  const OpenApiKind& kind_;
  const OpenApiForm form_;
};

}  // namespace

Value PublishedSchema(Arena& arena, const Value& schema, const OpenApiKind& kind, OpenApiForm form) {
  return Publisher(arena, kind, form).Kind(schema);
}

Value PublishedListSchema(Arena& arena, const OpenApiKind& kind, OpenApiForm form) {
  return Publisher(arena, kind, form).List();
}

}  // namespace customresources
