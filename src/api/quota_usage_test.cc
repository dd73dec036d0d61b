#include "api/quota_usage.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "value/arena.h"
#include "value/json_reader.h"

namespace api {
namespace {

constexpr int64_t kNow = 1'800'000'000;  // 2027-01-15T08:00:00Z

std::string Text(const ResourceList& list) {
  std::string text;
  for (const auto& [name, quantity] : list) text += base::Cat(text.empty() ? "" : " ", name, "=", quantity.text());
  return text;
}

TEST(QuotaUsage, OfObjects) {
  struct Case {
    std::string_view group, plural, object, usage;
  };
  const Case cases[] = {
      {"", "configmaps", "{}", "configmaps=1 count/configmaps=1"},
      {"apps", "deployments", "{}", "count/deployments.apps=1"},
      {"resource.k8s.io", "resourceclaims",
       R"({"spec":{"devices":{"requests":[{"deviceClassName":"a","allocationMode":"ExactCount","count":2},
           {"deviceClassName":"a","allocationMode":"All"},{"deviceClassName":"b","allocationMode":"Other","count":9}]}}})",
       "a.deviceclass.resource.k8s.io/devices=34 b.deviceclass.resource.k8s.io/devices=0 "
       "count/resourceclaims.resource.k8s.io=1"},
      {"", "services", R"({"spec":{"type":"ClusterIP","ports":[{"port":1}]}})",
       "count/services=1 services=1 services.loadbalancers=0 services.nodeports=0"},
      {"", "services", R"({"spec":{"type":"NodePort","ports":[{"port":1},{"port":2}]}})",
       "count/services=1 services=1 services.loadbalancers=0 services.nodeports=2"},
      {"", "services",
       R"({"spec":{"type":"LoadBalancer","allocateLoadBalancerNodePorts":false,
           "ports":[{"port":1,"nodePort":30000},{"port":2}]}})",
       "count/services=1 services=1 services.loadbalancers=1 services.nodeports=1"},
      {"", "persistentvolumeclaims",
       R"({"spec":{"storageClassName":"gold","resources":{"requests":{"storage":"1Gi"}}}})",
       "count/persistentvolumeclaims=1 gold.storageclass.storage.k8s.io/persistentvolumeclaims=1 "
       "gold.storageclass.storage.k8s.io/requests.storage=1Gi persistentvolumeclaims=1 requests.storage=1Gi"},
      {"", "persistentvolumeclaims",
       R"({"spec":{"resources":{"requests":{"storage":"1500m"}}},"status":{"allocatedResources":{"storage":"1"}}})",
       "count/persistentvolumeclaims=1 persistentvolumeclaims=1 requests.storage=2"},
      {"", "pods", R"({"spec":{"containers":[{"name":"c"}]}})", "count/pods=1 pods=1"},
      {"", "pods",
       R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"100m","memory":"1Gi","example.com/gpu":"1"},
                                               "limits":{"cpu":"1"}}},
                                 {"resources":{"requests":{"cpu":"200m"}}}]}})",
       "count/pods=1 cpu=300m limits.cpu=1 memory=1Gi pods=1 requests.cpu=300m requests.example.com/gpu=1 "
       "requests.memory=1Gi"},
      {"", "pods",
       R"({"spec":{"overhead":{"cpu":"1m"},"containers":[{"resources":{"requests":{"cpu":"100m"}}}],
           "initContainers":[{"restartPolicy":"Always","resources":{"requests":{"cpu":"50m"}}},
                             {"resources":{"requests":{"cpu":"400m"}}}]}})",
       "count/pods=1 cpu=451m pods=1 requests.cpu=451m"},
      {"", "pods", R"({"spec":{},"status":{"phase":"Succeeded"}})", "count/pods=1"},
      {"", "pods", R"({"metadata":{"deletionTimestamp":"2027-01-15T07:59:00Z","deletionGracePeriodSeconds":59}})",
       "count/pods=1"},
      {"", "pods", R"({"metadata":{"deletionTimestamp":"2027-01-15T07:59:00Z","deletionGracePeriodSeconds":60}})",
       "count/pods=1 pods=1"},
  };
  for (const Case& c : cases) {
    value::Arena arena;
    const auto now = std::chrono::system_clock::from_time_t(kNow);
    const ResourceList usage = QuotaUsage(c.group, c.plural, value::ReadJson(c.object, arena).value(), now, {});
    EXPECT_EQ(Text(usage), c.usage) << c.object;
    for (const auto& [name, quantity] : usage) EXPECT_TRUE(CountsFor(c.group, c.plural, name)) << name;
  }
}

TEST(QuotaUsage, NamesThatNothingCountsFor) {
  EXPECT_FALSE(CountsFor("", "pods", "requests.storage"));
  EXPECT_FALSE(CountsFor("", "pods", "example.com/gpu"));
  EXPECT_FALSE(CountsFor("apps", "deployments", "count/deployments"));
  EXPECT_FALSE(CountsFor("", "endpoints", "endpoints"));
  EXPECT_FALSE(CountsFor("", "persistentvolumeclaims", "gold/requests.storage"));
}

TEST(QuotaUsage, ScopesAreAboutPods) {
  constexpr std::string_view kBurstable = R"({"spec":{"activeDeadlineSeconds":5,"priorityClassName":"high",
      "containers":[{"resources":{"limits":{"cpu":"1"}}}],
      "affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"namespaces":["a"]}]}}}})";
  struct Case {
    std::string_view quota, object;
    bool in;
  };
  const Case cases[] = {
      {R"({"scopes":["Terminating","NotBestEffort","CrossNamespacePodAffinity","PriorityClass"]})", kBurstable, true},
      {R"({"scopes":["NotTerminating"]})", kBurstable, false},
      {R"({"scopes":["BestEffort"]})", kBurstable, false},
      {R"({"scopes":["BestEffort","NotTerminating"]})", "{}", true},
      {R"({"scopes":["PriorityClass"]})", "{}", false},
      {R"({"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In","values":["high"]}]}})",
       kBurstable, true},
      {R"({"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"NotIn","values":["high"]}]}})",
       kBurstable, false},
      {R"({"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"DoesNotExist"}]}})", "{}",
       true},
  };
  for (const Case& c : cases) {
    value::Arena arena;
    const value::Value quota = value::ReadJson(c.quota, arena).value(), pod = value::ReadJson(c.object, arena).value();
    EXPECT_EQ(InQuotaScopes(quota, "", "pods", pod, {}), c.in) << c.quota;
    EXPECT_FALSE(InQuotaScopes(quota, "", "services", pod, {})) << c.quota;
  }
}

TEST(QuotaUsage, OfPodsThatSayTheirOwnResources) {
  constexpr std::string_view kPod = R"({"spec":{"overhead":{"cpu":"1m"},
      "resources":{"requests":{"cpu":"1","hugepages-2Mi":"2Mi"},"limits":{"memory":"1Gi"}},
      "containers":[{"resources":{"requests":{"cpu":"100m","memory":"1Mi"},"limits":{"cpu":"2"}}}]}})";
  constexpr std::string_view kNothing = R"({"spec":{"resources":{},
      "containers":[{"resources":{"requests":{"cpu":"100m"}}}]}})";
  value::Arena arena;
  const value::Value pod = value::ReadJson(kPod, arena).value(), nothing = value::ReadJson(kNothing, arena).value();
  const value::Value best_effort = value::ReadJson(R"({"scopes":["BestEffort"]})", arena).value();
  Features on, off;
  on.Set(Feature::kPodLevelResources, true);
  EXPECT_EQ(Text(QuotaUsage("", "pods", pod, {}, on)),
            "count/pods=1 cpu=1001m limits.cpu=2001m limits.memory=1Gi memory=1Mi pods=1 requests.cpu=1001m "
            "requests.memory=1Mi");
  EXPECT_EQ(Text(QuotaUsage("", "pods", pod, {}, off)),
            "count/pods=1 cpu=101m limits.cpu=2001m memory=1Mi pods=1 requests.cpu=101m requests.memory=1Mi");
  EXPECT_TRUE(InQuotaScopes(best_effort, "", "pods", nothing, on));
  EXPECT_FALSE(InQuotaScopes(best_effort, "", "pods", nothing, off));
  EXPECT_FALSE(InQuotaScopes(best_effort, "", "pods", pod, on));
}

TEST(QuotaUsage, OfPodsThatAreResized) {
  constexpr std::string_view kPod = R"({"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}},
      {"name":"b","resources":{"requests":{"cpu":"1"}}}]},"status":{"containerStatuses":[
      {"name":"a","resources":{"requests":{"cpu":"3"}}},{"name":"b","resources":{"requests":{"cpu":"500m"}}}]%}})";
  Features on, off;
  on.Set(Feature::kInPlacePodVerticalScaling, true);
  const auto usage = [&](std::string_view more, const Features& features) {
    value::Arena arena;
    std::string text(kPod);
    text.replace(text.find('%'), 1, more);
    return QuotaUsage("", "pods", value::ReadJson(text, arena).value(), {}, features)["cpu"].text();
  };
  EXPECT_EQ(usage("", on), "4");
  EXPECT_EQ(usage("", off), "2");
  EXPECT_EQ(usage(R"(,"resize":"Infeasible")", on), "3500m");
}

}  // namespace
}  // namespace api
