#include "admission/policies/validating_policies.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "admission/policies/policy_evaluator.h"
#include "admission/policies/policy_parameters.h"
#include "admission/policies/policy_request.h"
#include "admission/policies/request_authorizer.h"
#include "base/text.h"
#include "registry/registry.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

constexpr size_t kMostWarnings = 100;  // of one request; an answer tells 4096 bytes of them at most

struct Denial {
  std::string message, reason;
};

int CodeOf(std::string_view reason) {
  if (reason == "Forbidden") return 403;
  if (reason == "RequestEntityTooLarge") return 413;
  return 422;
}

// One request, held against all policies.
class Dispatch {
 public:
  Dispatch(AdmissionRequest& request, store::Store& store, const RequestRight& right)
      : request_(request), store_(store), matched_(request, store), authorizer_(right, request.call.request.user) {}

  void Ask(const BoundPolicy& bound) {
    const CompiledPolicy& policy = *bound.policy;
    const auto as = policy.matcher.Match(matched_);
    if (!as) return Misconfigured(policy, nullptr, as.error().message);
    if (*as == nullptr) return;
    const auto parameters = FindParameterResource(policy, request_.call.resources);
    if (!parameters) return Misconfigured(policy, nullptr, parameters.error().message);
    for (const auto& binding : bound.bindings) AskBinding(policy, *binding, **as, *parameters);
  }

  api::Result<> Answer() const {
    if (!denial_) return {};
    const std::string_view named = matched_.name();
    api::Error error = api::Forbidden(denial_->message, request_.resource.group_resource(),
                                      named.empty() ? request_.ShownName() : named);
    error.reason = denial_->reason.empty() ? "Invalid" : denial_->reason;
    error.code = CodeOf(error.reason);
    error.details.causes.push_back({.reason = {}, .message = denial_->message, .field = {}});
    return api::Fail(std::move(error));
  }

 private:
  // What the request is in the form of one resource; made when the first policy asks.
  struct Form {
    const registry::Resource* as = nullptr;
    Value object, old_object, request;
  };

  void AskBinding(const CompiledPolicy& policy, const PolicyBinding& binding, const registry::Resource& as,
                  const registry::Resource* parameter_resource) {
    if (binding.matcher) {
      const auto matches = binding.matcher->Match(matched_);
      if (!matches) return Misconfigured(policy, &binding, matches.error().message);
      if (*matches == nullptr) return;
    }
    const auto parameters = CollectParameters(binding, parameter_resource, matched_, store_);
    if (!parameters) return Misconfigured(policy, &binding, parameters.error().message);
    if (parameters->empty()) return;
    const auto form = FormOf(as);
    if (!form) return Misconfigured(policy, &binding, form.error().message);
    const PolicyInput input{.object = (*form)->object,
                            .old_object = (*form)->old_object,
                            .namespace_object = ShownNamespace(),
                            .request = (*form)->request,
                            .authorizer = authorizer_,
                            .request_resource = RequestResourceCheck(matched_)};
    for (const Value& parameter : *parameters) {
      for (PolicyComplaint& complaint : EvaluatePolicy(policy, input, parameter)) {
        Complain(policy, binding, std::move(complaint));
      }
    }
  }

  const Value& ShownNamespace() {
    if (shown_namespace_) return *shown_namespace_;
    shown_namespace_.emplace();
    const registry::Resource* resource = request_.call.resources.Find("", "v1", "namespaces");
    if (resource == nullptr || matched_.is_namespace()) return *shown_namespace_;
    shown_namespace_ = AsShown(resource->type, matched_.NamespaceObject(), request_.arena);
    return *shown_namespace_;
  }

  base::Result<const Form*> FormOf(const registry::Resource& as) {
    for (const auto& form : forms_) {
      if (form->as == &as) return form.get();
    }
    auto object = InFormOf(matched_, as, request_.object);
    if (!object) return std::unexpected(std::move(object.error()));
    auto old_object = InFormOf(matched_, as, request_.old == nullptr ? Value() : *request_.old);
    if (!old_object) return std::unexpected(std::move(old_object.error()));
    forms_.push_back(std::make_unique<Form>(
        Form{.as = &as, .object = *object, .old_object = *old_object, .request = RequestVariable(matched_, as)}));
    return forms_.back().get();
  }

  // What is wrong with the policy itself, or with a binding.
  void Misconfigured(const CompiledPolicy& policy, const PolicyBinding* binding, std::string_view why) {
    if (!policy.fails) return;
    if (binding == nullptr) {
      Deny(Cat("ValidatingAdmissionPolicy '", policy.name, "' denied request: failed to configure policy: ", why), "");
    } else {
      Deny(Prefix(policy, *binding) + Cat(" denied request: failed to configure binding: ", why), "");
    }
  }

  void Complain(const CompiledPolicy& policy, const PolicyBinding& binding, PolicyComplaint complaint) {
    if (binding.warns && !complaint.enforced_always) {
      Warn(Cat("Validation failed for ", Prefix(policy, binding), ": ", complaint.message));
    }
    if (!binding.denies && !complaint.enforced_always) return;
    Deny(Cat(Prefix(policy, binding), " denied request: ", complaint.message), complaint.reason);
  }

  static std::string Prefix(const CompiledPolicy& policy, const PolicyBinding& binding) {
    return Cat("ValidatingAdmissionPolicy '", policy.name, "' with binding '", binding.name, "'");
  }

  // The first one is told.
  void Deny(std::string message, std::string_view reason) {
    if (!denial_) denial_ = Denial{.message = std::move(message), .reason = std::string(reason)};
  }

  void Warn(std::string text) {
    std::vector<std::string>& warnings = request_.call.warnings;
    if (warnings.size() >= kMostWarnings || std::ranges::find(warnings, text) != warnings.end()) return;
    warnings.push_back(std::move(text));
  }

  AdmissionRequest& request_;
  store::Store& store_;
  MatchedRequest matched_;
  RequestAuthorizer authorizer_;
  std::vector<std::unique_ptr<const Form>> forms_;  // a few: the versions of one resource
  std::optional<Value> shown_namespace_;
  std::optional<Denial> denial_;
};

}  // namespace

ValidatingPolicies::ValidatingPolicies(std::string_view name, const PluginParts& parts)
    : Plugin(name),
      store_(parts.store),
      right_(parts.request_right),
      policies_(parts.store, parts.resources, "validating", "v1") {}

api::Result<> ValidatingPolicies::Validate(AdmissionRequest& request) const {
  if (IsAboveOfPolicies(request)) return {};
  const std::shared_ptr<const PolicySet> policies = policies_.Current();
  if (policies->bound().empty()) return {};
  Dispatch dispatch(request, store_, right_);
  for (const BoundPolicy& policy : policies->bound()) dispatch.Ask(policy);
  return dispatch.Answer();
}

}  // namespace admission
