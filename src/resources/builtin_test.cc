#include "resources/builtin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace resources {
namespace {

using testing::ElementsAre;

std::vector<std::string> GroupVersions(const registry::ResourceTable& table) {
  std::vector<std::string> seen;
  for (const registry::Resource* resource : table.All()) {
    if (seen.empty() || seen.back() != resource->group_version()) seen.push_back(resource->group_version());
  }
  return seen;
}

registry::ResourceTableRef TableOf(const ApiResourceConfig& enabled = ApiResourceConfig()) {
  return MakeBuiltinTable(enabled, nullptr).value();
}

registry::ResourceTableRef TableOf(std::vector<ApiResourceConfig::Setting> settings) {
  base::Result<ApiResourceConfig> enabled = ApiResourceConfig::Make(settings);
  EXPECT_TRUE(enabled.has_value());
  return TableOf(enabled ? *enabled : ApiResourceConfig());
}

TEST(BuiltinTest, ServesTheDefaultResources) {
  const registry::ResourceTableRef table = TableOf();
  EXPECT_EQ(table->All().size(), 59u);
  for (const registry::Resource* resource : table->All()) {
    EXPECT_EQ(table->Find(resource->group, resource->version, resource->plural), resource);
    EXPECT_NE(resource->type, nullptr) << resource->plural;
    EXPECT_NE(resource->strategy, nullptr) << resource->plural;
    EXPECT_EQ(resource->HasVerb("list"), resource->list_type != nullptr) << resource->plural;
    if (resource->storage) EXPECT_NE(resource->storage->type, nullptr) << resource->plural;
    for (const registry::Subresource& subresource : resource->subresources) {
      EXPECT_NE(subresource.type, nullptr) << resource->plural << "/" << subresource.name;
    }
  }
  EXPECT_EQ(table->Find("", "v1", "nothing"), nullptr);
  EXPECT_EQ(table->Find("apps", "v1", "pods"), nullptr);
}

TEST(BuiltinTest, VersionsShareTheirStorage) {
  const registry::ResourceTableRef table = TableOf();
  EXPECT_EQ(table->Find("autoscaling", "v1", "horizontalpodautoscalers")->storage,
            table->Find("autoscaling", "v2", "horizontalpodautoscalers")->storage);
  EXPECT_EQ(table->Find("", "v1", "events")->storage, table->Find("events.k8s.io", "v1", "events")->storage);
  EXPECT_EQ(table->Find("", "v1", "services")->storage->collection, "services/specs");
  EXPECT_EQ(table->Find("", "v1", "bindings")->storage, nullptr);
}

TEST(BuiltinTest, SelectorsNameTheStoredForm) {
  const registry::ResourceTableRef table = TableOf();
  const registry::Resource* events = table->Find("events.k8s.io", "v1", "events");
  const registry::SelectableField* source = events->FindSelectableField("source");
  ASSERT_NE(source, nullptr);
  EXPECT_THAT(source->paths, ElementsAre("source.component", "reportingComponent"));
  EXPECT_THAT(events->FindSelectableField("regarding.name")->paths, ElementsAre("involvedObject.name"));
  const registry::Resource* pods = table->Find("", "v1", "pods");
  EXPECT_EQ(pods->FindSelectableField("spec.hostNetwork")->zero, "false");
  EXPECT_EQ(pods->FindSelectableField("spec.nodeName")->zero, "");
  EXPECT_TRUE(pods->FindSelectableField("status.podIPs")->paths.empty());
  EXPECT_EQ(table->Find("batch", "v1", "jobs")->FindSelectableField("status.successful")->zero, "0");
  EXPECT_FALSE(table->Find("", "v1", "nodes")->selects_namespace);
}

TEST(BuiltinTest, RuntimeConfigAddsAndTakesAway) {
  EXPECT_EQ(TableOf({{"api/all", "true"}})->All().size(), 78u);
  EXPECT_EQ(TableOf({{"api/alpha", "true"}})->Find("networking.k8s.io", "v1beta1", "servicecidrs"), nullptr);
  const registry::ResourceTableRef one = TableOf({{"networking.k8s.io/v1beta1/ipaddresses", ""}});
  EXPECT_NE(one->Find("networking.k8s.io", "v1beta1", "ipaddresses"), nullptr);
  EXPECT_EQ(one->Find("networking.k8s.io", "v1beta1", "servicecidrs"), nullptr);
  EXPECT_EQ(TableOf({{"apps/v1", "false"}})->Find("apps", "v1", "deployments"), nullptr);
  EXPECT_EQ(TableOf({{"api/all", "true"}, {"apps/v1", "false"}})->Find("apps", "v1", "deployments"), nullptr);
  EXPECT_NE(TableOf({{"apps/v1/deployments", "true"}, {"apps/v1", "false"}})->Find("apps", "v1", "deployments"),
            nullptr);
  EXPECT_EQ(TableOf({{"/v1/pods", "0"}})->Find("", "v1", "pods"), nullptr);
}

TEST(BuiltinTest, GatesHideWhatNothingServesWithoutThem) {
  ApiResourceConfig enabled = *ApiResourceConfig::Make(std::vector<ApiResourceConfig::Setting>{{"api/all", "true"}});
  const registry::ResourceTableRef without = TableOf(enabled);
  EXPECT_EQ(without->Find("certificates.k8s.io", "v1alpha1", "clustertrustbundles"), nullptr);
  EXPECT_EQ(without->Find("", "v1", "pods")->FindSubresource("resize"), nullptr);
  api::Features features;
  features.Set(api::Feature::kClusterTrustBundle, true);
  features.Set(api::Feature::kInPlacePodVerticalScaling, true);
  enabled.SetFeatures(features);
  const registry::ResourceTableRef with = TableOf(enabled);
  EXPECT_NE(with->Find("certificates.k8s.io", "v1alpha1", "clustertrustbundles"), nullptr);
  EXPECT_NE(with->Find("", "v1", "pods")->FindSubresource("resize"), nullptr);
}

TEST(BuiltinTest, StandsInDiscoveryOrder) {
  std::vector<std::string> expected = {"v1",
                                       "apiregistration.k8s.io/v1",
                                       "apps/v1",
                                       "events.k8s.io/v1",
                                       "authentication.k8s.io/v1",
                                       "authorization.k8s.io/v1",
                                       "autoscaling/v2",
                                       "autoscaling/v1",
                                       "batch/v1",
                                       "certificates.k8s.io/v1",
                                       "networking.k8s.io/v1",
                                       "policy/v1",
                                       "rbac.authorization.k8s.io/v1",
                                       "storage.k8s.io/v1",
                                       "admissionregistration.k8s.io/v1",
                                       "apiextensions.k8s.io/v1",
                                       "scheduling.k8s.io/v1",
                                       "coordination.k8s.io/v1",
                                       "node.k8s.io/v1",
                                       "discovery.k8s.io/v1",
                                       "flowcontrol.apiserver.k8s.io/v1"};
  EXPECT_EQ(GroupVersions(*TableOf()), expected);
}

TEST(EnabledSetTest, RefusesWhatTheRealServerRefuses) {
  struct Case {
    const char* name;
    std::vector<ApiResourceConfig::Setting> settings;
    const char* message;
  };
  const Case cases[] = {
      {"nothing left", {{"api/all", "false"}}, "invalid key with only api/all=false"},
      {"core without slash", {{"v1", "true"}}, "runtime-config invalid key v1"},
      {"too deep", {{"a/b/c/d", "true"}}, "runtime-config invalid key a/b/c/d"},
      {"unknown group", {{"nope.example.com/v1", "true"}}, "unknown api groups nope.example.com"},
      {"unknown version", {{"apps/v9", "true"}}, "group version apps/v9 that has not been registered"},
      {"level value", {{"api/beta", "yes"}}, "invalid value api/beta=yes"},
      {"value",
       {{"apps/v1", "yes"}},
       "invalid value of apps/v1: yes, err: strconv.ParseBool: parsing \"yes\": invalid syntax"},
      {"upper case",
       {{"apps/v1/Deployments", "true"}},
       "invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "
       "\"Deployments\""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    base::Result<ApiResourceConfig> set = ApiResourceConfig::Make(c.settings);
    ASSERT_FALSE(set.has_value());
    EXPECT_EQ(set.error().message, c.message);
  }
  EXPECT_TRUE(
      ApiResourceConfig::Make(std::vector<ApiResourceConfig::Setting>{{"extensions/v1beta1", "true"}}).has_value());
}

}  // namespace
}  // namespace resources
