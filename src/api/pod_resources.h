// What pods ask for and may use at most, summed over their containers. Defaults, validation and quotas ask here. Pure
// functions over stored objects, any thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "api/features.h"
#include "api/quantity.h"
#include "value/value.h"

namespace api {

using ResourceList = std::map<std::string, Quantity, std::less<>>;

// The sum: names of both, a quantity in the format of the first that is not zero.
void AddTo(ResourceList& list, const ResourceList& more);
// Of an object's `resources.requests`, say; what is no quantity is left out.
ResourceList ReadResourceList(const value::Value& list);

// Whether a pod may say for all of its containers together how much of that it takes.
bool IsPodLevelResource(std::string_view name);
// Whether a PodSpec says so of any.
bool HasPodLevelResources(const value::Value& pod_spec);

// Requests or limits (`which`: "requests", "limits") of a PodSpec's containers together, or what starting needs where
// that is more.
ResourceList ContainerResources(const value::Value& pod_spec, std::string_view which);
// The same of a whole pod, as the gates have it: what the pod says for itself counts before that, what its containers
// run with while they are resized counts too; with the overhead.
ResourceList PodResources(const value::Value& pod, std::string_view which, const Features& features);

}  // namespace api
