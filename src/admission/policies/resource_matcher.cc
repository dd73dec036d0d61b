#include "admission/policies/resource_matcher.h"

#include <algorithm>
#include <array>
#include <span>

#include "api/object_selector.h"
#include "base/text.h"
#include "registry/object_meta.h"
#include "registry/registry.h"
#include "registry/stored_form.h"
#include "store/snapshot.h"

namespace admission {
namespace {

using base::Cat;
using registry::Operation;
using value::Value;

std::vector<std::string> Words(const Value& list) {
  std::vector<std::string> words;
  words.reserve(list.size());
  for (const Value& word : list.items()) {
    if (word.is_string()) words.emplace_back(word.AsString());
  }
  return words;
}

bool Names(std::span<const std::string> words, std::string_view word) {
  return std::ranges::any_of(words, [&](const std::string& one) { return one == "*" || one == word; });
}

bool NamesResource(std::span<const std::string> words, std::string_view plural, std::string_view subresource) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    const size_t slash = word.find('/');
    const std::string_view resource = word.substr(0, slash);
    const std::string_view sub = slash == word.npos ? std::string_view() : word.substr(slash + 1);
    return (resource == "*" || resource == plural) && (sub == "*" || sub == subresource);
  });
}

bool Selects(const api::LabelSelector& selector, const Value& labels) {
  const std::span<value::Member> members = labels.members();
  size_t at = 0;
  return selector.MatchesEach([&](std::string_view& key, std::string_view& text) {
    for (; at < members.size(); ++at) {
      if (!members[at].value.is_string()) continue;
      key = members[at].key;
      text = members[at].value.AsString();
      ++at;
      return true;
    }
    return false;
  });
}

Value LabelsOf(const Value& object) { return object.Get({"metadata", "labels"}); }

constexpr std::array<api::GroupResource, 10> kExcluded = {{
    {"admissionregistration.k8s.io", "validatingadmissionpolicies"},
    {"admissionregistration.k8s.io", "validatingadmissionpolicybindings"},
    {"admissionregistration.k8s.io", "mutatingadmissionpolicies"},
    {"admissionregistration.k8s.io", "mutatingadmissionpolicybindings"},
    {"authentication.k8s.io", "selfsubjectreviews"},
    {"authentication.k8s.io", "tokenreviews"},
    {"authorization.k8s.io", "localsubjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectrulesreviews"},
    {"authorization.k8s.io", "subjectaccessreviews"},
}};

}  // namespace

bool IsAboveOfPolicies(const registry::AdmissionRequest& request) {
  return std::ranges::any_of(kExcluded,
                             [&](const api::GroupResource& one) { return request.IsFor(one.group, one.resource); });
}

MatchedRequest::MatchedRequest(registry::AdmissionRequest& request, store::Store& store)
    : request_(request),
      store_(store),
      is_namespace_(request.IsFor("", "namespaces")),
      name_(request.key.name),
      namespace_(request.key.namespace_name) {
  // The path of a namespace names it, but not where it is created.
  if (is_namespace_) namespace_ = request.operation == Operation::kCreate ? std::string_view() : name_;
  // What goes with a collection is not named.
  if (request.call.request.info.verb == "deletecollection") name_ = {};
  if (name_.empty() && request.subresource.empty()) name_ = registry::ObjectMeta(request.object).name();
}

const Value& MatchedRequest::NamespaceObject() {
  if (namespace_object_) return *namespace_object_;
  namespace_object_.emplace();
  const registry::Resource* resource = request_.call.resources.Find("", "v1", "namespaces");
  if (resource == nullptr || resource->storage == nullptr || namespace_.empty()) return *namespace_object_;
  const store::Snapshot snapshot = store_.Latest(resource->storage->id);
  const store::CellRef cell(snapshot.Get(namespace_));
  if (!cell || !cell->readable()) return *namespace_object_;
  const auto decoded = registry::DecodeStored(*resource, *cell, request_.arena);
  if (decoded) namespace_object_ = value::DeepCopy(request_.arena, *decoded);
  return *namespace_object_;
}

const std::vector<const registry::Resource*>& MatchedRequest::Equivalents() {
  if (equivalents_) return *equivalents_;
  equivalents_.emplace();
  const registry::Resource& own = request_.resource;
  if (own.storage == nullptr) return *equivalents_;
  for (const registry::Resource* other : request_.call.resources.All()) {
    if (other->storage == nullptr || other == &own || other->storage->collection != own.storage->collection) continue;
    if (other->group == own.group && other->version == own.version) continue;
    equivalents_->push_back(other);
  }
  return *equivalents_;
}

ResourceMatcher::ResourceMatcher(const Value& match_resources)
    : ResourceMatcher(match_resources, "resourceRules", /*all_without_rules=*/true) {}

ResourceMatcher ResourceMatcher::OfWebhook(const Value& webhook) {
  return ResourceMatcher(webhook, "rules", /*all_without_rules=*/false);
}

ResourceMatcher::ResourceMatcher(const Value& match_resources, std::string_view rules, bool all_without_rules)
    : rules_(RulesOf(match_resources.Get(rules))),
      excluded_(RulesOf(match_resources.Get("excludeResourceRules"))),
      all_without_rules_(all_without_rules),
      equivalent_(match_resources.GetString("matchPolicy") == "Equivalent") {
  const auto read = [&](std::string_view field, std::optional<api::LabelSelector>& to) {
    const Value* selector = match_resources.Find(field);
    if (selector == nullptr || !selector->is_object()) return;
    auto parsed = api::SelectorOf(*selector);
    if (!parsed) {
      broken_ = parsed.error().message;
    } else if (*parsed && !(*parsed)->empty()) {
      to = std::move(**parsed);
    }
  };
  read("namespaceSelector", namespaces_);
  read("objectSelector", objects_);
}

std::vector<ResourceMatcher::Rule> ResourceMatcher::RulesOf(const Value& rules) {
  std::vector<Rule> made;
  made.reserve(rules.size());
  for (const Value& rule : rules.items()) {
    made.push_back({.operations = Words(rule.Get("operations")),
                    .groups = Words(rule.Get("apiGroups")),
                    .versions = Words(rule.Get("apiVersions")),
                    .resources = Words(rule.Get("resources")),
                    .names = Words(rule.Get("resourceNames")),
                    .scope = std::string(rule.GetString("scope"))});
  }
  return made;
}

bool ResourceMatcher::Matches(const Rule& rule, MatchedRequest& matched, const registry::Resource& as) {
  const registry::AdmissionRequest& request = matched.request();
  const bool cluster = matched.is_namespace() || matched.namespace_name().empty();
  if (rule.scope == "Namespaced" && cluster) return false;
  if (rule.scope == "Cluster" && !cluster) return false;
  return Names(rule.operations, registry::OperationName(request.operation)) && Names(rule.groups, as.group) &&
         Names(rule.versions, as.version) && NamesResource(rule.resources, as.plural, request.subresource) &&
         (rule.names.empty() || std::ranges::find(rule.names, matched.name()) != rule.names.end());
}

const registry::Resource* ResourceMatcher::MatchRules(const std::vector<Rule>& rules, MatchedRequest& request) const {
  const registry::Resource& own = request.request().resource;
  for (const Rule& rule : rules) {
    if (Matches(rule, request, own)) return &own;
  }
  if (!equivalent_) return nullptr;
  for (const Rule& rule : rules) {
    for (const registry::Resource* other : request.Equivalents()) {
      if (Matches(rule, request, *other)) return other;
    }
  }
  return nullptr;
}

base::Result<bool> ResourceMatcher::MatchesNamespace(MatchedRequest& matched) const {
  if (!namespaces_) return true;
  if (matched.namespace_name().empty() && !matched.is_namespace()) return true;
  const registry::AdmissionRequest& request = matched.request();
  // A namespace that is written has the labels that it will have.
  const bool written = request.operation == Operation::kCreate || request.operation == Operation::kUpdate;
  if (matched.is_namespace() && request.subresource.empty() && written) {
    return Selects(*namespaces_, LabelsOf(request.object));
  }
  const Value& found = matched.NamespaceObject();
  if (!found.is_object()) {
    return base::Fail(base::Code::kNotFound, Cat("namespaces \"", matched.namespace_name(), "\" not found"));
  }
  return Selects(*namespaces_, LabelsOf(found));
}

bool ResourceMatcher::MatchesObject(MatchedRequest& matched) const {
  if (!objects_) return true;
  const registry::AdmissionRequest& request = matched.request();
  if (request.object.is_object() && Selects(*objects_, LabelsOf(request.object))) return true;
  return request.old != nullptr && request.old->is_object() && Selects(*objects_, LabelsOf(*request.old));
}

base::Result<const registry::Resource*> ResourceMatcher::Match(MatchedRequest& request) const {
  const base::Result<bool> in_namespace = MatchesNamespace(request);
  if (in_namespace && !*in_namespace) return nullptr;
  if (!MatchesObject(request)) return nullptr;
  if (MatchRules(excluded_, request) != nullptr) return nullptr;
  const bool all = rules_.empty() && all_without_rules_;
  const registry::Resource* found = all ? &request.request().resource : MatchRules(rules_, request);
  if (found == nullptr) return nullptr;
  if (!broken_.empty()) return base::Fail(base::Code::kInvalid, broken_);
  if (!in_namespace) return std::unexpected(in_namespace.error());
  return found;
}

}  // namespace admission
