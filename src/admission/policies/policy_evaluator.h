// PolicyEvaluator: what one policy says to one request with one parameter object: its match conditions, validations,
// messages and audit annotations, each within the API server's cost budgets. One thread; belongs to one request.
//
// Cost: bounded by the budgets, whatever the policy and the request hold: 2.5 million units of conditions, 10 million
// of validations and messages, 10 million of audit annotations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/policies/compiled_policy.h"
#include "cel/authorizer.h"
#include "cel/program.h"
#include "value/value.h"

namespace admission {

// What expressions see of a request in the form in which a policy matches it. Values are null where there is nothing.
struct PolicyInput {
  value::Value object, old_object, namespace_object, request;
  cel::Authorizer& authorizer;
  cel::AuthorizerCheck request_resource;
};

// Something that a policy has against a request.
struct PolicyComplaint {
  std::string message;
  std::string reason;            // metav1.StatusReason; "" is Invalid
  bool enforced_always = false;  // denies whatever the binding's actions are
};

// What a mutation makes of the object: a JSON patch or a configuration to apply, as a document in `arena`; or why it
// makes none.
struct MutationResult {
  value::Value document;
  std::string error;
};
MutationResult EvaluateMutation(const CompiledPolicy& policy, const PolicyMutation& mutation, const PolicyInput& input,
                                const value::Value& parameters, value::Arena& arena);

// In the order in which they are told; empty: the request may pass. Errors are complaints of a policy that fails, and
// nothing of one that ignores them. `parameters` is null where there are none.
std::vector<PolicyComplaint> EvaluatePolicy(const CompiledPolicy& policy, const PolicyInput& input,
                                            const value::Value& parameters);

// What the match conditions of a policy or webhook say: whether it speaks of the request, or the error that decides.
struct ConditionResult {
  bool matches = true;
  std::string error;
};
ConditionResult CheckMatchConditions(const CompiledPolicy& policy, const PolicyInput& input,
                                     const value::Value& parameters);

}  // namespace admission
