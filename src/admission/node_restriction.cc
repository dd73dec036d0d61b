#include "admission/node_restriction.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "admission/certificate_subject.h"
#include "api/quote.h"
#include "auth/node_graph.h"
#include "auth/pod_references.h"
#include "base/text.h"
#include "registry/semantic_equality.h"

namespace admission {

using api::Quote;
using base::Cat;
using value::Value;

struct NodeRestriction::Write {
  AdmissionRequest& request;
  std::string_view node;

  std::string quoted() const { return Quote(node); }
  bool creates() const { return request.operation == Operation::kCreate; }
  bool updates() const { return request.operation == Operation::kUpdate; }
  const Value& object() const { return request.object; }
  const Value& old() const { return *request.old; }
  std::unexpected<api::Error> Refuse(std::string why) const {
    const std::string_view name = request.key.name.empty() ? request.ShownName() : request.key.name;
    return api::Fail(api::Forbidden(std::move(why), request.resource.group_resource(), name));
  }
  std::unexpected<api::Error> RefuseOperation() const {
    return Refuse(Cat("unexpected operation ", Quote(registry::OperationName(request.operation))));
  }
};

namespace {

std::string_view NodeOf(const Value& pod) { return pod.Get("spec").GetString("nodeName"); }
std::string_view NameOf(const Value& object) { return object.Get("metadata").GetString("name"); }

// As the plugin's cache there says it: by kind, not by resource.
std::unexpected<api::Error> NotFound(std::string_view kind, std::string_view name) {
  return api::Fail(api::NotFound({"", kind}, name));
}

std::string_view LabelNamespace(std::string_view key) {
  const size_t slash = key.find('/');
  return slash == std::string_view::npos ? std::string_view() : key.substr(0, slash);
}

bool IsOrEndsIn(std::string_view name, std::string_view domain) {
  return name == domain || (name.ends_with(domain) && name[name.size() - domain.size() - 1] == '.');
}

bool IsKubeletLabel(std::string_view key) {
  constexpr std::string_view kKeys[] = {"kubernetes.io/hostname",
                                        "topology.kubernetes.io/zone",
                                        "topology.kubernetes.io/region",
                                        "failure-domain.beta.kubernetes.io/zone",
                                        "failure-domain.beta.kubernetes.io/region",
                                        "beta.kubernetes.io/instance-type",
                                        "node.kubernetes.io/instance-type",
                                        "kubernetes.io/os",
                                        "kubernetes.io/arch",
                                        "beta.kubernetes.io/os",
                                        "beta.kubernetes.io/arch"};
  const std::string_view domain = LabelNamespace(key);
  return std::ranges::find(kKeys, key) != std::end(kKeys) || IsOrEndsIn(domain, "kubelet.kubernetes.io") ||
         IsOrEndsIn(domain, "node.kubernetes.io");
}

// Whether others steer their pods by it, so that a node must not give it to itself.
bool IsForbiddenLabel(std::string_view key) {
  const std::string_view domain = LabelNamespace(key);
  if (IsOrEndsIn(domain, "node-restriction.kubernetes.io")) return true;
  return (IsOrEndsIn(domain, "kubernetes.io") || IsOrEndsIn(domain, "k8s.io")) && !IsKubeletLabel(key);
}

// The forbidden labels that differ, in order, as a refusal lists them.
std::string ForbiddenChanges(const Value& labels, const Value& old) {
  std::set<std::string> changed;
  const auto add = [&changed](const Value& some, const Value& others) {
    for (const value::Member& label : some.members()) {
      const Value* other = others.Find(label.key);
      const bool same = other != nullptr && other->AsString() == label.value.AsString();
      if (!same && IsForbiddenLabel(label.key)) changed.emplace(label.key);
    }
  };
  add(labels, old);
  add(old, labels);
  return base::Join(std::vector<std::string>(changed.begin(), changed.end()), ", ");
}

}  // namespace

api::Result<> NodeRestriction::Mutate(AdmissionRequest& request) const {
  const auth::NodeIdentity identity = auth::NodeIdentityOf(request.call.request.user);
  if (!identity.is_node || request.operation == Operation::kConnect) return {};
  const Write write{request, identity.name};
  if (identity.name.empty()) {
    return write.Refuse(Cat("could not determine node from user ", Quote(request.call.request.user.name)));
  }
  if (request.IsFor("", "pods")) return Pod(write);
  if (request.IsFor("", "nodes")) return Node(write);
  if (request.IsFor("", "persistentvolumeclaims")) return ClaimStatus(write);
  if (request.IsFor("", "serviceaccounts")) return Token(write);
  if (request.IsFor("coordination.k8s.io", "leases")) return Lease(write);
  if (request.IsFor("storage.k8s.io", "csinodes")) {
    return OwnObject(write, "can only access CSINode with the same name as the requesting node");
  }
  if (request.IsFor("resource.k8s.io", "resourceslices")) return Slice(write);
  const bool certificates = request.IsFor("certificates.k8s.io", "certificatesigningrequests");
  return certificates && !gates_.any_certificate_requests ? CertificateRequest(write) : api::Result<>();
}

api::Result<> NodeRestriction::Node(const Write& write) {
  const std::string_view name = write.request.key.name.empty() ? NameOf(write.object()) : write.request.key.name;
  if (name != write.node) {
    return write.Refuse(Cat("node ", write.quoted(), " is not allowed to modify node ", Quote(name)));
  }
  if (!write.creates() && !write.updates()) return {};
  const Value old = write.updates() ? write.old() : Value();
  const Value spec = write.object().Get("spec"), source = spec.Get("configSource");
  if (write.creates() && source.is_object()) {
    return write.Refuse(Cat("node ", write.quoted(), " is not allowed to create pods with a non-nil configSource"));
  }
  const auto same = [&](std::string_view path) {
    return registry::SameAt(*write.request.resource.type, path, write.object(), old);
  };
  if (source.is_object() && !same("spec.configSource")) {
    return write.Refuse(
        Cat("node ", write.quoted(), " is not allowed to update configSource to a new non-nil configSource"));
  }
  if (write.updates() && !same("spec.taints")) {
    return write.Refuse(Cat("node ", write.quoted(), " is not allowed to modify taints"));
  }
  const std::string labels =
      ForbiddenChanges(write.object().Get({"metadata", "labels"}), old.Get({"metadata", "labels"}));
  if (labels.empty()) return {};
  if (write.updates()) return write.Refuse(Cat("is not allowed to modify labels: ", labels));
  return write.Refuse(Cat("node ", write.quoted(), " is not allowed to set the following labels: ", labels));
}

api::Result<> NodeRestriction::ClaimStatus(const Write& write) {
  if (write.request.subresource != "status") return write.Refuse("may only update PVC status");
  if (!write.updates()) return write.RefuseOperation();
  value::Arena& arena = write.request.arena;
  const auto without = [&](const Value& claim) {
    const Value copy = value::DeepCopy(arena, claim);
    const Value metadata = copy.Get("metadata"), status = copy.Get("status");
    for (std::string_view field : {"resourceVersion", "managedFields"}) metadata.Remove(field);
    if (!status.is_object()) return copy;
    for (std::string_view field : {"capacity", "conditions"}) status.Remove(field);
    if (!write.request.resource.features.Has(api::Feature::kRecoverVolumeExpansionFailure)) return copy;
    for (std::string_view field : {"allocatedResourceStatuses", "allocatedResources"}) status.Remove(field);
    return copy;
  };
  if (registry::Same(*write.request.resource.type, without(write.old()), without(write.object()))) return {};
  return write.Refuse(Cat("node ", write.quoted(),
                          " is not allowed to update fields other than status.quantity and status.conditions"));
}

api::Result<> NodeRestriction::OwnObject(const Write& write, std::string_view refusal) {
  const std::string_view name = write.creates() ? NameOf(write.object()) : write.request.key.name;
  return name == write.node ? api::Result<>() : write.Refuse(std::string(refusal));
}

api::Result<> NodeRestriction::Lease(const Write& write) {
  if (write.request.key.namespace_name != "kube-node-lease") {
    return write.Refuse("can only access leases in the \"kube-node-lease\" system namespace");
  }
  return OwnObject(write, "can only access node lease with the same name as the requesting node");
}

api::Result<> NodeRestriction::Slice(const Write& write) {
  if (write.creates() && NodeOf(write.object()) != write.node) {
    return write.Refuse("can only create ResourceSlice with the same NodeName as the requesting node");
  }
  if (write.request.operation == Operation::kDelete && NodeOf(write.old()) != write.node) {
    return write.Refuse("can only delete ResourceSlice with the same NodeName as the requesting node");
  }
  return {};
}

api::Result<> NodeRestriction::CertificateRequest(const Write& write) {
  if (!write.creates()) return {};
  const Value spec = write.object().Get("spec");
  const std::string_view signer = spec.GetString("signerName");
  if (signer != "kubernetes.io/kubelet-serving" && signer != "kubernetes.io/kube-apiserver-client-kubelet") return {};
  const std::optional<std::string> name = CommonNameOf(spec.GetString("request"));
  if (!name) return write.Refuse("unable to parse csr: PEM block type must be CERTIFICATE REQUEST");
  if (*name == Cat("system:node:", write.node)) return {};
  return write.Refuse(Cat("can only create a node CSR with CN=system:node:", write.node));
}

value::Value NodeRestriction::FindPod(const Write& write, std::string_view name) const {
  return stored_.Find("", "v1", "pods", write.request.key.namespace_name, name, write.request.arena);
}

api::Result<> NodeRestriction::Pod(const Write& write) const {
  const std::string_view subresource = write.request.subresource;
  if (subresource == "status") return PodStatus(write);
  if (subresource == "eviction") return Eviction(write);
  if (!subresource.empty()) {
    return write.Refuse(
        Cat("unexpected pod subresource ", Quote(subresource), ", only 'status' and 'eviction' are allowed"));
  }
  if (write.creates()) return CreatePod(write);
  if (write.updates()) {
    return write.Refuse(Cat("unexpected operation ", Quote(registry::OperationName(write.request.operation)), ", node ",
                            write.quoted(), " can only create and delete mirror pods"));
  }
  if (NodeOf(write.old()) == write.node) return {};
  return write.Refuse(Cat("node ", write.quoted(), " can only delete pods with spec.nodeName set to itself"));
}

api::Result<> NodeRestriction::CreatePod(const Write& write) const {
  const Value& pod = write.object();
  const std::string node = Cat("node ", write.quoted());
  if (!auth::IsMirrorPod(pod)) {
    return write.Refuse(
        Cat("pod does not have \"kubernetes.io/config.mirror\" annotation, ", node, " can only create mirror pods"));
  }
  if (NodeOf(pod) != write.node) {
    return write.Refuse(Cat(node, " can only create pods with spec.nodeName set to itself"));
  }
  if (auto owned = CheckOwner(write); !owned) return owned;
  const Value spec = pod.Get("spec");
  std::set<auth::PodReference> named;
  auth::ForEachReference(pod, [&](auth::PodReference kind, std::string_view) { named.insert(kind); });
  if (named.contains(auth::PodReference::kServiceAccount) || !spec.GetString("serviceAccount").empty()) {
    return write.Refuse(Cat(node, " can not create pods that reference a service account"));
  }
  if (named.contains(auth::PodReference::kSecret)) {
    return write.Refuse(Cat(node, " can not create pods that reference secrets"));
  }
  if (named.contains(auth::PodReference::kConfigMap)) {
    return write.Refuse(Cat(node, " can not create pods that reference configmaps"));
  }
  bool bundles = false, claims = false;
  for (const Value& volume : spec.Get("volumes").items()) {
    claims = claims || volume.Get("persistentVolumeClaim").is_object();
    for (const Value& source : volume.Get({"projected", "sources"}).items()) {
      bundles = bundles || source.Get("clusterTrustBundle").is_object();
    }
  }
  if (bundles) return write.Refuse(Cat(node, " can not create pods that reference clustertrustbundles"));
  if (claims) return write.Refuse(Cat(node, " can not create pods that reference persistentvolumeclaims"));
  return {};
}

api::Result<> NodeRestriction::CheckOwner(const Write& write) const {
  const std::string node = Cat("node ", write.quoted());
  const Value owners = write.object().Get({"metadata", "ownerReferences"});
  if (owners.size() > 1) {
    return write.Refuse(Cat(node, " can only create pods with a single owner reference set to itself"));
  }
  const Value owner = owners.empty() ? Value() : owners[0];
  if (owner.GetString("apiVersion") != "v1" || owner.GetString("kind") != "Node" ||
      owner.GetString("name") != write.node) {
    return write.Refuse(Cat(node, " can only create pods with an owner reference set to itself"));
  }
  const auto is_true = [&](std::string_view field) { return owner.Get(field).is_bool() && owner.Get(field).AsBool(); };
  if (!is_true("controller")) {
    return write.Refuse(Cat(node, " can only create pods with a controller owner reference set to itself"));
  }
  if (is_true("blockOwnerDeletion")) {
    return write.Refuse(Cat(node, " must not set blockOwnerDeletion on an owner reference"));
  }
  const Value stored = stored_.Find("", "v1", "nodes", "", write.node, write.request.arena);
  if (!stored.is_object()) return NotFound("node", write.node);
  const std::string_view uid = stored.Get("metadata").GetString("uid");
  if (owner.GetString("uid") == uid) return {};
  return write.Refuse(Cat("node ", write.node, " UID mismatch: expected ", owner.GetString("uid"), " got ", uid));
}

api::Result<> NodeRestriction::PodStatus(const Write& write) const {
  if (!write.updates()) return write.RefuseOperation();
  const std::string node = Cat("node ", write.quoted());
  if (NodeOf(write.old()) != write.node) {
    return write.Refuse(Cat(node, " can only update pod status for pods with spec.nodeName set to itself"));
  }
  const auto same = [&](std::string_view path) {
    return registry::SameAt(*write.request.resource.type, path, write.old(), write.object());
  };
  if (!same("metadata.labels")) return write.Refuse(Cat(node, " cannot update labels through pod status"));
  if (!same("status.resourceClaimStatuses")) {
    return write.Refuse(Cat(node, " cannot update resource claim statues"));
  }
  return {};
}

api::Result<> NodeRestriction::Eviction(const Write& write) const {
  if (!write.creates()) {
    return write.Refuse(Cat("unexpected operation ", registry::OperationName(write.request.operation)));
  }
  const std::string_view name =
      write.request.key.name.empty() ? NameOf(write.object()) : std::string_view(write.request.key.name);
  if (name.empty()) return write.Refuse("could not determine pod from request data");
  const Value pod = FindPod(write, name);
  if (!pod.is_object()) return NotFound("pod", name);
  if (NodeOf(pod) == write.node) return {};
  return write.Refuse(Cat("node ", write.node, " can only evict pods with spec.nodeName set to itself"));
}

api::Result<> NodeRestriction::Token(const Write& write) const {
  if (!write.creates() || write.request.subresource != "token") return {};
  const Value spec = write.object().Get("spec"), bound = spec.Get("boundObjectRef");
  const std::string_view name = bound.GetString("name"), uid = bound.GetString("uid");
  if (bound.GetString("apiVersion") != "v1" || bound.GetString("kind") != "Pod" || name.empty()) {
    return write.Refuse("node requested token not bound to a pod");
  }
  if (uid.empty()) return write.Refuse("node requested token with a pod binding without a uid");
  const Value pod = FindPod(write, name);
  if (!pod.is_object()) return NotFound("pod", name);
  if (pod.Get("metadata").GetString("uid") != uid) {
    return write.Refuse(Cat("the UID in the bound object reference (", uid,
                            ") does not match the UID in record. The object might have been deleted and then "
                            "recreated"));
  }
  if (NodeOf(pod) != write.node) {
    return write.Refuse("node requested token bound to a pod scheduled on a different node");
  }
  if (!gates_.audiences) return {};
  const Value audiences = spec.Get("audiences");
  if (audiences.size() > 1) return write.Refuse("node may only request 0 or 1 audiences");
  const std::string_view audience = audiences.empty() ? std::string_view() : audiences[0].AsString();
  if (NamesAudience(write, pod, audience)) return {};
  return write.Refuse(Cat("audience ", Quote(audience), " not found in pod spec volume"));
}

bool NodeRestriction::NamesAudience(const Write& write, const Value& pod, std::string_view audience) const {
  for (const Value& volume : pod.Get({"spec", "volumes"}).items()) {
    for (const Value& source : volume.Get({"projected", "sources"}).items()) {
      const Value token = source.Get("serviceAccountToken");
      if (token.is_object() && token.GetString("audience") == audience) return true;
    }
    std::string claim(volume.Get("persistentVolumeClaim").GetString("claimName"));
    if (volume.Get({"ephemeral", "volumeClaimTemplate"}).is_object()) {
      claim = Cat(NameOf(pod), "-", volume.GetString("name"));
    }
    const std::string_view driver = claim.empty() ? volume.Get("csi").GetString("driver") : DriverOf(write, claim);
    if (driver.empty()) continue;
    const Value found = stored_.Find("storage.k8s.io", "v1", "csidrivers", "", driver, write.request.arena);
    for (const Value& request : found.Get({"spec", "tokenRequests"}).items()) {
      if (request.GetString("audience") == audience) return true;
    }
  }
  return false;
}

std::string_view NodeRestriction::DriverOf(const Write& write, std::string_view claim) const {
  value::Arena& arena = write.request.arena;
  const Value found = stored_.Find("", "v1", "persistentvolumeclaims", write.request.key.namespace_name, claim, arena);
  const std::string_view volume = found.Get("spec").GetString("volumeName");
  if (volume.empty()) return "";
  return stored_.Find("", "v1", "persistentvolumes", "", volume, arena).Get({"spec", "csi"}).GetString("driver");
}

}  // namespace admission
