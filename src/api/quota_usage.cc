#include "api/quota_usage.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <span>

#include "base/text.h"

namespace api {
namespace {

using base::Cat;
using value::Value;

constexpr std::string_view kRequests = "requests.";
constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kByClass = ".storageclass.storage.k8s.io/";
constexpr std::string_view kByDeviceClass = ".deviceclass.resource.k8s.io/devices";
constexpr std::string_view kPodNames[] = {
    "cpu",          "memory",          "ephemeral-storage",
    "requests.cpu", "requests.memory", "requests.ephemeral-storage",
    "limits.cpu",   "limits.memory",   "limits.ephemeral-storage",
    "pods",
};
constexpr std::string_view kComputeNames[] = {"cpu", "memory", "ephemeral-storage"};
constexpr std::string_view kServiceNames[] = {"services", "services.nodeports", "services.loadbalancers"};
constexpr std::string_view kClaimNames[] = {"persistentvolumeclaims", "requests.storage"};
// Counted under their own names, too, since before there was count/.
constexpr std::string_view kCountedByName[] = {"configmaps", "resourcequotas", "replicationcontrollers", "secrets"};

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Of the platform itself, not somebody's own.
bool IsNative(std::string_view name) { return !name.contains('/') || name.contains("kubernetes.io/"); }

std::string CountName(std::string_view group, std::string_view plural) {
  return Cat("count/", plural, group.empty() ? "" : ".", group);
}

bool IsPodName(std::string_view name) {
  return Contains(kPodNames, name) || name.starts_with(kHugePages) || name.starts_with("requests.hugepages-") ||
         (!IsNative(name) && name.starts_with(kRequests));
}

bool IsClaimName(std::string_view name) {
  return std::ranges::any_of(kClaimNames, [&](std::string_view claim) {
    return name == claim || (name.ends_with(claim) && name.substr(0, name.size() - claim.size()).ends_with(kByClass));
  });
}

std::optional<int64_t> SecondsOf(std::string_view rfc3339) {
  std::tm parts{};
  if (strptime(std::string(rfc3339).c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return std::nullopt;
  return timegm(&parts);
}

// Neither at its end nor overdue to go.
bool UsesCompute(const Value& pod, std::chrono::system_clock::time_point now) {
  const std::string_view phase = pod.Get("status").GetString("phase");
  if (phase == "Failed" || phase == "Succeeded") return false;
  const Value metadata = pod.Get("metadata"), grace = metadata.Get("deletionGracePeriodSeconds");
  const auto deleted = SecondsOf(metadata.GetString("deletionTimestamp"));
  if (!deleted || !grace.is_int()) return true;
  return now <= std::chrono::system_clock::from_time_t(*deleted + grace.AsInt());
}

ResourceList PodUsage(const Value& pod, std::chrono::system_clock::time_point now, const Features& features) {
  ResourceList usage;
  if (!UsesCompute(pod, now)) return usage;
  usage["pods"] = Quantity::Of(1);
  const ResourceList limits = PodResources(pod, "limits", features);
  for (const auto& [name, request] : PodResources(pod, "requests", features)) {
    const bool compute = Contains(kComputeNames, name) || name.starts_with(kHugePages);
    if (compute) usage[name] = request;
    if (compute || (!IsNative(name) && !name.starts_with(kRequests))) usage[Cat(kRequests, name)] = request;
  }
  for (std::string_view name : kComputeNames) {
    if (const auto limit = limits.find(name); limit != limits.end()) usage[Cat("limits.", name)] = limit->second;
  }
  return usage;
}

ResourceList ServiceUsage(const Value& service) {
  const Value spec = service.Get("spec");
  const std::string_view type = spec.GetString("type");
  const Value ports = spec.Get("ports"), allocate = spec.Get("allocateLoadBalancerNodePorts");
  int64_t node_ports = type == "NodePort" || type == "LoadBalancer" ? ports.size() : 0;
  if (type == "LoadBalancer" && allocate.is_bool() && !allocate.AsBool()) {
    node_ports = std::ranges::count_if(ports.items(), [](const Value& port) {
      const Value number = port.Get("nodePort");
      return number.is_int() && number.AsInt() != 0;
    });
  }
  ResourceList usage;
  usage["services"] = Quantity::Of(1);
  usage["services.loadbalancers"] = Quantity::Of(type == "LoadBalancer" ? 1 : 0);
  usage["services.nodeports"] = Quantity::Of(node_ports);
  return usage;
}

// What is asked for, or what a larger claim was given already; whole bytes.
std::optional<Quantity> ClaimedStorage(const Value& claim) {
  const ResourceList asked = ReadResourceList(claim.Get({"spec", "resources", "requests"}));
  const auto request = asked.find("storage");
  if (request == asked.end()) return std::nullopt;
  Quantity storage = request->second;
  const ResourceList allocated = ReadResourceList(claim.Get({"status", "allocatedResources"}));
  if (const auto given = allocated.find("storage"); given != allocated.end() && given->second.Compare(storage) > 0) {
    storage = given->second;
  }
  storage.RoundUp(0);
  return storage;
}

ResourceList ClaimUsage(const Value& claim) {
  ResourceList usage;
  const Value annotation = claim.Get({"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"});
  const std::string_view storage_class =
      annotation.is_string() ? annotation.AsString() : claim.Get("spec").GetString("storageClassName");
  const auto charge = [&](std::string_view name, const Quantity& amount) {
    usage[std::string(name)] = amount;
    if (!storage_class.empty()) usage[Cat(storage_class, kByClass, name)] = amount;
  };
  charge("persistentvolumeclaims", Quantity::Of(1));
  if (const auto storage = ClaimedStorage(claim)) charge("requests.storage", *storage);
  return usage;
}

bool IsDeviceClaim(std::string_view group, std::string_view plural) {
  return group == "resource.k8s.io" && plural == "resourceclaims";
}

// Devices of each class; of one that asks for all, as many as a claim can be given.
ResourceList DeviceClaimUsage(const Value& claim) {
  constexpr int64_t kMostDevices = 32;
  ResourceList usage;
  for (const Value& request : claim.Get({"spec", "devices", "requests"}).items()) {
    const std::string_view mode = request.GetString("allocationMode");
    const Value count = request.Get("count");
    const int64_t exact = mode == "ExactCount" && count.is_int() ? count.AsInt() : 0;
    usage[Cat(request.GetString("deviceClassName"), kByDeviceClass)].Add(
        Quantity::Of(mode == "All" ? kMostDevices : exact));
  }
  return usage;
}

// Whether a container, or a pod for itself, asks for or limits processor or memory.
bool AsksForAny(const Value& asking) {
  for (std::string_view which : {"requests", "limits"}) {
    for (const auto& [name, quantity] : ReadResourceList(asking.Get({"resources", which}))) {
      if ((name == "cpu" || name == "memory") && quantity.Sign() > 0) return true;
    }
  }
  return false;
}

bool IsBestEffort(const Value& pod, const Features& features) {
  const std::string_view said = pod.Get("status").GetString("qosClass");
  if (!said.empty()) return said == "BestEffort";
  const Value spec = pod.Get("spec");
  if (features.Has(Feature::kPodLevelResources) && spec.Get("resources").is_object()) return !AsksForAny(spec);
  for (std::string_view list : {"containers", "initContainers"}) {
    if (std::ranges::any_of(spec.Get(list).items(), AsksForAny)) return false;
  }
  return true;
}

bool IsTerminating(const Value& pod) {
  const Value deadline = pod.Get({"spec", "activeDeadlineSeconds"});
  return deadline.is_int() && deadline.AsInt() >= 0;
}

bool CrossesNamespaces(const Value& pod) {
  const auto crosses = [](const Value& term) {
    return !term.Get("namespaces").empty() || term.Get("namespaceSelector").is_object();
  };
  for (std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const Value affinity = pod.Get({"spec", "affinity", kind});
    for (const Value& term : affinity.Get("requiredDuringSchedulingIgnoredDuringExecution").items()) {
      if (crosses(term)) return true;
    }
    for (const Value& term : affinity.Get("preferredDuringSchedulingIgnoredDuringExecution").items()) {
      if (crosses(term.Get("podAffinityTerm"))) return true;
    }
  }
  return false;
}

bool HasPriorityClass(const Value& pod, std::string_view op, const Value& values) {
  const std::string_view name = pod.Get("spec").GetString("priorityClassName");
  const bool listed = !name.empty() && std::ranges::any_of(values.items(), [&](const Value& value) {
    return value.is_string() && value.AsString() == name;
  });
  if (op == "In") return listed;
  if (op == "NotIn") return !listed;
  return (op == "DoesNotExist") == name.empty();
}

bool InScope(const Value& pod, std::string_view scope, std::string_view op, const Value& values,
             const Features& features) {
  if (scope == "Terminating") return IsTerminating(pod);
  if (scope == "NotTerminating") return !IsTerminating(pod);
  if (scope == "BestEffort") return IsBestEffort(pod, features);
  if (scope == "NotBestEffort") return !IsBestEffort(pod, features);
  if (scope == "PriorityClass") return HasPriorityClass(pod, op, values);
  if (scope == "CrossNamespacePodAffinity") return CrossesNamespaces(pod);
  return false;
}

}  // namespace

bool CountsAsOne(std::string_view group, std::string_view plural) {
  if (IsDeviceClaim(group, plural)) return false;
  return !group.empty() || (plural != "pods" && plural != "services" && plural != "persistentvolumeclaims");
}

bool CountsFor(std::string_view group, std::string_view plural, std::string_view name) {
  if (name.starts_with("count/")) return name == CountName(group, plural);
  if (IsDeviceClaim(group, plural)) return name.ends_with(kByDeviceClass);
  if (!group.empty()) return false;
  if (plural == "pods") return IsPodName(name);
  if (plural == "services") return Contains(kServiceNames, name);
  if (plural == "persistentvolumeclaims") return IsClaimName(name);
  return name == plural && Contains(kCountedByName, name);
}

ResourceList QuotaUsage(std::string_view group, std::string_view plural, const Value& object,
                        std::chrono::system_clock::time_point now, const Features& features) {
  ResourceList usage;
  if (CountsAsOne(group, plural)) {
    if (group.empty() && Contains(kCountedByName, plural)) usage[std::string(plural)] = Quantity::Of(1);
  } else if (IsDeviceClaim(group, plural)) {
    usage = DeviceClaimUsage(object);
  } else if (plural == "pods") {
    usage = PodUsage(object, now, features);
  } else {
    usage = plural == "services" ? ServiceUsage(object) : ClaimUsage(object);
  }
  usage[CountName(group, plural)] = Quantity::Of(1);
  return usage;
}

bool InQuotaScopes(const Value& quota_spec, std::string_view group, std::string_view plural, const Value& object,
                   const Features& features) {
  const bool pod = group.empty() && plural == "pods";
  for (const Value& scope : quota_spec.Get("scopes").items()) {
    if (!pod || !InScope(object, scope.AsString(), "Exists", {}, features)) return false;
  }
  for (const Value& term : quota_spec.Get({"scopeSelector", "matchExpressions"}).items()) {
    if (!pod ||
        !InScope(object, term.GetString("scopeName"), term.GetString("operator"), term.Get("values"), features)) {
      return false;
    }
  }
  return true;
}

}  // namespace api
