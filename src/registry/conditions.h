// Conditions of a status, as the server writes them itself. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

#include "value/value.h"

namespace registry {

struct Condition {
  std::string_view type, status, reason;
  std::string message;
  int64_t observed_generation = 0;  // 0: none
};
// The condition of that type; null where there is none.
const value::Value* FindCondition(const value::Value& conditions, std::string_view type);
// Whether the condition of that type has the status "True".
bool IsTrue(const value::Value& conditions, std::string_view type);
// Whether the conditions say it already, whenever it came to be.
bool HasCondition(const value::Value& conditions, const Condition& condition);
// Puts it into `status`.conditions: at the end where it is new; `now` is when it came to be unless its status stays.
void SetCondition(const value::Value& status, const Condition& condition, std::string_view now, value::Arena& arena);
// The same for a pod, whose conditions are written whole: of the old one only when it came to be stays, where its
// status does. An empty reason or message is left out.
void SetPodCondition(const value::Value& status, const Condition& condition, std::string_view now, value::Arena& arena);

}  // namespace registry
