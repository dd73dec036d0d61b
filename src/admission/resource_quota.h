// ResourceQuota: what the objects of a namespace may use together, as its ResourceQuotas have it.
// https://kubernetes.io/docs/concepts/policy/resource-quotas/
//
// What a write uses is added to the status of each quota in the transaction that stores the object: whether it fits is
// decided for the last time there, one transaction after the other, so that parallel writers never use too much, and
// nothing has to be given back for one that fails. What a status does not say yet is counted here, so that a quota is
// in force for the next request. What is not used any more is told by controllers/quota_controller.
//
// Threads and ownership as Plugin. Cost: decodes the quotas of the namespace; of a quota whose status does not say what
// is used it counts, as registry/quota_count.h says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/plugins.h"
#include "admission/stored_objects.h"
#include "api/pod_resources.h"
#include "base/result.h"

namespace admission {

// A resource that may be used only where a quota covers it.
struct LimitedResource {
  std::string group, resource;
  std::vector<std::string> contains;  // parts of names of what is used
  // A scope, as in a quota's scopeSelector; pods in it need a quota with that scope.
  struct Scope {
    std::string name, op;
    std::vector<std::string> values;
  };
  std::vector<Scope> scopes;
};

struct QuotaOptions {
  std::vector<LimitedResource> limited;

  // Of a ResourceQuotaConfiguration of apiserver.config.k8s.io; of a null Value nothing is limited.
  static base::Result<QuotaOptions> Read(const value::Value& document);
};

class ResourceQuota final : public Plugin {
 public:
  ResourceQuota(std::string_view name, const PluginParts& parts, QuotaOptions options)
      : Plugin(name), stored_(parts.store, parts.resources), store_(parts.store), options_(std::move(options)) {}
  api::Result<> Validate(AdmissionRequest& request) const override;

 private:
  const StoredObjects stored_;
  store::Store& store_;
  const QuotaOptions options_;
};

}  // namespace admission
