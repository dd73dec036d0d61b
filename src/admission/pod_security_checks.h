// The checks of the pod security standards, baseline and restricted, as each version has them
// (https://kubernetes.io/docs/concepts/security/pod-security-standards/). Pure functions over pods and pod templates of
// the core v1 form; any thread. Cost: linear in the pod for each check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/pod_security_policy.h"
#include "value/value.h"

namespace admission {

struct PodSecurityViolation {
  std::string reason;  // "hostPort"
  std::string detail;  // `container "a" uses hostPort 80`; may be empty
};
struct PodSecurityViolations {
  std::vector<PodSecurityViolation> list;  // in the order of the checks

  bool empty() const { return list.empty(); }
  std::string Reasons() const;  // "hostPort, privileged"
  std::string Details() const;  // "hostPort (container ...), privileged (...)"
};

// What a pod, or a template of pods, does against the rule; `pod` has metadata and spec. `relax_user_namespaces`: pods
// with users of their own may run as root (gate UserNamespacesPodSecurityStandards).
PodSecurityViolations CheckPodSecurity(const PodSecurityRule& rule, const value::Value& pod,
                                       bool relax_user_namespaces);

}  // namespace admission
