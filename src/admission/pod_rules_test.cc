// The plugins that hold pods to what their namespace or their account says.
#include <gtest/gtest.h>

#include <string>

#include "admission/event_rate_limit.h"
#include "admission/pod_node_selector.h"
#include "admission/pod_toleration_restriction.h"
#include "admission/service_account.h"
#include "base/text.h"
#include "registry/registry_fixture.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

class PodRulesTest : public testing::Test {
 protected:
  PodRulesTest() {
    accounts_ = &f_.table.Add("", "v1", "serviceaccounts", "ServiceAccount", true);
    f_.table.Open(*f_.store);
    table_ = f_.table.Snapshot();
  }
  PluginParts Parts() { return {*f_.store, *table_, {}, {}}; }
  Value Read(std::string_view json) { return *value::ReadJson(arena_.CopyString(json), arena_); }
  void Namespace(std::string_view name, std::string_view annotations) {
    Value object = Value::Object(arena_), metadata = Value::Object(arena_);
    metadata.Add(arena_, "name", Value::String(name));
    metadata.Add(arena_, "annotations", Read(annotations));
    object.Add(arena_, "metadata", metadata);
    ASSERT_TRUE(f_.Create(*f_.namespaces, value::ToJson(object), ""));
  }
  // The pod's spec as the plugin leaves it, or why it is not taken.
  std::string Admit(const Plugin& plugin, std::string_view in, std::string_view spec, std::string_view metadata = "") {
    registry::Call call = f_.NewCall();
    AdmissionRequest request{.call = call,
                             .resource = *f_.pods,
                             .subresource = "",
                             .operation = Operation::kCreate,
                             .key = {in, "p"},
                             .object = Read(Cat(R"({"metadata":{"name":"p")", metadata, R"(},"spec":{)", spec, "}}")),
                             .arena = arena_};
    api::Result<> admitted = plugin.Mutate(request);
    if (admitted) admitted = plugin.Validate(request);
    return admitted ? value::ToJson(request.object.Get("spec"))
                    : Cat(admitted.error().code, " ", admitted.error().message);
  }

  value::Arena arena_;
  registry::Fixture f_;
  registry::Resource* accounts_;
  registry::ResourceTableRef table_;
};

TEST_F(PodRulesTest, NodeSelectorsAreTheNamespaces) {
  Namespace("own", R"({"scheduler.alpha.kubernetes.io/node-selector":"zone=b, disk = ssd"})");
  Namespace("wrong", R"({"scheduler.alpha.kubernetes.io/node-selector":"a=b=c"})");
  const PodNodeSelector plugin(
      "PodNodeSelector", Parts(),
      *NodeSelectorOptions::Read(
          Read(R"({"podNodeSelectorPluginConfig":{"clusterDefaultNodeSelector":"zone=a","ns":"zone=a,cpu=x"}})")));
  EXPECT_EQ(Admit(plugin, "ns", ""), R"({"nodeSelector":{"zone":"a"}})");
  EXPECT_EQ(Admit(plugin, "ns", R"("nodeSelector":{"cpu":"x"})"), R"({"nodeSelector":{"cpu":"x","zone":"a"}})");
  EXPECT_EQ(Admit(plugin, "ns", R"("nodeSelector":{"cpu":"y"})"),
            R"(403 pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist)");
  EXPECT_EQ(Admit(plugin, "own", ""), R"({"nodeSelector":{"disk":"ssd","zone":"b"}})");
  EXPECT_EQ(Admit(plugin, "own", R"("nodeSelector":{"zone":"a"})"),
            R"(403 pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector)");
  EXPECT_EQ(Admit(plugin, "wrong", ""), "500 invalid selector: [a b c]");
  EXPECT_FALSE(NodeSelectorOptions::Read(Read(R"({"podNodeSelector":{}})")));
}

TEST_F(PodRulesTest, TolerationsAreWhatTheNamespaceAllows) {
  Namespace(
      "own",
      R"({"scheduler.alpha.kubernetes.io/defaultTolerations":"[{\"key\":\"k\",\"operator\":\"Exists\"}]","scheduler.alpha.kubernetes.io/tolerationsWhitelist":"[{\"key\":\"k\",\"operator\":\"Exists\"}]"})");
  const PodTolerationRestriction plugin(
      "PodTolerationRestriction", Parts(),
      *TolerationOptions::Read(Read(
          R"({"apiVersion":"podtolerationrestriction.admission.k8s.io/v1alpha1","kind":"Configuration","default":[{"key":"d","operator":"Exists"}]})")));
  EXPECT_EQ(Admit(plugin, "ns", ""), R"({"tolerations":[{"key":"d","operator":"Exists"}]})");
  EXPECT_EQ(Admit(plugin, "own", R"("tolerations":[{"key":"k","operator":"Equal","value":"v"}])"),
            R"({"tolerations":[{"key":"k","operator":"Exists"}]})");
  EXPECT_EQ(
      Admit(plugin, "own", R"("tolerations":[{"key":"z","operator":"Exists"}])"),
      "500 pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist");
  EXPECT_EQ(
      Admit(plugin, "ns", R"("containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}])"),
      R"({"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}],"tolerations":[{"key":"d","operator":"Exists"},{"key":"node.kubernetes.io/memory-pressure","operator":"Exists","effect":"NoSchedule"}]})");
  std::string many = R"("tolerations":[{"key":"a"})";
  for (size_t i = 0; i < PodTolerationRestriction::kMostTolerations; ++i) many += R"(,{"key":"a"})";
  EXPECT_EQ(Admit(plugin, "ns", many + "]"),
            R"(403 pods "p" is forbidden: a pod may not have more than 1000 tolerations here)");
}

TEST_F(PodRulesTest, AccountsGiveTokensAndSecrets) {
  ASSERT_TRUE(
      f_.Create(*accounts_, R"({"metadata":{"name":"default","namespace":"ns"},"imagePullSecrets":[{"name":"x"}]})"));
  ASSERT_TRUE(f_.Create(
      *accounts_,
      R"({"metadata":{"name":"strict","namespace":"ns","annotations":{"kubernetes.io/enforce-mountable-secrets":"true"}},"automountServiceAccountToken":false,"secrets":[{"name":"mine"}]})"));
  const ServiceAccount plugin("ServiceAccount", Parts());
  EXPECT_EQ(
      Admit(plugin, "ns", R"("automountServiceAccountToken":false)"),
      R"({"automountServiceAccountToken":false,"serviceAccountName":"default","serviceAccount":"default","imagePullSecrets":[{"name":"x"}]})");
  const std::string mounted = Admit(plugin, "ns", R"("containers":[{"name":"a"}])");
  EXPECT_NE(mounted.find(R"("readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount")"),
            std::string::npos)
      << mounted;
  EXPECT_NE(mounted.find(R"({"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}})"), std::string::npos)
      << mounted;
  EXPECT_EQ(Admit(plugin, "ns", R"("serviceAccountName":"gone")"),
            R"(403 pods "p" is forbidden: error looking up service account ns/gone: serviceaccount "gone" not found)");
  EXPECT_EQ(
      Admit(plugin, "ns", R"("serviceAccountName":"strict","volumes":[{"name":"v","secret":{"secretName":"mine"}}])"),
      R"({"serviceAccountName":"strict","volumes":[{"name":"v","secret":{"secretName":"mine"}}]})");
  EXPECT_EQ(
      Admit(plugin, "ns", R"("serviceAccountName":"strict","volumes":[{"name":"v","secret":{"secretName":"other"}}])"),
      R"(403 pods "p" is forbidden: volume with secret.secretName="other" is not allowed because service account strict does not reference that secret)");
  EXPECT_EQ(Admit(plugin, "ns", R"("serviceAccountName":"x")", R"(,"annotations":{"kubernetes.io/config.mirror":"m"})"),
            R"(403 pods "p" is forbidden: a mirror pod may not reference service accounts)");
}

TEST(EventBuckets, FillAgain) {
  EventBuckets buckets({.type = EventLimit::Type::kNamespace, .per_second = 1, .burst = 2, .buckets = 2});
  const std::chrono::steady_clock::time_point start{};
  EXPECT_TRUE(buckets.Take("a", start));
  EXPECT_TRUE(buckets.Take("a", start));
  EXPECT_FALSE(buckets.Take("a", start));
  EXPECT_TRUE(buckets.Take("b", start));
  EXPECT_TRUE(buckets.Take("a", start + std::chrono::seconds(1)));
  EXPECT_FALSE(buckets.Take("a", start + std::chrono::seconds(1)));
  // A third key takes the place of the one that was used longest ago, which begins anew.
  EXPECT_TRUE(buckets.Take("c", start));
  EXPECT_TRUE(buckets.Take("b", start));
  EXPECT_TRUE(buckets.Take("b", start));
}

}  // namespace
}  // namespace admission
