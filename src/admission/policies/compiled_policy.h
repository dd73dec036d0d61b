// CompiledPolicy and PolicyBinding: a stored validating or mutating policy and a binding of one, ready to be asked.
// Made of the stored object, then immutable, any thread. An expression that does not compile is kept with its error,
// which is the answer to each request that asks it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/policies/resource_matcher.h"
#include "cel/composition.h"
#include "cel/program_cache.h"
#include "value/value.h"

namespace admission {

struct PolicyExpression {
  std::string text;
  std::shared_ptr<const cel::CompiledExpression> compiled;
  std::string error;  // why it cannot run; "" it can
};

struct PolicyValidation {
  PolicyExpression expression;
  std::optional<PolicyExpression> message_expression;
  std::string message, reason;
};

struct PolicyMutation {
  bool is_json_patch = false;  // else an applied configuration
  PolicyExpression expression;
};

// A validating policy has no mutations, a mutating one nothing else to say.
struct CompiledPolicy {
  // `policy` as it is stored; `programs` shares what other policies have, too.
  CompiledPolicy(const value::Value& policy, cel::ProgramCache& programs);

  std::string name;
  bool fails = true;  // failurePolicy Fail
  bool has_parameters = false;
  std::string parameter_api_version, parameter_kind;
  ResourceMatcher matcher;
  std::shared_ptr<const cel::Environment> environment;  // of all expressions: what an activation is made of
  std::vector<cel::ComposedVariable> variables;         // by name
  std::vector<PolicyExpression> conditions;
  std::vector<PolicyValidation> validations;
  std::vector<PolicyExpression> audit_annotations;
  std::vector<PolicyMutation> mutations;
  bool reinvoked = false;  // reinvocationPolicy IfNeeded
};

struct ParameterReference {
  std::string name, namespace_name;
  std::optional<api::LabelSelector> selector;
  std::string broken;  // what is wrong with the selector; "" nothing
  bool denies_missing = true;
};

struct PolicyBinding {
  explicit PolicyBinding(const value::Value& binding);

  std::string name, policy_name;
  std::optional<ResourceMatcher> matcher;  // none: everything
  std::optional<ParameterReference> parameters;
  bool denies = false, warns = false;
};

}  // namespace admission
