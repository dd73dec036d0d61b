#include "apply/fit_numbers.h"

#include <cmath>
#include <cstdint>

namespace apply {
namespace {

using base::Code;
using schema::Field;
using schema::FieldKind;
using value::Value;

constexpr double kInt64Bound = 9223372036854775808.0;  // 2^63

int64_t Wrapped(const Field& field, int64_t number) {
  return field.kind == FieldKind::kInt32 ? static_cast<int32_t>(static_cast<uint64_t>(number)) : number;
}

base::Result<> FitNumber(const Field& field, Value& v) {
  if (v.is_int()) {
    v = Value::Int(Wrapped(field, v.AsInt()));
    return {};
  }
  const double number = v.AsDouble();
  if (number != std::trunc(number)) {
    return base::Fail(Code::kInvalid, field.kind == FieldKind::kInt32 ? "cannot convert float64 to int32"
                                                                      : "cannot convert float64 to int64");
  }
  // Beyond the bounds the processor gives the least number.
  const bool fits = number >= -kInt64Bound && number < kInt64Bound;
  v = Value::Int(Wrapped(field, fits ? static_cast<int64_t>(number) : INT64_MIN));
  return {};
}

base::Result<> FitItem(const Field& field, Value& v) {
  const bool integer = field.kind == FieldKind::kInt32 || field.kind == FieldKind::kInt64;
  if (integer && v.is_number()) return FitNumber(field, v);
  const bool structure = field.kind == FieldKind::kRef && field.ref != nullptr;
  if (!structure || field.ref->special != schema::Special::kNone || !v.is_object()) return {};
  return FitNumbers(*field.ref, v);
}

}  // namespace

base::Result<> FitNumbers(const schema::Type& type, const Value& object) {
  for (value::Member& member : object.members()) {
    const Field* field = type.Member(member.key);
    if (field == nullptr) continue;
    base::Result<> fitted;
    if (field->shape == schema::Shape::kSingle) fitted = FitItem(*field, member.value);
    if (field->shape == schema::Shape::kList) {
      for (Value& item : member.value.items()) {
        if (fitted) fitted = FitItem(*field, item);
      }
    }
    if (field->shape == schema::Shape::kMap) {
      for (value::Member& item : member.value.members()) {
        if (fitted) fitted = FitItem(*field, item.value);
      }
    }
    if (!fitted) return fitted;
  }
  return {};
}

}  // namespace apply
