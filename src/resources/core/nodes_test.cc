// Nodes, replication controllers and service accounts: each rule with an object that breaks it and one that keeps it.
#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "resources/kind_fixture.h"

namespace resources::core {
namespace {

void ExpectBegins(const std::string& errors, std::string_view error, const char* name) {
  EXPECT_EQ(std::string_view(errors).substr(0, error.size()), error) << name;
  EXPECT_EQ(errors.empty(), error.empty()) << name << ": " << errors;
}

TEST(Nodes, New) {
  struct {
    const char *name, *members, *error;
  } cases[] = {
      {"nothing", "", ""},
      {"taints", R"("spec":{"taints":[{"key":"a","effect":"NoExecute"},{"key":"a","effect":"NoSchedule"}]})", ""},
      {"taint without effect", R"("spec":{"taints":[{"key":"a"}]})", "metadata.taints[0].effect: Required value"},
      {"taint twice", R"("spec":{"taints":[{"key":"a","effect":"NoExecute"},{"key":"a","effect":"NoExecute"}]})",
       R"(metadata.taints[1]: Duplicate value: {"key":"a","effect":"NoExecute"}: taints must be unique by key and effect pair)"},
      {"capacity", R"("status":{"capacity":{"cpu":"1","example.com/x":"2"}})", ""},
      {"part of a thing", R"("status":{"capacity":{"example.com/x":"1500m"}})",
       "status.capacity.example.com/x: Invalid value: "},
      {"ranges", R"("spec":{"podCIDRs":["10.0.0.0/8","fd00::/64"]})", ""},
      {"ranges of a family", R"("spec":{"podCIDRs":["10.0.0.0/8","11.0.0.0/8"]})",
       R"(spec.podCIDRs: Invalid value: []string{"10.0.0.0/8", "11.0.0.0/8"}: may specify no more than one CIDR for each IP family)"},
      {"no range", R"("spec":{"podCIDRs":["x"]})",
       R"(spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value)"},
  };
  for (const auto& c : cases) {
    KindFixture nodes("", "v1", "nodes", "Node", false);
    ExpectBegins(nodes.Create(c.members), c.error, c.name);
  }
  KindFixture nodes("", "v1", "nodes", "Node", false);
  EXPECT_EQ(nodes.Create(R"("spec":{"podCIDR":"10.0.0.0/8","configSource":{},"externalID":"e"})"), "");
  EXPECT_TRUE(nodes.object().contains(R"("podCIDR":"10.0.0.0/8","podCIDRs":["10.0.0.0/8"]})")) << nodes.object();
  EXPECT_EQ(nodes.warnings(), "spec.externalID: this field is deprecated, and is unused by Kubernetes");
}

TEST(Nodes, Changes) {
  constexpr std::string_view kOnce = "may not change podCIDR except from \"\" to valid";
  struct {
    const char *name, *old, *now, *subresource;
    std::string error;
  } cases[] = {
      {"ranges given", "", R"("spec":{"podCIDRs":["10.0.0.0/8"]})", "", ""},
      {"ranges taken", R"("spec":{"podCIDRs":["10.0.0.0/8"]})", "", "",
       base::Cat("spec.podCIDRs: Forbidden: node updates ", kOnce)},
      {"provider", R"("spec":{"providerID":"a"})", R"("spec":{"providerID":"b"})", "",
       "spec.providerID: Forbidden: node updates may not change providerID except from \"\" to valid"},
      {"external id", "", R"("spec":{"externalID":"b"})", "", "spec.externalID: Forbidden: may not be updated"},
      {"addresses", "",
       R"("status":{"addresses":[{"type":"Hostname","address":"a"},{"type":"Hostname","address":"a"}]})", "status",
       R"(status.addresses[1]: Duplicate value: {"type":"Hostname","address":"a"})"},
      {"amounts", "", R"("status":{"allocatable":{"cpu":"-1"}})", "status",
       "status.allocatable.cpu: Invalid value: \"-1\": "},
      {"a taint, said twice", "", R"("spec":{"taints":[{"key":"a"}]})", "",
       "metadata.taints[0].effect: Required value\nmetadata.taints[0].effect: Required value"},
      {"a source", R"("spec":{"configSource":{"configMap":{"namespace":"n","name":"c","kubeletConfigKey":"k"}}})",
       R"("spec":{"configSource":{"configMap":{"namespace":"n","name":"c","kubeletConfigKey":"k","uid":"u"}}})", "",
       "spec.configSource.configMap.uid: Forbidden: uid must not be set in spec"},
      {"a source of nothing",
       R"("spec":{"configSource":{"configMap":{"namespace":"n","name":"c","kubeletConfigKey":"k"}}})",
       R"("spec":{"configSource":{}})", "",
       "spec.configSource: Invalid value: core.NodeConfigSource{}: exactly one reference subfield must be non-nil"},
      {"a source without names",
       R"("spec":{"configSource":{"configMap":{"namespace":"n","name":"c","kubeletConfigKey":"k"}}})",
       R"("spec":{"configSource":{"configMap":{}}})", "",
       "spec.configSource.configMap.namespace: Required value: namespace must be set\n"
       "spec.configSource.configMap.name: Required value: name must be set\n"
       "spec.configSource.configMap.kubeletConfigKey: Required value: kubeletConfigKey must be set"},
      {"an assigned source of no version", R"("status":{"config":{"error":"e"}})",
       R"("status":{"config":{"assigned":{"configMap":{"namespace":"n","name":"c","kubeletConfigKey":"k"}}}})",
       "status",
       "status.config.assigned.configMap.uid: Required value: uid must be set in status\n"
       "status.config.assigned.configMap.resourceVersion: Required value: resourceVersion must be set in status"},
  };
  for (const auto& c : cases) {
    KindFixture nodes("", "v1", "nodes", "Node", false);
    ExpectBegins(nodes.Update(c.old, c.now, c.subresource), c.error, c.name);
  }
}

constexpr std::string_view kTemplate =
    R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}})";

TEST(ReplicationControllers, New) {
  struct {
    const char *name, *fields, *error;
  } cases[] = {
      {"nothing else", "", ""},
      {"replicas", R"("replicas":-1)", "spec.replicas: Invalid value: -1: must be greater than or equal to 0"},
      {"ready", R"("minReadySeconds":-1)",
       "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"},
      {"selector", R"("selector":{"a":"c"})",
       R"(spec.template.metadata.labels: Invalid value: map[string]string{"a":"b"}: `selector` does not match template `labels`)"},
  };
  for (const auto& c : cases) {
    KindFixture controllers("", "v1", "replicationcontrollers", "ReplicationController", true);
    const std::string spec = base::Cat(R"("spec":{)", kTemplate, *c.fields == '\0' ? "" : ",", c.fields, "}");
    ExpectBegins(controllers.Create(spec), c.error, c.name);
  }
  KindFixture controllers("", "v1", "replicationcontrollers", "ReplicationController", true);
  EXPECT_EQ(controllers.Create(R"("spec":{})"), "spec.selector: Required value\nspec.template: Required value");
  EXPECT_EQ(
      controllers.Create(R"("spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never",
      "activeDeadlineSeconds":1,"containers":[{"name":"c","image":"i"}]}}})"),
      "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"\n"
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not "
      "Supported");
}

TEST(ReplicationControllers, ChangesAreHeldTwice) {
  KindFixture controllers("", "v1", "replicationcontrollers", "ReplicationController", true);
  const std::string good = base::Cat(R"("spec":{)", kTemplate, "}");
  EXPECT_EQ(controllers.Update(good, base::Cat(R"("spec":{"replicas":3,)", kTemplate, "}")), "");
  EXPECT_EQ(controllers.Update(good, base::Cat(R"("spec":{"replicas":-1,)", kTemplate, "}")),
            "spec.replicas: Invalid value: -1: must be greater than or equal to 0\n"
            "spec.replicas: Invalid value: -1: must be greater than or equal to 0");
  EXPECT_EQ(controllers.Update(good, R"("status":{"replicas":1,"readyReplicas":2,"availableReplicas":1})", "status"),
            "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas");
}

TEST(ServiceAccounts, KeepNamesOfSecrets) {
  KindFixture accounts("", "v1", "serviceaccounts", "ServiceAccount", true);
  EXPECT_EQ(accounts.Create(R"("secrets":[{"name":"a","namespace":"b","uid":"c"}])",
                            R"("annotations":{"kubernetes.io/enforce-mountable-secrets":"true"})"),
            "");
  EXPECT_TRUE(accounts.object().contains(R"("secrets":[{"name":"a"}])")) << accounts.object();
  EXPECT_TRUE(accounts.warnings().contains("deprecated in v1.32+"));
}

}  // namespace
}  // namespace resources::core
