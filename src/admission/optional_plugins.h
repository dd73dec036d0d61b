// The rules of the plugins that run only where --enable-admission-plugins names them. Pure; any thread. `old` is null
// on create.
#pragma once

#include "api/error.h"
#include "value/value.h"

namespace admission {

// AlwaysPullImages: a pod with an image that it had not before pulls all its images each time; 403 where another plugin
// set another policy.
void PullAlways(const value::Value& pod, const value::Value* old, value::Arena& arena);
api::Result<> CheckPullPolicies(const value::Value& pod, const value::Value* old);

// ExtendedResourceToleration: a pod tolerates the taints that are named after the extended resources it requests.
void TolerateExtendedResources(const value::Value& pod, value::Arena& arena);

// LimitPodHardAntiAffinityTopology: required anti-affinity names the node's name as topology key alone; 403.
api::Result<> CheckAntiAffinity(const value::Value& pod);

// DenyServiceExternalIPs: external addresses of a service may stay and go, none may come; 403.
api::Result<> CheckExternalAddresses(const value::Value& service, const value::Value* old);

}  // namespace admission
