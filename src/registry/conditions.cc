#include "registry/conditions.h"

namespace registry {

using value::Arena;
using value::Value;

const Value* FindCondition(const Value& conditions, std::string_view type) {
  for (const Value& condition : conditions.items()) {
    if (condition.GetString("type") == type) return &condition;
  }
  return nullptr;
}

bool IsTrue(const Value& conditions, std::string_view type) {
  const Value* found = FindCondition(conditions, type);
  return found != nullptr && found->GetString("status") == "True";
}

bool HasCondition(const Value& conditions, const Condition& condition) {
  const Value* found = FindCondition(conditions, condition.type);
  if (found == nullptr) return false;
  const Value generation = found->Get("observedGeneration");
  return found->GetString("status") == condition.status && found->GetString("reason") == condition.reason &&
         found->GetString("message") == condition.message &&
         (generation.is_int() ? generation.AsInt() : 0) == condition.observed_generation;
}

namespace {

Value ConditionsOf(const Value& status, Arena& arena) {
  Value conditions = status.Get("conditions");
  if (!conditions.is_array()) {
    conditions = Value::Array(arena, 1);
    status.Set(arena, "conditions", conditions);
  }
  return conditions;
}

}  // namespace

void SetCondition(const Value& status, const Condition& condition, std::string_view now, Arena& arena) {
  const Value conditions = ConditionsOf(status, arena);
  const Value* found = FindCondition(conditions, condition.type);
  const Value made = found != nullptr ? *found : Value::Object(arena, 6);
  if (found == nullptr) {
    made.Set(arena, "type", Value::Copy(arena, condition.type));
    conditions.Append(arena, made);
  }
  if (made.GetString("status") != condition.status) {
    made.Set(arena, "status", Value::Copy(arena, condition.status));
    made.Set(arena, "lastTransitionTime", Value::Copy(arena, now));
  }
  if (condition.observed_generation != 0) {
    made.Set(arena, "observedGeneration", Value::Int(condition.observed_generation));
  }
  made.Set(arena, "reason", Value::Copy(arena, condition.reason));
  made.Set(arena, "message", Value::Copy(arena, condition.message));
}

void SetPodCondition(const Value& status, const Condition& condition, std::string_view now, Arena& arena) {
  const Value conditions = ConditionsOf(status, arena);
  const Value made = Value::Object(arena, 5);
  made.Add(arena, "type", Value::Copy(arena, condition.type));
  made.Add(arena, "status", Value::Copy(arena, condition.status));
  if (!condition.reason.empty()) made.Add(arena, "reason", Value::Copy(arena, condition.reason));
  if (!condition.message.empty()) made.Add(arena, "message", Value::Copy(arena, condition.message));
  const Value* old = FindCondition(conditions, condition.type);
  const bool stays = old != nullptr && old->GetString("status") == condition.status;
  const Value since = stays ? old->Get("lastTransitionTime") : Value::Copy(arena, now);
  if (!since.is_null()) made.Add(arena, "lastTransitionTime", since);
  if (old == nullptr) return conditions.Append(arena, made);
  conditions[static_cast<uint32_t>(old - conditions.items().data())] = made;
}

}  // namespace registry
