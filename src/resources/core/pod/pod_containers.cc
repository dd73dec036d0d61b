#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"
#include "resources/core/pod/container_rules.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

constexpr std::string_view kProtocols[] = {"SCTP", "TCP", "UDP"};
constexpr std::string_view kMessagePolicies[] = {"File", "FallbackToLogsOnError"};
constexpr std::string_view kResizable[] = {"cpu", "memory"};
constexpr std::string_view kResizePolicies[] = {"NotRequired", "RestartContainer"};
constexpr std::string_view kContainerRestartPolicies[] = {"Always"};

using Names = std::set<std::string_view>;

// Calls `visit(path, container)` for each of a list.
template <class Visit>
void ForEach(const Scope& spec, std::string_view field, Visit visit) {
  const FieldPath list = spec.At(field);
  int64_t index = 0;
  for (const Value& container : spec.Get(field).items()) {
    const FieldPath at = list.Index(index++);
    visit(at, container);
  }
}

bool AnyContainer(const Value& spec, auto holds) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"initContainers", "containers", "ephemeralContainers"},
      [&](std::string_view list) { return std::ranges::any_of(spec.Get(list).items(), holds); });
}

bool HasIndivisiblePages(const Value& amounts) {
  return std::ranges::any_of(
      amounts.members(), [](const value::Member& amount) { return IsIndivisibleHugePages(amount.key, amount.value); });
}

bool SleepsNoTime(const Value& container) {
  for (std::string_view hook : {"preStop", "postStart"}) {
    const Value sleep = container.Get({"lifecycle", hook, "sleep"});
    if (!sleep.is_object()) continue;
    const Value seconds = sleep.Get("seconds");
    if (!seconds.is_int() || seconds.AsInt() == 0) return true;
  }
  return false;
}

bool HasResizableSidecar(const Value& spec) {
  return std::ranges::any_of(spec.Get("initContainers").items(), [](const Value& container) {
    return container.GetString("restartPolicy") == "Always" && !container.Get("resizePolicy").empty();
  });
}

ContainerSurroundings SurroundingsOf(const Scope& spec, const SoundVolumes& volumes) {
  ContainerSurroundings surroundings{.volumes = volumes, .grace_seconds = {}, .requirements = RequirementsOf(spec)};
  const Value grace = spec.Get("terminationGracePeriodSeconds");
  if (grace.is_int()) surroundings.grace_seconds = grace.AsInt();
  surroundings.allow_zero_sleep = spec.context.Has(Feature::kPodLifecycleSleepActionAllowZero) ||
                                  (spec.old != nullptr && AnyContainer(*spec.old, SleepsNoTime));
  surroundings.allow_sidecar_resize_policy = spec.old != nullptr && HasResizableSidecar(*spec.old);
  surroundings.relaxed_env_names = RelaxesEnvNames(spec);
  surroundings.restarts_never = spec.String("restartPolicy") == "Never";
  return surroundings;
}

constexpr Rule kHead[] = {
    Required("name"),          Format("name", kDnsLabel),
    Required("image"),         RequiredEnum("terminationMessagePolicy", kMessagePolicies),
    Call(CheckContainerPorts),
};
constexpr Rule kPullPolicy[] = {RequiredEnum("imagePullPolicy", kPullPolicies)};

// How the container takes other amounts of each resource.
void CheckResizePolicy(Scope& container, const ContainerSurroundings& surroundings) {
  const FieldPath path = container.At("resizePolicy");
  Names seen;
  int64_t index = 0;
  for (const Value& item : container.Get("resizePolicy").items()) {
    const std::string_view resource = item.GetString("resourceName"), policy = item.GetString("restartPolicy");
    if (!seen.insert(resource).second) container.errors.DuplicateAs(path.Index(index), std::string(resource));
    ++index;
    if (resource.empty()) {
      container.errors.Required(path);
    } else if (std::ranges::find(kResizable, resource) == std::end(kResizable)) {
      container.errors.NotSupportedAs(path, std::string(resource), kResizable);
    }
    if (policy.empty()) {
      container.errors.Required(path);
    } else if (std::ranges::find(kResizePolicies, policy) == std::end(kResizePolicies)) {
      container.errors.NotSupported(path, policy, kResizePolicies);
    }
    if (!surroundings.restarts_never || policy == "NotRequired") continue;
    container.errors.Invalid(path, policy, "must be 'NotRequired' when `restartPolicy` is 'Never'");
  }
}

// What containers of every kind keep.
void CheckContainer(Scope& container, const ContainerSurroundings& surroundings) {
  Check(container, kHead, container.path, container.object, nullptr);
  CheckContainerEnv(container, surroundings.relaxed_env_names);
  CheckContainerEnvFrom(container, surroundings.relaxed_env_names);
  CheckVolumeMounts(container, surroundings.volumes);
  CheckVolumeDevices(container, surroundings.volumes);
  Check(container, kPullPolicy, container.path, container.object, nullptr);
  CheckResourceRequirements(container.errors, container.At("resources"), container.Get("resources"),
                            surroundings.requirements);
  CheckResizePolicy(container, surroundings);
  CheckContainerSecurity(container);
}

// Ports of the host, each taken once.
void CheckHostPortConflicts(Errors& errors, const FieldPath& container, const Value& ports,
                            std::set<std::string>& taken) {
  const FieldPath list = container.Child("ports");
  int64_t index = 0;
  for (const Value& port : ports.items()) {
    const FieldPath at = list.Index(index++);
    const Value number = port.Get("hostPort");
    if (!number.is_int() || number.AsInt() == 0) continue;
    std::string key = base::Cat(port.GetString("protocol"), "/", port.GetString("hostIP"), "/", number.AsInt());
    if (taken.contains(key)) {
      errors.Duplicate(at.Child("hostPort"), key);
    } else {
      taken.insert(std::move(key));
    }
  }
}

void CheckMainContainers(Scope& spec, const ContainerSurroundings& surroundings) {
  Errors& errors = spec.errors;
  if (spec.Get("containers").empty()) return errors.Required(spec.At("containers"));
  Names names;
  ForEach(spec, "containers", [&](const FieldPath& at, const Value& object) {
    Scope container{spec.context, at, object, nullptr, errors, &spec};
    CheckContainer(container, surroundings);
    const std::string_view name = container.String("name");
    if (!names.insert(name).second) errors.Duplicate(at.Child("name"), name);
    CheckLifecycle(container, surroundings);
    CheckProbes(container, surroundings);
    if (container.Has("restartPolicy")) {
      errors.Forbidden(at.Child("restartPolicy"), "may not be set for non-init containers");
    }
  });
  std::set<std::string> taken;
  ForEach(spec, "containers", [&](const FieldPath& at, const Value& container) {
    CheckHostPortConflicts(errors, at, container.Get("ports"), taken);
  });
}

void CheckInitRestartPolicy(Scope& container) {
  if (!container.Has("restartPolicy")) return;
  const std::string_view policy = container.String("restartPolicy");
  if (policy == "Always") return;
  container.errors.NotSupported(container.At("restartPolicy"), policy, kContainerRestartPolicies);
}

// Only what goes on beside the main containers is probed, and does something at its start and end.
void CheckInitLifecycle(Scope& container, const ContainerSurroundings& surroundings) {
  if (container.String("restartPolicy") == "Always") {
    CheckLifecycle(container, surroundings);
    CheckProbes(container, surroundings);
    return;
  }
  for (std::string_view field : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    if (!container.Has(field)) continue;
    container.errors.Forbidden(container.At(field), "may not be set for init containers without restartPolicy=Always");
  }
}

Names NamesIn(const Scope& spec, std::initializer_list<std::string_view> lists) {
  Names names;
  for (std::string_view list : lists) {
    for (const Value& container : spec.Get(list).items()) names.insert(container.GetString("name"));
  }
  return names;
}

void CheckInitContainers(Scope& spec, const ContainerSurroundings& surroundings) {
  Errors& errors = spec.errors;
  Names names = NamesIn(spec, {"containers"});
  const FieldPath list = spec.At("initContainers");
  ForEach(spec, "initContainers", [&](const FieldPath& at, const Value& object) {
    Scope container{spec.context, at, object, nullptr, errors, &spec};
    CheckContainer(container, surroundings);
    CheckInitRestartPolicy(container);
    const std::string_view name = container.String("name");
    if (names.contains(name)) {
      errors.Duplicate(at.Child("name"), name);
    } else if (!name.empty()) {
      names.insert(name);
    }
    // They run one after the other, and take ports from themselves alone; the real server names the first in any case.
    std::set<std::string> taken;
    CheckHostPortConflicts(errors, list.Index(0), container.Get("ports"), taken);
    CheckInitLifecycle(container, surroundings);
    const Value policy = container.Get("resizePolicy");
    if (policy.empty() || surroundings.allow_sidecar_resize_policy) return;
    errors.Invalid(at.Child("resizePolicy"), policy, "must not be set for init containers");
  });
}

// What nobody may rely on a container for that is added to look into a pod.
void CheckOnlyEphemeralFields(Scope& container) {
  constexpr std::string_view kForbidden[] = {"ports",         "resources",      "resizePolicy", "restartPolicy",
                                             "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"};
  constexpr std::string_view kWhy = "cannot be set for an Ephemeral Container";
  for (std::string_view field : kForbidden) {
    const Value* found = container.object.Find(field);
    // What is empty has been given all the same; resources alone are always there.
    const bool is_given = found != nullptr && !found->is_null() && (field != "resources" || !found->empty());
    if (is_given) container.errors.Forbidden(container.At(field), kWhy);
  }
  const FieldPath mounts = container.At("volumeMounts");
  int64_t index = 0;
  for (const Value& mount : container.Get("volumeMounts").items()) {
    const FieldPath at = mounts.Index(index++);
    for (std::string_view field : {"subPath", "subPathExpr"}) {
      if (!mount.GetString(field).empty()) container.errors.Forbidden(at.Child(field), kWhy);
    }
  }
}

void CheckEphemeralContainers(Scope& spec, const ContainerSurroundings& surroundings) {
  Errors& errors = spec.errors;
  const Names others = NamesIn(spec, {"containers", "initContainers"});
  Names names = others;
  ForEach(spec, "ephemeralContainers", [&](const FieldPath& at, const Value& object) {
    Scope container{spec.context, at, object, nullptr, errors, &spec};
    CheckContainer(container, surroundings);
    CheckImageSpace(container);
    const std::string_view name = container.String("name"), target = container.String("targetContainerName");
    if (!names.insert(name).second) errors.Duplicate(at.Child("name"), name);
    if (!target.empty() && !others.contains(target)) errors.NotFound(at.Child("targetContainerName"), target);
    CheckOnlyEphemeralFields(container);
  });
}

}  // namespace

RequirementOptions RequirementsOf(const Scope& spec) {
  RequirementOptions options;
  options.allow_indivisible_huge_pages =
      spec.old != nullptr &&
      (HasIndivisiblePages(spec.old->Get("overhead")) || AnyContainer(*spec.old, [](const Value& container) {
         return HasIndivisiblePages(container.Get({"resources", "limits"})) ||
                HasIndivisiblePages(container.Get({"resources", "requests"}));
       }));
  for (const Value& claim : spec.Get("resourceClaims").items()) {
    if (!claim.GetString("name").empty()) options.claims.push_back(claim.GetString("name"));
  }
  std::ranges::sort(options.claims);
  options.claims.erase(std::ranges::unique(options.claims).begin(), options.claims.end());
  return options;
}

void CheckImageSpace(Scope& container) {
  const std::string_view image = container.String("image");
  if (!HasSpaceAround(image)) return;
  container.errors.Invalid(container.At("image"), image, "must not have leading or trailing whitespace");
}

void CheckContainerPorts(Scope& container) {
  Errors& errors = container.errors;
  const FieldPath list = container.At("ports");
  Names names;
  int64_t index = 0;
  for (const Value& port : container.Get("ports").items()) {
    const FieldPath at = list.Index(index++);
    const auto number = [&](std::string_view field) {
      const Value found = port.Get(field);
      return found.is_int() ? found.AsInt() : 0;
    };
    if (const std::string_view name = port.GetString("name"); !name.empty()) {
      const api::Complaints complaints = api::CheckPortName(name);
      PutComplaints(errors, at.Child("name"), name, complaints);
      if (complaints.empty() && !names.insert(name).second) errors.Duplicate(at.Child("name"), name);
    }
    if (const int64_t container_port = number("containerPort"); container_port == 0) {
      errors.Required(at.Child("containerPort"));
    } else {
      CheckPortNumber(errors, at.Child("containerPort"), container_port);
    }
    if (number("hostPort") != 0) CheckPortNumber(errors, at.Child("hostPort"), number("hostPort"));
    const std::string_view protocol = port.GetString("protocol");
    if (protocol.empty()) {
      errors.Required(at.Child("protocol"));
    } else if (std::ranges::find(kProtocols, protocol) == std::end(kProtocols)) {
      errors.NotSupported(at.Child("protocol"), protocol, kProtocols);
    }
  }
}

void CheckPodContainers(Scope& spec, const SoundVolumes& volumes) {
  const ContainerSurroundings surroundings = SurroundingsOf(spec, volumes);
  CheckMainContainers(spec, surroundings);
  CheckInitContainers(spec, surroundings);
  CheckEphemeralContainers(spec, surroundings);
}

}  // namespace resources::core
