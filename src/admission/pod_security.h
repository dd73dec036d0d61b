// PodSecurity: pods keep to the level of the pod security standards that the labels of their namespace ask for.
// Refuses pods, warns of them and of what makes them (deployments, jobs, ...), and of the pods that are there when a
// namespace is to enforce more. https://kubernetes.io/docs/concepts/security/pod-security-admission/
//
// Threads and ownership as Plugin. Cost: linear in the object; a namespace that asks for nothing costs a look at its
// labels. A change of a namespace looks at kMostPods of its pods, for a second at most.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admission/plugins.h"
#include "admission/pod_security_policy.h"
#include "base/result.h"

namespace admission {

struct PodSecurityOptions {
  PodSecurityPolicy defaults;  // where labels say nothing
  std::vector<std::string> exempt_users, exempt_namespaces, exempt_runtime_classes;
  bool relax_user_namespaces = false;  // gate UserNamespacesPodSecurityStandards

  // Of a PodSecurityConfiguration of pod-security.admission.config.k8s.io; of a null Value the defaults.
  static base::Result<PodSecurityOptions> Read(const value::Value& document);
};

class PodSecurity final : public Plugin {
 public:
  static constexpr size_t kMostPods = 3000;

  PodSecurity(std::string_view name, const PluginParts& parts, PodSecurityOptions options);
  api::Result<> Validate(AdmissionRequest& request) const override;

 private:
  api::Result<> ValidateNamespace(AdmissionRequest& request) const;
  api::Result<> ValidatePod(AdmissionRequest& request) const;
  void WarnOfTemplate(AdmissionRequest& request, const value::Value& pod_template) const;
  void WarnOfExistingPods(AdmissionRequest& request, std::string_view namespace_name,
                          const PodSecurityRule& enforce) const;
  // None where there is no such namespace.
  std::optional<PodSecurityPolicy> PolicyOf(std::string_view namespace_name, value::Arena& arena) const;
  bool IsExempt(const AdmissionRequest& request) const;
  bool HasExemptRuntimeClass(const value::Value& pod) const;

  const StoredObjects stored_;
  const PodSecurityOptions options_;
};

}  // namespace admission
