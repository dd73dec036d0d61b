#include "resources/networking/references.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::networking {
namespace {

constexpr int64_t kLongestController = 250;
constexpr std::string_view kScopes[] = {"Cluster", "Namespace"};

void CheckParameters(Scope& parameters) {
  CheckTypedReference(parameters);
  const FieldPath at_namespace = parameters.At("namespace");
  const bool has_namespace = parameters.Has("namespace");
  if (!parameters.Has("scope")) return parameters.errors.Required(parameters.At("scope"));
  const std::string_view scope = parameters.String("scope");
  if (scope == "Cluster") {
    if (has_namespace) parameters.errors.Forbidden(at_namespace, "`parameters.scope` is set to 'Cluster'");
  } else if (scope != "Namespace") {
    parameters.errors.NotSupported(parameters.At("scope"), scope, kScopes);
  } else if (!has_namespace) {
    parameters.errors.Required(at_namespace, "`parameters.scope` is set to 'Namespace'");
  } else {
    const std::string_view name = parameters.String("namespace");
    PutComplaints(parameters.errors, at_namespace, name, api::CheckNameIsDnsLabel(name, false));
  }
}

void CheckSpec(Scope& ingress_class) {
  static constexpr Rule kParameterRules[] = {Call(CheckParameters)};
  const FieldPath spec("spec");
  const FieldPath controller = spec.Child("controller");
  const std::string_view name = ingress_class.Get("spec").GetString("controller");
  if (static_cast<int64_t>(name.size()) > kLongestController) {
    ingress_class.errors.TooLong(controller, kLongestController);
  }
  CheckDomainPrefixedPath(ingress_class.errors, controller, name);
  const Value* parameters = ingress_class.Get("spec").Find("parameters");
  if (parameters != nullptr) {
    Check(ingress_class, kParameterRules, spec.Child("parameters"), *parameters, nullptr);
  }
}

void CheckChange(Scope& ingress_class) {
  const FieldPath spec("spec");
  CheckUnchanged(ingress_class.errors, spec.Child("controller"), ingress_class.Get("spec").GetString("controller"),
                 ingress_class.old->Get("spec").GetString("controller"));
}

constexpr Rule kRules[] = {Call(CheckSpec)};
constexpr Rule kUpdateRules[] = {Call(CheckObjectMetaUpdate), Call(CheckChange), Call(CheckObjectMeta),
                                 Call(CheckSpec)};

}  // namespace

constinit const registry::StrategyTable kIngressClasses = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .has_generation = true,
            .generation_of = kSpec,
        },
};

}  // namespace resources::networking
