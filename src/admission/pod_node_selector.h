// PodNodeSelector: pods run on the nodes of their namespace: the node selector that an annotation of the namespace has,
// or the configuration for all, is added to theirs, and the configuration may say which selectors are allowed.
// Threads and ownership as Plugin.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "admission/plugins.h"
#include "admission/stored_objects.h"
#include "base/result.h"

namespace admission {

struct NodeSelectorOptions {
  // Selectors ("a=b,c=d") by namespace; "clusterDefaultNodeSelector" is of namespaces that say nothing.
  std::map<std::string, std::string, std::less<>> selectors;

  // Of {"podNodeSelectorPluginConfig": {...}}; of a null Value none.
  static base::Result<NodeSelectorOptions> Read(const value::Value& document);
};

class PodNodeSelector final : public Plugin {
 public:
  PodNodeSelector(std::string_view name, const PluginParts& parts, NodeSelectorOptions options)
      : Plugin(name), stored_(parts.store, parts.resources), options_(std::move(options)) {}
  api::Result<> Mutate(AdmissionRequest& request) const override;
  api::Result<> Validate(AdmissionRequest& request) const override;

 private:
  using Labels = std::map<std::string, std::string, std::less<>>;
  static api::Result<Labels> Parse(std::string_view selector);
  // Of the namespace of the request.
  api::Result<Labels> Selector(const AdmissionRequest& request) const;
  const StoredObjects stored_;
  const NodeSelectorOptions options_;
};

}  // namespace admission
