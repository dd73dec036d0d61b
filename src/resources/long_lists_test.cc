// Lists as long as a request's body may be: what is looked up for each item must not walk a list again. No time is
// asserted; a check that does keeps this test busy for minutes.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text.h"
#include "resources/kind_fixture.h"
#include "resources/rules/errors.h"

namespace resources {
namespace {

// `count` items, "@" in each being its number.
std::string Items(std::string_view item, int count) {
  std::string list = "[";
  for (int i = 0; i < count; ++i) {
    if (i > 0) list += ',';
    for (char c : item) c == '@' ? void(list += std::to_string(i)) : list.push_back(c);
  }
  return list + "]";
}

TEST(LongLists, AreCheckedInOneWalkEach) {
  struct {
    const char *group, *version, *plural, *kind;
    bool namespaced;
    const char* members;  // "%" is the list
    const char* item;
    int count;
    const char* subresource;  // "" for a create
  } cases[] = {
      {"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true, R"("status":{"conditions":%})",
       R"({"type":"t@","status":"True","reason":"R","lastTransitionTime":"2024-01-02T03:04:05Z"})", 40000, "status"},
      {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", false,
       R"("webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":%}])", R"("v@")", 300000, ""},
      {"", "v1", "pods", "Pod", true, R"("spec":{"containers":[{"name":"c","image":"i","ports":%}]})",
       R"({"containerPort":1})", 100000, ""},
      {"", "v1", "pods", "Pod", true, R"("spec":{"containers":[{"name":"c","image":"i","ports":%}]})",
       R"({"containerPort":1,"hostPort":@})", 100000, ""},
      {"", "v1", "pods", "Pod", true, R"("spec":{"containers":[{"name":"c","image":"i"}],"volumes":%})",
       R"({"name":"v@","emptyDir":{}})", 80000, ""},
      {"", "v1", "pods", "Pod", true,
       R"("spec":{"containers":[{"name":"c","image":"i"}],"topologySpreadConstraints":%})",
       R"({"maxSkew":1,"topologyKey":"k@","whenUnsatisfiable":"DoNotSchedule"})", 40000, ""},
      {"", "v1", "services", "Service", true, R"("spec":{"ports":[{"port":1}],"ipFamilies":%})", R"("f@")", 300000, ""},
      {"", "v1", "resourcequotas", "ResourceQuota", true, R"("spec":{"hard":{"pods":"1"},"scopes":%})", R"("s@")",
       300000, ""},
      {"node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", false, R"("handler":"h","scheduling":{"tolerations":%})",
       R"({"key":"k@","operator":"Exists"})", 80000, ""},
      {"resource.k8s.io", "v1beta1", "resourceclaims", "ResourceClaim", true, R"("spec":{"devices":{"requests":%}})",
       R"({"name":"r@","deviceClassName":"c"})", 70000, ""},
      {"certificates.k8s.io", "v1", "certificatesigningrequests", "CertificateSigningRequest", false,
       R"("spec":{"request":"YQ==","signerName":"a.b/c","usages":["any"]},"status":{"conditions":%})",
       R"({"type":"t@","status":"True"})", 80000, "status"},
      {"", "v1", "limitranges", "LimitRange", true, R"("spec":{"limits":%})", R"({"type":"a.b/c@"})", 80000, ""},
      {"storage.k8s.io", "v1", "storageclasses", "StorageClass", false, R"("provisioner":"p","allowedTopologies":%)",
       R"({"matchLabelExpressions":[{"key":"k@","values":["v"]}]})", 40000, ""},
      {"storage.k8s.io", "v1", "storageclasses", "StorageClass", false, R"("provisioner":"p","allowedTopologies":%)",
       "{}", 100000, ""},
  };
  for (const auto& c : cases) {
    KindFixture kind(c.group, c.version, c.plural, c.kind, c.namespaced);
    std::string members = c.members;
    members.replace(members.find('%'), 1, Items(c.item, c.count));
    const std::string_view through = c.subresource;
    const std::string errors = through.empty() ? kind.Create(members) : kind.Update(members, members, through);
    EXPECT_LT(errors.size(), 4 * api::FieldErrors::kMostBytes) << c.plural;
  }
}

// `count` members, "@" in each being its number.
std::string Members(std::string_view member, int count) {
  std::string list = Items(member, count);
  list.front() = '{';
  list.back() = '}';
  return list;
}

TEST(LongLists, TextsOfASecretBecomeDataInOneWalk) {
  KindFixture secrets("", "v1", "secrets", "Secret", true);
  const std::string data = base::Cat(R"("data":)", Members(R"("k@":"dg==")", 60000));
  EXPECT_EQ(secrets.Create(base::Cat(data, R"(,"stringData":)", Members(R"("k1@":"v")", 60000))), "");
}

TEST(LongLists, AmountsOfALimitAreLookedUp) {
  KindFixture ranges("", "v1", "limitranges", "LimitRange", true);
  const std::string amounts = Members(R"("a.b/c@":"1")", 40000);
  EXPECT_EQ(ranges.Create(base::Cat(R"("spec":{"limits":[{"type":"Container","max":)", amounts, R"(,"min":)", amounts,
                                    R"(,"default":)", amounts, R"(,"defaultRequest":)", amounts, "}]}")),
            "");
}

TEST(LongLists, LimitsAndRequestsAreLookedUp) {
  KindFixture pods("", "v1", "pods", "Pod", true);
  const std::string limits = Members(R"("a.b/c@":"1")", 60000), requests = Members(R"("a.b/c1@":"1")", 60000);
  EXPECT_LT(pods.Create(base::Cat(R"("spec":{"containers":[{"name":"c","image":"i","resources":{"limits":)", limits,
                                  R"(,"requests":)", requests, "}}]}"))
                .size(),
            4 * api::FieldErrors::kMostBytes);
}

TEST(LongLists, KeysOfListsAreLookedUp) {
  KindFixture definitions("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false);
  const std::string keys = Items(R"("k@")", 60000);
  const std::string errors = definitions.Create(base::Cat(
      R"("spec":{"group":"b.c","scope":"Cluster","names":{"plural":"a","kind":"A"},"versions":[{"name":"v1",)",
      R"("served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"l":{)",
      R"("type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":)", keys,
      R"(,"items":{"type":"object","required":)", keys, R"(,"properties":)",
      Members(R"("k@":{"type":"string"})", 60000), "}}}}}}]}"));
  EXPECT_LT(errors.size(), 4 * api::FieldErrors::kMostBytes);
}

// What is too much for the recorded writes (tests/data/rules), just over the limit and at it.
TEST(LongValues, AreRefusedBeyondTheirLimit) {
  struct {
    const char *group, *version, *plural, *kind;
    bool namespaced;
    const char* members;  // "%" is the text
    size_t most;
    const char *subresource, *error;
  } cases[] = {
      {"storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", false,
       R"("spec":{"attacher":"a.example.com","nodeName":"n","source":{"persistentVolumeName":"p"}},)"
       R"("status":{"attached":true,"attachmentMetadata":{"k":"%"}})",
       262143, "status",
       "status.attachmentMetadata: Too long: may not be more than 262144 bytes\n"
       "status.attachmentMetadata: Too long: may not be more than 262144 bytes"},
      {"", "v1", "pods", "Pod", true,
       R"("spec":{"containers":[{"name":"c","image":"i","securityContext":{"windowsOptions":{"gmsaCredentialSpec":"%"}}}]})",
       65536, "", "spec.containers[0].securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: \"0"},
      {"batch", "v1", "jobs", "Job", true,
       R"("spec":{"completionMode":"Indexed","completions":3,"manualSelector":true,"selector":{"matchLabels":{"a":"b"}},)"
       R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never","containers":[{"name":"c",)"
       R"("image":"i"}]}},"successPolicy":{"rules":[{"succeededIndexes":"%"}]}})",
       65536, "", "spec.successPolicy.rules[0].succeededIndexes: Too long: may not be more than 65536 bytes"},
  };
  for (const auto& c : cases) {
    KindFixture kind(c.group, c.version, c.plural, c.kind, c.namespaced);
    const auto errors = [&](size_t size) {
      std::string members = c.members;
      members.replace(members.find('%'), 1, std::string(size, '0'));
      return *c.subresource == 0 ? kind.Create(members) : kind.Update(members, members, c.subresource);
    };
    EXPECT_EQ(errors(c.most), "") << c.plural;
    EXPECT_TRUE(errors(c.most + 1).starts_with(c.error)) << c.plural;
  }
}

TEST(LongLists, AreRefusedBeyondTheirLimit) {
  KindFixture slices("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", true);
  const auto ports = [](int count) {
    return base::Cat(R"("addressType":"IPv4","endpoints":[],"ports":)", Items(R"({"name":"p@","port":80})", count));
  };
  EXPECT_EQ(slices.Create(ports(20000)), "");
  EXPECT_EQ(slices.Create(ports(20001)), "ports: Too many: 20001: must have at most 20000 items");
}

TEST(LongValues, BundlesOfCertificatesAreNotReadBeyondTheirLimit) {
  KindFixture bundles("certificates.k8s.io", "v1alpha1", "clustertrustbundles", "ClusterTrustBundle", false);
  const auto errors = [&](size_t size) {
    return bundles.Create(base::Cat(R"("spec":{"trustBundle":")", std::string(size, 'x'), "\"}"));
  };
  EXPECT_TRUE(errors(1 << 20).starts_with("spec.trustBundle: Invalid value: "));
  EXPECT_EQ(errors((1 << 20) + 1), "spec.trustBundle: Too long: may not be more than 1048576 bytes");
}

TEST(Errors, KeepNoMoreThanTheyMay) {
  Errors errors;
  const std::string long_text(1000, 'x');
  for (int i = 0; i < 10000; ++i) errors.Invalid(FieldPath("f"), long_text, "is no good");
  EXPECT_TRUE(errors.full());
  EXPECT_EQ(errors.size(), 10000u);
  const size_t kept = Errors(errors).Take().size();
  EXPECT_GT(kept, 950u);
  EXPECT_LT(kept, 1050u);
  errors.Truncate(1);
  EXPECT_FALSE(errors.full());
  errors.Required(FieldPath("g"));
  EXPECT_EQ(std::move(errors).Take().size(), 2u);
}

}  // namespace
}  // namespace resources
