// NodeAuthorizer (--authorization-mode=Node): what kubelets may do: of most resources what a list of rules says, of
// secrets, volumes, tokens and pods what belongs to the pods that run on their node. Others it has no opinion of.
#pragma once

#include "auth/authorizer.h"
#include "auth/node_graph.h"
#include "auth/policy_rule.h"

namespace auth {

class NodeAuthorizer final : public Authorizer {
 public:
  struct Options {
    PolicyRules rules;      // for every node: those of the cluster role system:node
    bool selectors = true;  // gate AuthorizeNodeWithSelectors: nodes and pods are read one by one, or by their node
  };
  // Both outlive this.
  NodeAuthorizer(store::Store& store, const registry::ResourceTable& resources, Options options)
      : graph_(store, resources), options_(std::move(options)) {}
  Decision Authorize(const Attributes& attributes, bool explain) const override;
  // Adds none: they depend on the objects. Says so to a node.
  void CollectRules(const api::User& user, std::string_view namespace_name, UserRules& out) const override;

 private:
  struct Question;
  Decision Resource(const Question& question) const;
  Decision Related(const Question& question, NodeGraph::Kind kind) const;
  Decision Get(const Question& question, NodeGraph::Kind kind) const;
  Decision Read(const Question& question, NodeGraph::Kind kind) const;
  Decision ClaimStatus(const Question& question) const;
  Decision CreateToken(const Question& question) const;
  Decision Slice(const Question& question) const;
  Decision Pod(const Question& question) const;
  Decision ByRules(const Attributes& attributes) const;

  const NodeGraph graph_;
  const Options options_;
};

}  // namespace auth
