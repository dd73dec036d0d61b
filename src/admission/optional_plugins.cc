#include "admission/optional_plugins.h"

#include <algorithm>
#include <set>
#include <string>

#include "admission/refusal.h"
#include "api/names.h"
#include "base/text.h"
#include "value/quote.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

constexpr std::string_view kAlways = "Always";
constexpr std::string_view kContainerLists[] = {"initContainers", "containers", "ephemeralContainers"};

// Whether an update brings no image that the pod had not before: it need not be pulled anew.
bool HasNoNewImage(const Value& pod, const Value* old) {
  if (old == nullptr) return false;
  std::set<std::string_view> before;
  for (std::string_view list : kContainerLists) {
    for (const Value& container : old->Get({"spec", list}).items()) before.insert(container.GetString("image"));
  }
  for (std::string_view list : kContainerLists) {
    for (const Value& container : pod.Get({"spec", list}).items()) {
      if (!before.contains(container.GetString("image"))) return false;
    }
  }
  return true;
}

std::unexpected<api::Error> RefusePolicy(const Value& pod, std::string_view path, std::string_view policy) {
  return RefusePod(pod, Cat(path, ": Unsupported value: ", value::Quote(policy), ": supported values: \"Always\""));
}

bool IsExtendedResource(std::string_view name) {
  constexpr std::string_view kRequests = "requests.";
  if (name.find('/') == name.npos || name.find("kubernetes.io/") != name.npos || name.starts_with(kRequests)) {
    return false;
  }
  return api::CheckQualifiedName(Cat(kRequests, name)).empty();
}

}  // namespace

void PullAlways(const Value& pod, const Value* old, value::Arena& arena) {
  if (HasNoNewImage(pod, old)) return;
  for (std::string_view list : kContainerLists) {
    for (const Value& container : pod.Get({"spec", list}).items()) {
      if (container.is_object()) container.Set(arena, "imagePullPolicy", Value::String(kAlways));
    }
  }
  for (const Value& volume : pod.Get({"spec", "volumes"}).items()) {
    if (const Value image = volume.Get("image"); image.is_object()) {
      image.Set(arena, "pullPolicy", Value::String(kAlways));
    }
  }
}

api::Result<> CheckPullPolicies(const Value& pod, const Value* old) {
  if (HasNoNewImage(pod, old)) return {};
  for (std::string_view list : kContainerLists) {
    const Value containers = pod.Get({"spec", list});
    for (size_t i = 0; i < containers.items().size(); ++i) {
      const std::string_view policy = containers.items()[i].GetString("imagePullPolicy");
      if (policy != kAlways) return RefusePolicy(pod, Cat("spec.", list, "[", i, "].imagePullPolicy"), policy);
    }
  }
  const Value volumes = pod.Get({"spec", "volumes"});
  for (size_t i = 0; i < volumes.items().size(); ++i) {
    const Value image = volumes.items()[i].Get("image");
    if (!image.is_object() || image.GetString("pullPolicy") == kAlways) continue;
    return RefusePolicy(pod, Cat("spec.volumes[", i, "].image.pullPolicy"), image.GetString("pullPolicy"));
  }
  return {};
}

void TolerateExtendedResources(const Value& pod, value::Arena& arena) {
  std::set<std::string_view> resources;
  for (std::string_view list : {kContainerLists[0], kContainerLists[1]}) {
    for (const Value& container : pod.Get({"spec", list}).items()) {
      for (const value::Member& request : container.Get({"resources", "requests"}).members()) {
        if (IsExtendedResource(request.key)) resources.insert(request.key);
      }
    }
  }
  const Value spec = pod.Get("spec");
  if (resources.empty()) return;
  const Value given = spec.Get("tolerations");
  std::set<std::string_view> tolerated;
  for (const Value& toleration : given.items()) {
    if (toleration.GetString("operator") == "Exists" && toleration.GetString("effect") == "NoSchedule" &&
        toleration.GetString("value").empty()) {
      tolerated.insert(toleration.GetString("key"));
    }
  }
  Value all = Value::Array(arena, static_cast<uint32_t>(given.items().size() + resources.size()));
  for (const Value& toleration : given.items()) all.Append(arena, toleration);
  for (std::string_view resource : resources) {
    if (tolerated.contains(resource)) continue;
    Value toleration = Value::Object(arena, 3);
    toleration.Add(arena, "key", Value::String(arena.CopyString(resource)));
    toleration.Add(arena, "operator", Value::String("Exists"));
    toleration.Add(arena, "effect", Value::String("NoSchedule"));
    all.Append(arena, toleration);
  }
  spec.Set(arena, "tolerations", all);
}

api::Result<> CheckAntiAffinity(const Value& pod) {
  constexpr std::string_view kHostname = "kubernetes.io/hostname";
  const Value terms =
      pod.Get({"spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  for (const Value& term : terms.items()) {
    const std::string_view key = term.GetString("topologyKey");
    if (key == kHostname) continue;
    return RefusePod(pod, Cat("affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ", key,
                              " but only key ", kHostname, " is allowed"));
  }
  return {};
}

// Addresses may stay and go, none may come.
api::Result<> CheckExternalAddresses(const Value& service, const Value* old) {
  std::set<std::string_view> before;
  if (old != nullptr) {
    for (const Value& address : old->Get({"spec", "externalIPs"}).items()) before.insert(address.AsString());
  }
  for (const Value& address : service.Get({"spec", "externalIPs"}).items()) {
    if (before.contains(address.AsString())) continue;
    return Refuse({"", "services"}, service, "Use of external IPs is denied by admission control");
  }
  return {};
}

}  // namespace admission
