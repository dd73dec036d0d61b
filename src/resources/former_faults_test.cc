// What an object had wrong before the rule that refuses it was made may stay in it: an update that leaves it so is
// taken, where a new object is refused.
#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources {
namespace {

// A selector whose value is no label's.
constexpr std::string_view kBad = R"({"matchExpressions":[{"key":"a","operator":"In","values":["-"]}]})";

TEST(FormerFaults, MayStay) {
  struct {
    const char *group, *version, *plural, *kind;
    bool namespaced;
    const char* members;  // "%" is the selector
  } cases[] = {
      {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", false,
       R"("webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],)"
       R"("clientConfig":{"url":"https://a.example.com"},"objectSelector":%}])"},
      {"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true,
       R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}},"selector":%})"},
      {"", "v1", "pods", "Pod", true,
       R"("spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"podAffinity":)"
       R"({"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"k","labelSelector":%}]}}})"},
      {"", "v1", "pods", "Pod", true,
       R"("spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"podAntiAffinity":)"
       R"({"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":)"
       R"({"topologyKey":"k","labelSelector":%}}]}}})"},
      {"", "v1", "pods", "Pod", true,
       R"("spec":{"containers":[{"name":"c","image":"i"}],"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"k",)"
       R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":%}]})"},
      {"networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", true, R"("spec":{"podSelector":%})"},
      {"storage.k8s.io", "v1", "csistoragecapacities", "CSIStorageCapacity", true,
       R"("storageClassName":"s","nodeTopology":%)"},
  };
  for (const auto& c : cases) {
    KindFixture kind(c.group, c.version, c.plural, c.kind, c.namespaced);
    std::string bad = c.members;
    bad.replace(bad.find('%'), 1, kBad);
    EXPECT_NE(kind.Create(bad), "") << c.plural;
    EXPECT_EQ(kind.Update(bad, bad), "") << bad;
  }
}

TEST(FormerFaults, TokenPathsMayStay) {
  KindFixture pods("", "v1", "pods", "Pod", true);
  constexpr std::string_view kPod =
      R"("spec":{"serviceAccountName":"s","containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","projected":{"sources":)"
      R"([{"serviceAccountToken":{"path":"../t","expirationSeconds":3600}}]}}]})";
  EXPECT_NE(pods.Create(kPod), "");
  EXPECT_EQ(pods.Update(kPod, kPod), "");
}

// What a gate that is off drops from new objects stays in those that were written while it was on, and is looked at
// there.
TEST(FieldsOfGates, AreLookedAtWhereTheyAreInUse) {
  const std::string set = R"("spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":)"
                          R"({"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":)"
                          R"({"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":%}}})";
  const auto with = [](std::string text, std::string_view value) { return text.replace(text.find('%'), 1, value); };
  KindFixture sets("apps", "v1", "statefulsets", "StatefulSet", true);
  const std::string at = "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: ";
  EXPECT_EQ(sets.Update(with(set, "1"), with(set, "2")), "");
  EXPECT_EQ(sets.Update(with(set, "1"), with(set, "-1")), at + "-1: must be greater than or equal to 0");
  EXPECT_EQ(sets.Update(with(set, "1"), with(set, "0")),
            at + "intstr.IntOrString{Type:0, IntVal:0, StrVal:\"\"}: cannot be 0");
  EXPECT_EQ(sets.Update(with(set, "1"), with(set, "\"101%\"")),
            at + "intstr.IntOrString{Type:1, IntVal:0, StrVal:\"101%\"}: must not be greater than 100%");

  KindFixture leases("coordination.k8s.io", "v1", "leases", "Lease", true);
  constexpr std::string_view kLease = R"("spec":{"strategy":"OldestEmulationVersion","preferredHolder":"h"})";
  EXPECT_EQ(leases.Update(kLease, kLease), "");
  EXPECT_EQ(leases.Update(kLease, R"("spec":{"strategy":"x","preferredHolder":"h"})"),
            "spec.strategy.strategy: Unsupported value: \"x\": supported values: \"OldestEmulationVersion\"");
  EXPECT_EQ(leases.Update(kLease, R"("spec":{"preferredHolder":"h"})"),
            "spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined");
}

TEST(FieldsOfGates, OfPodsAreLookedAtWhereTheyAreInUse) {
  KindFixture pods("", "v1", "pods", "Pod", true);
  struct {
    std::string_view spec, error;
  } cases[] = {
      {R"("containers":[{"name":"c","image":"i","volumeMounts":[{"name":"v","mountPath":"/m"}]}],)"
       R"("volumes":[{"name":"v","image":{"reference":"r","pullPolicy":"Never"}}])",
       ""},
      {R"("containers":[{"name":"c","image":"i","volumeMounts":[{"name":"v","mountPath":"/m","subPath":"s"},)"
       R"({"name":"v","mountPath":"/n","subPathExpr":"s"}]}],"volumes":[{"name":"v","image":{"reference":"r","pullPolicy":"Never"}}])",
       "spec.containers[0].volumeMounts[0].subPath: Invalid value: \"s\": not allowed in image volume sources\n"
       "spec.containers[0].volumeMounts[1].subPathExpr: Invalid value: \"s\": not allowed in image volume sources"},
      {R"("containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","image":{}}])",
       "spec.volumes[0].image.reference: Required value\nspec.volumes[0].image.pullPolicy: Required value"},
      {R"("hostUsers":false,"containers":[{"name":"c","image":"i"}])", ""},
      {R"("hostUsers":false,"hostNetwork":true,"hostPID":true,"hostIPC":true,"containers":[{"name":"c","image":"i"}])",
       "spec.hostNetwork: Forbidden: when `pod.Spec.HostUsers` is false\n"
       "spec.HostPID: Forbidden: when `pod.Spec.HostUsers` is false\n"
       "spec.HostIPC: Forbidden: when `pod.Spec.HostUsers` is false"},
      {R"("containers":[{"name":"c","image":"i","securityContext":{"procMount":"Unmasked"}}])",
       "spec.containers[0].securityContext.procMount: Invalid value: \"Unmasked\": `hostUsers` must be false to use "
       "`Unmasked`"},
  };
  for (const auto& c : cases) {
    const std::string pod = base::Cat("\"spec\":{", c.spec, "}");
    EXPECT_EQ(pods.Update(pod, pod), c.error) << c.spec;
  }
}

}  // namespace
}  // namespace resources
