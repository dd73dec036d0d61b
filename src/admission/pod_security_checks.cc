#include "admission/pod_security_checks.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>

#include "api/quote.h"
#include "base/text.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;
using Names = std::vector<std::string>;
using Words = std::set<std::string, std::less<>>;

struct Checked {
  Value annotations, spec, security;  // metadata.annotations, spec, spec.securityContext
  std::span<const Value> containers;  // all of them: those that start it, its own, those to look into it
  int64_t minor;                      // of the version
  bool relaxed;                       // it has users of its own, and that counts

  bool windows() const { return spec.Get("os").GetString("name") == "windows"; }
};
using Found = std::optional<PodSecurityViolation>;

std::string Quoted(const auto& names) {
  std::string text;
  for (const std::string& name : names) base::Append(text, text.empty() ? "" : ", ", "\"", name, "\"");
  return text;
}

std::string Listed(const auto& words) {
  std::string text;
  for (const std::string& word : words) base::Append(text, text.empty() ? "" : ", ", word);
  return text;
}

std::string_view Plural(std::string_view one, std::string_view many, size_t count) { return count == 1 ? one : many; }

// `container "a"`, `containers "a", "b"`.
std::string ContainerWords(const Names& names) {
  return Cat(Plural("container", "containers", names.size()), " ", Quoted(names));
}

std::string NameOf(const Value& named) { return std::string(named.GetString("name")); }

Names ContainersThat(const Checked& pod, auto does) {
  Names names;
  for (const Value& container : pod.containers) {
    if (does(container.Get("securityContext"), container)) names.push_back(NameOf(container));
  }
  return names;
}

// "pod", "containers ...", or both.
std::string Setters(bool pod, const Names& containers) {
  if (containers.empty()) return pod ? "pod" : "";
  return Cat(pod ? "pod and " : "", ContainerWords(containers));
}

bool IsTrue(const Value& field) { return field.is_bool() && field.AsBool(); }
bool IsFalse(const Value& field) { return field.is_bool() && !field.AsBool(); }

// ---- baseline

// Annotations of AppArmor and, before 1.19, of seccomp.
bool HasProfile(std::string_view value, std::initializer_list<std::string_view> allowed) {
  return value.starts_with("localhost/") || std::ranges::find(allowed, value) != allowed.end();
}

Found AppArmorProfile(const Checked& pod) {
  Words bad;
  const auto is_bad = [&](const Value& security) {
    const Value profile = security.Get("appArmorProfile");
    const std::string_view type = profile.GetString("type");
    if (!profile.is_object() || type == "RuntimeDefault" || type == "Localhost") return false;
    bad.emplace(type);
    return true;
  };
  const bool by_pod = is_bad(pod.security);
  const Names containers = ContainersThat(pod, [&](const Value& security, const Value&) { return is_bad(security); });
  Names values(bad.begin(), bad.end());
  Words annotations;
  for (const value::Member& annotation : pod.annotations.members()) {
    if (!annotation.key.starts_with("container.apparmor.security.beta.kubernetes.io/")) continue;
    const std::string_view value = annotation.value.is_string() ? annotation.value.AsString() : "";
    if (HasProfile(value, {"", "runtime/default"})) continue;
    annotations.insert(Cat(annotation.key, "=", api::Quote(value)));
  }
  std::string setters = Setters(by_pod, containers);
  if (!annotations.empty()) {
    values.insert(values.end(), annotations.begin(), annotations.end());
    base::Append(setters, setters.empty() ? "" : " and ", Plural("annotation", "annotations", annotations.size()));
  }
  if (setters.empty()) return std::nullopt;
  return PodSecurityViolation{
      std::string(Plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values.size())),
      Cat(setters, " must not set AppArmor profile type to ", Quoted(values))};
}

constexpr std::string_view kDefaultCapabilities[] = {"AUDIT_WRITE", "CHOWN",  "DAC_OVERRIDE",     "FOWNER",  "FSETID",
                                                     "KILL",        "MKNOD",  "NET_BIND_SERVICE", "SETFCAP", "SETGID",
                                                     "SETPCAP",     "SETUID", "SYS_CHROOT"};

// The containers that add capabilities which are not allowed; `forbidden` gets these.
Names ContainersAdding(const Checked& pod, std::span<const std::string_view> allowed, Words& forbidden) {
  return ContainersThat(pod, [&](const Value& security, const Value&) {
    bool adds = false;
    for (const Value& capability : security.Get({"capabilities", "add"}).items()) {
      const std::string_view name = capability.AsString();
      if (std::ranges::find(allowed, name) != allowed.end()) continue;
      forbidden.emplace(name);
      adds = true;
    }
    return adds;
  });
}

std::string AddingDetail(const Names& containers, const Words& forbidden) {
  return Cat(ContainerWords(containers), " must not include ", Quoted(forbidden),
             " in securityContext.capabilities.add");
}

Found CapabilitiesBaseline(const Checked& pod) {
  Words forbidden;
  const Names containers = ContainersAdding(pod, kDefaultCapabilities, forbidden);
  if (containers.empty()) return std::nullopt;
  return PodSecurityViolation{"non-default capabilities", AddingDetail(containers, forbidden)};
}

Found HostNamespaces(const Checked& pod) {
  Names shared;
  for (std::string_view field : {"hostNetwork", "hostPID", "hostIPC"}) {
    if (IsTrue(pod.spec.Get(field))) shared.push_back(Cat(field, "=true"));
  }
  if (shared.empty()) return std::nullopt;
  return PodSecurityViolation{"host namespaces", Listed(shared)};
}

Found HostPathVolumes(const Checked& pod) {
  Names volumes;
  for (const Value& volume : pod.spec.Get("volumes").items()) {
    if (volume.Get("hostPath").is_object()) volumes.push_back(NameOf(volume));
  }
  if (volumes.empty()) return std::nullopt;
  return PodSecurityViolation{"hostPath volumes",
                              Cat(Plural("volume", "volumes", volumes.size()), " ", Quoted(volumes))};
}

Found HostPorts(const Checked& pod) {
  Words ports;
  const Names containers = ContainersThat(pod, [&](const Value&, const Value& container) {
    bool uses = false;
    for (const Value& port : container.Get("ports").items()) {
      const Value number = port.Get("hostPort");
      if (!number.is_int() || number.AsInt() == 0) continue;
      ports.insert(Cat(number.AsInt()));
      uses = true;
    }
    return uses;
  });
  if (containers.empty()) return std::nullopt;
  return PodSecurityViolation{"hostPort", Cat(ContainerWords(containers), " ", Plural("uses", "use", containers.size()),
                                              " ", Plural("hostPort", "hostPorts", ports.size()), " ", Listed(ports))};
}

Found Privileged(const Checked& pod) {
  const Names containers =
      ContainersThat(pod, [](const Value& security, const Value&) { return IsTrue(security.Get("privileged")); });
  if (containers.empty()) return std::nullopt;
  return PodSecurityViolation{"privileged",
                              Cat(ContainerWords(containers), " must not set securityContext.privileged=true")};
}

Found ProcMount(const Checked& pod) {
  if (pod.relaxed) return std::nullopt;
  Words types;
  const Names containers = ContainersThat(pod, [&](const Value& security, const Value&) {
    const Value type = security.Get("procMount");
    if (!type.is_string() || type.AsString() == "Default") return false;
    types.emplace(type.AsString());
    return true;
  });
  if (containers.empty()) return std::nullopt;
  return PodSecurityViolation{
      "procMount", Cat(ContainerWords(containers), " must not set securityContext.procMount to ", Quoted(types))};
}

Found SeLinuxOptions(const Checked& pod) {
  constexpr std::string_view kTypes[] = {"", "container_t", "container_init_t", "container_kvm_t"};
  constexpr int64_t kEngineType = 31;  // from this version on container_engine_t is one of them
  Words types;
  bool user = false, role = false;
  const auto is_bad = [&](const Value& security) {
    const Value options = security.Get("seLinuxOptions");
    if (!options.is_object()) return false;
    const std::string_view type = options.GetString("type");
    const bool known = std::ranges::find(kTypes, type) != std::end(kTypes) ||
                       (pod.minor >= kEngineType && type == "container_engine_t");
    if (!known) types.emplace(type);
    const bool sets_user = !options.GetString("user").empty(), sets_role = !options.GetString("role").empty();
    user = user || sets_user;
    role = role || sets_role;
    return !known || sets_user || sets_role;
  };
  const bool by_pod = is_bad(pod.security);
  const Names containers = ContainersThat(pod, [&](const Value& security, const Value&) { return is_bad(security); });
  const std::string setters = Setters(by_pod, containers);
  if (setters.empty()) return std::nullopt;
  std::string what;
  if (!types.empty()) base::Append(what, Plural("type", "types", types.size()), " ", Quoted(types));
  if (user) base::Append(what, what.empty() ? "" : "; ", "user may not be set");
  if (role) base::Append(what, what.empty() ? "" : "; ", "role may not be set");
  return PodSecurityViolation{"seLinuxOptions", Cat(setters, " set forbidden securityContext.seLinuxOptions: ", what)};
}

constexpr std::string_view kSeccomp = "seccompProfile";

bool IsSeccompType(std::string_view type) { return type == "Localhost" || type == "RuntimeDefault"; }

// Who sets a profile of a type that nobody may have; `types` gets these.
std::string SeccompSetters(const Checked& pod, Words& types) {
  const auto is_bad = [&](const Value& security) {
    const Value profile = security.Get("seccompProfile");
    if (!profile.is_object() || IsSeccompType(profile.GetString("type"))) return false;
    types.emplace(profile.GetString("type"));
    return true;
  };
  const bool by_pod = is_bad(pod.security);
  return Setters(by_pod, ContainersThat(pod, [&](const Value& security, const Value&) { return is_bad(security); }));
}

PodSecurityViolation BadSeccomp(std::string_view setters, const Words& types) {
  return {std::string(kSeccomp), Cat(setters, " must not set securityContext.seccompProfile.type to ", Quoted(types))};
}

Found SeccompAnnotations(const Checked& pod) {
  constexpr std::string_view kPod = "seccomp.security.alpha.kubernetes.io/pod";
  constexpr std::string_view kPrefix = "container.seccomp.security.alpha.kubernetes.io/";
  std::set<std::string_view> names;
  for (const Value& container : pod.containers) names.insert(container.GetString("name"));
  Words forbidden;
  for (const value::Member& annotation : pod.annotations.members()) {
    const bool counts = annotation.key == kPod ||
                        (annotation.key.starts_with(kPrefix) && names.contains(annotation.key.substr(kPrefix.size())));
    if (!counts || !annotation.value.is_string()) continue;
    const std::string_view value = annotation.value.AsString();
    if (HasProfile(value, {"runtime/default", "docker/default"})) continue;
    forbidden.insert(Cat(annotation.key, "=", api::Quote(value)));
  }
  if (forbidden.empty()) return std::nullopt;
  return PodSecurityViolation{
      std::string(kSeccomp),
      Cat("forbidden ", Plural("annotation", "annotations", forbidden.size()), " ", Listed(forbidden))};
}

Found SeccompBaseline(const Checked& pod) {
  constexpr int64_t kFields = 19;  // from this version on fields say it, before annotations did
  if (pod.minor < kFields) return SeccompAnnotations(pod);
  Words types;
  const std::string setters = SeccompSetters(pod, types);
  if (setters.empty()) return std::nullopt;
  return BadSeccomp(setters, types);
}

struct SafeSysctl {
  std::string_view name;
  int64_t since;
};
constexpr SafeSysctl kSafeSysctls[] = {
    {"kernel.shm_rmid_forced", 0},
    {"net.ipv4.ip_local_port_range", 0},
    {"net.ipv4.tcp_syncookies", 0},
    {"net.ipv4.ping_group_range", 0},
    {"net.ipv4.ip_unprivileged_port_start", 0},
    {"net.ipv4.ip_local_reserved_ports", 27},
    {"net.ipv4.tcp_keepalive_time", 29},
    {"net.ipv4.tcp_fin_timeout", 29},
    {"net.ipv4.tcp_keepalive_intvl", 29},
    {"net.ipv4.tcp_keepalive_probes", 29},
    {"net.ipv4.tcp_rmem", 32},
    {"net.ipv4.tcp_wmem", 32},
};

Found Sysctls(const Checked& pod) {
  Names forbidden;
  for (const Value& sysctl : pod.security.Get("sysctls").items()) {
    const std::string_view name = sysctl.GetString("name");
    const bool safe = std::ranges::any_of(
        kSafeSysctls, [&](const SafeSysctl& one) { return one.name == name && one.since <= pod.minor; });
    if (!safe) forbidden.emplace_back(name);
  }
  if (forbidden.empty()) return std::nullopt;
  return PodSecurityViolation{"forbidden sysctls", Listed(forbidden)};
}

Found WindowsHostProcess(const Checked& pod) {
  const auto is_bad = [](const Value& security) { return IsTrue(security.Get({"windowsOptions", "hostProcess"})); };
  const Names containers = ContainersThat(pod, [&](const Value& security, const Value&) { return is_bad(security); });
  const std::string setters = Setters(is_bad(pod.security), containers);
  if (setters.empty()) return std::nullopt;
  return PodSecurityViolation{"hostProcess",
                              Cat(setters, " must not set securityContext.windowsOptions.hostProcess=true")};
}

// ---- restricted

constexpr int64_t kWindowsExempt = 25;  // from this version on some checks are not for pods of Windows

Found AllowPrivilegeEscalation(const Checked& pod) {
  if (pod.minor >= kWindowsExempt && pod.windows()) return std::nullopt;
  const Names containers = ContainersThat(
      pod, [](const Value& security, const Value&) { return !IsFalse(security.Get("allowPrivilegeEscalation")); });
  if (containers.empty()) return std::nullopt;
  return PodSecurityViolation{
      "allowPrivilegeEscalation != false",
      Cat(ContainerWords(containers), " must set securityContext.allowPrivilegeEscalation=false")};
}

Found CapabilitiesRestricted(const Checked& pod) {
  if (pod.minor >= kWindowsExempt && pod.windows()) return std::nullopt;
  constexpr std::string_view kAllowed[] = {"NET_BIND_SERVICE"};
  const Names keeping = ContainersThat(pod, [](const Value& security, const Value&) {
    return std::ranges::none_of(security.Get({"capabilities", "drop"}).items(), [](const Value& capability) {
      return capability.is_string() && capability.AsString() == "ALL";
    });
  });
  Words forbidden;
  const Names adding = ContainersAdding(pod, kAllowed, forbidden);
  if (keeping.empty() && adding.empty()) return std::nullopt;
  std::string detail;
  if (!keeping.empty()) {
    detail = Cat(ContainerWords(keeping), " must set securityContext.capabilities.drop=[\"ALL\"]");
  }
  if (!adding.empty()) base::Append(detail, detail.empty() ? "" : "; ", AddingDetail(adding, forbidden));
  return PodSecurityViolation{"unrestricted capabilities", std::move(detail)};
}

constexpr std::string_view kVolumeTypes[] = {"configMap", "csi",       "downwardAPI",           "emptyDir",
                                             "ephemeral", "projected", "persistentVolumeClaim", "secret"};
struct RestrictedVolume {
  std::string_view field, shown;
};
constexpr RestrictedVolume kRestrictedVolumes[] = {{"hostPath", "hostPath"},
                                                   {"gcePersistentDisk", "gcePersistentDisk"},
                                                   {"awsElasticBlockStore", "awsElasticBlockStore"},
                                                   {"gitRepo", "gitRepo"},
                                                   {"nfs", "nfs"},
                                                   {"iscsi", "iscsi"},
                                                   {"glusterfs", "glusterfs"},
                                                   {"rbd", "rbd"},
                                                   {"flexVolume", "flexVolume"},
                                                   {"cinder", "cinder"},
                                                   {"cephfs", "cephfs"},
                                                   {"flocker", "flocker"},
                                                   {"fc", "fc"},
                                                   {"azureFile", "azureFile"},
                                                   {"vsphereVolume", "vsphereVolume"},
                                                   {"quobyte", "quobyte"},
                                                   {"azureDisk", "azureDisk"},
                                                   {"photonPersistentDisk", "photonPersistentDisk"},
                                                   {"portworxVolume", "portworxVolume"},
                                                   {"scaleIO", "scaleIO"},
                                                   {"storageos", "storageos"}};

Found RestrictedVolumes(const Checked& pod) {
  Names volumes;
  Words types;
  for (const Value& volume : pod.spec.Get("volumes").items()) {
    const auto has = [&](std::string_view field) { return volume.Get(field).is_object(); };
    if (std::ranges::any_of(kVolumeTypes, has)) continue;
    volumes.push_back(NameOf(volume));
    const auto* type = std::ranges::find_if(kRestrictedVolumes, [&](const auto& one) { return has(one.field); });
    types.emplace(type == std::end(kRestrictedVolumes) ? "unknown" : type->shown);
  }
  if (volumes.empty()) return std::nullopt;
  return PodSecurityViolation{
      "restricted volume types",
      Cat(Plural("volume", "volumes", volumes.size()), " ", Quoted(volumes), " ", Plural("uses", "use", volumes.size()),
          " ", Plural("restricted volume type", "restricted volume types", types.size()), " ", Quoted(types))};
}

Found RunAsNonRoot(const Checked& pod) {
  if (pod.relaxed) return std::nullopt;
  constexpr std::string_view kReason = "runAsNonRoot != true";
  const Value by_pod = pod.security.Get("runAsNonRoot");
  const Names wrong =
      ContainersThat(pod, [](const Value& security, const Value&) { return IsFalse(security.Get("runAsNonRoot")); });
  const std::string setters = Setters(IsFalse(by_pod), wrong);
  if (!setters.empty()) {
    return PodSecurityViolation{std::string(kReason), Cat(setters, " must not set securityContext.runAsNonRoot=false")};
  }
  if (IsTrue(by_pod)) return std::nullopt;
  const Names silent =
      ContainersThat(pod, [](const Value& security, const Value&) { return !security.Get("runAsNonRoot").is_bool(); });
  if (silent.empty()) return std::nullopt;
  return PodSecurityViolation{std::string(kReason),
                              Cat("pod or ", ContainerWords(silent), " must set securityContext.runAsNonRoot=true")};
}

Found RunAsUser(const Checked& pod) {
  if (pod.relaxed) return std::nullopt;
  const auto is_root = [](const Value& security) {
    const Value user = security.Get("runAsUser");
    return user.is_int() && user.AsInt() == 0;
  };
  const Names containers = ContainersThat(pod, [&](const Value& security, const Value&) { return is_root(security); });
  const std::string setters = Setters(is_root(pod.security), containers);
  if (setters.empty()) return std::nullopt;
  return PodSecurityViolation{"runAsUser=0", Cat(setters, " must not set runAsUser=0")};
}

Found SeccompRestricted(const Checked& pod) {
  if (pod.minor >= kWindowsExempt && pod.windows()) return std::nullopt;
  Words types;
  const std::string setters = SeccompSetters(pod, types);
  if (!setters.empty()) return BadSeccomp(setters, types);
  if (pod.security.Get("seccompProfile").is_object()) return std::nullopt;
  const Names silent = ContainersThat(
      pod, [](const Value& security, const Value&) { return !security.Get("seccompProfile").is_object(); });
  if (silent.empty()) return std::nullopt;
  return PodSecurityViolation{
      std::string(kSeccomp),
      Cat("pod or ", ContainerWords(silent),
          " must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"")};
}

// In the order in which violations are told. `overridden_since`: from this version on the restricted level has a check
// of its own in its place.
struct Check {
  PodSecurityLevel level;
  int64_t since;
  Found (*check)(const Checked& pod);
  std::optional<int64_t> overridden_since = {};
};
constexpr PodSecurityLevel kBaseline = PodSecurityLevel::kBaseline, kRestricted = PodSecurityLevel::kRestricted;
constexpr Check kChecks[] = {
    {kBaseline, 0, AppArmorProfile},
    {kBaseline, 0, CapabilitiesBaseline, 22},
    {kBaseline, 0, HostNamespaces},
    {kBaseline, 0, HostPathVolumes, 0},
    {kBaseline, 0, HostPorts},
    {kBaseline, 0, Privileged},
    {kBaseline, 0, ProcMount},
    {kBaseline, 0, SeLinuxOptions},
    {kBaseline, 0, SeccompBaseline, 19},
    {kBaseline, 0, Sysctls},
    {kBaseline, 0, WindowsHostProcess},
    {kRestricted, 8, AllowPrivilegeEscalation},
    {kRestricted, 22, CapabilitiesRestricted},
    {kRestricted, 0, RestrictedVolumes},
    {kRestricted, 0, RunAsNonRoot},
    {kRestricted, 23, RunAsUser},
    {kRestricted, 19, SeccompRestricted},
};

}  // namespace

std::string PodSecurityViolations::Reasons() const {
  std::string text;
  for (const PodSecurityViolation& one : list) base::Append(text, text.empty() ? "" : ", ", one.reason);
  return text;
}

std::string PodSecurityViolations::Details() const {
  std::string text;
  for (const PodSecurityViolation& one : list) {
    base::Append(text, text.empty() ? "" : ", ", one.reason);
    if (!one.detail.empty()) base::Append(text, " (", one.detail, ")");
  }
  return text;
}

PodSecurityViolations CheckPodSecurity(const PodSecurityRule& rule, const Value& pod, bool relax_user_namespaces) {
  PodSecurityViolations violations;
  if (rule.privileged()) return violations;
  const Value spec = pod.Get("spec");
  std::vector<Value> containers;
  for (std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    std::ranges::copy(spec.Get(list).items(), std::back_inserter(containers));
  }
  const Checked checked{.annotations = pod.Get({"metadata", "annotations"}),
                        .spec = spec,
                        .security = spec.Get("securityContext"),
                        .containers = containers,
                        .minor = rule.version.minor,
                        .relaxed = relax_user_namespaces && IsFalse(spec.Get("hostUsers"))};
  for (const Check& check : kChecks) {
    if (check.level > rule.level || check.since > checked.minor) continue;
    if (rule.level == kRestricted && check.overridden_since && *check.overridden_since <= checked.minor) continue;
    if (Found found = check.check(checked)) violations.list.push_back(*std::move(found));
  }
  return violations;
}

}  // namespace admission
