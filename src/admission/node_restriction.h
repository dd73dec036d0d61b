// NodeRestriction: what kubelets write: their own node but for its taints and the labels that others rely on, mirror
// pods that refer to nothing, the status of their pods, tokens for their pods, their lease and their driver's facts.
// Together with the Node authorizer, which looks at requests, this keeps one node from the others' secrets. Any thread.
#pragma once

#include <string_view>

#include "admission/plugin.h"
#include "admission/stored_objects.h"

namespace admission {

struct NodeRestrictionGates {
  bool any_certificate_requests = false;  // AllowInsecureKubeletCertificateSigningRequests
  bool audiences = false;                 // ServiceAccountNodeAudienceRestriction
};

class NodeRestriction final : public Plugin {
 public:
  // Both outlive this.
  NodeRestriction(store::Store& store, const registry::ResourceTable& resources, NodeRestrictionGates gates)
      : Plugin("NodeRestriction"), stored_(store, resources), gates_(gates) {}

  // 403 for what a node may not write; 404 where the pod or node is not there that it writes for. Users that are no
  // nodes pass.
  api::Result<> Mutate(AdmissionRequest& request) const override;

 private:
  struct Write;

  static api::Result<> Node(const Write& write);
  static api::Result<> ClaimStatus(const Write& write);
  static api::Result<> OwnObject(const Write& write, std::string_view refusal);
  static api::Result<> Lease(const Write& write);
  static api::Result<> Slice(const Write& write);
  static api::Result<> CertificateRequest(const Write& write);
  api::Result<> Pod(const Write& write) const;
  api::Result<> CreatePod(const Write& write) const;
  api::Result<> CheckOwner(const Write& write) const;
  api::Result<> PodStatus(const Write& write) const;
  api::Result<> Eviction(const Write& write) const;
  api::Result<> Token(const Write& write) const;
  bool NamesAudience(const Write& write, const value::Value& pod, std::string_view audience) const;
  // The driver of the volume that a claim of the pod is bound to; "" where there is none.
  std::string_view DriverOf(const Write& write, std::string_view claim) const;
  value::Value FindPod(const Write& write, std::string_view name) const;

  const StoredObjects stored_;
  const NodeRestrictionGates gates_;
};

}  // namespace admission
