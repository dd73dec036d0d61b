#include "cel/library/lists.h"

#include <string_view>

#include "cel/library/numbers.h"
#include "cel/library/times.h"

namespace cel::library {
namespace {

constexpr std::string_view kNoOverload = "no such overload";

bool IsOrdered(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kDuration:
    case ValueKind::kTimestamp:
      return true;
    default:
      return false;
  }
}

Value Unordered(const Value& value) { return value.is_error() ? value : Value::Error(kNoOverload); }

Instant InstantOf(const Value& value) {
  return {.seconds = value.seconds(), .nanoseconds = value.subsecond(), .offset_minutes = value.offset_minutes()};
}

template <class T>
Value Made(const Number<T>& sum, Value (*make)(T)) {
  return sum ? make(*sum) : Value::Error(sum.error());
}

Value Made(const Number<Instant>& sum) {
  if (!sum) return Value::Error(sum.error());
  return Value::Timestamp(sum->seconds, sum->nanoseconds, sum->offset_minutes);
}

Value Plus(const Value& a, const Value& b) {
  if (a.is(ValueKind::kDuration) && b.is(ValueKind::kTimestamp)) return Made(Add(InstantOf(b), a.nanoseconds()));
  if (a.is(ValueKind::kTimestamp) && b.is(ValueKind::kDuration)) return Made(Add(InstantOf(a), b.nanoseconds()));
  if (a.kind() != b.kind()) return Unordered(b);
  switch (a.kind()) {
    case ValueKind::kInt:
      return Made(Add(a.AsInt(), b.AsInt()), &Value::Int);
    case ValueKind::kUint:
      return Made(Add(a.AsUint(), b.AsUint()), &Value::Uint);
    case ValueKind::kDouble:
      return Value::Double(a.AsDouble() + b.AsDouble());
    case ValueKind::kDuration:
      return Made(Add(a.nanoseconds(), b.nanoseconds()), &Value::Duration);
    default:
      return Value::Error(kNoOverload);
  }
}

// The item that no other one beats: `wanted` is how the one that is kept so far compares with one that beats it.
Value Best(const Value& list, int wanted, std::string_view empty) {
  const uint32_t count = list.Count();
  if (count == 0) return Value::Error(empty);
  Value best;
  for (uint32_t i = 0; i < count; ++i) {
    const Value item = list.At(i);
    if (!IsOrdered(item)) return Unordered(item);
    int order = 0;
    std::string_view error;
    if (i == 0 || (Compare(best, item, order, error) && order == wanted)) best = item;
  }
  return best;
}

bool Holds(const Value& list, const Value& item, Steps& steps) { return IndexOf(list, item, steps) >= 0; }

}  // namespace

Value IsSorted(const Value& list) {
  const uint32_t count = list.Count();
  Value last;
  for (uint32_t i = 0; i < count; ++i) {
    const Value item = list.At(i);
    if (!IsOrdered(item)) return Unordered(item);
    int order = 0;
    std::string_view error;
    if (i > 0 && Compare(last, item, order, error) && order > 0) return Value::Bool(false);
    last = item;
  }
  return Value::Bool(true);
}

Value Sum(const Value& list, const Value& zero) {
  const uint32_t count = list.Count();
  Value sum = zero;
  for (uint32_t i = 0; i < count; ++i) {
    sum = Plus(sum, list.At(i));
    if (sum.is_error()) break;
  }
  return sum;
}

Value Min(const Value& list) { return Best(list, 1, "min called on empty list"); }
Value Max(const Value& list) { return Best(list, -1, "max called on empty list"); }

int64_t IndexOf(const Value& list, const Value& item, Steps& steps) {
  const uint32_t count = list.Count();
  for (uint32_t i = 0; i < count && steps.left > 0; ++i) {
    if (Equal(list.At(i), item, steps)) return i;
  }
  return -1;
}

int64_t LastIndexOf(const Value& list, const Value& item, Steps& steps) {
  for (uint32_t i = list.Count(); i-- > 0 && steps.left > 0;) {
    if (Equal(list.At(i), item, steps)) return i;
  }
  return -1;
}

bool SetContains(const Value& list, const Value& part, Steps& steps) {
  const uint32_t count = part.Count();
  for (uint32_t i = 0; i < count; ++i) {
    if (!Holds(list, part.At(i), steps)) return false;
  }
  return true;
}

bool SetEquivalent(const Value& a, const Value& b, Steps& steps) {
  return SetContains(a, b, steps) && SetContains(b, a, steps);
}

bool SetIntersects(const Value& a, const Value& b, Steps& steps) {
  const uint32_t count = a.Count();
  for (uint32_t i = 0; i < count; ++i) {
    if (Holds(b, a.At(i), steps)) return true;
  }
  return false;
}

}  // namespace cel::library
