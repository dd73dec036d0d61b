#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::core {
namespace {

std::string Spec(std::string_view members) { return base::Cat(R"("spec":{)", members, "}"); }

TEST(Services, EachRuleBreaks) {
  struct {
    const char *name, *spec, *errors;
  } cases[] = {
      {"plain", R"("ports":[{"port":80}])", ""},
      {"headless", R"("clusterIP":"None","clusterIPs":["None"])", ""},
      {"no ports", "", "spec.ports: Required value"},
      {"port of the kubelet", R"("type":"LoadBalancer","ports":[{"port":10250}])",
       "spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet"},
      {"headless node port", R"("type":"NodePort","ports":[{"port":80}],"clusterIP":"None","clusterIPs":["None"])",
       "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"},
      {"external name", R"("type":"ExternalName","externalName":"a.b.")", ""},
      {"external name missing", R"("type":"ExternalName")", "spec.externalName: Required value"},
      {"external name with an address",
       R"("type":"ExternalName","externalName":"a","clusterIP":"1.2.3.4","clusterIPs":["1.2.3.4"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack")",
       "spec.clusterIPs: Forbidden: may not be set for ExternalName services\n"
       "spec.ipFamilies: Forbidden: may not be set for ExternalName services\n"
       "spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services"},
      {"ports without names", R"("ports":[{"port":1},{"port":2,"name":"b"}])", "spec.ports[0].name: Required value"},
      {"equal names", R"("ports":[{"port":1,"name":"b"},{"port":2,"name":"b"}])",
       "spec.ports[1].name: Duplicate value: \"b\""},
      {"port of no number", R"("ports":[{"name":"a"}])",
       "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive\n"
       "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive"},
      {"protocol", R"("ports":[{"port":1,"protocol":"X"}])",
       "spec.ports[0].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\""},
      {"target of no port", R"("ports":[{"port":0,"targetPort":""}])",
       "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive\n"
       "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive"},
      {"target by name", R"("ports":[{"port":1,"targetPort":"80"}])",
       "spec.ports[0].targetPort: Invalid value: \"80\": must contain at least one letter (a-z)"},
      {"affinity", R"("ports":[{"port":1}],"sessionAffinity":"C")",
       "spec.sessionAffinity: Unsupported value: \"C\": supported values: \"ClientIP\", \"None\""},
      {"affinity's time",
       R"("ports":[{"port":1}],"sessionAffinity":"ClientIP","sessionAffinityConfig":{"clientIP":{"timeoutSeconds":86401}})",
       "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than "
       "86400"},
      {"first address differs", R"("ports":[{"port":1}],"clusterIP":"1.2.3.4","clusterIPs":["1.2.3.5"])",
       "spec.clusterIPs: Invalid value: []string{\"1.2.3.5\"}: first value must match `clusterIP`"},
      {"only the list", R"("ports":[{"port":1}],"clusterIPs":["1.2.3.5"])",
       "spec.clusterIPs: Invalid value: []string{\"1.2.3.5\"}: must be empty when `clusterIP` is not specified"},
      {"none and more", R"("ports":[{"port":1}],"clusterIP":"None","clusterIPs":["None","::1"])",
       "spec.clusterIPs: Invalid value: []string{\"None\", \"::1\"}: 'None' must be the first and only value"},
      {"two of one family", R"("ports":[{"port":1}],"clusterIP":"1.2.3.4","clusterIPs":["1.2.3.4","1.2.3.5"])",
       "spec.clusterIPs: Invalid value: []string{\"1.2.3.4\", \"1.2.3.5\"}: may specify no more than one IP for each "
       "IP "
       "family"},
      {"not of its family", R"("ports":[{"port":1}],"clusterIP":"::1","clusterIPs":["::1"],"ipFamilies":["IPv4"])",
       "spec.clusterIPs[0]: Invalid value: \"::1\": expected an IPv4 value as indicated by `ipFamilies[0]`"},
      {"families", R"("ports":[{"port":1}],"ipFamilies":["IPv5","IPv5"],"ipFamilyPolicy":"P")",
       "spec.ipFamilies[0]: Unsupported value: \"IPv5\": supported values: \"IPv4\", \"IPv6\"\n"
       "spec.ipFamilies[1]: Unsupported value: \"IPv5\": supported values: \"IPv4\", \"IPv6\"\n"
       "spec.ipFamilies[1]: Duplicate value: \"IPv5\"\n"
       "spec.ipFamilyPolicy: Unsupported value: \"P\": supported values: \"PreferDualStack\", \"RequireDualStack\", "
       "\"SingleStack\""},
      {"external addresses", R"("ports":[{"port":1}],"externalIPs":["x","0.0.0.0","fe80::1","1.2.3.4"])",
       "spec.externalIPs[0]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)\n"
       "spec.externalIPs[1]: Invalid value: \"0.0.0.0\": may not be unspecified (0.0.0.0)\n"
       "spec.externalIPs[2]: Invalid value: \"fe80::1\": may not be in the link-local range (169.254.0.0/16, "
       "fe80::/10)"},
      {"type", R"("ports":[{"port":1}],"type":"T")",
       "spec.type: Unsupported value: \"T\": supported values: \"ClusterIP\", \"ExternalName\", \"LoadBalancer\", "
       "\"NodePort\""},
      {"node port of a cluster address", R"("ports":[{"port":1,"nodePort":30001}])",
       "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"},
      {"one node port twice",
       R"("type":"NodePort","ports":[{"port":1,"name":"a","nodePort":3},{"port":2,"name":"b","nodePort":3}])",
       "spec.ports[1].nodePort: Duplicate value: 3"},
      {"one node port, two protocols",
       R"("type":"NodePort","ports":[{"port":1,"name":"a","nodePort":3},{"port":1,"name":"b","nodePort":3,"protocol":"UDP"}])",
       ""},
      {"one port twice", R"("ports":[{"port":1,"name":"a"},{"port":1,"name":"b"}])",
       "spec.ports[1]: Duplicate value: core.ServicePort{Name:\"\", Protocol:\"TCP\", AppProtocol:(*string)(nil), "
       "Port:1, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:\"\"}, NodePort:0}"},
      {"source ranges", R"("ports":[{"port":1}],"loadBalancerSourceRanges":[" 10.0.0.0/8 ","x"])",
       "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'\n"
       "spec.LoadBalancerSourceRanges[1]: Invalid value: \"x\": must be a valid CIDR value, (e.g. 10.9.8.0/24 or "
       "2001:db8::/64)"},
      {"load balancer's fields",
       R"("ports":[{"port":1}],"allocateLoadBalancerNodePorts":false,"loadBalancerClass":"a/b")",
       "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'\n"
       "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"},
      {"external policy inside", R"("ports":[{"port":1}],"externalTrafficPolicy":"Local")",
       "spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set for externally-accessible services"},
      {"health check's port", R"("type":"NodePort","ports":[{"port":1}],"healthCheckNodePort":3)",
       "spec.healthCheckNodePort: Invalid value: 3: may only be set when `type` is 'LoadBalancer' and "
       "`externalTrafficPolicy` is 'Local'"},
      {"policies", R"("ports":[{"port":1}],"internalTrafficPolicy":"","trafficDistribution":"Far")",
       "spec.internalTrafficPolicy: Unsupported value: \"\": supported values: \"Cluster\", \"Local\"\n"
       "spec.trafficDistribution: Unsupported value: \"Far\": supported values: \"PreferClose\""},
  };
  KindFixture services("", "v1", "services", "Service", true);
  for (const auto& c : cases) EXPECT_EQ(services.Create(Spec(c.spec)), c.errors) << c.name;
  const auto annotated = [](std::string_view annotations) { return base::Cat(R"("annotations":{)", annotations, "}"); };
  EXPECT_EQ(
      services.Create(Spec(R"("ports":[{"port":1}])"), annotated(R"("service.kubernetes.io/topology-aware-hints":"a",)"
                                                                 R"("service.kubernetes.io/topology-mode":"b")")),
      "metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: \"b\": must match "
      "annotations[service.kubernetes.io/topology-aware-hints] when both are specified");
  EXPECT_EQ(
      services.Create(Spec(R"("type":"LoadBalancer","ports":[{"port":1}])"),
                      annotated(R"("service.beta.kubernetes.io/load-balancer-source-ranges":"1.0.0.0/8,")")),
      "metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: Invalid value: \"\": must be "
      "a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
}

constexpr std::string_view kSingle =
    R"("ports":[{"port":1}],"clusterIP":"1.2.3.4","clusterIPs":["1.2.3.4"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack")";
constexpr std::string_view kDual =
    R"("ports":[{"port":1}],"clusterIP":"1.2.3.4","clusterIPs":["1.2.3.4","fd::1"],"ipFamilies":["IPv4","IPv6"],"ipFamilyPolicy":"RequireDualStack")";

TEST(Services, WhatMayChange) {
  struct {
    const char* name;
    std::string_view old_spec;
    const char *spec, *errors;
  } cases[] = {
      {"address", kSingle,
       R"("ports":[{"port":1}],"clusterIP":"1.2.3.5","clusterIPs":["1.2.3.5"],"ipFamilies":["IPv4"])",
       "spec.clusterIPs[0]: Invalid value: []string{\"1.2.3.5\"}: may not change once set"},
      {"family", kSingle, R"("ports":[{"port":1}],"clusterIP":"None","clusterIPs":["None"],"ipFamilies":["IPv6"])",
       "spec.clusterIPs[0]: Invalid value: []string{\"None\"}: may not change once set"},
      {"second address without saying so", kDual,
       R"("ports":[{"port":1}],"clusterIP":"1.2.3.4","clusterIPs":["1.2.3.4"],"ipFamilies":["IPv4"])",
       "spec.ipFamilyPolicy: Invalid value: \"null\": must be set to 'SingleStack' when releasing the secondary "
       "clusterIP\n"
       "spec.ipFamilyPolicy: Invalid value: \"null\": must be set to 'SingleStack' when releasing the secondary "
       "ipFamily"},
      {"second address", kDual,
       R"("ports":[{"port":1}],"clusterIP":"1.2.3.4","clusterIPs":["1.2.3.4"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack")",
       ""},
      {"order of families", kDual,
       R"("ports":[{"port":1}],"clusterIP":"fd::1","clusterIPs":["fd::1","1.2.3.4"],"ipFamilies":["IPv6","IPv4"])",
       "spec.clusterIPs[0]: Invalid value: []string{\"fd::1\", \"1.2.3.4\"}: may not change once set\n"
       "spec.clusterIPs[1]: Invalid value: []string{\"fd::1\", \"1.2.3.4\"}: may not change once set\n"
       "spec.ipFamilies[0]: Invalid value: []core.IPFamily{\"IPv6\", \"IPv4\"}: may not change once set\n"
       "spec.ipFamilies[0]: Invalid value: []core.IPFamily{\"IPv6\", \"IPv4\"}: may not change once set"},
      {"first of two families", kDual,
       R"("ports":[{"port":1}],"clusterIP":"fd::1","clusterIPs":["fd::1"],"ipFamilies":["IPv6"],"ipFamilyPolicy":"SingleStack")",
       "spec.clusterIPs[0]: Invalid value: []string{\"fd::1\"}: may not change once set\n"
       "spec.ipFamilies[0]: Invalid value: []string{\"fd::1\"}: may not change once set"},
      {"class", R"("type":"LoadBalancer","ports":[{"port":1}],"loadBalancerClass":"a/b")",
       R"("type":"LoadBalancer","ports":[{"port":1}])",
       "spec.loadBalancerClass: Invalid value: \"null\": may not change once set"},
      {"health check's port",
       R"("type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"port":1}],"healthCheckNodePort":3)",
       R"("type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"port":1}],"healthCheckNodePort":4)",
       "spec.healthCheckNodePort: Forbidden: field is immutable"},
  };
  KindFixture services("", "v1", "services", "Service", true);
  for (const auto& c : cases) EXPECT_EQ(services.Update(Spec(c.old_spec), Spec(c.spec)), c.errors) << c.name;
}

TEST(Services, OnlyANameHidesItsTrafficInside) {
  const struct {
    const char *spec, *hidden;
  } cases[] = {
      {R"({"spec":{"type":"ExternalName","internalTrafficPolicy":"Local"}})", "spec.internalTrafficPolicy"},
      {R"({"spec":{"type":"ExternalName"}})", ""},
      {R"({"spec":{"type":"ClusterIP","internalTrafficPolicy":"Local"}})", ""},
  };
  for (const auto& c : cases) {
    value::Arena arena;
    EXPECT_EQ(kServices.hidden_member(*value::ReadJson(c.spec, arena)), c.hidden) << c.spec;
  }
}

TEST(Services, AnotherTypeTakesWhatItHasNotWithIt) {
  KindFixture services("", "v1", "services", "Service", true);
  const std::string rest =
      R"("externalTrafficPolicy":"Local","healthCheckNodePort":3,"loadBalancerClass":"a/b",)"
      R"("ports":[{"port":1,"nodePort":4}],"clusterIP":"1.2.3.4","clusterIPs":["1.2.3.4"],"ipFamilies":["IPv4"],)"
      R"("ipFamilyPolicy":"SingleStack"},"status":{"loadBalancer":{"ingress":[{"ip":"1.1.1.1"}]}})";
  EXPECT_EQ(services.Update(base::Cat(R"("spec":{"type":"LoadBalancer",)", rest),
                            base::Cat(R"("spec":{"type":"ExternalName","externalName":"a",)", rest)),
            "");
  EXPECT_EQ(services.object(), R"({"spec":{"externalName":"a","ports":[{"port":1,"protocol":"TCP","targetPort":1}],)"
                               R"("sessionAffinity":"None","type":"ExternalName"},"status":{}})");
}

TEST(Services, Status) {
  KindFixture services("", "v1", "services", "Service", true);
  const auto update = [&](std::string_view type, std::string_view point) {
    const std::string spec = Spec(base::Cat(R"("ports":[{"port":1}],"type":")", type, "\""));
    return services.Update(spec, base::Cat(spec, R"(,"status":{"loadBalancer":{"ingress":[)", point, "]}}"), "status");
  };
  EXPECT_EQ(update("LoadBalancer", R"({"ip":"1.2.3.4"},{"hostname":"a.b"})"), "");
  EXPECT_EQ(update("NodePort", R"({"ip":"1.2.3.4"})"),
            "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'");
  EXPECT_EQ(update("LoadBalancer", R"({"hostname":"1.2.3.4","ipMode":"VIP"})"),
            "status.loadBalancer.ingress[0].ipMode: Forbidden: may not be specified when `ip` is not set\n"
            "status.loadBalancer.ingress[0].hostname: Invalid value: \"1.2.3.4\": must be a DNS name, not an IP "
            "address");
  EXPECT_EQ(update("LoadBalancer", R"({"ip":"1.2.3.4","ipMode":"X"})"),
            "status.loadBalancer.ingress[0].ipMode: Unsupported value: \"X\": supported values: \"Proxy\", \"VIP\"");
}

TEST(Services, Warnings) {
  KindFixture services("", "v1", "services", "Service", true);
  EXPECT_EQ(services.Create(Spec(R"("ports":[{"port":1}],"externalIPs":["01.2.3.4","FD::1"],"externalName":"a")")), "");
  EXPECT_EQ(services.warnings(),
            "spec.externalIPs[0]: IP address was accepted, but will be invalid in a future Kubernetes release: "
            "ParseAddr(\"01.2.3.4\"): IPv4 field has octet with leading zero\n"
            "spec.externalIPs[1]: IPv6 address \"FD::1\" is not in RFC 5952 canonical format (\"fd::1\"), which may "
            "cause controller apply-loops\n"
            "spec.externalName is ignored when spec.type is not \"ExternalName\"");
}

TEST(Endpoints, EachRuleBreaks) {
  struct {
    const char *subset, *errors;
  } cases[] = {
      {R"({"addresses":[{"ip":"10.0.0.1","nodeName":"n","hostname":"h"}],"ports":[{"port":1}]})", ""},
      {R"({"ports":[{"port":1}]})", "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"},
      {R"({"notReadyAddresses":[{"ip":"x"}]})",
       "subsets[0].notReadyAddresses[0].ip: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or "
       "2001:db8::ffff)\nsubsets[0].notReadyAddresses[0].ip: Invalid value: \"x\": must be a valid IP address"},
      {R"({"addresses":[{"ip":"127.0.0.1"}],"ports":[{"port":0,"name":"a"},{"port":2,"protocol":"X"}]})",
       "subsets[0].addresses[0].ip: Invalid value: \"127.0.0.1\": may not be in the loopback range (127.0.0.0/8, "
       "::1/128)\nsubsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive\n"
       "subsets[0].ports[1].name: Required value\n"
       "subsets[0].ports[1].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\""},
  };
  KindFixture endpoints("", "v1", "endpoints", "Endpoints", true);
  for (const auto& c : cases) {
    EXPECT_EQ(endpoints.Create(base::Cat(R"("subsets":[)", c.subset, "]")), c.errors) << c.subset;
  }
}

}  // namespace
}  // namespace resources::core
