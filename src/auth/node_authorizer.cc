#include "auth/node_authorizer.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "api/quote.h"
#include "api/selector.h"
#include "base/text.h"

namespace auth {
namespace {

using base::Cat;

Decision Allow() { return {Decision::Outcome::kAllow, ""}; }
Decision NoOpinion(std::string reason = "") { return {Decision::Outcome::kNoOpinion, std::move(reason)}; }

bool IsOneOf(std::string_view verb, std::initializer_list<std::string_view> verbs) {
  return std::ranges::find(verbs, verb) != verbs.end();
}

// Whether a field selector keeps to objects whose `field` is `value`.
bool Selects(std::string_view selector, std::string_view field, std::string_view value) {
  if (selector.empty()) return false;
  const auto parsed = api::FieldSelector::Parse(selector);
  return parsed && std::ranges::any_of(parsed->terms(), [&](const api::FieldTerm& term) {
           return term.equal && term.field == field && term.value == value;
         });
}

}  // namespace

struct NodeAuthorizer::Question {
  std::string_view node;
  const Attributes& attributes;

  bool Is(std::string_view group, std::string_view resource) const {
    return attributes.group == group && attributes.resource == resource;
  }
  bool Asks(std::initializer_list<std::string_view> verbs) const { return IsOneOf(attributes.verb, verbs); }
  bool of_subresource() const { return !attributes.subresource.empty(); }
};

namespace {

Decision Lease(std::string_view node, const Attributes& attributes) {
  if (!IsOneOf(attributes.verb, {"get", "create", "update", "patch", "delete"})) {
    return NoOpinion("can only get, create, update, patch, or delete a node lease");
  }
  if (attributes.namespace_name != "kube-node-lease") {
    return NoOpinion("can only access leases in the \"kube-node-lease\" system namespace");
  }
  // Whose the lease is that is created, admission looks at.
  if (attributes.verb != "create" && attributes.name != node) {
    return NoOpinion("can only access node lease with the same name as the requesting node");
  }
  return Allow();
}

Decision CsiNode(std::string_view node, const Attributes& attributes) {
  if (!IsOneOf(attributes.verb, {"get", "create", "update", "patch", "delete"})) {
    return NoOpinion("can only get, create, update, patch, or delete a CSINode");
  }
  if (!attributes.subresource.empty()) return NoOpinion("cannot authorize CSINode subresources");
  if (attributes.verb != "create" && attributes.name != node) {
    return NoOpinion("can only access CSINode with the same name as the requesting node");
  }
  return Allow();
}

// Whose node it is that is written, admission looks at.
Decision Node(std::string_view node, const Attributes& attributes) {
  const std::string_view verb = attributes.verb;
  if (attributes.subresource == "status") return IsOneOf(verb, {"update", "patch"}) ? Allow() : NoOpinion();
  if (!attributes.subresource.empty()) return NoOpinion();
  if (IsOneOf(verb, {"create", "update", "patch"})) return Allow();
  if (!IsOneOf(verb, {"get", "list", "watch"})) return NoOpinion();
  if (attributes.name == node) return Allow();
  if (attributes.name.empty()) {
    return NoOpinion(Cat("node '", node, "' cannot read all nodes, only its own Node object"));
  }
  return NoOpinion(Cat("node '", node, "' cannot read '", attributes.name, "', only its own Node object"));
}

}  // namespace

void NodeAuthorizer::CollectRules(const api::User& user, std::string_view, UserRules& out) const {
  if (!NodeIdentityOf(user).is_node) return;
  out.incomplete = true;
  out.errors.emplace_back("node authorizer does not support user rule resolution");
}

Decision NodeAuthorizer::Authorize(const Attributes& attributes, bool) const {
  const NodeIdentity identity = NodeIdentityOf(attributes.user);
  if (!identity.is_node) return NoOpinion();
  if (identity.name.empty()) return NoOpinion(Cat("unknown node for user ", api::Quote(attributes.user.name)));
  if (!attributes.is_resource_request) return ByRules(attributes);
  return Resource({identity.name, attributes});
}

Decision NodeAuthorizer::ByRules(const Attributes& attributes) const {
  const bool allowed =
      std::ranges::any_of(options_.rules, [&](const PolicyRule& rule) { return rule.Allows(attributes); });
  return allowed ? Allow() : NoOpinion();
}

Decision NodeAuthorizer::Resource(const Question& question) const {
  using enum NodeGraph::Kind;
  const Attributes& attributes = question.attributes;
  if (question.Is("", "secrets")) return Read(question, kSecret);
  if (question.Is("", "configmaps")) return Read(question, kConfigMap);
  if (question.Is("", "persistentvolumeclaims")) {
    return attributes.subresource == "status" ? ClaimStatus(question) : Get(question, kPersistentVolumeClaim);
  }
  if (question.Is("", "persistentvolumes")) return Get(question, kPersistentVolume);
  if (question.Is("resource.k8s.io", "resourceclaims")) return Get(question, kResourceClaim);
  if (question.Is("storage.k8s.io", "volumeattachments")) return Get(question, kVolumeAttachment);
  if (question.Is("", "serviceaccounts")) return CreateToken(question);
  if (question.Is("coordination.k8s.io", "leases")) return Lease(question.node, attributes);
  if (question.Is("storage.k8s.io", "csinodes")) return CsiNode(question.node, attributes);
  if (question.Is("resource.k8s.io", "resourceslices")) return Slice(question);
  if (options_.selectors && question.Is("", "nodes")) return Node(question.node, attributes);
  if (options_.selectors && question.Is("", "pods")) return Pod(question);
  return ByRules(attributes);
}

Decision NodeAuthorizer::Related(const Question& question, NodeGraph::Kind kind) const {
  const Attributes& attributes = question.attributes;
  if (attributes.name.empty()) return NoOpinion("No Object name found");
  if (graph_.HasPath(question.node, kind, attributes.namespace_name, attributes.name)) return Allow();
  return NoOpinion(Cat("no relationship found between node '", question.node, "' and this object"));
}

Decision NodeAuthorizer::Get(const Question& question, NodeGraph::Kind kind) const {
  if (!question.Asks({"get"})) return NoOpinion("can only get individual resources of this type");
  if (question.of_subresource()) return NoOpinion("cannot get subresource");
  return Related(question, kind);
}

Decision NodeAuthorizer::Read(const Question& question, NodeGraph::Kind kind) const {
  if (!question.Asks({"get", "list", "watch"})) return NoOpinion("can only read resources of this type");
  if (question.of_subresource()) return NoOpinion("cannot read subresource");
  if (question.attributes.namespace_name.empty()) return NoOpinion("can only read namespaced object of this type");
  return Related(question, kind);
}

Decision NodeAuthorizer::ClaimStatus(const Question& question) const {
  if (!question.Asks({"update", "patch"})) return NoOpinion("can only get/update/patch this type");
  return Related(question, NodeGraph::Kind::kPersistentVolumeClaim);
}

Decision NodeAuthorizer::CreateToken(const Question& question) const {
  const Attributes& attributes = question.attributes;
  if (attributes.verb != "create" || attributes.name.empty()) {
    return NoOpinion("can only create tokens for individual service accounts");
  }
  if (attributes.subresource != "token") return NoOpinion("can only create token subresource of serviceaccount");
  return Related(question, NodeGraph::Kind::kServiceAccount);
}

Decision NodeAuthorizer::Slice(const Question& question) const {
  if (question.of_subresource()) return NoOpinion("cannot authorize ResourceSlice subresources");
  if (question.Asks({"create"})) return Allow();  // admission looks at its node
  if (question.Asks({"get", "update", "patch", "delete"})) {
    return Related(question, NodeGraph::Kind::kResourceSlice);
  }
  if (question.Asks({"watch", "list", "deletecollection"})) {
    if (!options_.selectors || Selects(question.attributes.field_selector, "spec.nodeName", question.node)) {
      return Allow();
    }
    return NoOpinion("can only list/watch/deletecollection resourceslices with nodeName field selector");
  }
  return NoOpinion(
      "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, "
      "deletecollection");
}

// Whose pod it is that is written, admission looks at.
Decision NodeAuthorizer::Pod(const Question& question) const {
  const Attributes& attributes = question.attributes;
  if (attributes.subresource == "status") return question.Asks({"update", "patch"}) ? Allow() : NoOpinion();
  if (attributes.subresource == "eviction") return question.Asks({"create"}) ? Allow() : NoOpinion();
  if (question.of_subresource()) return NoOpinion();
  if (question.Asks({"create", "delete"})) return Allow();
  if (question.Asks({"get"})) return Get(question, NodeGraph::Kind::kPod);
  if (!question.Asks({"list", "watch"})) return NoOpinion();
  if (Selects(attributes.field_selector, "spec.nodeName", question.node)) return Allow();
  if (!attributes.name.empty()) return Related(question, NodeGraph::Kind::kPod);
  return NoOpinion("can only list/watch pods with spec.nodeName field selector");
}

}  // namespace auth
