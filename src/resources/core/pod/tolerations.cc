#include "resources/core/pod/tolerations.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "resources/rules/field_checks.h"
#include "value/json_reader.h"

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

// Lists in annotations: members are found in any case, by the names of Go's struct.

struct TextField {
  std::string_view name, type, json;
};
constexpr TextField kTolerationFields[] = {{"Key", "string", "key"},
                                           {"Operator", "core.TolerationOperator", "operator"},
                                           {"Value", "string", "value"},
                                           {"Effect", "core.TaintEffect", "effect"},
                                           {"TolerationSeconds", "int64", "tolerationSeconds"}};
constexpr TextField kTaintFields[] = {
    {"Key", "string", "key"}, {"Value", "string", "value"}, {"Effect", "core.TaintEffect", "effect"}};

std::string KindText(const Value& v) {
  if (v.is_object()) return "object";
  if (v.is_array()) return "array";
  if (v.is_bool()) return "bool";
  return v.is_string() ? "string" : "number";
}

std::string CannotRead(const Value& v, std::string_view where, std::string_view type) {
  return base::Cat("json: cannot unmarshal ", KindText(v), " into Go ", where, " of type ", type);
}

// One item with its members' usual names; notes the first that has another type.
Value ReadItem(const Value& item, std::string_view type, std::span<const TextField> fields, value::Arena& arena,
               std::string& error) {
  const Value out = Value::Object(arena, item.size());
  for (const value::Member& member : item.members()) {
    const auto field = std::ranges::find_if(
        fields, [&](const TextField& f) { return base::ToLower(f.json) == base::ToLower(member.key); });
    if (field == fields.end() || member.value.is_null()) continue;
    if (field->type == "int64" ? member.value.is_int() : member.value.is_string()) {
      out.Set(arena, field->json, member.value);
    } else if (error.empty()) {
      error = CannotRead(member.value, base::Cat("struct field ", type, ".", field->name), field->type);
    }
  }
  return out;
}

std::expected<Value, std::string> ReadItems(std::string_view json, std::string_view type,
                                            std::span<const TextField> fields, value::Arena& arena) {
  const auto read = value::ReadJson(json, arena);
  if (!read) return std::unexpected(read.error().message);
  if (read->is_null()) return Value();
  if (!read->is_array()) return std::unexpected(CannotRead(*read, "value", base::Cat("[]core.", type)));
  std::string error;
  const Value out = Value::Array(arena, read->size());
  for (const Value& item : read->items()) {
    if (!item.is_object() && !item.is_null() && error.empty()) {
      error = CannotRead(item, "value", base::Cat("core.", type));
    }
    out.Append(arena, ReadItem(item, type, fields, arena, error));
  }
  if (!error.empty()) return std::unexpected(error);
  return out;
}

}  // namespace

TolerationKey KeyOf(const Value& toleration) {
  return {toleration.GetString("key"), toleration.GetString("operator"), toleration.GetString("value"),
          toleration.GetString("effect")};
}

std::expected<Value, std::string> ReadTolerations(std::string_view json, value::Arena& arena) {
  return ReadItems(json, "Toleration", kTolerationFields, arena);
}

std::expected<Value, std::string> ReadTaints(std::string_view json, value::Arena& arena) {
  return ReadItems(json, "Taint", kTaintFields, arena);
}

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
    errors.DuplicateStruct(item, taint, "taints must be unique by key and effect pair");
  }
}

}  // namespace resources::core
