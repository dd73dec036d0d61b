#include "controllers/conditions.h"

#include <ctime>

namespace controllers {

using value::Arena;
using value::Value;

std::string TimeText(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

const Value* FindCondition(const Value& conditions, std::string_view type) {
  for (const Value& condition : conditions.items()) {
    if (condition.GetString("type") == type) return &condition;
  }
  return nullptr;
}

bool HasCondition(const Value& conditions, const Condition& condition) {
  const Value* found = FindCondition(conditions, condition.type);
  if (found == nullptr) return false;
  const Value generation = found->Get("observedGeneration");
  return found->GetString("status") == condition.status && found->GetString("reason") == condition.reason &&
         found->GetString("message") == condition.message &&
         (generation.is_int() ? generation.AsInt() : 0) == condition.observed_generation;
}

void SetCondition(const Value& status, const Condition& condition, std::string_view now, Arena& arena) {
  Value conditions = status.Get("conditions");
  if (!conditions.is_array()) {
    conditions = Value::Array(arena, 1);
    status.Set(arena, "conditions", conditions);
  }
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

}  // namespace controllers
