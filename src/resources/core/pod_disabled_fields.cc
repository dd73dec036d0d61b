#include "resources/core/pod_disabled_fields.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace resources::core {
namespace {

bool AnyContainer(const Value& spec, bool (*holds)(const Value& container)) {
  bool any = false;
  VisitContainers(spec, [&](const Value& container) { any |= holds(container); });
  return any;
}

bool Has(const Value& object, std::string_view field) {
  const Value* found = object.Find(field);
  return found != nullptr && !found->is_null();
}

// A container whose proc mount is another than the default.
bool MountsProc(const Value& container) {
  const std::string_view mount = container.Get("securityContext").GetString("procMount");
  return !mount.empty() && mount != "Default";
}

// The field came to be set once where it should not have been: it is made the default, never taken away.
void ResetProcMounts(const Value& spec, const Value& old, value::Arena& arena) {
  if (AnyContainer(old, MountsProc)) return;
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

// Calls `visit` with each source of the projected volumes; true where one call was.
template <class Visit>
bool AnySource(const Value& spec, Visit visit) {
  bool any = false;
  for (const Value& volume : spec.Get("volumes").items()) {
    for (const Value& source : volume.Get({"projected", "sources"}).items()) any |= visit(source);
  }
  return any;
}

void DropTrustBundles(const Value& spec, const Value& old) {
  constexpr std::string_view kField = "clusterTrustBundle";
  if (AnySource(old, [&](const Value& source) { return Has(source, kField); })) return;
  AnySource(spec, [&](const Value& source) { return source.Remove(kField); });
}

bool Resizes(const Value& spec) {
  return std::ranges::any_of(spec.Get("containers").items(),
                             [](const Value& container) { return !container.Get("resizePolicy").empty(); });
}

void DropResizePolicies(const Value& spec, const Value& old) {
  if (Resizes(old)) return;
  VisitContainers(spec, [](const Value& container) { container.Remove("resizePolicy"); });
}

// Items of `list` that `drops` says, in place; what is empty then is left out.
template <class Drops>
void EraseItems(const Value& owner, std::string_view list, Drops drops) {
  const Value items = owner.Get(list);
  if (items.empty()) return;
  for (uint32_t i = items.size(); i-- > 0;) {
    if (drops(items[i])) items.Erase(i);
  }
  if (items.empty()) owner.Remove(list);
}

// Volumes of images go with their mounts.
void DropImageVolumes(const Value& spec, const Value& old) {
  const auto is_image = [](const Value& volume) { return Has(volume, "image"); };
  if (std::ranges::any_of(old.Get("volumes").items(), is_image)) return;
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

}  // namespace

void DropDisabledFields(const Value& spec, const Value& old, value::Arena& arena) {
  if (!Has(old, "hostUsers")) spec.Remove("hostUsers");
  for (std::string_view field : {"supplementalGroupsPolicy", "seLinuxChangePolicy"}) {
    if (!Has(old.Get("securityContext"), field)) spec.Get("securityContext").Remove(field);
  }
  DropPodResources(spec, old);
  ResetProcMounts(spec, old, arena);
  DropClaims(spec, old);
  DropTrustBundles(spec, old);
  DropResizePolicies(spec, old);
  DropImageVolumes(spec, old);
}

void DropDisabledStatusFields(const Value& status, const Value& old_spec) {
  const bool keeps_resources = Resizes(old_spec);
  const bool keeps_users = Has(old_spec.Get("securityContext"), "supplementalGroupsPolicy");
  for (std::string_view list : {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    for (const Value& container : status.Get(list).items()) {
      if (!keeps_resources) container.Remove("resources");
      if (!keeps_users) container.Remove("user");
      container.Remove("allocatedResources");
      container.Remove("allocatedResourcesStatus");
    }
  }
  if (!keeps_resources) status.Remove("resize");
  if (old_spec.Get("resourceClaims").empty()) status.Remove("resourceClaimStatuses");
}

}  // namespace resources::core
