#include "apply/go_convert.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/escaping.h"
#include "base/text.h"
#include "schema/normalised.h"

namespace apply {
namespace {

using base::Code;
using schema::Field;
using schema::FieldKind;
using schema::Shape;
using value::Arena;
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

// Beyond the bounds the processor gives the least number.
int64_t AsInt64(double number) {
  return number >= -kInt64Bound && number < kInt64Bound ? static_cast<int64_t>(number) : INT64_MIN;
}

bool IsWhole(const Value& v) {
  if (!v.is_number() || v.is_int()) return false;
  const double number = v.AsDouble();
  return number == std::trunc(number) && std::abs(number) < kInt64Bound;
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
  v = Value::Int(Wrapped(kind, AsInt64(number)));
  return {};
}

// Bytes as the text that says them, or one by one.
base::Result<> FitBytes(Arena& arena, Value& v) {
  if (v.is_string()) return {};
  if (!v.is_array()) return Wrong(base::Cat("cannot restore slice from ", KindName(v)));
  std::string bytes;
  for (const Value& item : v.items()) {
    if (!item.is_number() && !item.is_null()) return Wrong("unrecognized type: uint8");
    const double number = item.is_null() ? 0 : item.AsDouble();
    if (number != std::trunc(number)) return Wrong("cannot convert float64 to uint8");
    bytes += static_cast<char>(item.is_int() ? item.AsInt() : AsInt64(number));
  }
  v = Value::Copy(arena, absl::Base64Escape(bytes));
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
base::Result<> Fit(Arena& arena, const Field& field, bool is_item, Value& v) {
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
      return FitBytes(arena, v);
    case FieldKind::kStringList:
      return FitStrings(v);
    case FieldKind::kRawExtension:
    case FieldKind::kQuantity:  // what reads its own text is given it anew
      v = schema::Normalised(arena, v);
      return {};
    case FieldKind::kIntOrString:
      v = IsWhole(v) ? Value::Int(AsInt64(v.AsDouble())) : schema::Normalised(arena, v);
      return {};
    case FieldKind::kRef:
      if (field.ref == nullptr || field.ref->special != schema::Special::kNone) return {};
      if (!v.is_object()) return Wrong(base::Cat("cannot restore struct from: ", KindName(v)));
      return GoConvert(arena, *field.ref, v);
    default:
      return {};
  }
}

base::Result<> FitField(Arena& arena, const Field& field, Value& v) {
  if (v.is_null()) return {};
  if (field.shape == Shape::kSingle) return Fit(arena, field, false, v);
  if (field.shape == Shape::kList) {
    if (!v.is_array()) return Wrong(base::Cat("cannot restore slice from ", KindName(v)));
    for (Value& item : v.items()) {
      if (auto fits = Fit(arena, field, true, item); !fits) return fits;
    }
    return {};
  }
  if (!v.is_object()) return Wrong(base::Cat("cannot restore map from ", KindName(v)));
  for (value::Member& member : v.members()) {
    if (auto fits = Fit(arena, field, true, member.value); !fits) return fits;
  }
  return {};
}

}  // namespace

base::Result<> GoConvert(Arena& arena, const schema::Type& type, const Value& object) {
  if (type.structural != nullptr) return {};  // Go holds it as it is
  for (const Field* field : type.members) {
    Value* member = object.Find(field->name);
    if (member == nullptr) continue;
    if (auto fits = FitField(arena, *field, *member); !fits) return fits;
  }
  return {};
}

}  // namespace apply
