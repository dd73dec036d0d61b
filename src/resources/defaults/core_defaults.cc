// Defaults of the core group's types.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/pod_resources.h"
#include "resources/core/pod/image_name.h"
#include "resources/defaults/defaults.h"
#include "value/json_writer.h"
#include "value/member_index.h"

namespace resources {
namespace {

void DefaultContainer(const Value& container, Arena& arena) {
  if (container.Find("imagePullPolicy")) return;
  bool latest = ImageTag(container.GetString("image")) == "latest";
  container.Add(arena, "imagePullPolicy", Value::String(latest ? "Always" : "IfNotPresent"));
}

// A volume that names no source is an empty directory.
void DefaultVolume(const Value& volume, Arena& arena) {
  bool has_source =
      std::ranges::any_of(volume.members(), [](const value::Member& member) { return member.key != "name"; });
  if (!has_source) volume.Add(arena, "emptyDir", Value::Object(arena));
}

// Amounts that are only in `from` are in `to` too.
void FillAmounts(const Value& from, const Value& to, Arena& arena) {
  std::vector<const value::Member*> more;
  const value::MemberIndex there(to);
  for (const value::Member& amount : from.members()) {
    if (there.Find(amount.key) == nullptr) more.push_back(&amount);
  }
  for (const value::Member* amount : more) to.Add(arena, amount->key, amount->value);
}

// Requests follow the limits where they are not given.
void DefaultRequests(const Value& containers, Arena& arena) {
  for (const Value& container : containers.items()) {
    Value resources = container.Get("resources");
    Value limits = resources.Get("limits");
    if (!limits.is_object()) continue;
    if (!resources.Find("requests")) resources.Add(arena, "requests", Value::Object(arena));
    FillAmounts(limits, resources.Get("requests"), arena);
  }
}

void DefaultHostPorts(const Value& containers, Arena& arena) {
  for (const Value& container : containers.items()) {
    for (const Value& port : container.Get("ports").items()) {
      const Value* number = port.Find("containerPort");
      if (!port.Find("hostPort") && number) port.Add(arena, "hostPort", *number);
    }
  }
}

// Init containers once stood in annotations; what old clients still write there says nothing.
void DropInitContainerAnnotations(const Value& owner, Arena&) {
  const Value metadata = owner.Get("metadata"), annotations = metadata.Get("annotations");
  for (std::string_view key :
       {"pod.beta.kubernetes.io/init-containers", "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-container-statuses", "pod.alpha.kubernetes.io/init-container-statuses"}) {
    annotations.Remove(key);
  }
  if (annotations.is_object() && annotations.empty()) metadata.Remove("annotations");
}

void DefaultPod(const Value& pod, Arena& arena) {
  DropInitContainerAnnotations(pod, arena);
  if (!pod.Find("spec")) pod.Add(arena, "spec", Value::Object(arena));
  Value spec = pod.Get("spec");
  // In templates a negative grace stays.
  const Value grace = spec.Get("terminationGracePeriodSeconds");
  if (grace.is_int() && grace.AsInt() < 0) spec.Set(arena, "terminationGracePeriodSeconds", Value::Int(1));
  DefaultRequests(spec.Get("containers"), arena);
  DefaultRequests(spec.Get("initContainers"), arena);
  if (!spec.Find("enableServiceLinks")) spec.Add(arena, "enableServiceLinks", Value::Bool(true));
  const Value host_network = spec.Get("hostNetwork");
  if (host_network.is_bool() && host_network.AsBool()) {
    DefaultHostPorts(spec.Get("containers"), arena);
    DefaultHostPorts(spec.Get("initContainers"), arena);
  }
}

// How a container takes other amounts: where it asks for some and does not say, without being started anew.
void DefaultResizePolicies(const Value& pod, Arena& arena, const api::Features& features) {
  if (!features.Has(api::Feature::kInPlacePodVerticalScaling)) return;
  for (const Value& container : pod.Get({"spec", "containers"}).items()) {
    const Value requests = container.Get({"resources", "requests"});
    for (std::string_view resource : {"cpu", "memory"}) {
      const auto concerns = [&](const Value& policy) { return policy.GetString("resourceName") == resource; };
      if (!requests.Find(resource) || std::ranges::any_of(container.Get("resizePolicy").items(), concerns)) continue;
      if (!container.Get("resizePolicy").is_array()) container.Set(arena, "resizePolicy", Value::Array(arena, 2));
      Value policy = Value::Object(arena, 2);
      policy.Add(arena, "resourceName", Value::String(resource));
      policy.Add(arena, "restartPolicy", Value::String("NotRequired"));
      container.Get("resizePolicy").Append(arena, policy);
    }
  }
}

// What a pod asks for as a whole, where it is limited: what its containers ask for together, else the limit.
void DefaultPodRequests(const Value& pod, Arena& arena, const api::Features& features) {
  const Value spec = pod.Get("spec"), resources = spec.Get("resources"), limits = resources.Get("limits");
  if (!features.Has(api::Feature::kPodLevelResources) || limits.empty()) return;
  if (!resources.Get("requests").is_object()) resources.Set(arena, "requests", Value::Object(arena));
  const Value requests = resources.Get("requests");
  for (const auto& [name, sum] : api::ContainerResources(spec, "requests")) {
    if (!api::IsPodLevelResource(name) || requests.Find(name) != nullptr) continue;
    requests.Add(arena, arena.CopyString(name), Value::Copy(arena, sum.text()));
  }
  for (const value::Member& limit : limits.members()) {
    if (api::IsPodLevelResource(limit.key) && !requests.Find(limit.key)) requests.Add(arena, limit.key, limit.value);
  }
  if (requests.empty()) resources.Remove("requests");
}

void DefaultGatedFields(const Value& pod, Arena& arena, const api::Features& features) {
  DefaultResizePolicies(pod, arena, features);
  DefaultPodRequests(pod, arena, features);
}

void DefaultImageVolume(const Value& volume, Arena& arena, const api::Features& features) {
  const Value image = volume.Get("image");
  if (!features.Has(api::Feature::kImageVolume) || !image.is_object() || !image.GetString("pullPolicy").empty()) return;
  const bool latest = ImageTag(image.GetString("reference")) == "latest";
  image.Set(arena, "pullPolicy", Value::String(latest ? "Always" : "IfNotPresent"));
}

// serviceAccount is the old name of serviceAccountName: both are written, the new one counts.
void DefaultPodSpec(const Value& spec, Arena& arena) {
  std::string_view name = spec.GetString("serviceAccountName");
  if (name.empty()) name = spec.GetString("serviceAccount");
  if (name.empty()) return;
  spec.Set(arena, "serviceAccountName", Value::String(name));
  spec.Set(arena, "serviceAccount", Value::String(name));
}

void DefaultReplicationController(const Value& controller, Arena& arena) {
  Value labels = controller.Get({"spec", "template", "metadata", "labels"});
  if (!controller.Find("spec")) controller.Add(arena, "spec", Value::Object(arena));
  Value spec = controller.Get("spec");
  if (labels.is_object()) {
    if (spec.Get("selector").empty()) spec.Set(arena, "selector", value::DeepCopy(arena, labels));
    Value metadata = controller.Get("metadata");
    if (metadata.is_object() && metadata.Get("labels").empty())
      metadata.Set(arena, "labels", value::DeepCopy(arena, labels));
  }
  if (!spec.Find("replicas")) spec.Add(arena, "replicas", Value::Int(1));
}

void DefaultSessionAffinity(const Value& spec, Arena& arena) {
  std::string_view affinity = spec.GetString("sessionAffinity");
  if (affinity == "None") spec.Remove("sessionAffinityConfig");
  if (affinity != "ClientIP" || !spec.Get({"sessionAffinityConfig", "clientIP", "timeoutSeconds"}).is_null()) return;
  Value client = Value::Object(arena), config = Value::Object(arena);
  client.Add(arena, "timeoutSeconds", Value::Int(10800));
  config.Add(arena, "clientIP", client);
  spec.Set(arena, "sessionAffinityConfig", config);
}

// The target of a port that names none is the port itself.
void DefaultServicePorts(const Value& spec, Arena& arena) {
  for (const Value& port : spec.Get("ports").items()) {
    const Value* target = port.Find("targetPort");
    bool unset =
        !target || (target->is_int() && target->AsInt() == 0) || (target->is_string() && target->AsString().empty());
    const Value* number = port.Find("port");
    if (!unset) continue;
    if (number) {
      port.Set(arena, "targetPort", *number);
    } else {
      port.Remove("targetPort");
    }
  }
}

void DefaultService(const Value& service, Arena& arena) {
  if (!service.Find("spec")) service.Add(arena, "spec", Value::Object(arena));
  Value spec = service.Get("spec");
  if (!spec.Find("sessionAffinity")) spec.Add(arena, "sessionAffinity", Value::String("None"));
  if (!spec.Find("type")) spec.Add(arena, "type", Value::String("ClusterIP"));
  DefaultSessionAffinity(spec, arena);
  DefaultServicePorts(spec, arena);
  std::string_view type = spec.GetString("type");
  bool external =
      type == "LoadBalancer" || type == "NodePort" || (type == "ClusterIP" && !spec.Get("externalIPs").empty());
  if (external && !spec.Find("externalTrafficPolicy"))
    spec.Add(arena, "externalTrafficPolicy", Value::String("Cluster"));
  bool internal = type == "NodePort" || type == "LoadBalancer" || type == "ClusterIP";
  if (internal && !spec.Find("internalTrafficPolicy"))
    spec.Add(arena, "internalTrafficPolicy", Value::String("Cluster"));
  if (type != "LoadBalancer") return;
  if (!spec.Find("allocateLoadBalancerNodePorts")) spec.Add(arena, "allocateLoadBalancerNodePorts", Value::Bool(true));
  for (const Value& ingress : service.Get({"status", "loadBalancer", "ingress"}).items()) {
    if (!ingress.GetString("ip").empty() && !ingress.Find("ipMode")) ingress.Add(arena, "ipMode", Value::String("VIP"));
  }
}

// Only of volumes that are objects: one that stands within another object has no policy.
void DefaultPersistentVolume(const Value& volume, Arena& arena) {
  if (!volume.Find("spec")) volume.Add(arena, "spec", Value::Object(arena));
  const Value spec = volume.Get("spec");
  if (!spec.Find("persistentVolumeReclaimPolicy")) {
    spec.Add(arena, "persistentVolumeReclaimPolicy", Value::String("Retain"));
  }
  if (!spec.Find("volumeMode")) spec.Add(arena, "volumeMode", Value::String("Filesystem"));
}

void DefaultNamespace(const Value& space, Arena& arena) {
  Value metadata = space.Get("metadata");
  std::string_view name = metadata.GetString("name");
  if (name.empty()) return;  // generated names are labelled when they are known
  if (!metadata.Find("labels")) metadata.Add(arena, "labels", Value::Object(arena));
  metadata.Get("labels").Set(arena, "kubernetes.io/metadata.name", Value::String(name));
}

// The one address and the list of them hold the same first address: the one counts where the two differ.
void SyncFirst(const Value& object, std::string_view one, std::string_view list, std::string_view key, Arena& arena) {
  const auto text_of = [&](const Value& item) { return key.empty() ? item.AsString() : item.GetString(key); };
  const std::string_view single = object.GetString(one);
  const Value all = object.Get(list);
  if (single.empty()) {
    if (!all.empty()) object.Set(arena, one, Value::String(text_of(all[0])));
    return;
  }
  if (!all.empty() && text_of(all[0]) == single) return;
  Value item = Value::String(single);
  if (!key.empty()) {
    const value::Member member{key, item};
    item = Value::ObjectOf(arena, std::span(&member, 1));
  }
  object.Set(arena, list, Value::ArrayOf(arena, std::span(&item, 1)));
}

void DefaultPodStatus(const Value& status, Arena& arena) { SyncFirst(status, "podIP", "podIPs", "ip", arena); }
void DefaultNodeSpec(const Value& spec, Arena& arena) { SyncFirst(spec, "podCIDR", "podCIDRs", "", arena); }

void DefaultNodeStatus(const Value& status, Arena& arena) {
  const Value* capacity = status.Find("capacity");
  if (capacity && !status.Find("allocatable")) status.Add(arena, "allocatable", value::DeepCopy(arena, *capacity));
}

// Copies what `to` lacks.
void DefaultLimitRangeItem(const Value& item, Arena& arena) {
  if (item.GetString("type") != "Container") return;
  for (std::string_view field : {"default", "defaultRequest"}) {
    if (!item.Find(field)) item.Add(arena, field, Value::Object(arena));
  }
  FillAmounts(item.Get("max"), item.Get("default"), arena);
  FillAmounts(item.Get("default"), item.Get("defaultRequest"), arena);
  FillAmounts(item.Get("min"), item.Get("defaultRequest"), arena);
  for (std::string_view field : {"default", "defaultRequest"}) {
    if (item.Get(field).empty()) item.Remove(field);
  }
}

void DefaultEndpointPorts(const Value& subset, Arena& arena) {
  for (const Value& port : subset.Get("ports").items()) {
    if (!port.Find("protocol")) port.Add(arena, "protocol", Value::String("TCP"));
  }
}

// What is written as text becomes bytes, over what stands there.
void DefaultSecret(const Value& secret, Arena& arena) {
  const Value texts = secret.Get("stringData");
  if (!texts.empty()) {
    if (!secret.Get("data").is_object()) secret.Set(arena, "data", Value::Object(arena));
    const Value data = secret.Get("data");
    absl::flat_hash_map<std::string_view, size_t> places;  // of data's members, by key
    for (size_t i = 0; i < data.members().size(); ++i) places.try_emplace(data.members()[i].key, i);
    for (const value::Member& text : texts.members()) {
      std::string base64;
      value::AppendBase64(base64, text.value.AsString());
      const Value bytes = Value::Copy(arena, base64);
      const auto [place, is_new] = places.try_emplace(text.key, data.members().size());
      if (is_new) {
        data.Add(arena, text.key, bytes);
      } else {
        data.members()[place->second].value = bytes;
      }
    }
    std::ranges::sort(data.members(), {}, &value::Member::key);
  }
  secret.Remove("stringData");
}

constexpr FieldDefault kPodSpec[] = {{"dnsPolicy", "\"ClusterFirst\""},
                                     {"restartPolicy", "\"Always\""},
                                     {"securityContext", "{}"},
                                     {"terminationGracePeriodSeconds", "30"},
                                     {"schedulerName", "\"default-scheduler\""}};
constexpr FieldDefault kContainer[] = {{"terminationMessagePath", "\"/dev/termination-log\""},
                                       {"terminationMessagePolicy", "\"File\""}};
constexpr FieldDefault kProbe[] = {
    {"timeoutSeconds", "1"}, {"periodSeconds", "10"}, {"successThreshold", "1"}, {"failureThreshold", "3"}};
constexpr FieldDefault kHttpGet[] = {{"path", "\"/\""}, {"scheme", "\"HTTP\""}};
constexpr FieldDefault kMode[] = {{"defaultMode", "420"}};
constexpr FieldDefault kTokenProjection[] = {{"expirationSeconds", "3600"}};
constexpr FieldDefault kHostPath[] = {{"type", "\"\""}};
constexpr FieldDefault kFieldSelector[] = {{"apiVersion", "\"v1\""}};
constexpr FieldDefault kSecret[] = {{"type", "\"Opaque\""}};
constexpr FieldDefault kPending[] = {{"phase", "\"Pending\""}};
constexpr FieldDefault kClaimSpec[] = {{"volumeMode", "\"Filesystem\""}};
constexpr FieldDefault kActive[] = {{"phase", "\"Active\""}};

constexpr TypeDefaults kTypes[] = {
    {"io.k8s.api.core.v1.Pod", {}, DefaultPod, DefaultGatedFields},
    {"io.k8s.api.core.v1.PodSpec", kPodSpec, DefaultPodSpec},
    {"io.k8s.api.core.v1.PodStatus", {}, DefaultPodStatus},
    {"io.k8s.api.core.v1.PodTemplateSpec", {}, DropInitContainerAnnotations},
    {"io.k8s.api.core.v1.Container", kContainer, DefaultContainer},
    {"io.k8s.api.core.v1.EphemeralContainer", kContainer, DefaultContainer},
    {"io.k8s.api.core.v1.Probe", kProbe},
    {"io.k8s.api.core.v1.HTTPGetAction", kHttpGet},
    {"io.k8s.api.core.v1.Volume", {}, DefaultVolume, DefaultImageVolume},
    {"io.k8s.api.core.v1.SecretVolumeSource", kMode},
    {"io.k8s.api.core.v1.ConfigMapVolumeSource", kMode},
    {"io.k8s.api.core.v1.DownwardAPIVolumeSource", kMode},
    {"io.k8s.api.core.v1.ProjectedVolumeSource", kMode},
    {"io.k8s.api.core.v1.ServiceAccountTokenProjection", kTokenProjection},
    {"io.k8s.api.core.v1.HostPathVolumeSource", kHostPath},
    {"io.k8s.api.core.v1.ObjectFieldSelector", kFieldSelector},
    {"io.k8s.api.core.v1.ReplicationController", {}, DefaultReplicationController},
    {"io.k8s.api.core.v1.Service", {}, DefaultService},
    {"io.k8s.api.core.v1.Secret", kSecret, DefaultSecret},
    {"io.k8s.api.core.v1.PersistentVolume", {}, DefaultPersistentVolume},
    {"io.k8s.api.core.v1.PersistentVolumeStatus", kPending},
    {"io.k8s.api.core.v1.PersistentVolumeClaimSpec", kClaimSpec},
    {"io.k8s.api.core.v1.PersistentVolumeClaimStatus", kPending},
    {"io.k8s.api.core.v1.EndpointSubset", {}, DefaultEndpointPorts},
    {"io.k8s.api.core.v1.Namespace", {}, DefaultNamespace},
    {"io.k8s.api.core.v1.NamespaceStatus", kActive},
    {"io.k8s.api.core.v1.NodeSpec", {}, DefaultNodeSpec},
    {"io.k8s.api.core.v1.NodeStatus", {}, DefaultNodeStatus},
    {"io.k8s.api.core.v1.LimitRangeItem", {}, DefaultLimitRangeItem},
};

}  // namespace

std::span<const TypeDefaults> CoreDefaults() { return kTypes; }

}  // namespace resources
