#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include "value/json_writer.h"

#include "base/text.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/core/pod/windows_user_name.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

constexpr std::string_view kProfileTypes[] = {"Localhost", "RuntimeDefault", "Unconfined"};
constexpr std::string_view kProcMounts[] = {"Default", "Unmasked"};
constexpr std::string_view kGroupChangePolicies[] = {"Always", "OnRootMismatch"};
constexpr std::string_view kSupplementalGroupsPolicies[] = {"Merge", "Strict"};
constexpr std::string_view kSeLinuxChangePolicies[] = {"MountOption", "Recursive"};
constexpr std::string_view kOnlyRecursive[] = {"Recursive"};
constexpr size_t kMaxSysctlName = 253;
constexpr size_t kMaxProfilePath = 4095;
constexpr size_t kMaxCredentialSpec = 64 * 1024;

bool IsTrue(const Value& v) { return v.is_bool() && v.AsBool(); }

// An id, where one is given.
void CheckId(const Scope& context, std::string_view field) {
  const Value id = context.Get(field);
  if (id.is_int()) CheckUserOrGroupId(context.errors, context.At(field), id.AsInt());
}

// Profiles.

void CheckSeccompType(Scope& profile) {
  const std::string_view type = profile.String("type");
  if (type.empty()) {
    profile.errors.Required(profile.At("type"), "type is required when seccompProfile is set");
  } else if (std::ranges::find(kProfileTypes, type) == std::end(kProfileTypes)) {
    profile.errors.NotSupported(profile.At("type"), type, kProfileTypes);
  }
}

void CheckSeccompPath(Scope& profile) {
  const FieldPath path = profile.At("localhostProfile");
  if (profile.String("type") != "Localhost") {
    if (profile.Has("localhostProfile")) {
      profile.errors.InvalidAs(path, base::Cat("core.SeccompProfile", value::ToJson(profile.object)),
                               "can only be set when seccomp type is Localhost");
    }
  } else if (!profile.Has("localhostProfile")) {
    profile.errors.Required(path, "must be set when seccomp type is Localhost");
  } else {
    CheckDescendingPath(profile.errors, path, profile.String("localhostProfile"));
  }
}

constexpr Rule kSeccompProfile[] = {Call(CheckSeccompType), Call(CheckSeccompPath)};

void CheckLocalAppArmor(Scope& profile) {
  const FieldPath path = profile.At("localhostProfile");
  const std::string_view name = profile.String("localhostProfile");
  if (!profile.Has("localhostProfile")) {
    return profile.errors.Required(path, "must be set when AppArmor type is Localhost");
  }
  if (base::TrimSpace(name) != name) {
    profile.errors.Invalid(path, name, "must not be padded with whitespace");
  } else if (name.empty()) {
    profile.errors.Required(path, "must be set when AppArmor type is Localhost");
  }
  if (name.size() > kMaxProfilePath) profile.errors.TooLong(path, kMaxProfilePath);
}

void CheckAppArmor(Scope& profile) {
  const std::string_view type = profile.String("type");
  if (type == "Localhost") return CheckLocalAppArmor(profile);
  if (type == "RuntimeDefault" || type == "Unconfined") {
    if (profile.Has("localhostProfile")) {
      profile.errors.Invalid(profile.At("localhostProfile"), profile.String("localhostProfile"),
                             "can only be set when AppArmor type is Localhost");
    }
  } else if (type.empty()) {
    profile.errors.Required(profile.At("type"), "type is required when appArmorProfile is set");
  } else {
    profile.errors.NotSupported(profile.At("type"), type, kProfileTypes);
  }
}

constexpr Rule kAppArmorProfile[] = {Call(CheckAppArmor)};

// Windows.

void CheckCredentialSpec(Scope& options) {
  const FieldPath path = options.At("gmsaCredentialSpec");
  const std::string_view spec = options.String("gmsaCredentialSpec");
  if (!options.Has("gmsaCredentialSpec")) return;
  if (spec.empty()) {
    options.errors.Invalid(path, spec, "gmsaCredentialSpec cannot be an empty string");
  } else if (spec.size() > kMaxCredentialSpec) {
    options.errors.Invalid(path, spec, "gmsaCredentialSpec size must be under 64 KiB");
  }
}

void CheckWindowsOptions(Scope& options) {
  if (options.Has("gmsaCredentialSpecName")) {
    kDnsSubdomain(options.errors, options.At("gmsaCredentialSpecName"), options.String("gmsaCredentialSpecName"));
  }
  CheckCredentialSpec(options);
  if (options.Has("runAsUserName")) {
    CheckWindowsUserName(options.errors, options.At("runAsUserName"), options.String("runAsUserName"));
  }
}

constexpr Rule kWindowsOptions[] = {Call(CheckWindowsOptions)};

// Calls `visit` with each container and its path: init, ordinary, ephemeral ones.
template <class Visit>
void EachContainer(const Scope& spec, Visit visit) {
  for (std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    const FieldPath containers = spec.At(list);
    int64_t index = 0;
    for (const Value& container : spec.Get(list).items()) visit(container, containers.Index(index++));
  }
}

// Sysctls.

// Segments of small letters, digits, dashes and underscores between dots or slashes, each with a letter or digit at
// both ends.
bool IsSysctlName(std::string_view name) {
  const auto alphanumeric = [](char c) { return base::IsDigit(c) || base::IsLower(c); };
  if (name.size() > kMaxSysctlName) return false;
  char before = '.';
  for (size_t i = 0; i <= name.size(); ++i) {
    const char c = i < name.size() ? name[i] : '.';
    const bool separator = c == '.' || c == '/';
    const bool starts = before == '.' || before == '/';
    if (separator ? !alphanumeric(before) : starts ? !alphanumeric(c) : !alphanumeric(c) && c != '-' && c != '_') {
      return false;
    }
    before = c;
  }
  return true;
}

enum class Namespace { kNone, kIpc, kNet };

// The kernel's namespace that a sysctl belongs to. A name whose first separator is a slash has slash and dot swapped.
Namespace NamespaceOf(std::string_view sysctl) {
  std::string name(sysctl);
  const size_t separator = name.find_first_of("./");
  if (separator != name.npos && name[separator] == '/') {
    for (char& c : name) c = c == '.' ? '/' : c == '/' ? '.' : c;
  }
  name.resize(std::min(name.find('*'), name.size()));
  constexpr std::string_view kIpcNames[] = {
      "kernel.sem", "kernel.shmall", "kernel.shmmax", "kernel.shmmni", "kernel.shm_rmid_forced",
      "kernel.shm", "kernel.msgmax", "kernel.msgmnb", "kernel.msgmni", "kernel.msg"};
  if (std::ranges::find(kIpcNames, name) != std::end(kIpcNames)) return Namespace::kIpc;
  if (name.starts_with("net.")) return Namespace::kNet;
  return name.starts_with("fs.mqueue.") ? Namespace::kIpc : Namespace::kNone;
}

// Why the pod that shares the host's namespaces may not set this sysctl; "" it may.
std::string_view HostSysctlFault(const Value& spec, std::string_view sysctl) {
  const Namespace of = NamespaceOf(sysctl);
  if (of == Namespace::kNet && IsTrue(spec.Get("hostNetwork")))
    return "may not be specified when 'hostNetwork' is true";
  if (of == Namespace::kIpc && IsTrue(spec.Get("hostIPC"))) return "may not be specified when 'hostIPC' is true";
  return {};
}

bool HasHostSysctl(const Value& spec) {
  return std::ranges::any_of(spec.Get({"securityContext", "sysctls"}).items(), [&](const Value& sysctl) {
    return !HostSysctlFault(spec, sysctl.GetString("name")).empty();
  });
}

void CheckSysctls(const Scope& spec, const FieldPath& list) {
  const bool host_sysctls_stay = spec.old != nullptr && HasHostSysctl(*spec.old);
  std::set<std::string_view> seen;
  int64_t index = 0;
  for (const Value& sysctl : spec.Get({"securityContext", "sysctls"}).items()) {
    const FieldPath item = list.Index(index++);
    const FieldPath path = item.Child("name");
    const std::string_view name = sysctl.GetString("name");
    if (name.empty()) {
      spec.errors.Required(path);
    } else if (!IsSysctlName(name)) {
      spec.errors.Invalid(path, name,
                          "must have at most 253 characters and match regex "
                          "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
    } else if (seen.contains(name)) {
      spec.errors.Duplicate(path, name);
    }
    const std::string_view fault = HostSysctlFault(spec.object, name);
    if (!host_sysctls_stay && !fault.empty()) spec.errors.Invalid(path, name, fault);
    seen.insert(name);
  }
}

// The pod's own context.

void CheckIds(Scope& context) {
  for (std::string_view field : {"fsGroup", "runAsUser", "runAsGroup"}) CheckId(context, field);
  const FieldPath groups = context.At("supplementalGroups");
  int64_t index = 0;
  for (const Value& group : context.Get("supplementalGroups").items()) {
    const FieldPath path = groups.Index(index++);
    if (group.is_int()) CheckUserOrGroupId(context.errors, path, group.AsInt());
  }
}

void CheckNamespaces(Scope& context) {
  const Scope& spec = *context.parent;
  // It is the pod's field, and said to be its context's.
  if (IsTrue(spec.Get("shareProcessNamespace")) && IsTrue(spec.Get("hostPID"))) {
    context.errors.Invalid(context.At("shareProcessNamespace"), Value::Bool(true),
                           "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  CheckSysctls(spec, context.At("sysctls"));
}

// What stands there is one of `words`; nothing at all is allowed, an empty word is not.
template <const auto& words>
void CheckWord(Scope& context, std::string_view field) {
  const std::string_view word = context.String(field);
  if (!context.Has(field) || std::ranges::find(words, word) != std::end(words)) return;
  context.errors.NotSupported(context.At(field), word, words);
}

void CheckGroupChangePolicy(Scope& context) { CheckWord<kGroupChangePolicies>(context, "fsGroupChangePolicy"); }
void CheckLaterPolicies(Scope& context) {
  CheckWord<kSupplementalGroupsPolicies>(context, "supplementalGroupsPolicy");
  // What uses the field may use it further.
  const bool any = context.context.Has(Feature::kSeLinuxMount) ||
                   (context.old != nullptr && context.old->Find("seLinuxChangePolicy") != nullptr);
  any ? CheckWord<kSeLinuxChangePolicies>(context, "seLinuxChangePolicy")
      : CheckWord<kOnlyRecursive>(context, "seLinuxChangePolicy");
}

constexpr Rule kPodContext[] = {
    Call(CheckIds),
    Call(CheckNamespaces),
    Call(CheckGroupChangePolicy),
    Into("seccompProfile", kSeccompProfile),
    Into("windowsOptions", kWindowsOptions),
    Into("appArmorProfile", kAppArmorProfile),
    Call(CheckLaterPolicies),
};
constexpr Rule kPodContextOf[] = {Into("securityContext", kPodContext)};

// A container's context.

void CheckContainerIds(Scope& context) {
  CheckId(context, "runAsUser");
  CheckId(context, "runAsGroup");
}

void CheckProcMount(Scope& context) {
  CheckWord<kProcMounts>(context, "procMount");
  if (context.String("procMount") != "Unmasked") return;
  const Scope* spec = &context;
  while (spec->parent != nullptr && !spec->Has("containers")) spec = spec->parent;
  const Value host_users = spec->Get("hostUsers");
  if (host_users.is_bool() && !host_users.AsBool()) return;
  context.errors.Invalid(context.At("procMount"), "Unmasked", "`hostUsers` must be false to use `Unmasked`");
}

void CheckPrivilegeEscalation(Scope& context) {
  const Value escalation = context.Get("allowPrivilegeEscalation");
  if (!escalation.is_bool() || escalation.AsBool()) return;
  if (IsTrue(context.Get("privileged"))) {
    context.errors.InvalidAs(context.path, base::Cat("core.SecurityContext", value::ToJson(context.object)),
                             "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
  }
  for (const Value& capability : context.Get({"capabilities", "add"}).items()) {
    if (capability.AsString() != "CAP_SYS_ADMIN") continue;
    context.errors.InvalidAs(context.path, base::Cat("core.SecurityContext", value::ToJson(context.object)),
                             "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
  }
}

void CheckPrivileged(Scope& context) {
  if (context.context.resource.features.privileged_containers() || !IsTrue(context.Get("privileged"))) return;
  context.errors.Forbidden(context.At("privileged"), "disallowed by cluster policy");
}

constexpr Rule kContainerContext[] = {
    Call(CheckPrivileged),
    Call(CheckContainerIds),
    Call(CheckProcMount),
    Into("seccompProfile", kSeccompProfile),
    Call(CheckPrivilegeEscalation),
    Into("windowsOptions", kWindowsOptions),
    Into("appArmorProfile", kAppArmorProfile),
};
constexpr Rule kContainerContextOf[] = {Into("securityContext", kContainerContext)};

// Operating systems.

constexpr std::string_view kSystems[] = {"linux", "windows"};
constexpr std::string_view kNotOnWindows = "cannot be set for a windows pod";

// Puts what a kind of pod may not have of `fields`, in their order.
void ForbidFields(Errors& errors, const FieldPath& path, const Value& object,
                  std::initializer_list<std::string_view> fields) {
  for (std::string_view field : fields) {
    const Value* found = object.Find(field);
    if (found != nullptr && !found->is_null()) errors.Forbidden(path.Child(field), kNotOnWindows);
  }
}

void CheckLinux(Scope& spec) {
  const auto forbid = [&](const Value& owner, const FieldPath& path) {
    const FieldPath context = path.Child("securityContext");
    if (owner.Get("securityContext").Find("windowsOptions") == nullptr) return;
    spec.errors.Forbidden(context.Child("windowsOptions"), "windows options cannot be set for a linux pod");
  };
  forbid(spec.object, spec.path);
  EachContainer(spec, forbid);
}

void CheckWindows(Scope& spec) {
  const Value context = spec.Get("securityContext");
  const FieldPath path = spec.At("securityContext");
  ForbidFields(spec.errors, path, context, {"appArmorProfile", "seLinuxOptions"});
  ForbidFields(spec.errors, spec.path, spec.object, {"hostUsers"});
  for (std::string_view field : {"hostPID", "hostIPC"}) {
    if (IsTrue(spec.Get(field))) spec.errors.Forbidden(spec.At(field), kNotOnWindows);
  }
  ForbidFields(spec.errors, path, context, {"seccompProfile", "fsGroup", "fsGroupChangePolicy"});
  if (!context.Get("sysctls").empty()) spec.errors.Forbidden(path.Child("sysctls"), kNotOnWindows);
  // The internal form keeps this field of the spec in its context, and the real server says so nowhere.
  ForbidFields(spec.errors, spec.path, spec.object, {"shareProcessNamespace"});
  ForbidFields(spec.errors, path, context,
               {"runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy"});
  EachContainer(spec, [&](const Value& container, const FieldPath& at) {
    ForbidFields(spec.errors, at.Child("securityContext"), container.Get("securityContext"),
                 {"appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem",
                  "privileged", "allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup"});
  });
}

// Host processes.

std::optional<bool> HostProcess(const Value& owner) {
  const Value found = owner.Get({"securityContext", "windowsOptions", "hostProcess"});
  return found.is_bool() ? std::optional(found.AsBool()) : std::nullopt;
}

// Where some of a pod's containers are host processes, all are, in the host's network.
void CheckHostProcesses(const Scope& spec, int containers, int host_processes) {
  if (host_processes == 0) return;
  if (host_processes != containers) {
    spec.errors.Invalid(
        spec.path, "", "If pod contains any hostProcess containers then all containers must be HostProcess containers");
  }
  if (!IsTrue(spec.Get("hostNetwork"))) {
    spec.errors.Invalid(spec.At("hostNetwork"), Value::Bool(false),
                        "hostNetwork must be true if pod contains any hostProcess containers");
  }
}

void CheckHostUsers(const Scope& spec) {
  const Value users = spec.Get("hostUsers");
  if (!users.is_bool() || users.AsBool()) return;
  constexpr std::array<std::string_view, 2> kNamespaces[] = {
      {"hostNetwork", "hostNetwork"}, {"hostPID", "HostPID"}, {"hostIPC", "HostIPC"}};
  for (const auto& [field, said] : kNamespaces) {
    if (IsTrue(spec.Get(field))) spec.errors.Forbidden(spec.At(said), "when `pod.Spec.HostUsers` is false");
  }
}

}  // namespace

void CheckPodSecurity(Scope& spec) { Check(spec, kPodContextOf, spec.path, spec.object, spec.old); }

void CheckContainerSecurity(Scope& container) {
  Check(container, kContainerContextOf, container.path, container.object, container.old);
}

void CheckHostProcesses(Scope& spec) {
  const std::optional<bool> of_pod = HostProcess(spec.object);
  int containers = 0, host_processes = 0;
  EachContainer(spec, [&](const Value& container, const FieldPath& at) {
    ++containers;
    const std::optional<bool> own = HostProcess(container);
    if (of_pod && own && *of_pod != *own) {
      const FieldPath context = at.Child("securityContext");
      const FieldPath options = context.Child("windowsOptions");
      spec.errors.Invalid(
          options.Child("hostProcess"), Value::Bool(*own),
          base::Cat("pod hostProcess value must be identical if both are specified, was ", *of_pod ? "true" : "false"));
    }
    if (own.value_or(of_pod.value_or(false))) ++host_processes;
  });
  CheckHostProcesses(spec, containers, host_processes);
  CheckHostUsers(spec);
}

void CheckPodOs(Scope& spec) {
  if (!spec.Has("os")) return;
  const FieldPath os = spec.At("os");
  const std::string_view name = spec.Get("os").GetString("name");
  if (name.empty()) {
    spec.errors.Required(os.Child("name"), "cannot be empty");
  } else if (name == "linux") {
    CheckLinux(spec);
  } else if (name == "windows") {
    CheckWindows(spec);
  } else {
    spec.errors.NotSupported(os, name, kSystems);
  }
}

}  // namespace resources::core
