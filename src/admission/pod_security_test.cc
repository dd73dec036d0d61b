#include "admission/pod_security.h"

#include <gtest/gtest.h>

#include <string>

#include "admission/pod_security_checks.h"
#include "base/text.h"
#include "registry/registry_fixture.h"
#include "value/json_reader.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

PodSecurityRule Rule(std::string_view text) {
  const size_t colon = text.find(':');
  return {*ParsePodSecurityLevel(text.substr(0, colon)), *ParsePodSecurityVersion(text.substr(colon + 1))};
}

// What one rule has against a pod; `metadata` and `spec` without their braces.
std::string Against(std::string_view rule, std::string_view spec, std::string_view metadata = "", bool relax = false) {
  value::Arena arena;
  const auto pod =
      value::ReadJson(arena.CopyString(Cat(R"({"metadata":{)", metadata, R"(},"spec":{)", spec, "}}")), arena);
  EXPECT_TRUE(pod) << spec;
  return pod ? CheckPodSecurity(Rule(rule), *pod, relax).Details() : "";
}

struct Case {
  std::string_view rule, spec, violations, metadata = "";
};

void Expect(std::span<const Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(Against(c.rule, c.spec, c.metadata), c.violations) << c.rule << " " << c.spec;
}

TEST(PodSecurityChecks, Baseline) {
  constexpr std::string_view kLatest = "baseline:latest";
  const Case cases[] = {
      {"privileged:latest", R"("hostPID":true)", ""},
      {kLatest, R"("containers":[{"name":"a"}])", ""},
      {kLatest, R"("hostNetwork":true,"hostPID":true,"hostIPC":true)",
       "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)"},
      {kLatest, R"("hostNetwork":false,"hostIPC":true)", "host namespaces (hostIPC=true)"},
      {kLatest, R"("volumes":[{"name":"v","hostPath":{"path":"/"}},{"name":"w","emptyDir":{}}])",
       R"(hostPath volumes (volume "v"))"},
      {kLatest, R"("volumes":[{"name":"v","hostPath":{}},{"name":"w","hostPath":{}}])",
       R"(hostPath volumes (volumes "v", "w"))"},
      {kLatest,
       R"("initContainers":[{"name":"i","ports":[{"hostPort":9},{"hostPort":10}]}],"containers":[{"name":"a","ports":[{"hostPort":0}]}])",
       R"(hostPort (container "i" uses hostPorts 10, 9))"},
      {kLatest, R"("containers":[{"name":"a","ports":[{"hostPort":9}]},{"name":"b","ports":[{"hostPort":9}]}])",
       R"(hostPort (containers "a", "b" use hostPort 9))"},
      {kLatest,
       R"("containers":[{"name":"a","securityContext":{"privileged":true}}],"ephemeralContainers":[{"name":"e","securityContext":{"privileged":true}}])",
       R"(privileged (containers "a", "e" must not set securityContext.privileged=true))"},
      {kLatest,
       R"("containers":[{"name":"a","securityContext":{"capabilities":{"add":["CHOWN","SYS_TIME","NET_RAW"]}}}])",
       R"(non-default capabilities (container "a" must not include "NET_RAW", "SYS_TIME" in securityContext.capabilities.add))"},
      {kLatest,
       R"("containers":[{"name":"a","securityContext":{"procMount":"Unmasked"}},{"name":"b","securityContext":{"procMount":"Default"}}])",
       R"(procMount (container "a" must not set securityContext.procMount to "Unmasked"))"},
      {kLatest, R"("securityContext":{"sysctls":[{"name":"kernel.shm_rmid_forced"},{"name":"a.b"},{"name":"c.d"}]})",
       "forbidden sysctls (a.b, c.d)"},
      {kLatest,
       R"("securityContext":{"windowsOptions":{"hostProcess":true}},"containers":[{"name":"a","securityContext":{"windowsOptions":{"hostProcess":true}}}])",
       R"(hostProcess (pod and container "a" must not set securityContext.windowsOptions.hostProcess=true))"},
      {kLatest,
       R"("securityContext":{"seLinuxOptions":{"type":"x","user":"u"}},"containers":[{"name":"a","securityContext":{"seLinuxOptions":{"type":"y","role":"r"}}}])",
       R"(seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: types "x", "y"; user may not be set; role may not be set))"},
      {kLatest, R"("securityContext":{"seLinuxOptions":{"level":"s0"}})", ""},
      {kLatest, R"("securityContext":{"seccompProfile":{"type":"Unconfined"}},"containers":[{"name":"a"}])",
       R"(seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined"))"},
      {kLatest,
       R"("securityContext":{"appArmorProfile":{"type":"Unconfined"}},"containers":[{"name":"a","securityContext":{"appArmorProfile":{"type":"Localhost"}}}])",
       R"(forbidden AppArmor profiles (pod and annotations must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/a="x"", "container.apparmor.security.beta.kubernetes.io/b="unconfined""))",
       R"("annotations":{"container.apparmor.security.beta.kubernetes.io/b":"unconfined","container.apparmor.security.beta.kubernetes.io/a":"x","container.apparmor.security.beta.kubernetes.io/c":"localhost/p"})"},
      {kLatest, R"("hostPID":true,"containers":[{"name":"a","securityContext":{"privileged":true}}])",
       R"(host namespaces (hostPID=true), privileged (container "a" must not set securityContext.privileged=true))"},
  };
  Expect(cases);
}

TEST(PodSecurityChecks, ChangeWithTheVersion) {
  const std::string_view tcp =
      R"("securityContext":{"sysctls":[{"name":"net.ipv4.tcp_rmem"},{"name":"net.ipv4.tcp_fin_timeout"},{"name":"net.ipv4.ip_local_reserved_ports"}]})";
  const std::string_view engine = R"("securityContext":{"seLinuxOptions":{"type":"container_engine_t"}})";
  const std::string_view unconfined = R"("securityContext":{"seccompProfile":{"type":"Unconfined"}})";
  const std::string_view annotation =
      R"("annotations":{"seccomp.security.alpha.kubernetes.io/pod":"unconfined","container.seccomp.security.alpha.kubernetes.io/a":"localhost/x","container.seccomp.security.alpha.kubernetes.io/b":"unconfined"})";
  const std::string_view bare = R"("containers":[{"name":"a"}])";
  const std::string_view windows =
      R"("os":{"name":"windows"},"securityContext":{"runAsNonRoot":true},"containers":[{"name":"a"}])";
  const std::string_view nfs =
      R"("volumes":[{"name":"v","nfs":{}},{"name":"h","hostPath":{}},{"name":"x"},{"name":"i","image":{}}],"securityContext":{"runAsNonRoot":true})";
  const std::string_view added =
      R"("securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}},"containers":[{"name":"a","securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"add":["CHOWN","SYS_TIME"]}}}])";
  const Case cases[] = {
      {"baseline:v1.26", tcp,
       "forbidden sysctls (net.ipv4.tcp_rmem, net.ipv4.tcp_fin_timeout, net.ipv4.ip_local_reserved_ports)"},
      {"baseline:v1.27", tcp, "forbidden sysctls (net.ipv4.tcp_rmem, net.ipv4.tcp_fin_timeout)"},
      {"baseline:v1.29", tcp, "forbidden sysctls (net.ipv4.tcp_rmem)"},
      {"baseline:v1.32", tcp, ""},
      {"baseline:v1.99", tcp, ""},
      {"baseline:v1.30", engine,
       R"(seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "container_engine_t"))"},
      {"baseline:v1.31", engine, ""},
      {"baseline:v1.18", unconfined, ""},
      {"baseline:v1.19", unconfined,
       R"(seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined"))"},
      {"baseline:v1.18", bare,
       R"(seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined"))", annotation},
      {"baseline:v1.19", bare, "", annotation},
      {"restricted:v1.0", bare,
       R"(runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true))"},
      {"restricted:v1.8", bare,
       R"(allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true))"},
      {"restricted:v1.22", bare,
       R"(allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"))"},
      {"restricted:v1.24", windows,
       R"(allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"))"},
      {"restricted:v1.25", windows, ""},
      {"restricted:v1.7", nfs,
       R"(restricted volume types (volumes "v", "h", "x", "i" use restricted volume types "hostPath", "nfs", "unknown"))"},
      {"restricted:v1.21", added,
       R"(non-default capabilities (container "a" must not include "SYS_TIME" in securityContext.capabilities.add))"},
      {"restricted:v1.22", added,
       R"(unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "CHOWN", "SYS_TIME" in securityContext.capabilities.add))"},
      {"restricted:v1.22", R"("securityContext":{"runAsNonRoot":true,"runAsUser":0})", ""},
      {"restricted:v1.23", R"("securityContext":{"runAsNonRoot":true,"runAsUser":0})",
       "runAsUser=0 (pod must not set runAsUser=0)"},
      {"restricted:v1.18",
       R"("securityContext":{"runAsNonRoot":false,"seccompProfile":{"type":"Unconfined"}},"containers":[{"name":"a","securityContext":{"runAsNonRoot":false,"allowPrivilegeEscalation":false}}])",
       R"(runAsNonRoot != true (pod and container "a" must not set securityContext.runAsNonRoot=false))"},
      {"restricted:v1.19",
       R"("containers":[{"name":"a","securityContext":{"runAsNonRoot":true,"allowPrivilegeEscalation":false,"seccompProfile":{"type":"Localhost"}}},{"name":"b","securityContext":{"runAsNonRoot":true,"allowPrivilegeEscalation":false}}])",
       R"(seccompProfile (pod or container "b" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"))"},
  };
  Expect(cases);
}

TEST(PodSecurityChecks, UsersOfTheirOwnMayBeRootWhereTheGateSaysSo) {
  const std::string_view pod =
      R"("hostUsers":false,"containers":[{"name":"a","securityContext":{"runAsUser":0,"procMount":"Unmasked","allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]},"seccompProfile":{"type":"Localhost"}}}])";
  EXPECT_EQ(Against("restricted:latest", pod, "", true), "");
  EXPECT_NE(Against("restricted:latest", pod, "", false), "");
}

TEST(PodSecurityPolicy, LabelsSayIt) {
  const auto read = [](std::string_view labels, const PodSecurityPolicy& defaults = {}) {
    value::Arena arena;
    const LabelledPolicy got = ReadPodSecurityLabels(*value::ReadJson(arena.CopyString(labels), arena), defaults);
    return Cat(got.policy.enforce.text(), " ", got.policy.audit.text(), " ", got.policy.warn.text(), " ",
               api::JoinTexts(got.errors));
  };
  const PodSecurityPolicy strict{.enforce = Rule("baseline:v1.20"), .audit = {}, .warn = Rule("restricted:v1.21")};
  EXPECT_EQ(read("{}"), "privileged:latest privileged:latest privileged:latest ");
  EXPECT_EQ(read("{}", strict), "baseline:v1.20 privileged:latest restricted:v1.21 ");
  // What is enforced is warned of.
  EXPECT_EQ(
      read(R"({"pod-security.kubernetes.io/enforce":"baseline","pod-security.kubernetes.io/enforce-version":"v1.3"})"),
      "baseline:v1.3 privileged:latest baseline:v1.3 ");
  EXPECT_EQ(
      read(R"({"pod-security.kubernetes.io/enforce":"baseline","pod-security.kubernetes.io/warn-version":"v1.3"})"),
      "baseline:latest privileged:latest baseline:v1.3 ");
  EXPECT_EQ(
      read(R"({"pod-security.kubernetes.io/enforce":"restricted","pod-security.kubernetes.io/warn":"privileged"})"),
      "restricted:latest privileged:latest privileged:latest ");
  EXPECT_EQ(read(R"({"pod-security.kubernetes.io/enforce":"privileged"})", strict),
            "privileged:v1.20 privileged:latest restricted:v1.21 ");
  EXPECT_EQ(
      read(
          R"({"pod-security.kubernetes.io/enforce":"x","pod-security.kubernetes.io/audit":"y","pod-security.kubernetes.io/warn-version":"v1.01"})"),
      "restricted:latest privileged:latest privileged:latest "
      R"([metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted, )"
      R"(metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "y": must be one of privileged, baseline, restricted, )"
      R"(metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "v1.01": must be "latest" or "v1.x"])");
}

TEST(PodSecurityOptions, AreReadStrictly) {
  const auto read = [](std::string_view document) {
    value::Arena arena;
    const auto options = PodSecurityOptions::Read(*value::ReadJson(
        arena.CopyString(Cat(R"({"apiVersion":"pod-security.admission.config.k8s.io/v1",)", document, "}")), arena));
    if (!options) return options.error().message;
    return Cat(options->defaults.enforce.text(), " ", base::Join(options->exempt_namespaces, ","), " ",
               base::Join(options->exempt_users, ","), " ", base::Join(options->exempt_runtime_classes, ","));
  };
  EXPECT_EQ(read(R"("kind":"PodSecurityConfiguration","defaults":{"enforce":"baseline","enforce-version":"v1.7"},)"
                 R"("exemptions":{"usernames":["u"],"namespaces":["n"],"runtimeClasses":["r"]})"),
            "baseline:v1.7 n u r");
  EXPECT_EQ(read(R"("kind":"PodSecurityConfiguration")"), "privileged:latest   ");
  EXPECT_EQ(read(R"("kind":"PodSecurityConfiguration","other":1)"), R"(strict decoding error: unknown field "other")");
  EXPECT_EQ(read(R"("kind":"PodSecurityConfiguration","defaults":{"enforced":"x"})"),
            R"(strict decoding error: unknown field "defaults.enforced")");
  EXPECT_EQ(read(R"("kind":"PodSecurityConfiguration","defaults":{"enforce":"x"})"),
            R"(defaults.enforce: Invalid value: "x": must be one of privileged, baseline, restricted)");
  EXPECT_EQ(read(R"("kind":"PodSecurityConfiguration","exemptions":{"namespaces":["a","a"]})"),
            R"(exemptions.namespaces[1]: Duplicate value: "a")");
  EXPECT_EQ(read(R"("kind":"PodSecurityConfiguration","exemptions":{"usernames":[""]})"),
            R"(exemptions.usernames[0]: Invalid value: "": username must not be empty)");
  EXPECT_NE(read(R"("kind":"Other")").find("no kind"), std::string::npos);
}

}  // namespace
}  // namespace admission
