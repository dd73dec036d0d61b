// Networking, scheduling and security of pods: each rule with a spec that breaks it and one that keeps it.
#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "resources/kind_fixture.h"

namespace resources::core {
namespace {

struct Case {
  const char *name, *keeps, *breaks, *error;  // fields of a spec; the beginning of the first error
};

void Expect(std::string_view name, std::string_view fields, std::string_view error) {
  KindFixture pods("", "v1", "pods", "Pod", true);
  const std::string errors = pods.Create(
      base::Cat(R"("spec":{"containers":[{"name":"c","image":"i"}])", fields.empty() ? "" : ",", fields, "}"));
  EXPECT_EQ(std::string_view(errors).substr(0, error.size()), error) << name;
  EXPECT_EQ(errors.empty(), error.empty()) << name << ": " << errors;
}

void Expect(std::span<const Case> cases) {
  for (const Case& c : cases) {
    Expect(c.name, c.keeps, "");
    Expect(c.name, c.breaks, c.error);
  }
}

TEST(PodFields, Networking) {
  constexpr Case kCases[] = {
      {"policy", R"("dnsPolicy":"Default")", R"("dnsPolicy":"x")",
       R"(spec.dnsPolicy: Unsupported value: "x": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")"},
      {"none", R"("dnsPolicy":"None","dnsConfig":{"nameservers":["1.2.3.4"]})", R"("dnsPolicy":"None")",
       "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"},
      {"no servers", "", R"("dnsPolicy":"None","dnsConfig":{})",
       "spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None"},
      {"servers", R"("dnsConfig":{"nameservers":["::1","::2","::3"]})",
       R"("dnsConfig":{"nameservers":["::1","::2","::3","::4"]})",
       R"(spec.dnsConfig.nameservers: Invalid value: []string{"::1", "::2", "::3", "::4"}: must not have more than 3 nameservers)"},
      {"searches", R"("dnsConfig":{"searches":["a.b."]})", R"("dnsConfig":{"searches":["_a"]})",
       R"(spec.dnsConfig.searches[0]: Invalid value: "_a": a lowercase RFC 1123 subdomain)"},
      {"options", R"("dnsConfig":{"options":[{"name":"a"}]})", R"("dnsConfig":{"options":[{"value":"a"}]})",
       "spec.dnsConfig.options[0]: Required value: must not be empty"},
      {"aliases", R"("hostAliases":[{"ip":"1.2.3.4","hostnames":["a"]}])", R"("hostAliases":[{"ip":"x"}])",
       R"(spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP address)"},
      {"alias names", "", R"("hostAliases":[{"ip":"1.2.3.4","hostnames":["A"]}])",
       R"(spec.hostAliases[0].hostnames[0]: Invalid value: "A": a lowercase RFC 1123 subdomain)"},
      {"hostname", R"("hostname":"a","subdomain":"b")", R"("hostname":"a.b")",
       R"(spec.hostname: Invalid value: "a.b": must not contain dots)"},
  };
  Expect(kCases);
}

TEST(PodFields, Scheduling) {
  constexpr Case kCases[] = {
      {"selector", R"("nodeSelector":{"a":"b"})", R"("nodeSelector":{"a":"b c"})",
       R"(spec.nodeSelector: Invalid value: "b c": )"},
      {"no terms", R"("affinity":{})",
       R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{}}})",
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: "
       "must "
       "have at least one node selector term"},
      {"weight", "",
       R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":101,"preference":{}}]}})",
       "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must "
       "be "
       "in the range 1-100"},
      {"topology", "",
       R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{}}]}})",
       "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can "
       "not be empty"},
      {"keys without selector", "",
       R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"k","matchLabelKeys":["a"]}]}})",
       "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys: Forbidden: must "
       "not be "
       "specified when labelSelector is not set"},
      {"gates", R"("schedulingGates":[{"name":"a"},{"name":"b"}])", R"("schedulingGates":[{"name":"a"},{"name":"a"}])",
       R"(spec.schedulingGates[1]: Duplicate value: "a")"},
      {"readiness", R"("readinessGates":[{"conditionType":"a/b"}])", R"("readinessGates":[{"conditionType":"a b"}])",
       R"(spec.readinessGates[0].conditionType: Invalid value: "a b": )"},
      {"spread",
       R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"k","whenUnsatisfiable":"DoNotSchedule","minDomains":1}])",
       R"("topologySpreadConstraints":[{"maxSkew":0,"topologyKey":"k","whenUnsatisfiable":"DoNotSchedule"}])",
       "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"},
      {"spread twice", "",
       R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"k","whenUnsatisfiable":"ScheduleAnyway"},
          {"maxSkew":2,"topologyKey":"k","whenUnsatisfiable":"ScheduleAnyway"}])",
       R"(spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{k, ScheduleAnyway}")"},
      {"domains", "",
       R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"k","whenUnsatisfiable":"ScheduleAnyway","minDomains":1}])",
       "spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains if "
       "whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"},
      {"tolerations", R"("tolerations":[{"operator":"Exists"}])", R"("tolerations":[{"operator":"Equal"}])",
       "spec.tolerations[0].operator: Invalid value: \"Equal\": operator must be Exists when `key` is empty, which "
       "means "
       "\"match all values and all keys\""},
      {"toleration seconds", R"("tolerations":[{"key":"a","effect":"NoExecute","tolerationSeconds":1}])",
       R"("tolerations":[{"key":"a","effect":"NoSchedule","tolerationSeconds":1}])",
       R"(spec.tolerations[0].effect: Invalid value: "NoSchedule": effect must be 'NoExecute' when `tolerationSeconds` is set)"},
  };
  Expect(kCases);
}

TEST(PodFields, Security) {
  constexpr Case kCases[] = {
      {"ids", R"("securityContext":{"runAsUser":0,"supplementalGroups":[1]})", R"("securityContext":{"fsGroup":-1})",
       "spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive"},
      {"namespaces", R"("shareProcessNamespace":true)", R"("shareProcessNamespace":true,"hostPID":true)",
       "spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both "
       "be enabled"},
      {"sysctls", R"("securityContext":{"sysctls":[{"name":"net.ipv4/a_b","value":"1"}]})",
       R"("securityContext":{"sysctls":[{"name":"a..b","value":"1"}]})",
       R"(spec.securityContext.sysctls[0].name: Invalid value: "a..b": must have at most 253 characters and match regex ^([a-z0-9])"},
      {"sysctl of the host", R"("hostNetwork":true,"securityContext":{"sysctls":[{"name":"kernel.sem","value":"1"}]})",
       R"("hostNetwork":true,"securityContext":{"sysctls":[{"name":"net/ipv4/a","value":"1"}]})",
       R"(spec.securityContext.sysctls[0].name: Invalid value: "net/ipv4/a": may not be specified when 'hostNetwork' is true)"},
      {"groups", R"("securityContext":{"fsGroupChangePolicy":"Always"})",
       R"("securityContext":{"fsGroupChangePolicy":"x"})",
       R"(spec.securityContext.fsGroupChangePolicy: Unsupported value: "x": supported values: "Always", "OnRootMismatch")"},
      {"seccomp", R"("securityContext":{"seccompProfile":{"type":"Localhost","localhostProfile":"a/b"}})",
       R"("securityContext":{"seccompProfile":{"type":"Localhost","localhostProfile":"a/../b"}})",
       R"(spec.securityContext.seccompProfile.localhostProfile: Invalid value: "a/../b": must not contain '..')"},
      {"seccomp path", "", R"("securityContext":{"seccompProfile":{"type":"Unconfined","localhostProfile":"a"}})",
       R"(spec.securityContext.seccompProfile.localhostProfile: Invalid value: core.SeccompProfile{"type":"Unconfined","localhostProfile":"a"}: can only be set when seccomp type is Localhost)"},
      {"AppArmor", R"("securityContext":{"appArmorProfile":{"type":"Localhost","localhostProfile":"a"}})",
       R"("securityContext":{"appArmorProfile":{"type":"Localhost","localhostProfile":" "}})",
       R"(spec.securityContext.appArmorProfile.localhostProfile: Invalid value: " ": must not be padded with whitespace)"},
      {"user of Windows", R"("securityContext":{"windowsOptions":{"runAsUserName":"CORP\\me"}})",
       R"("securityContext":{"windowsOptions":{"runAsUserName":"a\\b\\c"}})",
       R"(spec.securityContext.windowsOptions.runAsUserName: Invalid value: "a\\b\\c": runAsUserName cannot contain more than one backslash)"},
      {"host process", R"("hostNetwork":true,"securityContext":{"windowsOptions":{"hostProcess":true}})",
       R"("securityContext":{"windowsOptions":{"hostProcess":true}})",
       "spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers"},
      {"system", R"("os":{"name":"linux"})", R"("os":{"name":"mac"})",
       R"(spec.os: Unsupported value: "mac": supported values: "linux", "windows")"},
      {"what Linux has not", "", R"("os":{"name":"linux"},"securityContext":{"windowsOptions":{}})",
       "spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod"},
      {"what Windows has not", R"("os":{"name":"windows"},"hostNetwork":true)",
       R"("os":{"name":"windows"},"hostPID":true)", "spec.hostPID: Forbidden: cannot be set for a windows pod"},
      {"settings of the kernel on Windows", R"("os":{"name":"windows"},"securityContext":{"sysctls":[]})",
       R"("os":{"name":"windows"},"securityContext":{"sysctls":[{"name":"kernel.shm_rmid_forced","value":"1"}]})",
       "spec.securityContext.sysctls: Forbidden: cannot be set for a windows pod"},
  };
  Expect(kCases);
}

}  // namespace
}  // namespace resources::core
