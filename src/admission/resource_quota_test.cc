#include "admission/resource_quota.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "registry/json_scan.h"
#include "registry/registry_fixture.h"
#include "value/json_reader.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

// Admits what another says, which is made later.
class Late final : public registry::Admission {
 public:
  base::Task<api::Result<>> Mutate(AdmissionRequest& request) const override { co_return plugin->Mutate(request); }
  base::Task<api::Result<>> Validate(AdmissionRequest& request) const override { co_return plugin->Validate(request); }
  std::unique_ptr<const Plugin> plugin;
};

// A registry over the fixture's resources, services, claims and quotas, with quotas in force.
class ResourceQuotaTest : public testing::Test {
 protected:
  void SetUp() override {
    quotas_ = &f_.table.Add("", "v1", "resourcequotas", "ResourceQuota", true);
    services_ = &f_.table.Add("", "v1", "services", "Service", true);
    claims_ = &f_.table.Add("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true);
    f_.table.Open(*f_.store);
    table_ = f_.table.Snapshot();
    Limit({});
    registry_ = std::make_unique<registry::Registry>(*f_.store, f_.table, f_.clock, base::SystemRandom(),
                                                     registry::WriteHooks{.admission = &late_});
    std::swap(registry_, f_.registry);
  }
  void Limit(QuotaOptions options) {
    late_.plugin =
        std::make_unique<ResourceQuota>("ResourceQuota", PluginParts{*f_.store, *table_, {}, {}}, std::move(options));
  }
  void Quota(std::string_view name, std::string_view hard, std::string_view more = "", std::string_view used = "") {
    const std::string status = used.empty() ? "" : Cat(R"(,"status":{"hard":{)", hard, R"(},"used":{)", used, "}}");
    const auto made =
        f_.Create(*quotas_, Cat(R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":")", name,
                                R"(","namespace":"ns"},"spec":{"hard":{)", hard, "}", more, "}", status, "}"));
    ASSERT_TRUE(made) << made.error().message;
  }
  std::string Used(std::string_view name = "q") {
    const auto quota = f_.Get(*quotas_, name);
    return quota ? std::string(registry::FindJson((*quota)->bytes(), "status.used")) : "none";
  }
  std::string Create(const registry::Resource& resource, std::string_view json, bool dry_run = false) {
    const auto made = f_.Create(resource, json, "ns", dry_run);
    return made ? "" : Cat(made.error().code, " ", made.error().message);
  }
  std::string CreatePod(std::string_view name, std::string_view spec) {
    return Create(*f_.pods, Cat(R"({"metadata":{"name":")", name, R"(","namespace":"ns"},"spec":{)", spec, "}}"));
  }

  registry::Fixture f_;
  registry::Resource *quotas_, *services_, *claims_;
  registry::ResourceTableRef table_;
  Late late_;
  std::unique_ptr<registry::Registry> registry_;
};

std::string Map(int number) { return Cat(R"({"metadata":{"name":"m)", number, R"(","namespace":"ns"}})"); }

TEST_F(ResourceQuotaTest, IsInForceForTheNextRequest) {
  ASSERT_EQ(Create(*f_.configmaps, Map(0)), "");
  Quota("q", R"("configmaps":"2")");
  // Nobody has said yet what is used.
  EXPECT_EQ(Create(*f_.configmaps, Map(1), /*dry_run=*/true), "");
  EXPECT_EQ(Used(), "");
  EXPECT_EQ(Create(*f_.configmaps, Map(1)), "");
  EXPECT_EQ(Used(), R"({"configmaps":"2"})");
  const std::string full =
      R"(403 configmaps "m2" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2)";
  EXPECT_EQ(Create(*f_.configmaps, Map(2)), full);
  EXPECT_EQ(Create(*f_.configmaps, Map(2), /*dry_run=*/true), full);
}

TEST_F(ResourceQuotaTest, NothingIsUsedByAWriteThatFails) {
  Quota("q", R"("configmaps":"5")", "", R"("configmaps":"0")");
  EXPECT_EQ(Create(*f_.configmaps, Map(0)), "");
  EXPECT_EQ(Create(*f_.configmaps, Map(0)), R"(409 configmaps "m0" already exists)");
  EXPECT_EQ(Used(), R"({"configmaps":"1"})");
}

TEST_F(ResourceQuotaTest, AllOfSeveralHaveToFit) {
  Quota("a", R"("configmaps":"9")", "", R"("configmaps":"0")");
  Quota("b", R"("count/configmaps":"0")", "", R"("count/configmaps":"0")");
  EXPECT_EQ(
      Create(*f_.configmaps, Map(0)),
      R"(403 configmaps "m0" is forbidden: exceeded quota: b, requested: count/configmaps=1, used: count/configmaps=0, limited: count/configmaps=0)");
  EXPECT_EQ(Used("a"), R"({"configmaps":"0"})");
}

TEST_F(ResourceQuotaTest, ContainersSayWhatIsLimited) {
  Quota("q", R"("requests.cpu":"1","limits.memory":"1Gi")");
  EXPECT_EQ(
      CreatePod(
          "p",
          R"("containers":[{"name":"b"},{"name":"a","resources":{"requests":{"cpu":"1"}}}],"initContainers":[{"name":"i","resources":{"limits":{"memory":"1"}}}])"),
      R"(403 pods "p" is forbidden: failed quota: q: must specify limits.memory for: a,b; requests.cpu for: b,i)");
  EXPECT_EQ(
      CreatePod("p",
                R"("containers":[{"name":"a","resources":{"requests":{"cpu":"600m"},"limits":{"memory":"1Gi"}}}])"),
      "");
  EXPECT_EQ(Used(), R"({"limits.memory":"1Gi","requests.cpu":"600m"})");
  EXPECT_EQ(
      CreatePod("r", R"("containers":[{"name":"a","resources":{"requests":{"cpu":"600m"},"limits":{"memory":"1"}}}])"),
      R"(403 pods "r" is forbidden: exceeded quota: q, requested: limits.memory=1,requests.cpu=600m, used: limits.memory=1Gi,requests.cpu=600m, limited: limits.memory=1Gi,requests.cpu=1)");
}

TEST_F(ResourceQuotaTest, ScopesSayWhichPodsCount) {
  Quota("q", R"("pods":"0")", R"(,"scopes":["BestEffort"])");
  EXPECT_EQ(CreatePod("p", R"("containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}])"), "");
  EXPECT_NE(CreatePod("r", R"("containers":[{"name":"a"}])"), "");
}

TEST_F(ResourceQuotaTest, UpdatesCountWhatTheyAdd) {
  Quota("q", R"("services.nodeports":"2")");
  const auto service = [](std::string_view type, int ports) {
    std::string list;
    for (int i = 0; i < ports; ++i) base::Append(list, i == 0 ? "" : ",", R"({"port":)", 80 + i, "}");
    return Cat(R"({"metadata":{"name":"s","namespace":"ns"},"spec":{"type":")", type, R"(","ports":[)", list, "]}}");
  };
  EXPECT_EQ(Create(*services_, service("ClusterIP", 3)), "");
  const auto put = [&](const std::string& object) {
    const auto written = f_.Put(*services_, "s", object);
    return written ? "" : written.error().message;
  };
  EXPECT_EQ(
      put(service("NodePort", 3)),
      R"(services "s" is forbidden: exceeded quota: q, requested: services.nodeports=3, used: services.nodeports=0, limited: services.nodeports=2)");
  EXPECT_EQ(put(service("NodePort", 1)), "");
  EXPECT_EQ(put(service("NodePort", 2)), "");
  EXPECT_EQ(Used(), R"({"services.nodeports":"2"})");
}

TEST_F(ResourceQuotaTest, WhatIsLimitedByDefaultNeedsAQuota) {
  LimitedResource claims{
      .group = "", .resource = "persistentvolumeclaims", .contains = {"gold.storageclass"}, .scopes = {}};
  LimitedResource pods{.group = "",
                       .resource = "pods",
                       .contains = {},
                       .scopes = {{.name = "PriorityClass", .op = "In", .values = {"high", "top"}}}};
  Limit({.limited = {claims, pods}});
  const auto claim = [](std::string_view storage_class) {
    return Cat(R"({"metadata":{"name":"c","namespace":"ns"},"spec":{"storageClassName":")", storage_class,
               R"(","resources":{"requests":{"storage":"1Gi"}}}})");
  };
  EXPECT_EQ(Create(*claims_, claim("silver"), true), "");
  EXPECT_EQ(
      Create(*claims_, claim("gold"), true),
      R"(403 persistentvolumeclaims "c" is forbidden: insufficient quota to consume: gold.storageclass.storage.k8s.io/persistentvolumeclaims,gold.storageclass.storage.k8s.io/requests.storage)");
  EXPECT_EQ(CreatePod("p", R"("priorityClassName":"high","containers":[{"name":"a"}])"),
            "500 insufficient quota to match these scopes: [{PriorityClass In [high top]}]");
  EXPECT_EQ(CreatePod("p", R"("priorityClassName":"low","containers":[{"name":"a"}])"), "");
  Quota("q", R"("pods":"1")",
        R"(,"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In","values":["high"]}]})");
  EXPECT_EQ(CreatePod("h", R"("priorityClassName":"high","containers":[{"name":"a"}])"), "");
}

// Many writers at a time: never one object too many, and what is used is what is there.
TEST_F(ResourceQuotaTest, HoldsAgainstParallelWriters) {
  constexpr int kWriters = 16, kEach = 12, kLimit = 75;
  Quota("q", Cat(R"("configmaps":")", kLimit, R"(")"));
  Quota("r", R"("count/configmaps":"1000")");
  std::atomic<int> made = 0, refused = 0, other = 0;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      registry::LoopExecutor executor;
      api::RequestContext request;
      std::vector<std::string> warnings;
      registry::Call call{request, executor, warnings, *table_};
      for (int i = 0; i < kEach; ++i) {
        value::Arena arena;
        const Value object = *value::ReadJson(arena.CopyString(Map(writer * kEach + i)), arena);
        const auto written =
            executor.Run(f_.registry->CreateObject(call, *f_.configmaps, {{"ns", ""}, object, &arena}));
        ++(written ? made : written.error().code == 403 ? refused : other);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(made, kLimit);
  EXPECT_EQ(refused, kWriters * kEach - kLimit);
  EXPECT_EQ(other, 0);
  EXPECT_EQ(f_.store->Latest(f_.configmaps->storage->id).Count("ns/"), static_cast<size_t>(kLimit));
  EXPECT_EQ(Used("q"), Cat(R"({"configmaps":")", kLimit, R"("})"));
  EXPECT_EQ(Used("r"), Cat(R"({"count/configmaps":")", kLimit, R"("})"));
}

TEST(QuotaOptions, AreReadStrictly) {
  const auto read = [](std::string_view text) {
    value::Arena arena;
    const auto options = QuotaOptions::Read(*value::ReadJson(arena.CopyString(text), arena));
    return options ? Cat(options->limited.size()) : options.error().message;
  };
  constexpr std::string_view kHead =
      R"({"apiVersion":"apiserver.config.k8s.io/v1","kind":"ResourceQuotaConfiguration")";
  EXPECT_EQ(read(Cat(kHead, R"(,"limitedResources":[{"resource":"pods","matchContains":["cpu"]}]})")), "1");
  EXPECT_EQ(read(R"({"apiVersion":"resourcequota.admission.k8s.io/v1beta1","kind":"Configuration"})"), "0");
  EXPECT_EQ(read(Cat(kHead, R"(,"limitedResources":[{"apiGroup":"apps"}]})")),
            "limitedResources[0].resource: Required value");
  EXPECT_EQ(read(Cat(kHead, R"(,"limitedResources":[{"resource":"pods","match":[]}]})")),
            R"(strict decoding error: unknown field "limitedResources[0].match")");
  EXPECT_EQ(
      read(Cat(kHead,
               R"(,"limitedResources":[{"resource":"pods","matchScopes":[{"scopeName":"X","operator":"In"}]}]})")),
      "limitedResources[0].matchScopes[0].scopeName: there is no scope X");
}

}  // namespace
}  // namespace admission
