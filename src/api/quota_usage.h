// What objects count for in resource quotas: the names of what is limited, and how much of it one object uses.
// Admission (which refuses what is too much) and the controller (which says what is used) both ask here. Pure functions
// over stored objects, any thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "api/quantity.h"
#include "value/value.h"

namespace api {

using ResourceList = std::map<std::string, Quantity, std::less<>>;

// The sum: names of both, a quantity in the format of the first that is not zero.
void AddTo(ResourceList& list, const ResourceList& more);
// Of an object's `resources.requests`, say; what is no quantity is left out.
ResourceList ReadResourceList(const value::Value& list);

// Whether objects of that resource can count for what a quota calls `name` ("count/deployments.apps",
// "requests.cpu").
bool CountsFor(std::string_view group, std::string_view plural, std::string_view name);
// Whether all objects count alike, one each: how many there are says it all.
bool CountsAsOne(std::string_view group, std::string_view plural);

// What the object uses; of pods also what depends on the time, as pods that are long overdue to go are free.
ResourceList QuotaUsage(std::string_view group, std::string_view plural, const value::Value& object,
                        std::chrono::system_clock::time_point now);
// Whether a quota with that spec (scopes, scopeSelector) is about the object at all. Scopes are about pods: nothing
// else is in any.
bool InQuotaScopes(const value::Value& quota_spec, std::string_view group, std::string_view plural,
                   const value::Value& object);

// Requests or limits ("requests", "limits") of a whole pod: containers together, or what starting needs where that is
// more, and the overhead.
ResourceList PodResources(const value::Value& pod, std::string_view which);

}  // namespace api
