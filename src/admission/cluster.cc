#include "admission/cluster.h"

#include "admission/certificate_subject.h"
#include "admission/pod_security_labels.h"
#include "admission/priority.h"

namespace admission {

api::Result<> ClusterPlugins::Validate(const registry::Call& call, const registry::Resource& resource,
                                       std::string_view operation, registry::Key key, const value::Value* object,
                                       const value::Value* old) const {
  const auto is = [&](std::string_view group, std::string_view plural) {
    return resource.group == group && resource.plural == plural;
  };
  // Among all classes that are deleted at once the system's own may go: they come back.
  if (is("scheduling.k8s.io", "priorityclasses") && call.request.info.verb == "delete")
    return CheckSystemClass(key.name);
  if (object == nullptr || !call.request.info.subresource.empty()) return {};
  if (options_.pod_security && is("", "namespaces")) return CheckPodSecurityLabels(*object, old);
  const bool creating = operation == "CREATE";
  if (options_.certificate_subject && creating && is("certificates.k8s.io", "certificatesigningrequests")) {
    return CheckCertificateSubject(*object);
  }
  return {};
}

}  // namespace admission
