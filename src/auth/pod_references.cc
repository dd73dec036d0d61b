#include "auth/pod_references.h"

#include "base/text.h"

namespace auth {
namespace {

using value::Value;

// Visits names that are not "".
class Names {
 public:
  explicit Names(VisitReference visit) : visit_(visit) {}
  void Add(PodReference kind, std::string_view name) const {
    if (!name.empty()) visit_(kind, name);
  }

 private:
  VisitReference visit_;
};

void VisitContainer(const Value& container, const Names& names) {
  for (const Value& source : container.Get("envFrom").items()) {
    names.Add(PodReference::kSecret, source.Get("secretRef").GetString("name"));
    names.Add(PodReference::kConfigMap, source.Get("configMapRef").GetString("name"));
  }
  for (const Value& variable : container.Get("env").items()) {
    const Value source = variable.Get("valueFrom");
    names.Add(PodReference::kSecret, source.Get("secretKeyRef").GetString("name"));
    names.Add(PodReference::kConfigMap, source.Get("configMapKeyRef").GetString("name"));
  }
}

void VisitVolume(const Value& pod, const Value& volume, const Names& names) {
  names.Add(PodReference::kSecret, volume.Get("azureFile").GetString("secretName"));
  names.Add(PodReference::kSecret, volume.Get("secret").GetString("secretName"));
  for (std::string_view source : {"cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"}) {
    names.Add(PodReference::kSecret, volume.Get({source, "secretRef"}).GetString("name"));
  }
  names.Add(PodReference::kSecret, volume.Get({"csi", "nodePublishSecretRef"}).GetString("name"));
  names.Add(PodReference::kConfigMap, volume.Get("configMap").GetString("name"));
  for (const Value& source : volume.Get({"projected", "sources"}).items()) {
    names.Add(PodReference::kSecret, source.Get("secret").GetString("name"));
    names.Add(PodReference::kConfigMap, source.Get("configMap").GetString("name"));
  }
  names.Add(PodReference::kClaim, volume.Get("persistentVolumeClaim").GetString("claimName"));
  if (volume.Get("ephemeral").is_object()) {
    names.Add(PodReference::kClaim, base::Cat(pod.Get("metadata").GetString("name"), "-", volume.GetString("name")));
  }
}

// The claim that stands for a pod's entry, "" while there is none.
std::string_view ClaimName(const Value& pod, const Value& entry) {
  if (const std::string_view name = entry.GetString("resourceClaimName"); !name.empty()) return name;
  for (const Value& status : pod.Get({"status", "resourceClaimStatuses"}).items()) {
    if (status.GetString("name") == entry.GetString("name")) return status.GetString("resourceClaimName");
  }
  return "";
}

}  // namespace

void ForEachReference(const Value& pod, VisitReference visit) {
  const Names names(visit);
  const Value spec = pod.Get("spec");
  names.Add(PodReference::kServiceAccount, spec.GetString("serviceAccountName"));
  for (const Value& secret : spec.Get("imagePullSecrets").items()) {
    names.Add(PodReference::kSecret, secret.GetString("name"));
  }
  for (std::string_view containers : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const Value& container : spec.Get(containers).items()) VisitContainer(container, names);
  }
  for (const Value& volume : spec.Get("volumes").items()) VisitVolume(pod, volume, names);
  for (const Value& claim : spec.Get("resourceClaims").items()) {
    names.Add(PodReference::kResourceClaim, ClaimName(pod, claim));
  }
}

bool IsMirrorPod(const Value& pod) {
  return pod.Get({"metadata", "annotations"}).Find("kubernetes.io/config.mirror") != nullptr;
}

void ForEachVolumeSecret(const Value& volume, VisitSecret visit) {
  const Value spec = volume.Get("spec");
  const std::string_view claim_home = spec.Get("claimRef").GetString("namespace");
  const auto add = [&](std::string_view home, std::string_view name) {
    if (!name.empty()) visit(home, name);
  };
  const auto or_home = [&](std::string_view home) { return home.empty() ? claim_home : home; };
  const Value azure = spec.Get("azureFile");
  add(or_home(azure.GetString("secretNamespace")), azure.GetString("secretName"));
  for (std::string_view source : {"cephfs", "flexVolume", "rbd", "scaleIO", "iscsi"}) {
    const Value secret = spec.Get({source, "secretRef"});
    add(or_home(secret.GetString("namespace")), secret.GetString("name"));
  }
  for (std::string_view source : {"cinder", "storageos"}) {
    const Value secret = spec.Get({source, "secretRef"});
    add(secret.GetString("namespace"), secret.GetString("name"));
  }
  for (std::string_view reference : {"nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"}) {
    const Value secret = spec.Get({"csi", reference});
    add(secret.GetString("namespace"), secret.GetString("name"));
  }
}

}  // namespace auth
