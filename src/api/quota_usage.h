// What objects count for in resource quotas: the names of what is limited, and how much of it one object uses.
// Admission (which refuses what is too much) and the controller (which says what is used) both ask here. Pure functions
// over stored objects, any thread.
#pragma once

#include <chrono>
#include <string_view>

#include "api/features.h"
#include "api/pod_resources.h"
#include "value/value.h"

namespace api {

// Whether objects of that resource can count for what a quota calls `name` ("count/deployments.apps",
// "requests.cpu").
bool CountsFor(std::string_view group, std::string_view plural, std::string_view name);
// Whether all objects count alike, one each: how many there are says it all.
bool CountsAsOne(std::string_view group, std::string_view plural);

// What the object uses; of pods also what depends on the time, as pods that are long overdue to go are free.
ResourceList QuotaUsage(std::string_view group, std::string_view plural, const value::Value& object,
                        std::chrono::system_clock::time_point now, const Features& features);
// Whether a quota with that spec (scopes, scopeSelector) is about the object at all. Scopes are about pods: nothing
// else is in any.
bool InQuotaScopes(const value::Value& quota_spec, std::string_view group, std::string_view plural,
                   const value::Value& object, const Features& features);

}  // namespace api
