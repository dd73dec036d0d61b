// The kinds of networking.k8s.io, and the slices of endpoints, held against their rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::networking {
namespace {

using testing::HasSubstr;

// The members of an object, without its braces.
std::string_view Inside(std::string_view object) { return object.substr(1, object.size() - 2); }

struct Case {
  const char *name, *object, *errors;
};

TEST(Ingresses, EachRuleBreaks) {
  const Case cases[] = {
      {"plain", R"({"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}}}})", ""},
      {"nothing", R"({"spec":{}})",
       "spec: Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified"},
      {"no rules", R"({"spec":{"rules":[]}})",
       "spec: Invalid value: []networking.IngressRule{}: either `defaultBackend` or `rules` must be specified"},
      {"both backends",
       R"({"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}},"resource":{"kind":"K","name":"n"}}}})",
       "spec.defaultBackend: Invalid value: \"\": cannot set both resource and service backends"},
      {"no backend", R"({"spec":{"defaultBackend":{}}})",
       "spec.defaultBackend: Invalid value: \"\": resource or service backend is required"},
      {"resource", R"({"spec":{"defaultBackend":{"resource":{"apiGroup":"A"}}}})",
       "spec.defaultBackend.resource.apiGroup: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of "
       "lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
       "'example.com', regex used for validation is "
       "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n"
       "spec.defaultBackend.resource.kind: Required value: kind is required\n"
       "spec.defaultBackend.resource.name: Required value: name is required"},
      {"both ports", R"({"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80,"name":"a"}}}}})",
       "spec.defaultBackend: Invalid value: \"\": cannot set both port name & port number"},
      {"no port", R"({"spec":{"defaultBackend":{"service":{}}}})",
       "spec.defaultBackend.service.name: Required value\n"
       "spec.defaultBackend: Required value: port name or number is required"},
      {"paths", R"({"spec":{"rules":[{"host":"1.2.3.4","http":{"paths":[]}}]}})",
       "spec.rules[0].host: Invalid value: \"1.2.3.4\": must be a DNS name, not an IP address\n"
       "spec.rules[0].http.paths: Required value"},
      {"path's type",
       R"({"spec":{"rules":[{"http":{"paths":[{"backend":{}},{"pathType":"X","backend":{"resource":{"kind":"K","name":"n"}}}]}}]}})",
       "spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified\n"
       "spec.rules[0].http.paths[1].pathType: Unsupported value: \"X\": supported values: \"Exact\", "
       "\"ImplementationSpecific\", \"Prefix\""},
      {"path",
       R"({"spec":{"rules":[{"http":{"paths":[{"pathType":"Exact","path":"a//b/..","backend":{"resource":{"kind":"K","name":"n"}}}]}}]}})",
       "spec.rules[0].http.paths[0].path: Invalid value: \"a//b/..\": must be an absolute path\n"
       "spec.rules[0].http.paths[0].path: Invalid value: \"a//b/..\": must not contain '//'\n"
       "spec.rules[0].http.paths[0].path: Invalid value: \"a//b/..\": cannot end with '/..'"},
  };
  KindFixture ingresses("networking.k8s.io", "v1", "ingresses", "Ingress", true);
  for (const Case& c : cases) EXPECT_EQ(ingresses.Create(Inside(c.object)), c.errors) << c.name;
}

TEST(Ingresses, AreNamedAClassOneWay) {
  KindFixture ingresses("networking.k8s.io", "v1", "ingresses", "Ingress", true);
  const std::string_view annotated = R"("annotations":{"kubernetes.io/ingress.class":"a"})";
  const std::string_view both =
      R"("spec":{"ingressClassName":"b","defaultBackend":{"resource":{"kind":"K","name":"n"}}})";
  EXPECT_EQ(
      ingresses.Create(both, annotated),
      "annotations.kubernetes.io/ingress.class: Invalid value: \"a\": must match `ingressClassName` when both are "
      "specified");
  EXPECT_EQ(ingresses.Update(both, both, "", annotated, annotated), "");
  EXPECT_EQ(ingresses.Create(R"("spec":{"defaultBackend":{"resource":{"kind":"K","name":"n"}}})", annotated), "");
  EXPECT_EQ(ingresses.warnings(),
            "annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead");
}

TEST(Ingresses, MayKeepWhatTheyHadWrong) {
  KindFixture ingresses("networking.k8s.io", "v1", "ingresses", "Ingress", true);
  const std::string_view good = R"("spec":{"defaultBackend":{"resource":{"kind":"K","name":"n"}}})";
  const std::string_view bad = R"("spec":{"rules":[{"host":"*.a.b","http":{"paths":[]}}],"tls":[{"secretName":"A"}]})";
  EXPECT_EQ(ingresses.Update(bad, bad), "");
  EXPECT_THAT(ingresses.Update(good, bad),
              HasSubstr("spec.rules[0].http.paths: Required value\nspec.tls[0].secretName"));
}

TEST(IngressClasses, EachRuleBreaks) {
  const Case cases[] = {
      {"plain", R"({"spec":{"controller":"a.b/c","parameters":{"kind":"K","name":"n"}}})", ""},
      {"no controller", R"({"spec":{}})", "spec.controller: Required value"},
      {"no path", R"({"spec":{"controller":"a"}})",
       "spec.controller: Invalid value: \"a\": must be a domain-prefixed path (such as \"acme.io/foo\")"},
      {"path", R"({"spec":{"controller":"a/b c"}})",
       "spec.controller: Invalid value: \"b c\": Invalid path (regex used for validation is "
       "'[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"},
      {"scope", R"({"spec":{"controller":"a/b","parameters":{"kind":"K","name":"n","scope":"S"}}})",
       "spec.parameters.scope: Unsupported value: \"S\": supported values: \"Cluster\", \"Namespace\""},
      {"no namespace", R"({"spec":{"controller":"a/b","parameters":{"kind":"K","name":"n","scope":"Namespace"}}})",
       "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"},
      {"a namespace", R"({"spec":{"controller":"a/b","parameters":{"kind":"K","name":"n","namespace":"a"}}})",
       "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"},
  };
  KindFixture classes("networking.k8s.io", "v1", "ingressclasses", "IngressClass", false);
  for (const Case& c : cases) EXPECT_EQ(classes.Create(Inside(c.object)), c.errors) << c.name;
  EXPECT_EQ(classes.Update(R"("spec":{"controller":"a/b"})", R"("spec":{"controller":"a/c"})"),
            "spec.controller: Invalid value: \"a/c\": field is immutable");
}

TEST(NetworkPolicies, EachRuleBreaks) {
  const Case cases[] = {
      {"plain",
       R"({"spec":{"podSelector":{},"ingress":[{"ports":[{"port":1,"endPort":2}],"from":[{"podSelector":{}}]}]}})", ""},
      {"protocol", R"({"spec":{"ingress":[{"ports":[{"protocol":"X"}]}]}})",
       "spec.ingress[0].ports[0].protocol: Unsupported value: \"X\": supported values: \"TCP\", \"UDP\", \"SCTP\""},
      {"end before its beginning", R"({"spec":{"egress":[{"ports":[{"port":5,"endPort":4}]}]}})",
       "spec.egress[0].ports[0].endPort: Invalid value: 5: must be greater than or equal to `port`"},
      {"end alone", R"({"spec":{"egress":[{"ports":[{"endPort":4},{"port":"a","endPort":4}]}]}})",
       "spec.egress[0].ports[0].endPort: Invalid value: 4: may not be specified when `port` is not specified\n"
       "spec.egress[0].ports[1].endPort: Invalid value: 4: may not be specified when `port` is non-numeric"},
      {"peers", R"({"spec":{"ingress":[{"from":[{},{"podSelector":{},"ipBlock":{}}]}]}})",
       "spec.ingress[0].from[0]: Required value: must specify a peer\n"
       "spec.ingress[0].from[1].ipBlock.cidr: Required value\n"
       "spec.ingress[0].from[1]: Forbidden: may not specify both ipBlock and another peer"},
      {"holes",
       R"({"spec":{"egress":[{"to":[{"ipBlock":{"cidr":"10.0.0.0/8","except":["10.1.0.0/16","10.0.0.0/8","11.0.0.0/16","x"]}}]}]}})",
       "spec.egress[0].to[0].ipBlock.except[1]: Invalid value: \"10.0.0.0/8\": must be a strict subset of `cidr`\n"
       "spec.egress[0].to[0].ipBlock.except[2]: Invalid value: \"11.0.0.0/16\": must be a strict subset of `cidr`\n"
       "spec.egress[0].to[0].ipBlock.except[3]: Invalid value: \"x\": must be a valid CIDR value, (e.g. 10.9.8.0/24 or "
       "2001:db8::/64)"},
      {"types", R"({"spec":{"policyTypes":["a","b","c"]}})",
       "spec.policyTypes: Invalid value: []networking.PolicyType{\"a\", \"b\", \"c\"}: may not specify more than two "
       "policyTypes"},
      {"type", R"({"spec":{"policyTypes":["a"]}})",
       "spec.policyTypes[0]: Unsupported value: \"a\": supported values: \"Ingress\", \"Egress\""},
  };
  KindFixture policies("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", true);
  for (const Case& c : cases) EXPECT_EQ(policies.Create(Inside(c.object)), c.errors) << c.name;
  // An update is looked at twice.
  const std::string_view typed = R"("spec":{"policyTypes":["a"]})";
  EXPECT_EQ(policies.Update(typed, typed),
            "spec.policyTypes[0]: Unsupported value: \"a\": supported values: \"Ingress\", \"Egress\"\n"
            "spec.policyTypes[0]: Unsupported value: \"a\": supported values: \"Ingress\", \"Egress\"");
}

TEST(NetworkPolicies, CountEmptyLists) {
  KindFixture policies("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", true);
  constexpr std::string_view kOld = R"("spec":{"egress":[{}],"policyTypes":["Egress"]})",
                             kGeneration = R"("generation":3)";
  EXPECT_EQ(policies.Update(kOld, kOld, "", kGeneration), "");
  EXPECT_EQ(policies.generation(), 3);
  EXPECT_EQ(policies.Update(kOld, R"("spec":{"egress":[{"to":[]}],"policyTypes":["Egress"]})", "", kGeneration), "");
  EXPECT_EQ(policies.generation(), 4);
  EXPECT_EQ(
      policies.Update(kOld, R"("spec":{"podSelector":{},"egress":[{}],"policyTypes":["Egress"]})", "", kGeneration),
      "");
  EXPECT_EQ(policies.generation(), 3);
}

TEST(IpAddresses, EachRuleBreaks) {
  struct {
    const char *name, *spec, *errors;
  } cases[] = {
      {"fd00::1", R"("spec":{"parentRef":{"resource":"services","name":"a"}})", ""},
      {"10.0.0.1", "", "spec.parentRef: Required value"},
      {"10.0.0.1", R"("spec":{"parentRef":{}})",
       "spec.parentRef.resource: Required value\nspec.parentRef.name: Required value"},
      {"FD00::1", R"("spec":{"parentRef":{"resource":"services","name":"a/b"}})",
       "metadata.name: Invalid value: \"FD00::1\": must be a canonical format IP address\n"
       "spec.parentRef.name: Invalid value: \"a/b\": may not contain '/'"},
      {"fe80::1%25eth0", R"("spec":{"parentRef":{"resource":"services","name":"a"}})",
       "metadata.name: Invalid value: \"fe80::1%25eth0\": may not contain '%'"},
  };
  KindFixture addresses("networking.k8s.io", "v1beta1", "ipaddresses", "IPAddress", false);
  const auto named = [](std::string_view name) { return base::Cat(R"("name":")", name, "\""); };
  for (const auto& c : cases) EXPECT_EQ(addresses.Create(c.spec, named(c.name)), c.errors) << c.name;
  EXPECT_EQ(
      addresses.Update(R"("spec":{"parentRef":{"resource":"services","name":"a"}})",
                       R"("spec":{"parentRef":{"resource":"services","name":"b"}})", "", named("::1"), named("::1")),
      "spec.parentRef: Invalid value: networking.ParentReference{Group:\"\", Resource:\"services\", "
      "Namespace:\"\", Name:\"b\"}: field is immutable");
}

TEST(ServiceCidrs, EachRuleBreaks) {
  const Case cases[] = {
      {"plain", R"({"spec":{"cidrs":["10.0.0.0/8","fd00::/112"]}})", ""},
      {"none", R"({"spec":{}})", "spec.cidrs: Required value: at least one CIDR required"},
      {"three", R"({"spec":{"cidrs":["a","b","c"]}})",
       "spec.cidrs: Invalid value: networking.ServiceCIDRSpec{CIDRs:[]string{\"a\", \"b\", \"c\"}}: may only hold up "
       "to "
       "2 values"},
      {"one family", R"({"spec":{"cidrs":["10.0.0.0/8","11.0.0.0/8"]}})",
       "spec.cidrs: Invalid value: networking.ServiceCIDRSpec{CIDRs:[]string{\"10.0.0.0/8\", \"11.0.0.0/8\"}}: may "
       "specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"},
      {"host bits", R"({"spec":{"cidrs":["10.0.0.1/8"]}})",
       "spec.cidrs[0]: Invalid value: \"10.0.0.1/8\": wrong CIDR format, IP doesn't match network IP address"},
      {"form", R"({"spec":{"cidrs":["FD00::/112"]}})",
       "spec.cidrs[0]: Invalid value: \"FD00::/112\": CIDR not in RFC 5952 canonical format"},
      {"no range", R"({"spec":{"cidrs":["x"]}})",
       "spec.cidrs[0]: Invalid value: \"x\": netip.ParsePrefix(\"x\"): no '/'"},
  };
  KindFixture ranges("networking.k8s.io", "v1beta1", "servicecidrs", "ServiceCIDR", false);
  for (const Case& c : cases) EXPECT_EQ(ranges.Create(Inside(c.object)), c.errors) << c.name;
  EXPECT_THAT(ranges.Update(R"("spec":{"cidrs":["10.0.0.0/8"]})", R"("spec":{"cidrs":[]})"),
              HasSubstr("spec.cidrs: Invalid value: []string{}: field is immutable"));
  EXPECT_EQ(ranges.Update(R"("spec":{"cidrs":["10.0.0.0/8"]})", R"("spec":{"cidrs":["11.0.0.0/8"]})"),
            "spec.cidrs: Invalid value: []string{\"11.0.0.0/8\"}: field is immutable");
}

TEST(EndpointSlices, EachRuleBreaks) {
  const Case cases[] = {
      {"plain", R"({"addressType":"IPv4","endpoints":[{"addresses":["10.0.0.1"]}],"ports":[{"port":1}]})", ""},
      {"no type", R"({"endpoints":[]})", "addressType: Required value"},
      {"type", R"({"addressType":"IPv5","endpoints":[{"addresses":["x"]}]})",
       "addressType: Unsupported value: \"IPv5\": supported values: \"FQDN\", \"IPv4\", \"IPv6\""},
      {"addresses", R"({"addressType":"IPv4","endpoints":[{},{"addresses":["fd00::1","127.0.0.1"]}]})",
       "endpoints[0].addresses: Required value: must contain at least 1 address\n"
       "endpoints[1].addresses[0]: Invalid value: \"fd00::1\": must be a valid IPv4 address\n"
       "endpoints[1].addresses[1]: Invalid value: \"127.0.0.1\": may not be in the loopback range (127.0.0.0/8, "
       "::1/128)"},
      {"names", R"({"addressType":"FQDN","endpoints":[{"addresses":["a.b.","a",""]}]})",
       "endpoints[0].addresses[1]: Invalid value: \"a\": should be a domain with at least two segments separated by "
       "dots\nendpoints[0].addresses[2]: Required value"},
      {"zones",
       R"({"addressType":"IPv4","endpoints":[{"addresses":["1.2.3.4"],"hints":{"forZones":[{"name":"a"},{"name":"a"}]}}]})",
       "endpoints[0].hints.forZones[1].name: Duplicate value: \"a\""},
      {"ports", R"({"addressType":"IPv4","endpoints":[],"ports":[{},{"protocol":"X"}]})",
       "ports[1].name: Duplicate value: \"\"\n"
       "ports[1].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\""},
  };
  KindFixture slices("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", true);
  for (const Case& c : cases) EXPECT_EQ(slices.Create(Inside(c.object)), c.errors) << c.name;
  EXPECT_EQ(slices.Update(R"("addressType":"IPv4","endpoints":[])", R"("addressType":"IPv6","endpoints":[])"),
            "addressType: Invalid value: \"IPv6\": field is immutable");
}

TEST(EndpointSlices, CountGenerationsAndForgetTopology) {
  KindFixture slices("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", true);
  const std::string_view old = R"("addressType":"IPv4","endpoints":[{"addresses":["1.2.3.4"]}])";
  const std::string_view generation = R"("generation":3)";
  EXPECT_EQ(slices.Update(
                old, R"("addressType":"IPv4","endpoints":[{"addresses":["1.2.3.4"],"deprecatedTopology":{"a":"b"}}])",
                "", generation),
            "");
  EXPECT_EQ(slices.generation(), 4);
  EXPECT_FALSE(slices.object().contains("deprecated")) << slices.object();
  EXPECT_EQ(slices.Update(old, old, "", generation, R"("annotations":{"a":"b"})"), "");
  EXPECT_EQ(slices.generation(), 3);
}

TEST(ServiceCidrs, TakeTheirStatusFromBothEndpoints) {
  KindFixture ranges("networking.k8s.io", "v1beta1", "servicecidrs", "ServiceCIDR", false);
  const std::string_view ready =
      R"("spec":{"cidrs":["10.0.0.0/8"]},"status":{"conditions":[{"type":"Ready","status":"True"}]})";
  EXPECT_EQ(ranges.Create(ready), "");
  EXPECT_THAT(ranges.object(), HasSubstr("Ready"));
  EXPECT_EQ(ranges.Update(ready, R"("spec":{"cidrs":["10.0.0.0/8"]})"), "");
  EXPECT_FALSE(ranges.object().contains("Ready"));
}

}  // namespace
}  // namespace resources::networking
