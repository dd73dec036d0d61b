#include "resources/core/pod/pod_disabled_fields.h"
#include "value/keep_items.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace resources::core {
namespace {

using api::Feature;
using registry::WriteContext;

bool Has(const Value& object, std::string_view field) {
  const Value* found = object.Find(field);
  return found != nullptr && !found->is_null();
}

// Whether any container, mount and so on is there that `holds`: each Visit calls it with all of them.
template <class Visit, class Holds>
bool Any(Visit visit, const Value& spec, Holds holds) {
  bool any = false;
  visit(spec, [&](const Value& part) { any |= holds(part); });
  return any;
}

constexpr auto kContainers = [](const Value& spec, auto visit) { VisitContainers(spec, visit); };
constexpr auto kMounts = [](const Value& spec, auto visit) {
  VisitContainers(spec, [&](const Value& container) {
    for (const Value& mount : container.Get("volumeMounts").items()) visit(mount);
  });
};
constexpr auto kVolumes = [](const Value& spec, auto visit) {
  for (const Value& volume : spec.Get("volumes").items()) visit(volume);
};
constexpr auto kSources = [](const Value& spec, auto visit) {
  kVolumes(spec, [&](const Value& volume) {
    for (const Value& source : volume.Get({"projected", "sources"}).items()) visit(source);
  });
};
constexpr auto kSpreads = [](const Value& spec, auto visit) {
  for (const Value& constraint : spec.Get("topologySpreadConstraints").items()) visit(constraint);
};
constexpr auto kAffinityTerms = [](const Value& spec, auto visit) {
  for (std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const Value affinity = spec.Get({"affinity", kind});
    for (const Value& term : affinity.Get("requiredDuringSchedulingIgnoredDuringExecution").items()) visit(term);
    for (const Value& term : affinity.Get("preferredDuringSchedulingIgnoredDuringExecution").items()) {
      visit(term.Get("podAffinityTerm"));
    }
  }
};
constexpr auto kHooks = [](const Value& spec, auto visit) {
  VisitContainers(spec, [&](const Value& container) {
    for (std::string_view hook : {"preStop", "postStart"}) visit(container.Get({"lifecycle", hook}));
  });
};

// Takes `fields` from what `visit` visits, unless `old` has one of them.
template <class Visit>
void DropFrom(Visit visit, const Value& spec, const Value& old, std::initializer_list<std::string_view> fields) {
  const auto has_one = [&](const Value& part) {
    return std::ranges::any_of(fields, [&](std::string_view field) {
      const Value* found = part.Find(field);
      return found != nullptr && !found->is_null() && !(found->is_array() && found->empty());
    });
  };
  if (Any(visit, old, has_one)) return;
  visit(spec, [&](const Value& part) {
    for (std::string_view field : fields) part.Remove(field);
  });
}

// A container whose proc mount is another than the default.
bool MountsProc(const Value& container) {
  const std::string_view mount = container.Get("securityContext").GetString("procMount");
  return !mount.empty() && mount != "Default";
}

// The field came to be set once where it should not have been: it is made the default, never taken away.
void ResetProcMounts(const Value& spec, const Value& old, value::Arena& arena) {
  if (Any(kContainers, old, MountsProc)) return;
  VisitContainers(spec, [&](const Value& container) {
    const Value context = container.Get("securityContext");
    if (Has(context, "procMount")) context.Set(arena, "procMount", Value::String("Default"));
  });
}

void DropPodResources(const Value& spec, const Value& old) {
  if (old.Get({"resources", "requests"}).empty() && old.Get({"resources", "limits"}).empty()) spec.Remove("resources");
}

void DropClaims(const Value& spec, const Value& old) {
  if (!old.Get("resourceClaims").empty()) return;
  VisitContainers(spec, [](const Value& container) { container.Get("resources").Remove("claims"); });
  spec.Remove("resourceClaims");
}

bool Resizes(const Value& spec) {
  return std::ranges::any_of(spec.Get("containers").items(),
                             [](const Value& container) { return !container.Get("resizePolicy").empty(); });
}

void DropResizePolicies(const Value& spec, const Value& old) {
  if (Resizes(old)) return;
  VisitContainers(spec, [](const Value& container) { container.Remove("resizePolicy"); });
}

void DropSidecars(const Value& spec, const Value& old) {
  const auto is_sidecar = [](const Value& container) { return container.GetString("restartPolicy") == "Always"; };
  if (std::ranges::any_of(old.Get("initContainers").items(), is_sidecar)) return;
  for (const Value& container : spec.Get("initContainers").items()) container.Remove("restartPolicy");
}

// What has nothing left is left out: hooks, and what holds them.
void DropSleeps(const Value& spec, const Value& old) {
  if (Any(kHooks, old, [](const Value& hook) { return Has(hook, "sleep"); })) return;
  VisitContainers(spec, [](const Value& container) {
    const Value lifecycle = container.Get("lifecycle");
    for (std::string_view hook : {"preStop", "postStart"}) {
      if (lifecycle.Get(hook).Remove("sleep") && lifecycle.Get(hook).empty()) lifecycle.Remove(hook);
    }
    if (lifecycle.is_object() && lifecycle.empty()) container.Remove("lifecycle");
  });
}

// Items of `list` that `drops` says, in place; what is empty then is left out.
template <class Drops>
void EraseItems(const Value& owner, std::string_view list, Drops drops) {
  const Value items = owner.Get(list);
  if (items.empty()) return;
  value::KeepItems(items, [&](const Value& item) { return !drops(item); });
  if (items.empty()) owner.Remove(list);
}

// Volumes of images go with their mounts.
void DropImageVolumes(const Value& spec, const Value& old) {
  const auto is_image = [](const Value& volume) { return Has(volume, "image"); };
  if (Any(kVolumes, old, is_image)) return;
  std::set<std::string_view> dropped;
  EraseItems(spec, "volumes", [&](const Value& volume) {
    if (is_image(volume)) dropped.insert(volume.GetString("name"));
    return is_image(volume);
  });
  if (dropped.empty()) return;
  VisitContainers(spec, [&](const Value& container) {
    EraseItems(container, "volumeMounts",
               [&](const Value& mount) { return dropped.contains(mount.GetString("name")); });
  });
}

// Fields that stand by themselves.
void DropOwnFields(WriteContext& context, const Value& spec, const Value& old) {
  if (!context.Has(Feature::kUserNamespacesSupport) && !Has(old, "hostUsers")) spec.Remove("hostUsers");
  const auto drop = [&](Feature feature, std::string_view field) {
    if (!context.Has(feature) && !Has(old.Get("securityContext"), field)) spec.Get("securityContext").Remove(field);
  };
  drop(Feature::kSupplementalGroupsPolicy, "supplementalGroupsPolicy");
  drop(Feature::kSeLinuxChangePolicy, "seLinuxChangePolicy");
}

// Where pods run.
void DropSchedulingFields(WriteContext& context, const Value& spec, const Value& old) {
  if (!context.Has(Feature::kNodeInclusionPolicyInPodTopologySpread)) {
    DropFrom(kSpreads, spec, old, {"nodeTaintsPolicy"});
    DropFrom(kSpreads, spec, old, {"nodeAffinityPolicy"});
  }
  if (!context.Has(Feature::kMatchLabelKeysInPodTopologySpread)) DropFrom(kSpreads, spec, old, {"matchLabelKeys"});
  if (!context.Has(Feature::kMatchLabelKeysInPodAffinity)) {
    DropFrom(kAffinityTerms, spec, old, {"matchLabelKeys", "mismatchLabelKeys"});
  }
}

}  // namespace

void DropDisabledFields(WriteContext& context, const Value& spec, const Value& old) {
  DropOwnFields(context, spec, old);
  DropSchedulingFields(context, spec, old);
  if (!context.Has(Feature::kPodLevelResources)) DropPodResources(spec, old);
  if (!context.Has(Feature::kProcMountType)) ResetProcMounts(spec, old, context.arena);
  if (!context.Has(Feature::kDynamicResourceAllocation)) DropClaims(spec, old);
  if (!context.Has(Feature::kClusterTrustBundleProjection)) DropFrom(kSources, spec, old, {"clusterTrustBundle"});
  if (!context.Has(Feature::kInPlacePodVerticalScaling)) DropResizePolicies(spec, old);
  if (!context.Has(Feature::kSidecarContainers)) DropSidecars(spec, old);
  if (!context.Has(Feature::kRecursiveReadOnlyMounts)) DropFrom(kMounts, spec, old, {"recursiveReadOnly"});
  if (!context.Has(Feature::kPodLifecycleSleepAction)) DropSleeps(spec, old);
  if (!context.Has(Feature::kImageVolume)) DropImageVolumes(spec, old);
}

void DropDisabledStatusFields(WriteContext& context, const Value& status, const Value& old_spec) {
  const bool resizes = context.Has(Feature::kInPlacePodVerticalScaling);
  const bool keeps_resources = resizes || Resizes(old_spec);
  const bool keeps_allocated = resizes && context.Has(Feature::kInPlacePodVerticalScalingAllocatedStatus);
  const bool keeps_users = context.Has(Feature::kSupplementalGroupsPolicy) ||
                           Has(old_spec.Get("securityContext"), "supplementalGroupsPolicy");
  const bool keeps_mounts = context.Has(Feature::kRecursiveReadOnlyMounts) ||
                            Any(kMounts, old_spec, [](const Value& mount) { return Has(mount, "recursiveReadOnly"); });
  for (std::string_view list : {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    for (const Value& container : status.Get(list).items()) {
      if (!keeps_resources) container.Remove("resources");
      if (!keeps_users) container.Remove("user");
      if (!keeps_allocated) container.Remove("allocatedResources");
      if (!keeps_mounts) container.Remove("volumeMounts");
      if (!context.Has(Feature::kResourceHealthStatus)) container.Remove("allocatedResourcesStatus");
    }
  }
  if (!keeps_resources) status.Remove("resize");
  if (!context.Has(Feature::kDynamicResourceAllocation) && old_spec.Get("resourceClaims").empty()) {
    status.Remove("resourceClaimStatuses");
  }
}

}  // namespace resources::core
