#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::autoscaling {
namespace {

struct Case {
  std::string_view members, error;
};

std::string Spec(std::string_view members) {
  return base::Cat(R"("spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"d"})",
                   members.empty() ? "" : ",", members, "}");
}

KindFixture Autoscalers() { return {"autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true}; }

TEST(HorizontalPodAutoscalers, AreCreated) {
  KindFixture kind = Autoscalers();
  const Case cases[] = {
      {"", ""},
      {R"("minReplicas":0)",
       "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1\n"
       "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero "
       "replicas"},
      {R"("maxReplicas":0)",
       "spec.maxReplicas: Invalid value: 0: must be greater than 0\n"
       "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`"},
      {R"("scaleTargetRef":{"kind":"","name":"a/b"})",
       "spec.scaleTargetRef.kind: Required value\nspec.scaleTargetRef.name: Invalid value: \"a/b\": may not contain "
       "'/'"},
      {R"("behavior":{"scaleUp":{"stabilizationWindowSeconds":3600,"selectPolicy":"Disabled"}})", ""},
      {R"("behavior":{"scaleUp":{"stabilizationWindowSeconds":3601,"selectPolicy":"x","policies":[]}})",
       "spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600\n"
       "spec.behavior.scaleUp.selectPolicy: Unsupported value: \"x\": supported values: \"Disabled\", \"Max\", "
       "\"Min\"\n"
       "spec.behavior.scaleUp.policies: Required value: must specify at least one Policy"},
      {R"("behavior":{"scaleDown":{"policies":[{"type":"x","value":0,"periodSeconds":1801}]}})",
       "spec.behavior.scaleDown.policies[0].type: Unsupported value: \"x\": supported values: \"Percent\", \"Pods\"\n"
       "spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero\n"
       "spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800"},
  };
  for (const Case& c : cases) EXPECT_EQ(kind.Create(Spec(c.members)), c.error) << c.members;
}

TEST(HorizontalPodAutoscalers, LookAtMetrics) {
  KindFixture kind = Autoscalers();
  const Case cases[] = {
      {R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":1}}})", ""},
      {R"({"type":"Pods","pods":{"metric":{"name":"q"},"target":{"type":"AverageValue","averageValue":"1"}}})", ""},
      {R"({"type":"External","external":{"metric":{"name":"q"},"target":{"type":"Value","value":"1"}}})", ""},
      {R"({"type":"Object","object":{"describedObject":{"kind":"K","name":"n"},"metric":{"name":"q"},"target":{"type":"Value","value":"1"}}})",
       ""},
      {R"({"type":"ContainerResource","containerResource":{"name":"cpu","container":"c","target":{"type":"Utilization","averageUtilization":1}}})",
       ""},
      {"{}",
       "type: Required value: must specify a metric source type\n"
       "type: Unsupported value: \"\": supported values: \"ContainerResource\", \"External\", \"Object\", \"Pods\", "
       "\"Resource\"\n"
       "type: Unsupported value: \"\": supported values: \"ContainerResource\", \"External\", \"Object\", \"Pods\", "
       "\"Resource\""},
      {R"({"type":"Resource"})", "resource: Required value: must populate information for the given metric source"},
      {R"({"type":"Resource","resource":{"target":{}}})",
       "resource.name: Required value: must specify a resource name\n"
       "resource.target.type: Required value: must specify a metric target type\n"
       "resource.target.type: Invalid value: \"\": must be either Utilization, Value, or AverageValue\n"
       "resource.target.averageUtilization: Required value: must set either a target raw value or a target "
       "utilization"},
      {R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Value","averageUtilization":0,"averageValue":"1"}}})",
       "resource.target.averageUtilization: Invalid value: 0: must be greater than 0\n"
       "resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization"},
      {R"({"type":"External","external":{"metric":{"name":"a%"},"target":{"type":"Value","value":"1","averageValue":"1"}}})",
       "external.metric.name: Invalid value: \"a%\": may not contain '%'\n"
       "external.target.value: Forbidden: may not set both a target value for metric and a per-pod target"},
      {R"({"type":"Pods","pods":{"metric":{"name":"q"},"target":{"type":"Value"}}})",
       "pods.target.averageValue: Required value: must specify a positive target averageValue"},
      {R"({"type":"Object","object":{"describedObject":{"kind":"K","name":"n"},"metric":{},"target":{"type":"Value"}}})",
       "object.metric.name: Required value: must specify a metric name\n"
       "object.target.averageValue: Required value: must set either a target value or averageValue"},
      {R"({"type":"ContainerResource","containerResource":{"target":{"type":"Utilization","averageUtilization":1}}})",
       "containerResource.name: Required value: must specify a resource name\n"
       "containerResource.container: Required value: must specify a container"},
      {R"({"type":"Pods","pods":{"metric":{"name":"q"},"target":{"type":"AverageValue","averageValue":"1"}},"resource":{}})",
       "resource: Forbidden: must populate the given metric source only"},
  };
  for (const Case& c : cases) {
    std::string expected(c.error);
    const std::string metric = "spec.metrics[0].";
    for (size_t at = expected.empty() ? expected.npos : 0; at != expected.npos; at = expected.find('\n', at)) {
      if (expected[at] == '\n') ++at;
      expected.insert(at, metric);
    }
    EXPECT_EQ(kind.Create(Spec(base::Cat(R"("metrics":[)", c.members, "]"))), expected) << c.members;
  }
}

TEST(HorizontalPodAutoscalers, AreUpdated) {
  KindFixture kind = Autoscalers();
  EXPECT_EQ(kind.Update(Spec(""), Spec(R"("maxReplicas":5)")), "");
  constexpr std::string_view kNone =
      R"("minReplicas":0,"metrics":[{"type":"External","external":{"metric":{"name":"q"},"target":{"type":"Value","value":"1"}}}])";
  EXPECT_EQ(kind.Update(Spec(kNone), Spec(kNone)), "");  // it had none before
  EXPECT_EQ(kind.Update(Spec(""), Spec(kNone)),
            "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1");
  EXPECT_EQ(
      kind.Update(Spec(""), base::Cat(Spec(""), R"(,"status":{"currentReplicas":-1,"desiredReplicas":-2})"), "status"),
      "status.currentReplicas: Invalid value: -1: must be greater than or equal to 0\n"
      "status.desiredReplicas: Invalid value: -2: must be greater than or equal to 0");
}

}  // namespace
}  // namespace resources::autoscaling
