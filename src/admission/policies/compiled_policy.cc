#include "admission/policies/compiled_policy.h"

#include <algorithm>
#include <map>

#include "api/object_selector.h"
#include "base/text.h"
#include "cel/policy_environment.h"
#include "registry/object_meta.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

PolicyExpression Compile(const std::shared_ptr<const cel::Environment>& environment, std::string_view text,
                         std::initializer_list<std::string_view> types, cel::ProgramCache& programs) {
  PolicyExpression made{.text = std::string(text), .compiled = programs.Get(environment, text), .error = {}};
  const cel::CompiledExpression& compiled = *made.compiled;
  if (!compiled.check_error.empty()) {
    made.error = Cat("compilation failed: ", compiled.check_error);
  } else if (types.size() > 0 && std::ranges::find(types, compiled.output_type) == types.end()) {
    made.error = Cat("must evaluate to ", *types.begin(), " but got ", compiled.output_type);
  } else if (compiled.program == nullptr) {
    made.error = Cat("program instantiation failed: ", compiled.program_error);
  }
  return made;
}

// The environments of one policy: with `variables`, where it has some.
class Environments {
 public:
  Environments(bool has_params, bool composed) : has_params_(has_params) {
    if (composed) composed_ = std::make_unique<cel::PolicyEnvironment>(has_params);
  }
  std::shared_ptr<const cel::Environment> Get(bool has_authorizer, bool has_patches = false) {
    if (composed_) return composed_->Get(cel::kStoredExpressions, has_authorizer, has_patches);
    return cel::AdmissionEnvironment({.version = cel::kStoredExpressions,
                                      .has_params = has_params_,
                                      .has_authorizer = has_authorizer,
                                      .has_patches = has_patches});
  }
  void Add(std::string_view name, const cel::Type* type) { composed_->Add(name, type); }

 private:
  const bool has_params_;
  std::unique_ptr<cel::PolicyEnvironment> composed_;
};

// In order of their names; of two of one name the last one counts.
std::vector<cel::ComposedVariable> CompileVariables(const Value& variables, Environments& environments,
                                                    cel::ProgramCache& programs) {
  std::map<std::string, cel::ComposedVariable, std::less<>> made;
  for (const Value& variable : variables.items()) {
    if (made.size() >= cel::kMostPolicyVariables) break;
    const std::string name(variable.GetString("name"));
    const PolicyExpression expression = Compile(environments.Get(true), variable.GetString("expression"), {}, programs);
    const cel::CompiledExpression& compiled = *expression.compiled;
    environments.Add(name, compiled.program == nullptr ? nullptr : &compiled.program->output_type());
    made[name] = {.name = name, .program = compiled.program, .error = expression.error};
  }
  std::vector<cel::ComposedVariable> sorted;
  sorted.reserve(made.size());
  for (auto& [name, variable] : made) sorted.push_back(std::move(variable));
  return sorted;
}

}  // namespace

CompiledPolicy::CompiledPolicy(const Value& policy, cel::ProgramCache& programs)
    : name(registry::ObjectMeta(policy).name()), matcher(policy.Get({"spec", "matchConstraints"})) {
  const Value spec = policy.Get("spec");
  fails = spec.GetString("failurePolicy") != "Ignore";
  const Value kind = spec.Get("paramKind");
  has_parameters = kind.is_object();
  parameter_api_version = kind.GetString("apiVersion");
  parameter_kind = kind.GetString("kind");

  Environments environments(has_parameters, !spec.Get("variables").empty());
  variables = CompileVariables(spec.Get("variables"), environments, programs);
  environment = environments.Get(true);
  for (const Value& condition : spec.Get("matchConditions").items()) {
    conditions.push_back(Compile(environment, condition.GetString("expression"), {"bool"}, programs));
  }
  for (const Value& validation : spec.Get("validations").items()) {
    PolicyValidation made{.expression = Compile(environment, validation.GetString("expression"), {"bool"}, programs),
                          .message_expression = {},
                          .message = std::string(validation.GetString("message")),
                          .reason = std::string(validation.GetString("reason"))};
    const std::string_view message = validation.GetString("messageExpression");
    if (!message.empty()) made.message_expression = Compile(environments.Get(false), message, {"string"}, programs);
    validations.push_back(std::move(made));
  }
  for (const Value& annotation : spec.Get("auditAnnotations").items()) {
    audit_annotations.push_back(
        Compile(environment, annotation.GetString("valueExpression"), {"string", "null_type"}, programs));
  }
  reinvoked = spec.GetString("reinvocationPolicy") == "IfNeeded";
  for (const Value& mutation : spec.Get("mutations").items()) {
    const bool is_json_patch = mutation.GetString("patchType") == "JSONPatch";
    const Value patch = mutation.Get(is_json_patch ? "jsonPatch" : "applyConfiguration");
    mutations.push_back({.is_json_patch = is_json_patch,
                         .expression = Compile(environments.Get(true, true), patch.GetString("expression"),
                                               {is_json_patch ? "list(JSONPatch)" : "Object"}, programs)});
  }
}

PolicyBinding::PolicyBinding(const Value& binding)
    : name(registry::ObjectMeta(binding).name()), policy_name(binding.Get("spec").GetString("policyName")) {
  const Value spec = binding.Get("spec"), matching = spec.Get("matchResources"), reference = spec.Get("paramRef");
  if (matching.is_object()) matcher.emplace(matching);
  for (const Value& action : spec.Get("validationActions").items()) {
    denies = denies || (action.is_string() && action.AsString() == "Deny");
    warns = warns || (action.is_string() && action.AsString() == "Warn");
  }
  if (!reference.is_object()) return;
  parameters.emplace();
  parameters->name = reference.GetString("name");
  parameters->namespace_name = reference.GetString("namespace");
  parameters->denies_missing = reference.GetString("parameterNotFoundAction") == "Deny";
  if (!reference.Get("selector").is_object()) return;
  auto selector = api::SelectorOf(reference.Get("selector"));
  if (!selector) {
    parameters->broken = selector.error().message;
  } else {
    parameters->selector = std::move(*selector);
  }
}

}  // namespace admission
