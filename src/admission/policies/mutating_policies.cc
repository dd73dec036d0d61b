#include "admission/policies/mutating_policies.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "admission/policies/object_patch.h"
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

// One policy with one binding and one of its parameter objects.
struct Invocation {
  const CompiledPolicy& policy;
  const PolicyBinding& binding;
  const registry::Resource& as;
  Value parameters;
  auto key() const {
    const Value metadata = parameters.Get("metadata");
    return std::vector<std::string>{policy.name, binding.name, std::string(metadata.GetString("namespace")),
                                    std::string(metadata.GetString("name"))};
  }
};
using Keys = std::set<std::vector<std::string>>;

// One request under the policies of one moment.
class Mutation {
 public:
  Mutation(AdmissionRequest& request, store::Store& store, const RequestRight& right)
      : request_(request), store_(store), authorizer_(right, request.call.request.user) {}

  // Every policy, then those again that were invoked before the last change and want to be.
  api::Result<> Run(const PolicySet& policies) {
    for (again_ = false;; again_ = true) {
      MatchedRequest matched(request_, store_);
      std::vector<Invocation> invocations;
      for (const BoundPolicy& bound : policies.bound()) Collect(bound, matched, invocations);
      if (auto done = InvokeAll(invocations, matched); !done) return done;
      if (auto refused = Answer(matched); !refused) return refused;
      if (again_ || reinvoked_.empty()) return {};
    }
  }

 private:
  struct Refusal {
    std::string message, reason;
  };

  void Collect(const BoundPolicy& bound, MatchedRequest& matched, std::vector<Invocation>& invocations) {
    const CompiledPolicy& policy = *bound.policy;
    const auto as = policy.matcher.Match(matched);
    if (!as) return Misconfigured(policy, nullptr, as.error().message);
    if (*as == nullptr) return;
    const auto resource = FindParameterResource(policy, request_.call.resources);
    if (!resource) return Misconfigured(policy, nullptr, resource.error().message);
    for (const auto& binding : bound.bindings) {
      if (binding->matcher) {
        const auto matches = binding->matcher->Match(matched);
        if (!matches) {
          Misconfigured(policy, binding.get(), matches.error().message);
          continue;
        }
        if (*matches == nullptr) continue;
      }
      const auto parameters = CollectParameters(*binding, *resource, matched, store_);
      if (!parameters) {
        Misconfigured(policy, binding.get(), parameters.error().message);
        continue;
      }
      for (const Value& parameter : *parameters) invocations.push_back({policy, *binding, **as, parameter});
    }
  }

  api::Result<> InvokeAll(const std::vector<Invocation>& invocations, MatchedRequest& matched) {
    if (invocations.empty()) return {};
    const bool has_namespace = !matched.is_namespace() && !matched.namespace_name().empty();
    if (has_namespace && !matched.NamespaceObject().is_object()) {
      return api::Fail(api::NotFound({"", "namespaces"}, matched.namespace_name()));
    }
    bool patched = false;
    for (const Invocation& invocation : invocations) {
      auto done = Invoke(invocation, matched);
      if (!done) return std::unexpected(std::move(done.error()));
      patched = patched || *done;
    }
    if (patched) reinvoked_.merge(invoked_);
    return {};
  }

  // Whether a mutation was applied.
  api::Result<bool> Invoke(const Invocation& invocation, MatchedRequest& matched) {
    const CompiledPolicy& policy = invocation.policy;
    PolicyInput input = InputOf(invocation, matched);
    ConditionResult match = CheckMatchConditions(policy, input, invocation.parameters);
    if (!match.error.empty()) Complain(policy, &invocation.binding, std::move(match.error), "Invalid");
    if (!match.matches) return false;
    if (again_ && !reinvoked_.contains(invocation.key())) return false;
    if (!request_.object.is_object() || request_.operation == Operation::kConnect) return false;
    const Value before = value::DeepCopy(request_.arena, request_.object);
    bool patched = false;
    for (const PolicyMutation& mutation : policy.mutations) {
      input.object = Shown(request_.object);
      auto applied = Apply(invocation, mutation, input);
      if (!applied) return applied;
      patched = patched || *applied;
    }
    if (!value::Equal(before, request_.object)) reinvoked_.merge(std::exchange(invoked_, {}));
    if (policy.reinvoked) invoked_.insert(invocation.key());
    return patched;
  }

  api::Result<bool> Apply(const Invocation& invocation, const PolicyMutation& mutation, const PolicyInput& input) {
    const auto complain = [&](std::string why) {
      Complain(invocation.policy, &invocation.binding, std::move(why), "Invalid");
      return false;
    };
    MutationResult result = EvaluateMutation(invocation.policy, mutation, input, invocation.parameters, request_.arena);
    if (!result.error.empty()) return complain(std::move(result.error));
    if (&invocation.as != &request_.resource) return complain("unknown conversion");
    const PatchedKind kind = Kind();
    auto patch = mutation.is_json_patch ? ApplyJsonPatch(kind, request_.object, result.document, request_.arena)
                                        : ApplyConfiguration(kind, request_.object, result.document, request_.arena);
    if (!patch) return std::unexpected(std::move(patch.error()));
    if (!patch->refused.empty()) return complain(std::move(patch->refused));
    if (!patch->object.is_object()) return true;
    if (kind.type == request_.resource.type) request_.resource.SetDefaults(patch->object, request_.arena);
    ReplaceObject(request_.object, patch->object, request_.arena);
    return true;
  }

  // Of the object, or of the subresource's own body.
  PatchedKind Kind() {
    const registry::Resource& resource = request_.resource;
    const registry::Subresource* sub = resource.FindSubresource(request_.subresource);
    if (sub == nullptr || sub->kind.empty() || (sub->kind == resource.kind && sub->group == resource.group)) {
      return {resource.type, request_.arena.CopyString(resource.group_version()), resource.kind};
    }
    const std::string version = sub->group.empty() ? sub->version : Cat(sub->group, "/", sub->version);
    return {sub->type, request_.arena.CopyString(version), sub->kind};
  }

  Value Shown(const Value& object) {
    const PatchedKind kind = Kind();
    const Value named = Value::ObjectOf(request_.arena, object.members());
    named.Set(request_.arena, "apiVersion", Value::String(kind.api_version));
    named.Set(request_.arena, "kind", Value::String(kind.kind));
    return AsShown(kind.type, named, request_.arena);
  }

  PolicyInput InputOf(const Invocation& invocation, MatchedRequest& matched) {
    const registry::Resource* namespaces = request_.call.resources.Find("", "v1", "namespaces");
    Value home;
    if (namespaces != nullptr && !matched.is_namespace()) {
      home = AsShown(namespaces->type, matched.NamespaceObject(), request_.arena);
    }
    return {.object = request_.object.is_object() ? Shown(request_.object) : Value(),
            .old_object = request_.old == nullptr ? Value() : Shown(*request_.old),
            .namespace_object = home,
            .request = RequestVariable(matched, invocation.as),
            .authorizer = authorizer_,
            .request_resource = RequestResourceCheck(matched)};
  }

  void Misconfigured(const CompiledPolicy& policy, const PolicyBinding* binding, std::string_view why) {
    Complain(policy, binding, Cat("failed to configure ", binding == nullptr ? "policy" : "binding", ": ", why),
             "Forbidden");
  }

  void Complain(const CompiledPolicy& policy, const PolicyBinding* binding, std::string why, std::string_view reason) {
    if (!policy.fails) return;
    const std::string with = binding == nullptr ? std::string() : Cat(" with binding '", binding->name, "'");
    refusals_.push_back({Cat("policy '", policy.name, "'", with, " denied request: ", why), std::string(reason)});
  }

  api::Result<> Answer(const MatchedRequest& matched) const {
    if (refusals_.empty()) return {};
    const std::string_view named = matched.name();
    api::Error error =
        api::Forbidden("", request_.resource.group_resource(), named.empty() ? request_.ShownName() : named);
    error.message = refusals_.front().message;
    error.reason = refusals_.front().reason;
    for (const Refusal& refusal : refusals_) {
      error.details.causes.push_back({.reason = {}, .message = refusal.message, .field = {}});
    }
    return api::Fail(std::move(error));
  }

  AdmissionRequest& request_;
  store::Store& store_;
  RequestAuthorizer authorizer_;
  bool again_ = false;
  Keys invoked_;    // that want to be invoked again if something changes
  Keys reinvoked_;  // after which something has changed
  std::vector<Refusal> refusals_;
};

}  // namespace

MutatingPolicies::MutatingPolicies(std::string_view name, const PluginParts& parts)
    : Plugin(name),
      store_(parts.store),
      right_(parts.request_right),
      policies_(parts.store, parts.resources, "mutating", "v1alpha1") {}

api::Result<> MutatingPolicies::Mutate(AdmissionRequest& request) const {
  if (request.operation == Operation::kDelete || IsAboveOfPolicies(request)) return {};
  const std::shared_ptr<const PolicySet> policies = policies_.Current();
  if (policies->bound().empty()) return {};
  return Mutation(request, store_, right_).Run(*policies);
}

}  // namespace admission
