// Pods: what creation makes of them, and what may change through each endpoint.
#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "resources/kind_fixture.h"

namespace resources::core {
namespace {

// A pod's spec with one container, and `fields` besides.
std::string Spec(std::string_view fields = "", std::string_view container = "") {
  return base::Cat(R"("spec":{"containers":[{"name":"c","image":"i")", container.empty() ? "" : ",", container, "}]",
                   fields.empty() ? "" : ",", fields, "}");
}

KindFixture Pods() { return {"", "v1", "pods", "Pod", true}; }

TEST(NewPods, Status) {
  struct {
    const char *name, *resources, *qos;
  } cases[] = {
      {"nothing", R"({})", "BestEffort"},
      {"limits alone", R"({"limits":{"cpu":"1","memory":"1Gi"}})", "Guaranteed"},
      {"the same in other words", R"({"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1000m"}})", "Guaranteed"},
      {"one of two", R"({"limits":{"cpu":"1"}})", "Burstable"},
      {"less than the limit", R"({"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m"}})", "Burstable"},
      {"zero asked, one allowed", R"({"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"0"}})", "Burstable"},
      {"zero", R"({"requests":{"cpu":"0"}})", "BestEffort"},
      {"others do not count", R"({"limits":{"example.com/x":"1"}})", "BestEffort"},
  };
  for (const auto& c : cases) {
    KindFixture pods = Pods();
    EXPECT_EQ(pods.Create(Spec("", base::Cat(R"("resources":)", c.resources))), "") << c.name;
    EXPECT_TRUE(pods.object().ends_with(base::Cat(R"("status":{"phase":"Pending","qosClass":")", c.qos, "\"}}")))
        << c.name << pods.object();
  }
  KindFixture pods = Pods();
  EXPECT_EQ(pods.Create(Spec() + R"(,"status":{"qosClass":"Burstable","phase":"Failed"})"), "");
  EXPECT_TRUE(pods.object().contains(R"("status":{"phase":"Pending","qosClass":"Burstable"})")) << pods.object();
  EXPECT_EQ(pods.Create(Spec(R"("schedulingGates":[{"name":"a"}])")), "");
  EXPECT_TRUE(pods.object().contains(R"("reason":"SchedulingGated","status":"False","type":"PodScheduled"})"));
}

TEST(NewPods, AffinityTakesTheLabelsThatItNames) {
  KindFixture pods = Pods();
  EXPECT_EQ(pods.Create(Spec(R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
      {"topologyKey":"k","labelSelector":{},"matchLabelKeys":["a","c"],"mismatchLabelKeys":["b"]}]}})"),
                        R"("labels":{"a":"1","b":"2"})"),
            "");
  EXPECT_TRUE(pods.object().contains(R"("matchExpressions":[{"key":"a","operator":"In","values":["1"]},)"
                                     R"({"key":"b","operator":"NotIn","values":["2"]}])"))
      << pods.object();
}

TEST(NewPods, AppArmorIsSaidTwice) {
  KindFixture pods = Pods();
  constexpr std::string_view kAnnotation = R"("annotations":{"container.apparmor.security.beta.kubernetes.io/c":")";
  EXPECT_EQ(pods.Create(Spec(), base::Cat(kAnnotation, "localhost/a\"}")), "");
  EXPECT_TRUE(pods.object().contains(R"("appArmorProfile":{"localhostProfile":"a","type":"Localhost"})"));
  EXPECT_TRUE(pods.warnings().contains("deprecated since v1.30")) << pods.warnings();
  EXPECT_EQ(pods.Create(Spec(R"("securityContext":{"appArmorProfile":{"type":"Unconfined"}})"),
                        base::Cat(kAnnotation, "runtime/default\"}")),
            "");
  EXPECT_EQ(pods.Create(Spec("", R"("securityContext":{"appArmorProfile":{"type":"Unconfined"}})"),
                        base::Cat(kAnnotation, "runtime/default\"}")),
            "spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field "
            "must match");
}

TEST(NewPods, DropWhatDisabledFeaturesHave) {
  KindFixture pods = Pods();
  EXPECT_EQ(pods.Create(Spec(R"("hostUsers":false,"resources":{"limits":{"cpu":"1"}},"resourceClaims":[{"name":"r"}],
      "volumes":[{"name":"i","image":{"reference":"r"}}],"securityContext":{"supplementalGroupsPolicy":"Strict"})",
                             R"("resizePolicy":[{"resourceName":"cpu","restartPolicy":"NotRequired"}],
      "volumeMounts":[{"name":"i","mountPath":"/i"}],"securityContext":{"procMount":"Unmasked"})")),
            "");
  for (std::string_view gone : {"hostUsers", "resourceClaims", "volumes", "Strict", "resizePolicy", "volumeMounts"}) {
    EXPECT_FALSE(pods.object().contains(gone)) << gone;
  }
  EXPECT_TRUE(pods.object().contains(R"("procMount":"Default")"));
}

constexpr std::string_view kOthers = "spec: Forbidden: pod updates may not change fields other than";

TEST(Pods, Changes) {
  struct {
    const char* name;
    std::string old, now;
    const char* error;  // the beginning
  } cases[] = {
      {"image", Spec(), R"("spec":{"containers":[{"name":"c","image":"j","imagePullPolicy":"Always"}]})", ""},
      {"no image", Spec(), R"("spec":{"containers":[{"name":"c","imagePullPolicy":"Always"}]})",
       "spec.containers[0].image: Required value"},
      {"container", Spec(), R"("spec":{"containers":[{"name":"c","image":"i"},{"name":"d","image":"i"}]})",
       "spec.containers: Forbidden: pod updates may not add or remove containers"},
      {"deadline", Spec(), Spec(R"("activeDeadlineSeconds":5)"), ""},
      {"earlier deadline", Spec(R"("activeDeadlineSeconds":5)"), Spec(R"("activeDeadlineSeconds":4)"), ""},
      {"later deadline", Spec(R"("activeDeadlineSeconds":5)"), Spec(R"("activeDeadlineSeconds":6)"),
       "spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value"},
      {"no deadline", Spec(R"("activeDeadlineSeconds":5)"), Spec(),
       "spec.activeDeadlineSeconds: Invalid value: \"null\": must not update from a positive integer to nil value"},
      {"toleration", Spec(), Spec(R"("tolerations":[{"operator":"Exists"}])"), ""},
      {"seconds of a toleration", Spec(R"("tolerations":[{"operator":"Exists","effect":"NoExecute"}])"),
       Spec(R"("tolerations":[{"operator":"Exists","effect":"NoExecute","tolerationSeconds":1}])"), ""},
      {"less tolerations", Spec(R"("tolerations":[{"operator":"Exists"}])"), Spec(),
       "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"},
      {"gate gone", Spec(R"("schedulingGates":[{"name":"a"},{"name":"b"}])"),
       Spec(R"("schedulingGates":[{"name":"b"}])"), ""},
      {"new gate", Spec(R"("schedulingGates":[{"name":"a"}])"), Spec(R"("schedulingGates":[{"name":"b"}])"),
       "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'b'"},
      {"node selector", Spec(), Spec(R"("nodeSelector":{"a":"b"})"), kOthers.data()},
      {"node selector of a gated pod", Spec(R"("schedulingGates":[{"name":"a"}])"),
       Spec(R"("schedulingGates":[{"name":"a"}],"nodeSelector":{"a":"b"})"), ""},
      {"node selector lost", Spec(R"("schedulingGates":[{"name":"a"}],"nodeSelector":{"a":"b"})"),
       Spec(R"("schedulingGates":[{"name":"a"}])"),
       "spec.nodeSelector: Invalid value: map[string]string(nil): only additions to spec.nodeSelector are allowed"},
      {"grace", Spec(), Spec(R"("terminationGracePeriodSeconds":5)"), kOthers.data()},
  };
  for (const auto& c : cases) {
    const std::string errors = Pods().Update(c.old, c.now);
    EXPECT_EQ(errors.substr(0, std::string_view(c.error).size()), c.error) << c.name;
    EXPECT_EQ(errors.empty(), *c.error == '\0') << c.name << errors;
  }
}

TEST(Pods, EmptyListsAreNoneInWhatIsShownOfAChange) {
  const std::string errors = Pods().Update(Spec(R"("volumes":[{"name":"v","emptyDir":{}}])"),
                                           Spec(R"("volumes":[],"initContainers":[],"hostname":"h")"));
  EXPECT_TRUE(errors.contains("+ \tVolumes:        nil,\n  \tInitContainers: nil,\n")) << errors;
}

std::string Affinity(std::string_view terms) {
  return Spec(base::Cat(R"("schedulingGates":[{"name":"a"}],"affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)",
                        terms, "}}}"));
}

TEST(Pods, NodesOfGatedPodsAreOnlyRuledOut) {
  constexpr std::string_view kTerms =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const std::string one = Affinity(R"([{"matchExpressions":[{"key":"a","operator":"Exists"}]}])");
  EXPECT_EQ(Pods().Update(Spec(R"("schedulingGates":[{"name":"a"}])"), one), "");
  EXPECT_EQ(Pods().Update(one, Affinity(R"([{"matchExpressions":[{"key":"a","operator":"Exists"},
      {"key":"b","operator":"Exists"}]}])")),
            "");
  EXPECT_EQ(
      Pods().Update(one, Affinity(R"([{"matchExpressions":[{"key":"b","operator":"Exists"}]}])")),
      base::Cat(
          kTerms,
          R"([0]: Invalid value: core.NodeSelectorTerm{"matchExpressions":[{"key":"b","operator":"Exists"}]}: only additions )"
          "are allowed (no mutations or deletions)"));
  EXPECT_EQ(Pods().Update(one, Spec(R"("schedulingGates":[{"name":"a"}])")),
            base::Cat(kTerms,
                      ": Invalid value: []core.NodeSelectorTerm(nil): no additions/deletions to non-empty "
                      "NodeSelectorTerms list are allowed"));
}

TEST(Pods, AnnotationsThatStay) {
  constexpr std::string_view kMirror = R"("annotations":{"kubernetes.io/config.mirror":"a"})";
  const std::string on_node = Spec(R"("nodeName":"n")");
  EXPECT_EQ(Pods().Update(on_node, on_node, "", kMirror, kMirror), "");
  EXPECT_EQ(Pods().Update(on_node, on_node, "", kMirror, ""),
            "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not remove or update mirror pod "
            "annotation");
  EXPECT_EQ(Pods().Update(on_node, on_node, "", "", kMirror),
            "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation");
}

TEST(Pods, EphemeralContainers) {
  const std::string old = Spec(R"("ephemeralContainers":[{"name":"e","image":"i"}])");
  constexpr std::string_view kEndpoint = "ephemeralcontainers";
  KindFixture pods = Pods();
  EXPECT_EQ(pods.Update(old, Spec(R"("hostname":"h","ephemeralContainers":[{"name":"f","image":"i"},
      {"name":"e","image":"i"}])"),
                        kEndpoint),
            "");
  EXPECT_FALSE(pods.object().contains("hostname"));
  EXPECT_EQ(Pods().Update(old, Spec(), kEndpoint),
            "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"e\" may not be removed\n");
  EXPECT_TRUE(Pods()
                  .Update(old, Spec(R"("ephemeralContainers":[{"name":"e","image":"j"}])"), kEndpoint)
                  .starts_with("spec.ephemeralContainers: Forbidden: existing ephemeral containers \"e\" may not be "
                               "changed\n  core.EphemeralContainer{\n"));
  constexpr std::string_view kMirror = R"("annotations":{"kubernetes.io/config.mirror":"a"})";
  const std::string on_node = Spec(R"("nodeName":"n")");
  EXPECT_EQ(Pods().Update(on_node, on_node, kEndpoint, kMirror, kMirror),
            "[]: Forbidden: static pods do not support ephemeral containers");
}

TEST(Pods, Status) {
  struct {
    const char *name, *old, *now, *error;
  } cases[] = {
      {"phase", "{}", R"({"phase":"Odd"})", ""},
      {"condition", "{}", R"({"conditions":[{"type":"a/b","status":"True"},{"type":"Ready","status":"x"}]})", ""},
      {"class", R"({"qosClass":"Burstable"})", R"({"qosClass":"Guaranteed"})",
       "status.qosClass: Invalid value: \"Guaranteed\": field is immutable"},
      {"class left out", R"({"qosClass":"Burstable"})", "{}", ""},
      {"node", "{}", R"({"nominatedNodeName":"A"})",
       "status.nominatedNodeName: Invalid value: \"A\": a lowercase RFC 1123"},
      {"addresses", "{}", R"({"podIPs":[{"ip":"1.2.3.4"},{"ip":"::1"}]})", ""},
      {"no address", "{}", R"({"podIPs":[{"ip":"x"}]})",
       "status.podIPs[0]: Invalid value: \"x\": must be a valid IP address"},
      {"one family", "{}", R"({"podIPs":[{"ip":"1.2.3.4"},{"ip":"1.2.3.5"}]})",
       R"(status.podIPs: Invalid value: [{"ip":"1.2.3.4"},{"ip":"1.2.3.5"}]: may specify no more than one IP for each IP family)"},
      {"host", "{}", R"({"hostIP":"1.2.3.4","hostIPs":[{"ip":"1.2.3.5"}]})",
       "status.hostIPs[0].ip: Invalid value: \"1.2.3.5\": must be equal to `hostIP`"},
      {"ended", R"({"containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":1}}}]})",
       R"({"containerStatuses":[{"name":"c","state":{"running":{}}}]})",
       "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"},
      {"claim", "{}", R"({"resourceClaimStatuses":[{"name":"a"}]})",
       "status.resourceClaimStatuses[0].name: Invalid value: \"a\": must match the name of an entry in "
       "`spec.resourceClaims`"},
      {"user", "{}", R"({"containerStatuses":[{"name":"c","user":{"linux":{"uid":-1,"gid":0}}}]})",
       "status.containerStatuses[0].linux.uid: Invalid value: -1: must be between 0 and 2147483647, inclusive"},
  };
  for (const auto& c : cases) {
    const std::string spec = Spec(R"("restartPolicy":"Never")");
    const std::string errors =
        Pods().Update(base::Cat(spec, R"(,"status":)", c.old), base::Cat(R"("spec":{},"status":)", c.now), "status");
    EXPECT_EQ(errors.substr(0, std::string_view(c.error).size()), c.error) << c.name;
    EXPECT_EQ(errors.empty(), *c.error == '\0') << c.name << errors;
  }
}

TEST(Pods, TheStatusSaysNothingOfDeletion) {
  const std::string pod = Spec() + R"(,"status":{"phase":"Pending"})";
  constexpr std::string_view kTime = R"("deletionTimestamp":"2024-01-02T03:04:05Z")";
  EXPECT_EQ(Pods().Update(pod, pod, "status", "", kTime), "");
  EXPECT_EQ(Pods().Update(pod, pod, "status", kTime, ""), "");
  EXPECT_EQ(Pods().Update(pod, pod, "", "", kTime).substr(0, 38), "metadata.deletionTimestamp: Invalid va");
}

// The pod was written while the gate of claims was on.
TEST(Pods, StatusOfClaims) {
  const std::string spec = Spec(R"("resourceClaims":[{"name":"a","resourceClaimTemplateName":"t"}])");
  const auto errors = [&](std::string_view claims) {
    return Pods().Update(spec, base::Cat(spec, R"(,"status":{"resourceClaimStatuses":[)", claims, "]}"), "status");
  };
  EXPECT_EQ(errors(R"({"name":"a","resourceClaimName":"c"})"), "");
  EXPECT_EQ(errors(R"({"name":"a"},{"name":"a"})"), "status.resourceClaimStatuses[1].name: Duplicate value: \"a\"");
  EXPECT_EQ(errors(R"({"name":"b"})"),
            "status.resourceClaimStatuses[0].name: Invalid value: \"b\": must match the name of an entry in "
            "`spec.resourceClaims`");
}

}  // namespace
}  // namespace resources::core
