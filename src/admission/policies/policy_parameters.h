// The parameter objects that a policy is evaluated with for a binding. Reads the store at each call; any thread.
#pragma once

#include <vector>

#include "admission/policies/compiled_policy.h"
#include "admission/policies/resource_matcher.h"
#include "base/result.h"
#include "store/store.h"

namespace admission {

// A request is evaluated with at most so many objects a binding; more are an error of the configuration.
inline constexpr size_t kMostParameters = 1000;

// The served resource that the policy's paramKind names. Fails as the API server says it. Linear in what is served.
base::Result<const registry::Resource*> FindParameterResource(const CompiledPolicy& policy,
                                                              const registry::ResourceTable& resources);

// The objects, in the request's arena; one null where policy or binding have no parameters, none where nothing is found
// and that is allowed. Fails with what is said of the configuration. `resource` as FindParameterResource gives it, null
// where the policy has none. Costs a look at the labels of every object that may be selected.
base::Result<std::vector<value::Value>> CollectParameters(const PolicyBinding& binding,
                                                          const registry::Resource* resource, MatchedRequest& request,
                                                          store::Store& store);

}  // namespace admission
