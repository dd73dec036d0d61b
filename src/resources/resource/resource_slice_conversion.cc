#include "resources/conversions.h"

namespace resources::resource {

using value::Arena;
using value::Member;
using value::Value;

namespace {

// A copy of `slice` under `api_version`, with every device's capacities made by `convert`.
template <class Convert>
Value WithCapacities(Arena& arena, const Value& slice, std::string_view api_version, Convert convert) {
  Value copy = value::DeepCopy(arena, slice);
  copy.Set(arena, "apiVersion", Value::String(api_version));
  for (const Value& device : copy.Get({"spec", "devices"}).items()) {
    for (Member& capacity : device.Get({"basic", "capacity"}).members()) capacity.value = convert(capacity.value);
  }
  return copy;
}

}  // namespace

Value ResourceSliceToV1alpha3(Arena& arena, const Value& v1beta1) {
  return WithCapacities(arena, v1beta1, "resource.k8s.io/v1alpha3", [](const Value& capacity) {
    const Value* quantity = capacity.Find("value");
    return quantity ? *quantity : Value::String("0");
  });
}

Value ResourceSliceToV1beta1(Arena& arena, const Value& v1alpha3) {
  return WithCapacities(arena, v1alpha3, "resource.k8s.io/v1beta1", [&](const Value& quantity) {
    Value capacity = Value::Object(arena, 1);
    if (!quantity.is_string() || quantity.AsString() != "0") capacity.Add(arena, "value", quantity);
    return capacity;
  });
}

}  // namespace resources::resource
