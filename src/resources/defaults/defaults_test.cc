#include "resources/defaults/defaults.h"

#include <gtest/gtest.h>

#include <string>

#include "resources/core/pod/image_name.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace resources {
namespace {

// The object with its defaults, keys sorted.
std::string Defaulted(std::string_view group, std::string_view version, std::string_view kind, std::string_view json) {
  value::Arena arena;
  Value object = *value::ReadJson(json, arena);
  SetDefaults(*schema::FindKind(group, version, kind), object, arena);
  return value::ToJson(object, value::KeyOrder::kSorted);
}

struct Case {
  const char* name;
  const char* group;
  const char* version;
  const char* kind;
  const char* object;
  const char* defaulted;
};

constexpr std::string_view kPodSpecTail =
    R"("dnsPolicy":"ClusterFirst","enableServiceLinks":true,"restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30)";

TEST(Defaults, Pods) {
  auto pod = [](std::string_view container, std::string_view more = "") {
    return Defaulted("", "v1", "Pod",
                     R"({"spec":{"containers":[)" + std::string(container) + "]" + std::string(more) + "}}");
  };
  auto expected = [](std::string_view container) {
    return R"({"spec":{"containers":[)" + std::string(container) + "]," + std::string(kPodSpecTail) + "}}";
  };
  EXPECT_EQ(
      pod(R"({"name":"c","image":"i:1"})"),
      expected(
          R"({"image":"i:1","imagePullPolicy":"IfNotPresent","name":"c","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"})"));
  EXPECT_EQ(
      pod(R"({"image":"i","imagePullPolicy":"Never","terminationMessagePath":"/x","terminationMessagePolicy":"F","livenessProbe":{"httpGet":{"port":1},"periodSeconds":3},"startupProbe":{"grpc":{"port":1}},"ports":[{"containerPort":1}],"env":[{"valueFrom":{"fieldRef":{"fieldPath":"x"}}}],"resources":{"limits":{"cpu":"1"}}})"),
      expected(
          R"({"env":[{"valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"x"}}}],"image":"i","imagePullPolicy":"Never","livenessProbe":{"failureThreshold":3,"httpGet":{"path":"/","port":1,"scheme":"HTTP"},"periodSeconds":3,"successThreshold":1,"timeoutSeconds":1},"ports":[{"containerPort":1,"protocol":"TCP"}],"resources":{"limits":{"cpu":"1"},"requests":{"cpu":"1"}},"startupProbe":{"failureThreshold":3,"grpc":{"port":1,"service":""},"periodSeconds":10,"successThreshold":1,"timeoutSeconds":1},"terminationMessagePath":"/x","terminationMessagePolicy":"F"})"));
}

TEST(Defaults, OnlyPodsGetWhatPodsGet) {
  std::string deployment = Defaulted(
      "apps", "v1", "Deployment",
      R"({"spec":{"template":{"spec":{"hostNetwork":true,"containers":[{"image":"i:1","ports":[{"containerPort":1}],"resources":{"limits":{"cpu":"1"}}}]}}}})");
  EXPECT_EQ(deployment.find("enableServiceLinks"), deployment.npos);
  EXPECT_EQ(deployment.find("requests"), deployment.npos);
  EXPECT_EQ(deployment.find("hostPort"), deployment.npos);
  EXPECT_NE(
      Defaulted("", "v1", "Pod", R"({"spec":{"hostNetwork":true,"containers":[{"ports":[{"containerPort":7}]}]}})")
          .find("\"hostPort\":7"),
      std::string::npos);
}

TEST(Defaults, EachGroup) {
  constexpr Case kCases[] = {
      {"secret", "", "v1", "Secret", "{}", R"({"type":"Opaque"})"},
      {"namespace", "", "v1", "Namespace", R"({"metadata":{"name":"n"}})",
       R"({"metadata":{"labels":{"kubernetes.io/metadata.name":"n"},"name":"n"},"status":{"phase":"Active"}})"},
      {"namespace with a generated name", "", "v1", "Namespace", R"({"metadata":{"generateName":"n"}})",
       R"({"metadata":{"generateName":"n"},"status":{"phase":"Active"}})"},
      {"service", "", "v1", "Service", R"({"spec":{"ports":[{"port":80}]}})",
       R"({"spec":{"internalTrafficPolicy":"Cluster","ports":[{"port":80,"protocol":"TCP","targetPort":80}],"sessionAffinity":"None","type":"ClusterIP"}})"},
      {"load balancer", "", "v1", "Service", R"({"spec":{"type":"LoadBalancer","sessionAffinity":"ClientIP"}})",
       R"({"spec":{"allocateLoadBalancerNodePorts":true,"externalTrafficPolicy":"Cluster","internalTrafficPolicy":"Cluster","sessionAffinity":"ClientIP","sessionAffinityConfig":{"clientIP":{"timeoutSeconds":10800}},"type":"LoadBalancer"}})"},
      {"external name", "", "v1", "Service", R"({"spec":{"type":"ExternalName","externalName":"x"}})",
       R"({"spec":{"externalName":"x","sessionAffinity":"None","type":"ExternalName"}})"},
      {"endpoints", "", "v1", "Endpoints", R"({"subsets":[{"ports":[{"port":1}]}]})",
       R"({"subsets":[{"ports":[{"port":1,"protocol":"TCP"}]}]})"},
      {"claim", "", "v1", "PersistentVolumeClaim", R"({"spec":{"resources":{"requests":{"storage":"1500u"}}}})",
       R"({"spec":{"resources":{"requests":{"storage":"2m"}},"volumeMode":"Filesystem"},"status":{"phase":"Pending"}})"},
      {"limit range", "", "v1", "LimitRange",
       R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},"min":{"memory":"1"}}]}})",
       R"({"spec":{"limits":[{"default":{"cpu":"2"},"defaultRequest":{"cpu":"2","memory":"1"},"max":{"cpu":"2"},"min":{"memory":"1"},"type":"Container"}]}})"},
      {"replica set of nothing", "apps", "v1", "ReplicaSet", "{}",
       R"({"spec":{"replicas":1,"template":{"spec":{"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}}})"},
      {"daemon set", "apps", "v1", "DaemonSet",
       R"({"spec":{"updateStrategy":{"type":"OnDelete"},"template":{"spec":{"dnsPolicy":"x","restartPolicy":"x","schedulerName":"x","securityContext":{},"terminationGracePeriodSeconds":0}}}})",
       R"({"metadata":{"annotations":{"deprecated.daemonset.template.generation":"0"}},"spec":{"revisionHistoryLimit":10,"template":{"spec":{"dnsPolicy":"x","restartPolicy":"x","schedulerName":"x","securityContext":{},"terminationGracePeriodSeconds":0}},"updateStrategy":{"type":"OnDelete"}}})"},
      {"autoscaler v1", "autoscaling", "v1", "HorizontalPodAutoscaler", "{}",
       R"({"spec":{"minReplicas":1,"targetCPUUtilizationPercentage":80}})"},
      {"autoscaler", "autoscaling", "v2", "HorizontalPodAutoscaler",
       R"({"spec":{"behavior":{"scaleUp":{"policies":[]}}}})",
       R"({"spec":{"behavior":{"scaleDown":{"policies":[{"periodSeconds":15,"type":"Percent","value":100}],"selectPolicy":"Max"},"scaleUp":{"policies":[],"selectPolicy":"Max","stabilizationWindowSeconds":0}},"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1}})"},
      {"network policy", "networking.k8s.io", "v1", "NetworkPolicy", R"({"spec":{"egress":[{"ports":[{"port":1}]}]}})",
       R"({"spec":{"egress":[{"ports":[{"port":1,"protocol":"TCP"}]}],"policyTypes":["Ingress","Egress"]}})"},
      {"role binding", "rbac.authorization.k8s.io", "v1", "RoleBinding",
       R"({"subjects":[{"kind":"User"},{"kind":"ServiceAccount"}],"roleRef":{"kind":"Role"}})",
       R"({"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User"},{"kind":"ServiceAccount"}]})"},
      {"priority level", "flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration",
       R"({"spec":{"limited":{"limitResponse":{"queuing":{}}}}})",
       R"({"spec":{"limited":{"lendablePercent":0,"limitResponse":{"queuing":{"handSize":8,"queueLengthLimit":50,"queues":64}},"nominalConcurrencyShares":30}}})"},
      {"webhook", "admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration",
       R"({"webhooks":[{"rules":[{}],"clientConfig":{"service":{}}}]})",
       R"({"webhooks":[{"clientConfig":{"service":{"port":443}},"failurePolicy":"Fail","matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{},"reinvocationPolicy":"Never","rules":[{"scope":"*"}],"timeoutSeconds":10}]})"},
      {"definition", "apiextensions.k8s.io", "v1", "CustomResourceDefinition",
       R"({"spec":{"names":{"kind":"Thing"},"versions":[{"name":"v0"},{"name":"v1","storage":true}]}})",
       R"({"spec":{"conversion":{"strategy":"None"},"names":{"kind":"Thing","listKind":"ThingList","singular":"thing"},"versions":[{"name":"v0"},{"name":"v1","storage":true}]},"status":{"storedVersions":["v1"]}})"},
      {"nothing to default", "", "v1", "ConfigMap", R"({"data":{"a":"b"}})", R"({"data":{"a":"b"}})"},
  };
  for (const Case& c : kCases) EXPECT_EQ(Defaulted(c.group, c.version, c.kind, c.object), c.defaulted) << c.name;
}

TEST(Defaults, AreStable) {
  value::Arena arena;
  for (const schema::Type& type : schema::AllTypes()) {
    if (type.gvk.kind.empty()) continue;
    Value object = *value::ReadJson(R"({"metadata":{"name":"x"}})", arena);
    SetDefaults(type, object, arena);
    std::string once = value::ToJson(object);
    SetDefaults(type, object, arena);
    EXPECT_EQ(value::ToJson(object), once) << type.name;
  }
}

TEST(ImageTag, AsReferencesAreRead) {
  struct {
    const char* image;
    const char* tag;
  } cases[] = {
      {"nginx", "latest"},
      {"nginx:1.2", "1.2"},
      {"localhost:5000/a/b", "latest"},
      {"localhost:5000/a:x", "x"},
      {"reg.io/a_b/c--d.e:T_1", "T_1"},
      {"a@sha256:0123456789abcdef0123456789abcdef", ""},
      {"a:1@sha256:0123456789abcdef0123456789abcdef", ""},
      {"a@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", ""},
      {"a:1@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "1"},
      {"a:1@sha256:0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef", ""},
      {"a:1@md5:0123456789abcdef0123456789abcdef", ""},
      {"", ""},
      {" i", ""},
      {"A", ""},
      {"a//b", ""},
      {"a:", ""},
      {"a@x", ""},
      {"-a", ""},
      {"a___b", ""},
      {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(ImageTag(c.image), c.tag) << c.image;
  EXPECT_EQ(ImageTag(std::string(247, 'a')), "latest");
  EXPECT_EQ(ImageTag(std::string(248, 'a')), "");  // "library/" goes before it
  EXPECT_EQ(ImageTag("b/" + std::string(253, 'a')), "latest");
  EXPECT_EQ(ImageTag("r.io/" + std::string(255, 'a')), "latest");
  EXPECT_EQ(ImageTag("r.io/" + std::string(256, 'a')), "");
}

}  // namespace
}  // namespace resources
