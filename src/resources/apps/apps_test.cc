#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::apps {
namespace {

constexpr std::string_view kPods =
    R"("selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","imagePullPolicy":"Always","terminationMessagePolicy":"File"}]}})";

// A spec that is good, with `members` that may say more, or otherwise.
std::string Spec(std::string_view members) {
  return base::Cat(R"("spec":{)", kPods, members.empty() ? "" : ",", members, "}");
}

struct Case {
  std::string_view members, error;
};

void ExpectCreates(KindFixture kind, std::initializer_list<Case> cases) {
  EXPECT_EQ(kind.Create(Spec("")), "");
  for (const Case& c : cases) EXPECT_EQ(kind.Create(Spec(c.members)), c.error) << c.members;
}

void ExpectStatuses(KindFixture kind, std::initializer_list<Case> cases) {
  const std::string good = base::Cat(Spec(""), R"(,"status":{"replicas":3,"readyReplicas":2,"availableReplicas":1,)",
                                     R"("collisionCount":2,"currentNumberScheduled":1})");
  EXPECT_EQ(kind.Update(good, good, "status"), "");
  for (const Case& c : cases) {
    EXPECT_EQ(kind.Update(good, base::Cat(Spec(""), R"(,"status":{"replicas":3,"collisionCount":2,)", c.members, "}"),
                          "status"),
              c.error)
        << c.members;
  }
}

TEST(Deployments, AreCreated) {
  ExpectCreates(
      {"apps", "v1", "deployments", "Deployment", true},
      {
          {R"("replicas":0,"minReadySeconds":5,"revisionHistoryLimit":0)", ""},
          {R"("replicas":-1)", "spec.replicas: Invalid value: -1: must be greater than or equal to 0"},
          {R"("minReadySeconds":-1)", "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"},
          {R"("revisionHistoryLimit":-1)",
           "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0"},
          {R"("selector":{"matchLabels":{"a":"c"}})",
           "spec.template.metadata.labels: Invalid value: map[string]string{\"a\":\"b\"}: `selector` does not match "
           "template `labels`"},
          {R"("progressDeadlineSeconds":10,"minReadySeconds":10)",
           "spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds"},
          {R"("strategy":{"type":"Recreate"})", ""},
          {R"("strategy":{"type":"Recreate","rollingUpdate":{}})",
           "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"},
          {R"("strategy":{"type":"x"})",
           "spec.strategy: Unsupported value: apps.DeploymentStrategy{\"type\":\"x\"}: supported values: \"Recreate\", "
           "\"RollingUpdate\""},
          {R"("strategy":{"rollingUpdate":{"maxSurge":"30%","maxUnavailable":"100%"}})", ""},
          {R"("strategy":{"rollingUpdate":{"maxUnavailable":"101%"}})",
           "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, "
           "StrVal:\"101%\"}: must not be greater than 100%"},
          {R"("strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":"0%"}})",
           "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, "
           "StrVal:\"0%\"}: may not be 0 when `maxSurge` is 0"},
          {R"("strategy":{"rollingUpdate":{"maxSurge":-1}})",
           "spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0"},
          {R"("template":{"spec":{"restartPolicy":"Never","activeDeadlineSeconds":1}})",
           "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"\n"
           "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported"},
      });
  KindFixture kind("apps", "v1", "deployments", "Deployment", true);
  EXPECT_TRUE(kind.Create(R"("spec":{"selector":{}})")
                  .starts_with("spec.selector: Invalid value: v1.LabelSelector{}: empty selector is invalid for "
                               "deployment\nspec.template.spec"));
  EXPECT_EQ(kind.Create("").substr(0, 30), "spec.selector: Required value\n");
  EXPECT_EQ(kind.Create(R"("spec":{"selector":{"matchLabels":{"a":"b c"}}})").substr(0, 32),
            "spec.selector.matchLabels: Inval");
  EXPECT_EQ(kind.Create(Spec(""), R"("annotations":{"deprecated.deployment.rollback.to":"-5"})"),
            "spec.rollback.version: Invalid value: -5: must be greater than or equal to 0");
  EXPECT_EQ(kind.Create(Spec(""), R"("annotations":{"deprecated.deployment.rollback.to":"+5"})"), "");
  EXPECT_EQ(kind.Create(Spec(""), R"("name":"a.b")"), "");
  EXPECT_TRUE(kind.warnings().ends_with("a DNS label is recommended: [must not contain dots]"));
}

TEST(Deployments, AreUpdated) {
  KindFixture kind("apps", "v1", "deployments", "Deployment", true);
  EXPECT_EQ(kind.Update(Spec(""), Spec(R"("replicas":4,"paused":true)")), "");
  EXPECT_EQ(
      kind.Update(Spec(""),
                  Spec(R"("selector":{"matchLabels":{"c":"d"}},"template":{"metadata":{"labels":{"c":"d"}}})")),
      "spec.selector: Invalid value: v1.LabelSelector{\"matchLabels\":{\"a\":\"b\",\"c\":\"d\"}}: field is immutable");
  ExpectStatuses({"apps", "v1", "deployments", "Deployment", true},
                 {
                     {R"("observedGeneration":-1,"unavailableReplicas":-1)",
                      "status.observedGeneration: Invalid value: -1: must be greater than or equal to 0\n"
                      "status.unavailableReplicas: Invalid value: -1: must be greater than or equal to 0"},
                     {R"("updatedReplicas":4)",
                      "status.updatedReplicas: Invalid value: 4: cannot be greater than status.replicas"},
                     {R"("availableReplicas":1)",
                      "status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas"},
                     {R"("collisionCount":1)", "status.collisionCount: Invalid value: 1: cannot be decremented"},
                     {R"("collisionCount":3)", ""},
                 });
}

TEST(ReplicaSets, AreCreatedAndUpdated) {
  ExpectCreates(
      {"apps", "v1", "replicasets", "ReplicaSet", true},
      {
          {R"("replicas":-1)", "spec.replicas: Invalid value: -1: must be greater than or equal to 0"},
          {R"("minReadySeconds":-1)", "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"},
      });
  ExpectStatuses({"apps", "v1", "replicasets", "ReplicaSet", true},
                 {
                     {R"("fullyLabeledReplicas":4)",
                      "status.fullyLabeledReplicas: Invalid value: 4: cannot be greater than status.replicas"},
                     {R"("readyReplicas":1,"availableReplicas":2)",
                      "status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas"},
                 });
  KindFixture kind("apps", "v1", "replicasets", "ReplicaSet", true);
  // What its own validation looks at is found twice.
  EXPECT_EQ(kind.Update(Spec(""), Spec(R"("replicas":-2)")),
            "spec.replicas: Invalid value: -2: must be greater than or equal to 0\n"
            "spec.replicas: Invalid value: -2: must be greater than or equal to 0");
}

TEST(DaemonSets, AreCreatedAndUpdated) {
  ExpectCreates(
      {"apps", "v1", "daemonsets", "DaemonSet", true},
      {
          {R"("updateStrategy":{"type":"OnDelete"})", ""},
          {R"("updateStrategy":{"type":"x"})",
           "spec.updateStrategy: Unsupported value: apps.DaemonSetUpdateStrategy{\"type\":\"x\"}: supported values: "
           "\"RollingUpdate\", \"OnDelete\""},
          {R"("updateStrategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0}})", ""},
          {R"("updateStrategy":{"rollingUpdate":{"maxSurge":1}})",
           "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{Type:0, IntVal:1, "
           "StrVal:\"\"}: may not be set when maxUnavailable is non-zero"},
          {R"("updateStrategy":{"rollingUpdate":{"maxUnavailable":0}})",
           "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"},
          {R"("minReadySeconds":-1,"revisionHistoryLimit":-1)",
           "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0\n"
           "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0"},
          {R"("template":{"spec":{"restartPolicy":"Never","activeDeadlineSeconds":1}})",
           "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"\n"
           "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported"},
      });
  ExpectStatuses({"apps", "v1", "daemonsets", "DaemonSet", true},
                 {
                     {R"("numberReady":-1,"numberMisscheduled":-1)",
                      "status.numberMisscheduled: Invalid value: -1: must be greater than or equal to 0\n"
                      "status.numberReady: Invalid value: -1: must be greater than or equal to 0"},
                     {R"("collisionCount":1)", "status.collisionCount: Invalid value: 1: cannot be decremented"},
                 });
}

TEST(StatefulSets, AreCreatedAndUpdated) {
  ExpectCreates(
      {"apps", "v1", "statefulsets", "StatefulSet", true},
      {
          {R"("podManagementPolicy":"Parallel","ordinals":{"start":1})", ""},
          {R"("podManagementPolicy":"x")",
           "spec.podManagementPolicy: Invalid value: \"x\": must be 'OrderedReady' or 'Parallel'"},
          {R"("ordinals":{"start":-1})", "spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0"},
          {R"("updateStrategy":{"type":"OnDelete"})", ""},
          {R"("updateStrategy":{"type":"OnDelete","rollingUpdate":{"partition":1}})",
           "spec.updateStrategy.rollingUpdate: Invalid value: "
           "apps.RollingUpdateStatefulSetStrategy{\"partition\":1}: only allowed for updateStrategy 'RollingUpdate'"},
          {R"("updateStrategy":{"type":"x"})",
           "spec.updateStrategy: Invalid value: apps.StatefulSetUpdateStrategy{\"type\":\"x\"}: must be "
           "'RollingUpdate' or 'OnDelete'"},
          {R"("updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":-1,"maxUnavailable":0}})",
           "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0"},
          {R"("persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Delete"})", ""},
          {R"("persistentVolumeClaimRetentionPolicy":{"whenDeleted":"x"})",
           "spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: \"x\": supported values: "
           "\"Retain\", \"Delete\""},
          {R"("template":{"spec":{"containers":[]}})", ""},  // hardly looked at
          {R"("template":{"spec":{"restartPolicy":"Never"}})",
           "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""},
      });
  KindFixture kind("apps", "v1", "statefulsets", "StatefulSet", true);
  EXPECT_EQ(kind.Update(Spec(""), Spec(R"("replicas":4,"minReadySeconds":2,"ordinals":{"start":2})")), "");
  EXPECT_TRUE(
      kind.Update(Spec(""), Spec(R"("serviceName":"s")")).starts_with("spec: Forbidden: updates to statefulset"));
  ExpectStatuses({"apps", "v1", "statefulsets", "StatefulSet", true},
                 {
                     {R"("currentReplicas":4)",
                      "status.currentReplicas: Invalid value: 4: cannot be greater than status.replicas"},
                     {R"("availableReplicas":1)",
                      "status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas"},
                     {R"("collisionCount":1)", "status.collisionCount: Invalid value: 1: cannot be decremented"},
                 });
}

TEST(ControllerRevisions, HoldObjectsThatStay) {
  KindFixture kind("apps", "v1", "controllerrevisions", "ControllerRevision", true);
  EXPECT_EQ(kind.Create(R"("revision":1,"data":{"a":1})"), "");
  EXPECT_EQ(kind.Create(R"("revision":1)"), "data: Required value: data is mandatory");
  EXPECT_EQ(kind.Create(R"("revision":1,"data":[])"), "data: Required value: data must be a valid JSON object");
  EXPECT_EQ(kind.Create(R"("revision":-1,"data":{})"),
            "revision: Invalid value: -1: must be greater than or equal to 0");
  EXPECT_EQ(kind.Update(R"("revision":1,"data":{"a":1})", R"("revision":2,"data":{"a":1})"), "");
  EXPECT_EQ(kind.Update(R"("data":{"a": 1})", R"("data":{"a":	1})"), "");
  EXPECT_TRUE(kind.Update(R"("data":{"a": 1})", R"("data":{"a":1})").ends_with("field is immutable"));
  EXPECT_TRUE(kind.Update(R"("data":{"a":1,"b":2})", R"("data":{"b":2,"a":1})").ends_with("field is immutable"));
  EXPECT_EQ(kind.Update(R"("revision":1,"data":{"a":1})", R"("revision":1,"data":{})"),
            "data: Invalid value: runtime.RawExtension{Raw:[]uint8{0x7b, 0x7d}, Object:runtime.Object(nil)}: field is "
            "immutable");
}

}  // namespace
}  // namespace resources::apps
