#include "apply/go_convert.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "base/text.h"

namespace apply {
namespace {

using base::Code;
using schema::Field;
using schema::FieldKind;
using schema::Shape;
using value::Value;

constexpr double kInt64Bound = 9223372036854775808.0;  // 2^63

std::unexpected<base::Error> Wrong(std::string text) { return base::Fail(Code::kInvalid, std::move(text)); }

// reflect.Kind of what an untyped document holds.
std::string_view KindName(const Value& v) {
  if (v.is_object()) return "map";
  if (v.is_array()) return "slice";
  if (v.is_string()) return "string";
  if (v.is_bool()) return "bool";
  return v.is_int() ? "int64" : "float64";
}

int64_t Wrapped(FieldKind kind, int64_t number) {
  return kind == FieldKind::kInt32 ? static_cast<int32_t>(static_cast<uint64_t>(number)) : number;
}

// The Go type of what is looked at, which only errors name: the field's own value, or an item of its list or map.
std::string TypeText(const Field& field, bool is_item) {
  return is_item ? schema::GoItemType(field) : schema::GoType(field);
}

base::Result<> FitInteger(const Field& field, bool is_item, Value& v) {
  const FieldKind kind = field.kind;
  if (!v.is_number()) return Wrong(base::Cat("unrecognized type: ", kind == FieldKind::kInt32 ? "int32" : "int64"));
  if (v.is_int()) {
    v = Value::Int(Wrapped(kind, v.AsInt()));
    return {};
  }
  const double number = v.AsDouble();
  if (number != std::trunc(number)) return Wrong(base::Cat("cannot convert float64 to ", TypeText(field, is_item)));
  // Beyond the bounds the processor gives the least number.
  const bool fits = number >= -kInt64Bound && number < kInt64Bound;
  v = Value::Int(Wrapped(kind, fits ? static_cast<int64_t>(number) : INT64_MIN));
  return {};
}

base::Result<> FitStrings(const Value& v) {
  if (!v.is_array()) return Wrong(base::Cat("cannot restore slice from ", KindName(v)));
  for (const Value& item : v.items()) {
    if (item.is_int()) return Wrong("cannot convert int64 to string");
    if (!item.is_string() && !item.is_null()) return Wrong("unrecognized type: string");
  }
  return {};
}

// A value of the field's kind: the field's own, or an item of its list or map.
base::Result<> Fit(const Field& field, bool is_item, Value& v) {
  if (v.is_null()) return {};
  switch (field.kind) {
    case FieldKind::kString:
      if (v.is_string()) return {};
      return Wrong(v.is_int() ? base::Cat("cannot convert int64 to ", TypeText(field, is_item))
                              : "unrecognized type: string");
    case FieldKind::kBool:
      return v.is_bool() ? base::Result<>() : Wrong("unrecognized type: bool");
    case FieldKind::kDouble:
      return v.is_number() ? base::Result<>() : Wrong("unrecognized type: float64");
    case FieldKind::kInt32:
    case FieldKind::kInt64:
      return FitInteger(field, is_item, v);
    case FieldKind::kBytes:
      if (v.is_string()) return {};
      return Wrong(base::Cat("cannot restore slice from ", KindName(v)));
    case FieldKind::kStringList:
      return FitStrings(v);
    case FieldKind::kRef:
      if (field.ref == nullptr || field.ref->special != schema::Special::kNone) return {};
      if (!v.is_object()) return Wrong(base::Cat("cannot restore struct from: ", KindName(v)));
      return GoConvert(*field.ref, v);
    default:
      return {};
  }
}

base::Result<> FitField(const Field& field, Value& v) {
  if (v.is_null()) return {};
  if (field.shape == Shape::kSingle) return Fit(field, false, v);
  if (field.shape == Shape::kList) {
    if (!v.is_array()) return Wrong(base::Cat("cannot restore slice from ", KindName(v)));
    for (Value& item : v.items()) {
      if (auto fits = Fit(field, true, item); !fits) return fits;
    }
    return {};
  }
  if (!v.is_object()) return Wrong(base::Cat("cannot restore map from ", KindName(v)));
  for (value::Member& member : v.members()) {
    if (auto fits = Fit(field, true, member.value); !fits) return fits;
  }
  return {};
}

}  // namespace

base::Result<> GoConvert(const schema::Type& type, const Value& object) {
  for (const Field* field : type.members) {
    Value* member = object.Find(field->name);
    if (member == nullptr) continue;
    if (auto fits = FitField(*field, *member); !fits) return fits;
  }
  return {};
}

}  // namespace apply
