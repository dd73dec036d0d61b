#include "resources/core/data_rules.h"

#include "api/names.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

constexpr std::string_view kWhy = "field is immutable when `immutable` is set";

bool IsTrue(const Value& v) { return v.is_bool() && v.AsBool(); }

bool SameMap(const DataMap& map, const Value& a, const Value& b) {
  if (a.is_null() == b.is_null()) return value::Equal(a, b);
  return map.none_is_empty && a.empty() && b.empty();
}

}  // namespace

void CheckDataKey(Errors& errors, const FieldPath& data, std::string_view key) {
  PutComplaints(errors, data.Key(key), key, api::CheckConfigMapKey(key));
}

int64_t BytesIn(const Value& map) {
  int64_t bytes = 0;
  for (const value::Member& entry : map.members()) {
    const std::string_view text = entry.value.is_string() ? entry.value.AsString() : "";  // null counts as none
    const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
    bytes += static_cast<int64_t>(text.size() / 4 * 3 - padding);
  }
  return bytes;
}

void CheckImmutableData(Scope& object, std::initializer_list<DataMap> maps) {
  if (object.old == nullptr || !IsTrue(object.old->Get("immutable"))) return;
  if (!IsTrue(object.Get("immutable"))) object.errors.Forbidden(object.At("immutable"), kWhy);
  for (const DataMap& map : maps) {
    const Value now = object.Get(map.name), old = object.old->Get(map.name);
    if (!SameMap(map, now, old)) object.errors.Forbidden(object.At(map.name), kWhy);
  }
}

}  // namespace resources::core
