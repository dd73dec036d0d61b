#include "api/pod_resources.h"

#include <algorithm>

namespace api {
namespace {

using value::Value;

void MaxTo(ResourceList& list, const ResourceList& other) {
  for (const auto& [name, quantity] : other) {
    const auto found = list.find(name);
    if (found == list.end()) {
      list.emplace(name, quantity);
    } else if (quantity.Compare(found->second) > 0) {
      found->second = quantity;
    }
  }
}

// What one container counts for: where `statuses` say what it runs with, the larger of the two; that alone where its
// node cannot give it more.
ResourceList OfContainer(const Value& container, std::string_view which, const Value& statuses, bool infeasible) {
  ResourceList own = ReadResourceList(container.Get({"resources", which}));
  for (const Value& status : statuses.items()) {
    if (status.GetString("name") != container.GetString("name") || status.Get("resources").is_null()) continue;
    ResourceList actual = ReadResourceList(status.Get({"resources", which}));
    if (infeasible) return actual;
    MaxTo(own, actual);
    break;
  }
  return own;
}

// Of all containers; `status` null where what it says does not count.
ResourceList Sum(const Value& spec, std::string_view which, const Value& status) {
  ResourceList sum, sidecars, starting;
  const bool infeasible = status.GetString("resize") == "Infeasible";
  for (const Value& container : spec.Get("containers").items()) {
    AddTo(sum, OfContainer(container, which, status.Get("containerStatuses"), infeasible));
  }
  // A sidecar runs from its turn on; another one runs beside the sidecars before it.
  for (const Value& container : spec.Get("initContainers").items()) {
    ResourceList own = ReadResourceList(container.Get({"resources", which}));
    if (container.GetString("restartPolicy") == "Always") {
      AddTo(sum, own);
      AddTo(sidecars, own);
      own = sidecars;
    } else {
      AddTo(own, sidecars);
    }
    MaxTo(starting, own);
  }
  MaxTo(sum, starting);
  return sum;
}

}  // namespace

void AddTo(ResourceList& list, const ResourceList& more) {
  for (const auto& [name, quantity] : more) list[name].Add(quantity);
}

ResourceList ReadResourceList(const Value& list) {
  ResourceList read;
  for (const value::Member& member : list.members()) {
    if (!member.value.is_string()) continue;
    if (auto quantity = Quantity::Parse(member.value.AsString())) read[std::string(member.key)] = *std::move(quantity);
  }
  return read;
}

bool IsPodLevelResource(std::string_view name) { return name == "cpu" || name == "memory"; }

bool HasPodLevelResources(const Value& pod_spec) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"requests", "limits"}, [&](std::string_view which) {
        return std::ranges::any_of(pod_spec.Get({"resources", which}).members(),
                                   [](const value::Member& amount) { return IsPodLevelResource(amount.key); });
      });
}

ResourceList ContainerResources(const Value& pod_spec, std::string_view which) { return Sum(pod_spec, which, {}); }

ResourceList PodResources(const Value& pod, std::string_view which, const Features& features) {
  const Value spec = pod.Get("spec");
  ResourceList sum = Sum(spec, which, features.Has(Feature::kInPlacePodVerticalScaling) ? pod.Get("status") : Value());
  if (features.Has(Feature::kPodLevelResources)) {
    for (auto& [name, amount] : ReadResourceList(spec.Get({"resources", which}))) {
      if (IsPodLevelResource(name)) sum[name] = amount;
    }
  }
  for (const auto& [name, overhead] : ReadResourceList(spec.Get("overhead"))) {
    if (which == "requests") {
      sum[name].Add(overhead);
    } else if (const auto limit = sum.find(name); limit != sum.end() && !limit->second.IsZero()) {
      limit->second.Add(overhead);
    }
  }
  return sum;
}

}  // namespace api
