#include "controllers/applied_fields.h"

#include <algorithm>

#include "registry/conditions.h"
#include "registry/strategy.h"
#include "value/json_reader.h"

namespace controllers {
namespace {

using value::Arena;
using value::Value;

bool IsOurs(const Value& entry, const AppliedFields& applied) {
  return entry.GetString("manager") == applied.manager && entry.GetString("operation") == "Apply" &&
         entry.GetString("subresource") == applied.subresource;
}

Value MakeEntry(const AppliedFields& applied, const Value& fields, std::string_view time, Arena& arena) {
  const Value entry = Value::Object(arena, 7);
  entry.Add(arena, "manager", Value::Copy(arena, applied.manager));
  entry.Add(arena, "operation", Value::String("Apply"));
  entry.Add(arena, "apiVersion", Value::Copy(arena, applied.api_version));
  entry.Add(arena, "time", Value::Copy(arena, time));
  entry.Add(arena, "fieldsType", Value::String("FieldsV1"));
  entry.Add(arena, "fieldsV1", fields);
  if (!applied.subresource.empty()) entry.Add(arena, "subresource", Value::Copy(arena, applied.subresource));
  return entry;
}

bool HasField(const Value& entries, std::string_view field) {
  return std::ranges::any_of(entries.items(),
                             [&](const Value& entry) { return entry.Get("fieldsV1").Find(field) != nullptr; });
}

// Takes from another's entry what is now ours, where it is a field as a whole.
void TakeFrom(const Value& entry, const Value& fields) {
  const Value theirs = entry.Get("fieldsV1");
  for (const value::Member& field : fields.members()) {
    if (field.value.empty()) theirs.Remove(field.key);
  }
}

}  // namespace

void RecordApplied(const Value& object, const AppliedFields& applied, std::chrono::system_clock::time_point now,
                   Arena& arena) {
  const auto fields = value::ReadJson(Value::Copy(arena, applied.fields).AsString(), arena);
  const Value metadata = object.Get("metadata");
  if (!fields || !metadata.is_object()) return;
  const Value made = Value::Array(arena);
  const Value entry = MakeEntry(applied, *fields, registry::TimeText(now), arena);
  bool placed = false;
  for (const Value& other : metadata.Get("managedFields").items()) {
    if (IsOurs(other, applied)) continue;
    // Those that apply stand first.
    if (!placed && other.GetString("operation") != "Apply") {
      made.Append(arena, entry);
      placed = true;
    }
    TakeFrom(other, *fields);
    if (!other.Get("fieldsV1").empty()) made.Append(arena, other);
  }
  if (!placed) made.Append(arena, entry);
  metadata.Set(arena, "managedFields", made);
}

bool ReleaseApplied(const Value& object, const AppliedFields& applied) {
  const Value entries = object.Get({"metadata", "managedFields"});
  const auto items = entries.items();
  const auto ours = std::ranges::find_if(items, [&](const Value& entry) { return IsOurs(entry, applied); });
  if (ours == items.end()) return false;
  const Value fields = ours->Get("fieldsV1");
  entries.Erase(static_cast<uint32_t>(ours - items.begin()));
  for (const value::Member& field : fields.members()) {
    if (!HasField(entries, field.key)) object.Remove(field.key.substr(std::string_view("f:").size()));
  }
  return true;
}

}  // namespace controllers
