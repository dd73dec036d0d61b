// ServiceAccount: pods run as a service account that is there, are given its token and its secrets for pulling images,
// and use other secrets only as it allows. https://kubernetes.io/docs/concepts/security/service-accounts/
//
// Threads and ownership as Plugin. A pod that is to run as the account `default`, which a controller makes in every
// namespace, waits for it for a second.
#pragma once

#include <string_view>

#include "admission/plugins.h"
#include "admission/stored_objects.h"
#include "base/random.h"

namespace admission {

class ServiceAccount final : public Plugin {
 public:
  ServiceAccount(std::string_view name, const PluginParts& parts)
      : Plugin(name), stored_(parts.store, parts.resources) {}
  api::Result<> Mutate(AdmissionRequest& request) const override;
  api::Result<> Validate(AdmissionRequest& request) const override;
  bool Waits(const AdmissionRequest& request) const override;
  base::Task<api::Result<>> MutateAsync(AdmissionRequest& request) const override;

 private:
  api::Result<value::Value> Find(const AdmissionRequest& request) const;
  const StoredObjects stored_;
};

// Mounts the token of the pod's account in each container that has nothing at its place.
void MountToken(const value::Value& pod, value::Arena& arena, base::Random& random);

}  // namespace admission
