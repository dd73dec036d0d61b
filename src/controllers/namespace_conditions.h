// The conditions of a namespace that is being deleted: what went wrong and what is still there, in the words that
// clients know. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "value/arena.h"
#include "value/value.h"

namespace controllers {

// What one round of emptying a namespace found.
struct ContentReport {
  std::map<std::pair<std::string, std::string>, size_t> remaining;  // (plural, group): objects
  std::map<std::string, size_t> finalizers;                         // finalizer: objects that have it
  std::vector<std::string> errors;                                  // of deletions
};

// Makes status.conditions of a namespace say so; `now` (RFC 3339) is the time of what changes its status. The order of
// conditions that are there already stays. `now` lives in the arena.
void SetConditions(const value::Value& object, const ContentReport& report, std::string_view now, value::Arena& arena);

}  // namespace controllers
