// Conditions of a status, as controllers write them. Pure functions, any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "value/value.h"

namespace controllers {

// As the API prints a moment: "2006-01-02T15:04:05Z".
std::string TimeText(std::chrono::system_clock::time_point time);

struct Condition {
  std::string_view type, status, reason;
  std::string message;
  int64_t observed_generation = 0;  // 0: none
};
// The condition of that type; null where there is none.
const value::Value* FindCondition(const value::Value& conditions, std::string_view type);
// Whether the conditions say it already, whenever it came to be.
bool HasCondition(const value::Value& conditions, const Condition& condition);
// Puts it into `status`.conditions: at the end where it is new; `now` is when it came to be unless its status stays.
void SetCondition(const value::Value& status, const Condition& condition, std::string_view now, value::Arena& arena);

}  // namespace controllers
