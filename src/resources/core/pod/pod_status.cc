#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/ip_address.h"
#include "base/text.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/core/pod/pod_update.h"
#include "resources/rules/field_checks.h"
#include "value/member_index.h"

namespace resources::core {
namespace {

constexpr std::string_view kHealths[] = {"Healthy", "Unhealthy", "Unknown"};

// Calls `visit` with each item of a list and where it stands.
template <class Visit>
void EachItem(const Value& list, const FieldPath& path, Visit visit) {
  int64_t index = 0;
  for (const Value& item : list.items()) visit(item, path.Index(index++));
}

// The items of a list by their names; of one name the first.
absl::flat_hash_map<std::string_view, const Value*> ByName(const Value& list) {
  absl::flat_hash_map<std::string_view, const Value*> by_name;
  for (const Value& item : list.items()) by_name.try_emplace(item.GetString("name"), &item);
  return by_name;
}

// Conditions of the server's own need no qualified name.
void CheckConditions(const Scope& pod) {
  const FieldPath metadata = pod.At("metadata"), list = metadata.Child("conditions");
  EachItem(pod.Get({"status", "conditions"}), list, [&](const Value& condition, const FieldPath& item) {
    const std::string_view type = condition.GetString("type");
    if (type == "PodScheduled" || type == "Ready" || type == "Initialized") return;
    kQualifiedName(pod.errors, item.Child("Type"), type);
  });
}

bool HasTerminated(const Value& status) { return status.Get("state").Find("terminated") != nullptr; }

struct RestartRules {
  std::string_view policy;
  bool init = false;  // sidecars among them always restart
};

// What has ended stays so, where nothing restarts it.
void CheckTransitions(const Scope& pod, const FieldPath& status, std::string_view list, RestartRules rules) {
  if (rules.policy == "Always") return;
  const FieldPath path = status.Child(list);
  const auto init_containers = ByName(pod.old->Get({"spec", "initContainers"}));
  absl::flat_hash_map<std::string_view, size_t> running;  // how many of a name have not ended
  for (const Value& after : pod.Get({"status", list}).items()) {
    if (!HasTerminated(after)) ++running[after.GetString("name")];
  }
  EachItem(pod.old->Get({"status", list}), path, [&](const Value& before, const FieldPath& item) {
    if (!HasTerminated(before)) return;
    const Value code = before.Get({"state", "terminated", "exitCode"});
    if (code.is_int() && code.AsInt() != 0 && rules.policy == "OnFailure") return;
    const std::string_view name = before.GetString("name");
    const auto container = init_containers.find(name);
    const bool restarts =
        container != init_containers.end() && container->second->GetString("restartPolicy") == "Always";
    if (rules.init && restarts) return;
    const auto left = running.find(name);
    for (size_t i = 0; left != running.end() && i < left->second && !pod.errors.full(); ++i) {
      pod.errors.Forbidden(item.Child("state"), "may not be transitioned to non-terminated state");
    }
  });
}

void CheckClaims(const Scope& pod, const FieldPath& path) {
  const auto claims = ByName(pod.Get({"spec", "resourceClaims"}));
  std::set<std::string_view> seen;
  EachItem(pod.Get({"status", "resourceClaimStatuses"}), path, [&](const Value& status, const FieldPath& item) {
    const FieldPath at = item.Child("name");
    const std::string_view name = status.GetString("name");
    if (!claims.contains(name)) {
      pod.errors.Invalid(at, name, "must match the name of an entry in `spec.resourceClaims`");
    }
    if (!seen.insert(name).second) pod.errors.Duplicate(at, name);
    if (status.Find("resourceClaimName") != nullptr)
      kDnsSubdomain(pod.errors, at, status.GetString("resourceClaimName"));
  });
}

// Addresses: at most one of each family, none twice.

void CheckFamilies(Errors& errors, const FieldPath& path, const Value& addresses) {
  bool v4 = false, v6 = false;
  std::string invalid;
  for (uint32_t i = 0; i < addresses.size() && invalid.empty(); ++i) {
    const std::string_view ip = addresses[i].GetString("ip");
    const auto address = api::IpAddress::ParseLoosely(ip);
    if (!address) invalid = base::Cat("failed to check for dual stack with error:invalid IP[", i, "]: ", ip);
    v4 |= address && address->is_v4();
    v6 |= address && !address->is_v4();
  }
  if (!invalid.empty()) errors.Internal(path, invalid);
  if (!invalid.empty() || !v4 || !v6 || addresses.size() > 2) {
    errors.InvalidStruct(path, addresses, "may specify no more than one IP for each IP family");
  }
}

void CheckRepeated(Errors& errors, const FieldPath& path, const Value& addresses) {
  std::set<std::string_view> seen;
  EachItem(addresses, path, [&](const Value& address, const FieldPath& item) {
    if (!seen.insert(address.GetString("ip")).second) errors.DuplicateStruct(item, address);
  });
}

void CheckForms(Errors& errors, const FieldPath& path, const Value& addresses) {
  EachItem(addresses, path,
           [&](const Value& address, const FieldPath& item) { CheckIp(errors, item, address.GetString("ip")); });
}

void CheckPodIps(const Scope& pod, const FieldPath& path) {
  const Value addresses = pod.Get({"status", "podIPs"});
  CheckForms(pod.errors, path, addresses);
  if (addresses.size() < 2) return;
  CheckFamilies(pod.errors, path, addresses);
  CheckRepeated(pod.errors, path, addresses);
}

void CheckHostIps(const Scope& pod, const FieldPath& path) {
  const Value addresses = pod.Get({"status", "hostIPs"});
  if (addresses.empty()) return;
  const std::string_view first = addresses[0].GetString("ip");
  const FieldPath item = path.Index(0);
  if (pod.Get("status").GetString("hostIP") != first) {
    pod.errors.Invalid(item.Child("ip"), first, "must be equal to `hostIP`");
  }
  CheckForms(pod.errors, path, addresses);
  if (addresses.size() < 2) return;
  CheckRepeated(pod.errors, path, addresses);
  CheckFamilies(pod.errors, path, addresses);
}

// Containers.

void CheckUser(Errors& errors, const FieldPath& path, const Value& user) {
  for (std::string_view field : {"uid", "gid"}) {
    const Value id = user.Get(field);
    if (id.is_int()) CheckUserOrGroupId(errors, path.Child(field), id.AsInt());
  }
  EachItem(user.Get("supplementalGroups"), path.Child("supplementalGroups"),
           [&](const Value& id, const FieldPath& item) {
             if (id.is_int()) CheckUserOrGroupId(errors, item, id.AsInt());
           });
}

void CheckUsers(const Scope& pod, const FieldPath& path, const Value& statuses) {
  const bool has_os = pod.Get("spec").Find("os") != nullptr;
  const std::string_view os = has_os ? pod.Get({"spec", "os"}).GetString("name") : "linux";
  EachItem(statuses, path, [&](const Value& status, const FieldPath& item) {
    const Value* user = status.Get("user").Find("linux");
    if (user == nullptr) return;
    if (os == "windows") pod.errors.Forbidden(item.Child("linux"), "cannot be set for a windows pod");
    if (os == "linux") CheckUser(pod.errors, item.Child("linux"), *user);
  });
}

// What a container asks for: its requests and claims.
class Asked {
 public:
  explicit Asked(const Value& container) : requests_(container.Get({"resources", "requests"})) {
    for (const Value& claim : container.Get({"resources", "claims"}).items()) {
      const std::string_view request = claim.GetString("request");
      claims_.insert(base::Cat(kClaim, claim.GetString("name"), request.empty() ? "" : "/", request));
    }
  }

  // Whether it is among them; `why` is said otherwise.
  bool Has(std::string_view name, std::string_view& why) const {
    if (!name.starts_with(kClaim)) {
      why = "must match one of the container's resource requests";
      return requests_.Find(name) != nullptr;
    }
    why =
        "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or "
        "'claim:<claimName>' if request is empty";
    return claims_.contains(std::string(name));
  }

 private:
  static constexpr std::string_view kClaim = "claim:";
  value::MemberIndex requests_;
  absl::flat_hash_set<std::string> claims_;
};

void CheckHealth(Errors& errors, const FieldPath& path, const Value& resources) {
  std::set<std::string_view> seen;
  EachItem(resources, path, [&](const Value& resource, const FieldPath& item) {
    const std::string_view health = resource.GetString("health"), id = resource.GetString("resourceID");
    if (std::ranges::find(kHealths, health) == std::end(kHealths)) {
      errors.NotSupported(item.Child("health"), health, kHealths);
    }
    if (!seen.insert(id).second) errors.Duplicate(item.Child("resourceID"), id);
  });
}

void CheckAllocated(const Scope& pod, const FieldPath& path, const Value& statuses, const Value& containers) {
  const auto by_name = ByName(containers);
  EachItem(statuses, path, [&](const Value& status, const FieldPath& item) {
    const auto found = by_name.find(status.GetString("name"));
    std::optional<Asked> asked;  // a container that is gone is no fault
    if (found != by_name.end()) asked.emplace(*found->second);
    const FieldPath list = item.Child("allocatedResourcesStatus");
    EachItem(status.Get("allocatedResourcesStatus"), list, [&](const Value& allocated, const FieldPath& at) {
      const std::string_view name = allocated.GetString("name");
      std::string_view why;
      // Printed without quotes, as names of resources are.
      if (asked && !asked->Has(name, why)) {
        pod.errors.InvalidAs(at.Child("name"), std::string(name), why);
      }
      CheckHealth(pod.errors, at.Child("resources"), allocated.Get("resources"));
    });
  });
}

void CheckNothingAllocated(const Scope& pod, const FieldPath& path, const Value& statuses) {
  EachItem(statuses, path, [&](const Value& status, const FieldPath& item) {
    if (status.Get("allocatedResourcesStatus").empty()) return;
    pod.errors.Forbidden(item.Child("allocatedResourcesStatus"), "must not be specified in container status");
  });
}

void CheckContainerStatuses(const Scope& pod, const FieldPath& status) {
  const FieldPath ordinary = status.Child("containerStatuses"), init = status.Child("initContainerStatuses");
  const FieldPath ephemeral = status.Child("ephemeralContainerStatuses");
  const Value of_ordinary = pod.Get({"status", "containerStatuses"});
  const Value of_init = pod.Get({"status", "initContainerStatuses"});
  const Value of_ephemeral = pod.Get({"status", "ephemeralContainerStatuses"});
  CheckUsers(pod, ordinary, of_ordinary);
  CheckUsers(pod, init, of_init);
  CheckUsers(pod, ephemeral, of_ephemeral);
  CheckAllocated(pod, ordinary, of_ordinary, pod.Get({"spec", "containers"}));
  CheckAllocated(pod, init, of_init, pod.Get({"spec", "initContainers"}));
  CheckNothingAllocated(pod, ephemeral, of_ephemeral);
}

}  // namespace

void CheckPodStatusUpdate(Scope& pod) {
  const FieldPath metadata = pod.At("metadata"), path = pod.At("status");
  const Value status = pod.Get("status"), old = pod.old->Get("status");
  CheckAnnotationsUpdate(pod, metadata.Child("annotations"));
  CheckConditions(pod);
  const std::string_view nominated = status.GetString("nominatedNodeName");
  if (!nominated.empty() && nominated != old.GetString("nominatedNodeName")) {
    kDnsSubdomain(pod.errors, path.Child("nominatedNodeName"), nominated);
  }
  if (status.GetString("qosClass") != old.GetString("qosClass")) {
    pod.errors.Invalid(path.Child("qosClass"), status.GetString("qosClass"), "field is immutable");
  }
  const std::string_view policy = pod.old->Get("spec").GetString("restartPolicy");
  CheckTransitions(pod, path, "containerStatuses", {.policy = policy});
  CheckTransitions(pod, path, "initContainerStatuses", {.policy = policy, .init = true});
  CheckTransitions(pod, path, "ephemeralContainerStatuses", {.policy = "Never"});
  CheckClaims(pod, path.Child("resourceClaimStatuses"));
  CheckPodIps(pod, path.Child("podIPs"));
  CheckHostIps(pod, path.Child("hostIPs"));
  CheckContainerStatuses(pod, path);
}

}  // namespace resources::core
