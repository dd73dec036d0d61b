#include "resources/conversions.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "schema/decode.h"
#include "schema/encode.h"
#include "schema/schema.h"
#include "value/arena.h"
#include "value/json_reader.h"

namespace resources {
namespace {

class ConversionsTest : public testing::Test {
 protected:
  // `json` of the served version as stored, or back.
  std::string Convert(std::string_view group, std::string_view from, std::string_view to_group, std::string_view to,
                      std::string_view kind, value::Value (*convert)(value::Arena&, const value::Value&),
                      std::string_view json) {
    value::Value document = *value::ReadJson(json, arena_);
    auto tree = schema::Decode(*schema::FindKind(group, from, kind), document, arena_, nullptr);
    if (!tree) return tree.error().message;
    std::string out;
    schema::EncodeJson(*schema::FindKind(to_group, to, kind), convert(arena_, *tree), out);
    return out;
  }
  std::string HpaToV1(std::string_view json) {
    return Convert("autoscaling", "v2", "autoscaling", "v1", "HorizontalPodAutoscaler",
                   autoscaling::HorizontalPodAutoscalerToV1, json);
  }
  std::string HpaToV2(std::string_view json) {
    return Convert("autoscaling", "v1", "autoscaling", "v2", "HorizontalPodAutoscaler",
                   autoscaling::HorizontalPodAutoscalerToV2, json);
  }
  value::Arena arena_;
};

TEST_F(ConversionsTest, HpaCpuIsAFieldInBoth) {
  constexpr std::string_view kV1 =
      R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1","metadata":{"name":"a","creationTimestamp":null},)"
      R"("spec":{"scaleTargetRef":{"kind":"Deployment","name":"d","apiVersion":"apps/v1"},"minReplicas":1,"maxReplicas":3,)"
      R"("targetCPUUtilizationPercentage":60},"status":{"currentReplicas":0,"desiredReplicas":0}})";
  constexpr std::string_view kV2 =
      R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"a","creationTimestamp":null},)"
      R"("spec":{"scaleTargetRef":{"kind":"Deployment","name":"d","apiVersion":"apps/v1"},"minReplicas":1,"maxReplicas":3,)"
      R"("metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":60}}}]},)"
      R"("status":{"desiredReplicas":0,"currentMetrics":null}})";
  EXPECT_EQ(HpaToV2(kV1), kV2);
  EXPECT_EQ(HpaToV1(kV2), kV1);
}

TEST_F(ConversionsTest, HpaWithoutMetricsHasTheDefaultOne) {
  std::string v2 = HpaToV2(R"({"spec":{"maxReplicas":3}})");
  EXPECT_NE(v2.find(R"("averageUtilization":80)"), v2.npos) << v2;
}

TEST_F(ConversionsTest, HpaKeepsTheRestInAnnotations) {
  constexpr std::string_view kV2 =
      R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"a","creationTimestamp":null,)"
      R"("annotations":{"mine":"x"}},"spec":{"scaleTargetRef":{"kind":"D","name":"d"},"maxReplicas":3,"metrics":[)"
      R"({"type":"Object","object":{"describedObject":{"kind":"Service","name":"s"},"target":{"type":"Value","value":"2"},)"
      R"("metric":{"name":"m"}}},{"type":"Pods","pods":{"metric":{"name":"p","selector":{"matchLabels":{"a":"b"}}},)"
      R"("target":{"type":"AverageValue","averageValue":"1k"}}},)"
      R"({"type":"External","external":{"metric":{"name":"e"},"target":{"type":"AverageValue","averageValue":"30"}}},)"
      R"({"type":"ContainerResource","containerResource":{"name":"cpu","target":{"type":"Utilization",)"
      R"("averageUtilization":10},"container":"c"}},)"
      R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":60}}}],)"
      R"("behavior":{"scaleDown":{"stabilizationWindowSeconds":5,"selectPolicy":"Max","policies":[{"type":"Pods",)"
      R"("value":4,"periodSeconds":15}]}}},"status":{"desiredReplicas":0,"currentMetrics":[{"type":"Resource",)"
      R"("resource":{"name":"cpu","current":{"averageValue":"10m","averageUtilization":7}}}],"conditions":[{"type":"T",)"
      R"("status":"True","lastTransitionTime":"2020-01-01T00:00:00Z"}]}})";
  constexpr std::string_view kV1 =
      R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1","metadata":{"name":"a","creationTimestamp":null,)"
      R"("annotations":{"autoscaling.alpha.kubernetes.io/behavior":"{\"ScaleUp\":null,\"ScaleDown\":{)"
      R"(\"StabilizationWindowSeconds\":5,\"SelectPolicy\":\"Max\",\"Policies\":[{\"Type\":\"Pods\",\"Value\":4,)"
      R"(\"PeriodSeconds\":15}]}}","autoscaling.alpha.kubernetes.io/conditions":"[{\"type\":\"T\",\"status\":\"True\",)"
      R"(\"lastTransitionTime\":\"2020-01-01T00:00:00Z\"}]","autoscaling.alpha.kubernetes.io/current-metrics":"[{)"
      R"(\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"currentAverageUtilization\":7,)"
      R"(\"currentAverageValue\":\"10m\"}}]","autoscaling.alpha.kubernetes.io/metrics":"[{\"type\":\"Object\",)"
      R"(\"object\":{\"target\":{\"kind\":\"Service\",\"name\":\"s\"},\"metricName\":\"m\",\"targetValue\":\"2\"}},)"
      R"({\"type\":\"Pods\",\"pods\":{\"metricName\":\"p\",\"targetAverageValue\":\"1k\",\"selector\":{\"matchLabels\":)"
      R"({\"a\":\"b\"}}}},{\"type\":\"External\",\"external\":{\"metricName\":\"e\",\"targetAverageValue\":\"30\"}},)"
      R"({\"type\":\"ContainerResource\",\"containerResource\":{\"name\":\"cpu\",\"targetAverageUtilization\":10,)"
      R"(\"container\":\"c\"}}]","mine":"x"}},"spec":{"scaleTargetRef":{"kind":"D","name":"d"},"maxReplicas":3,)"
      R"("targetCPUUtilizationPercentage":60},"status":{"currentReplicas":0,"desiredReplicas":0,)"
      R"("currentCPUUtilizationPercentage":7}})";
  EXPECT_EQ(HpaToV1(kV2), kV1);
  EXPECT_EQ(HpaToV2(kV1), kV2);
}

TEST_F(ConversionsTest, HpaAnnotationsThatCannotBeReadAreDropped) {
  std::string v2 = HpaToV2(
      R"({"metadata":{"annotations":{"autoscaling.alpha.kubernetes.io/metrics":"[","autoscaling.alpha.kubernetes.io/behavior":"1"}},)"
      R"("spec":{"targetCPUUtilizationPercentage":5}})");
  EXPECT_EQ(v2.find("annotations"), v2.npos) << v2;
  EXPECT_NE(v2.find(R"("averageUtilization":5)"), v2.npos) << v2;
}

TEST_F(ConversionsTest, EventsHaveTwoNames) {
  constexpr std::string_view kCore =
      R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"e","creationTimestamp":null},"involvedObject":{"kind":"Pod","name":"p"},)"
      R"("reason":"r","message":"m","source":{"component":"c"},"firstTimestamp":"2020-01-01T00:00:00Z","lastTimestamp":null,)"
      R"("count":2,"type":"Normal","eventTime":null,"reportingComponent":"x","reportingInstance":""})";
  constexpr std::string_view kEvents =
      R"({"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{"name":"e","creationTimestamp":null},"eventTime":null,)"
      R"("reportingController":"x","reason":"r","regarding":{"kind":"Pod","name":"p"},"note":"m","type":"Normal",)"
      R"("deprecatedSource":{"component":"c"},"deprecatedFirstTimestamp":"2020-01-01T00:00:00Z","deprecatedLastTimestamp":null,)"
      R"("deprecatedCount":2})";
  EXPECT_EQ(Convert("", "v1", "events.k8s.io", "v1", "Event", core::EventToEventsGroup, kCore), kEvents);
  EXPECT_EQ(Convert("events.k8s.io", "v1", "", "v1", "Event", core::EventFromEventsGroup, kEvents), kCore);
}

TEST_F(ConversionsTest, CapacitiesOfDevicesChangeForm) {
  constexpr std::string_view kBeta =
      R"({"spec":{"driver":"d","pool":{"name":"p"},"devices":[{"name":"x","basic":{"capacity":{"memory":{"value":"1Gi"}}}}]}})";
  std::string alpha = Convert("resource.k8s.io", "v1beta1", "resource.k8s.io", "v1alpha3", "ResourceSlice",
                              resource::ResourceSliceToV1alpha3, kBeta);
  EXPECT_NE(alpha.find(R"("capacity":{"memory":"1Gi"})"), alpha.npos) << alpha;
  std::string beta = Convert("resource.k8s.io", "v1alpha3", "resource.k8s.io", "v1beta1", "ResourceSlice",
                             resource::ResourceSliceToV1beta1, alpha);
  EXPECT_NE(beta.find(R"("capacity":{"memory":{"value":"1Gi"}})"), beta.npos) << beta;
}

}  // namespace
}  // namespace resources
