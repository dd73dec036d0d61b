#include "resources/core/data_rules.h"

#include "api/names.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

constexpr std::string_view kWhy = "field is immutable when `immutable` is set";

bool IsTrue(const Value& v) { return v.is_bool() && v.AsBool(); }

// An empty map and none are two things here.
bool SameMap(const Value& a, const Value& b) { return a.is_null() == b.is_null() && value::Equal(a, b); }

}  // namespace

void CheckDataKey(Errors& errors, const FieldPath& data, std::string_view key) {
  PutComplaints(errors, data.Key(key), key, api::CheckConfigMapKey(key));
}

int64_t BytesIn(const Value& map) {
  int64_t bytes = 0;
  for (const value::Member& entry : map.members()) {
    const std::string_view text = entry.value.AsString();
    const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
    bytes += static_cast<int64_t>(text.size() / 4 * 3 - padding);
  }
  return bytes;
}

void CheckImmutableData(Scope& object, std::initializer_list<std::string_view> maps) {
  if (object.old == nullptr || !IsTrue(object.old->Get("immutable"))) return;
  if (!IsTrue(object.Get("immutable"))) object.errors.Forbidden(object.At("immutable"), kWhy);
  for (std::string_view map : maps) {
    if (!SameMap(object.Get(map), object.old->Get(map))) object.errors.Forbidden(object.At(map), kWhy);
  }
}

}  // namespace resources::core
