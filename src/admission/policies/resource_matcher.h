// ResourceMatcher: which requests a policy or a binding is about (admissionregistration's MatchResources): rules of
// resources, the rules that exclude, and the selectors of namespaces and objects. Made of the stored object once, then
// immutable, any thread. A MatchedRequest is one request as all matchers of it see it; it belongs to its thread.
//
// Cost of a match: linear in the rules and in the labels of the object and of its namespace. The namespace is read once
// a request, the equivalent resources are looked for once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/selector.h"
#include "registry/admission.h"
#include "registry/resource_table.h"
#include "store/store.h"
#include "value/value.h"

namespace admission {

class MatchedRequest {
 public:
  // Both outlive this.
  MatchedRequest(registry::AdmissionRequest& request, store::Store& store);

  registry::AdmissionRequest& request() { return request_; }
  // "" where the object has no name yet; of a generated one the name that it will have.
  std::string_view name() const { return name_; }
  // "" for what has none. An existing namespace is in itself.
  std::string_view namespace_name() const { return namespace_; }
  bool is_namespace() const { return is_namespace_; }
  // The stored object of that namespace; null where there is none.
  const value::Value& NamespaceObject();
  // The other versions and groups under which the requested resource is served.
  const std::vector<const registry::Resource*>& Equivalents();

 private:
  registry::AdmissionRequest& request_;
  store::Store& store_;
  const bool is_namespace_;
  std::string_view name_, namespace_;
  std::optional<value::Value> namespace_object_;
  std::optional<std::vector<const registry::Resource*>> equivalents_;
};

// Policies, their bindings and access reviews: no policy speaks of them, so that nobody locks themselves out.
bool IsAboveOfPolicies(const registry::AdmissionRequest& request);

class ResourceMatcher {
 public:
  // `match_resources`: spec.matchConstraints of a policy, spec.matchResources of a binding; null matches everything.
  explicit ResourceMatcher(const value::Value& match_resources);
  // Of a webhook, which stands for itself: without rules it matches nothing.
  static ResourceMatcher OfWebhook(const value::Value& webhook);

  // The resource in whose form the request is seen: the requested one, or an equivalent one; null where it is not
  // matched. Fails with what is said of the configuration, or of a namespace that cannot be found.
  base::Result<const registry::Resource*> Match(MatchedRequest& request) const;

 private:
  struct Rule {
    std::vector<std::string> operations, groups, versions, resources, names;
    std::string scope;
  };
  ResourceMatcher(const value::Value& match_resources, std::string_view rules, bool all_without_rules);
  static std::vector<Rule> RulesOf(const value::Value& rules);
  static bool Matches(const Rule& rule, MatchedRequest& request, const registry::Resource& as);
  // The resource that one of `rules` matches it as, or null.
  const registry::Resource* MatchRules(const std::vector<Rule>& rules, MatchedRequest& request) const;
  base::Result<bool> MatchesNamespace(MatchedRequest& request) const;
  bool MatchesObject(MatchedRequest& request) const;

  std::vector<Rule> rules_, excluded_;
  bool all_without_rules_ = true;
  bool equivalent_ = false;
  std::optional<api::LabelSelector> namespaces_, objects_;  // none: all
  std::string broken_;                                      // what is wrong with a selector; "" nothing
};

}  // namespace admission
