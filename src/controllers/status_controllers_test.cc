// The controllers that say in a status (or in a role's rules) what follows from other objects.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "controllers/api_service_conditions.h"
#include "controllers/api_service_registration.h"
#include "controllers/controllers_fixture.h"
#include "controllers/disruption_controller.h"
#include "controllers/flow_schema_conditions.h"
#include "controllers/garbage_collector.h"
#include "controllers/policy_status.h"
#include "controllers/quota_controller.h"
#include "controllers/reconciler.h"
#include "controllers/role_aggregator.h"

namespace controllers {
namespace {

using base::Cat;

class StatusFixture : public Fixture {
 public:
  StatusFixture() {
    budgets = &Add("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true);
    static constexpr std::string_view kSpec[] = {"spec"};
    table.StrategyOf(*budgets).facts.has_generation = true;
    table.StrategyOf(*budgets).facts.generation_of = kSpec;
    replica_sets = &Add("apps", "v1", "replicasets", "ReplicaSet", true);
    replica_sets->subresources.emplace_back().name = "scale";
    quotas = &Add("", "v1", "resourcequotas", "ResourceQuota", true);
    roles = &Add("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", false);
    schemas = &Add("flowcontrol.apiserver.k8s.io", "v1", "flowschemas", "FlowSchema", false);
    levels =
        &Add("flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations", "PriorityLevelConfiguration", false);
    policies =
        &Add("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", false);
    table.StrategyOf(*policies).facts.has_generation = true;
    table.StrategyOf(*policies).facts.generation_of = kSpec;
    api_services = &Add("apiregistration.k8s.io", "v1", "apiservices", "APIService", false);
    services = &Add("", "v1", "services", "Service", true);
    endpoints = &Add("", "v1", "endpoints", "Endpoints", true);
    table.Open(*store);
  }
  registry::Resource& Add(std::string group, std::string version, std::string plural, std::string kind,
                          bool namespaced) {
    registry::Resource& resource =
        table.Add(std::move(group), std::move(version), std::move(plural), std::move(kind), namespaced);
    resource.verbs = {"create", "delete", "get", "list", "update", "watch"};
    resource.subresources.emplace_back().name = "status";
    return resource;
  }
  void Put(const registry::Resource& resource, std::string_view json) {
    const auto made = Create(resource, json, resource.namespaced ? "ns" : "");
    ASSERT_TRUE(made) << made.error().message;
  }
  // Runs the controller until what is stored at `path` is `wanted`, but for when conditions came to be.
  template <class Controller>
  std::string Settled(const registry::Resource& resource, std::string_view name, std::string_view path,
                      std::string_view wanted) {
    Controller controller(*registry, stepped, stepped);
    controller.Start();
    const std::string key = resource.namespaced ? Cat("ns/", name) : std::string(name);
    const auto said = [&] {
      std::string text(registry::FindJson(Stored(resource, key), path));
      constexpr std::string_view kTime = R"("lastTransitionTime":")";
      for (size_t at = text.find(kTime); at != std::string::npos; at = text.find(kTime)) {
        text.erase(at, kTime.size() + std::string_view("2027-01-15T08:00:00Z\",").size());
      }
      return text;
    };
    const auto end = stepped.Monotonic() + std::chrono::seconds(5);
    stepped.RunUntil([&] { return said() == wanted || stepped.Monotonic() > end; });
    Stop(controller);
    return said();
  }

  registry::Resource *budgets, *replica_sets, *quotas, *roles, *schemas, *levels, *policies, *api_services, *services,
      *endpoints;
};

// A custom resource of a group; the API services of custom versions come and go with them.
TEST(ApiServiceRegistration, FollowsCustomVersions) {
  StatusFixture f;
  f.Put(*f.api_services,
        R"({"metadata":{"name":"v1.old.io","labels":{"kube-aggregator.kubernetes.io/automanaged":"true"}}})");
  f.Put(*f.api_services, R"({"metadata":{"name":"v1.theirs.io"}})");
  ApiServiceRegistration controller(*f.registry, f.stepped, f.stepped);
  controller.Start();
  const auto stored = [&](std::string_view name) {
    return f.store->Latest(f.api_services->storage->id).Get(name) != nullptr;
  };
  auto thing = std::make_shared<registry::Resource>(*f.configmaps);
  thing->group = "g.io";
  thing->plural = "things";
  thing->custom = true;
  f.table.Publish({.remove = {}, .put = {thing}});
  EXPECT_TRUE(f.stepped.RunUntil([&] { return stored("v1.g.io") && !stored("v1.old.io"); }));
  EXPECT_TRUE(stored("v1.theirs.io"));
  EXPECT_FALSE(stored("v1.apps")) << "built-in versions are registered at the start";
  EXPECT_EQ(registry::FindJson(f.Stored(*f.api_services, "v1.g.io"), "spec"),
            R"({"group":"g.io","version":"v1","groupPriorityMinimum":1000,"versionPriority":100})");
  f.table.Publish({.remove = {{"g.io", "v1", "things"}}, .put = {}});
  EXPECT_TRUE(f.stepped.RunUntil([&] { return !stored("v1.g.io"); }));
  f.Stop(controller);
}

// A collection that is served after the start is collected as well, and as long as something of it is left.
TEST(GarbageCollector, FollowsResourcesThatComeAndGo) {
  Fixture f;
  GarbageCollector collector(*f.registry, f.stepped, f.stepped);
  collector.Start();
  const std::string owner_uid = f.Make("owner");
  auto thing = std::make_shared<registry::Resource>(*f.configmaps);
  thing->group = "g.io";
  thing->plural = "things";
  thing->kind = "Thing";
  thing->custom = true;
  auto storage = std::make_shared<registry::Storage>(*thing->storage);
  storage->collection = "g.io/things";
  storage->id = f.store->Collection(storage->collection).value();
  thing->storage = storage;
  f.table.Publish({.remove = {}, .put = {thing}});
  const std::string owners =
      Cat(R"([{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")", owner_uid, R"("}])");
  ASSERT_TRUE(f.Create(*thing, Cat(R"({"metadata":{"name":"t","ownerReferences":)", owners, "}}")));
  const auto owned = f.Make("owned", Cat(R"({"apiVersion":"g.io/v1","kind":"Thing","name":"t","uid":")",
                                         ReadFacts(f.Stored(*thing, "ns/t")).uid, R"("})"));
  ASSERT_TRUE(f.Delete(*f.configmaps, "owner"));
  const auto count = [&](const registry::Resource& resource) { return f.store->Latest(resource.storage->id).Count(); };
  EXPECT_TRUE(f.stepped.RunUntil([&] { return count(*thing) == 0 && count(*f.configmaps) == 0; }))
      << count(*thing) << " " << count(*f.configmaps);
  f.table.Publish({.remove = {{"g.io", "v1", "things"}}, .put = {}});
  f.stepped.RunFor(std::chrono::seconds(1));
  f.Stop(collector);
}

constexpr std::string_view kReady = R"("status":{"conditions":[{"type":"Ready","status":"True"}]})";

TEST(DisruptionController, SaysWhatMayBeEvicted) {
  struct Case {
    std::string_view spec, status;
  };
  const Case cases[] = {
      {R"("minAvailable":1)",
       R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":3,)"
       R"("conditions":[{"type":"DisruptionAllowed","status":"True","observedGeneration":1,"reason":"SufficientPods",)"
       R"("message":""}]})"},
      {R"("minAvailable":"50%")",
       R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":2,"desiredHealthy":3,"expectedPods":5,)"
       R"("conditions":[{"type":"DisruptionAllowed","status":"False","observedGeneration":1,"reason":"InsufficientPods",)"
       R"("message":""}]})"},
      {R"("maxUnavailable":4)",
       R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":5,)"
       R"("conditions":[{"type":"DisruptionAllowed","status":"True","observedGeneration":1,"reason":"SufficientPods",)"
       R"("message":""}]})"},
  };
  for (const Case& c : cases) {
    StatusFixture f;
    f.Put(*f.replica_sets, R"({"metadata":{"name":"r"},"spec":{"replicas":5}})");
    const std::string uid(ReadFacts(f.Stored(*f.replica_sets, "ns/r")).uid);
    const std::string owner = Cat(R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r",)",
                                  R"("controller":true,"uid":")", uid, "\"}]");
    f.Put(*f.pods, Cat(R"({"metadata":{"name":"a","labels":{"app":"w"},)", owner, "},", kReady, "}"));
    f.Put(*f.pods, Cat(R"({"metadata":{"name":"b","labels":{"app":"w"},)", owner, "},", kReady, "}"));
    f.Put(*f.pods, Cat(R"({"metadata":{"name":"c","labels":{"app":"w"},)", owner, "}}"));
    f.Put(*f.pods, Cat(R"({"metadata":{"name":"other","labels":{"app":"v"}},)", kReady, "}"));
    f.Put(*f.budgets, Cat(R"({"metadata":{"name":"p"},"spec":{"selector":{"matchLabels":{"app":"w"},)",
                          R"("matchExpressions":[{"key":"x","operator":"DoesNotExist"}]},)", c.spec, "}}"));
    EXPECT_EQ(f.Settled<DisruptionController>(*f.budgets, "p", "status", c.status), c.status) << c.spec;
  }
}

constexpr std::string_view kPolicy =
    R"({"metadata":{"name":"%"},"spec":{"matchConstraints":{"resourceRules":[{"operations":["*"],"apiGroups":["@"],)"
    R"("apiVersions":["v1"],"resources":["services"]}]},"validations":[{"expression":"true"}]}})";

std::string Policy(std::string_view name, std::string_view group) {
  std::string text(kPolicy);
  text.replace(text.find('%'), 1, name);
  text.replace(text.find('@'), 1, group);
  return text;
}

TEST(PolicyStatus, SaysThatThereIsNothingToCheck) {
  constexpr std::string_view kChecked = R"({"observedGeneration":1,"typeChecking":{}})";
  StatusFixture f;
  f.Put(*f.policies, Policy("speaks-of-services", ""));
  for (std::string_view group : {"none.example.com", "*", "apps"}) {
    const std::string name = Cat("p", group == "*" ? "" : group);
    f.Put(*f.policies, Policy(name, group));
    EXPECT_EQ(f.Settled<PolicyStatus>(*f.policies, name, "status", kChecked), kChecked) << group;
    const std::string managers(registry::FindJson(f.Stored(*f.policies, name), "metadata.managedFields"));
    EXPECT_NE(managers.find(R"("manager":"validatingadmissionpolicy-status","operation":"Apply")"), managers.npos);
  }
  EXPECT_EQ(registry::FindJson(f.Stored(*f.policies, "speaks-of-services"), "status.observedGeneration"), "")
      << "its expression has to be held against a type";
}

TEST(DisruptionController, SaysWhyPodsCannotBeCounted) {
  struct Case {
    std::string_view owner, message;
  };
  const Case cases[] = {
      {R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","controller":true,"uid":"u"})",
       R"("found no controllers for pod \"a\"")"},
      {R"({"apiVersion":"x.com/v1","kind":"Foo","name":"r","controller":true,"uid":"u"})",
       R"("no matches for kind \"Foo\" in version \"x.com/v1\"")"},
      {R"({"apiVersion":"v1","kind":"ConfigMap","name":"r","controller":true,"uid":"u"})",
       R"("configmaps does not implement the scale subresource")"},
  };
  for (const Case& c : cases) {
    StatusFixture f;
    f.Put(*f.pods, Cat(R"({"metadata":{"name":"a","labels":{"app":"w"},"ownerReferences":[)", c.owner, "]}}"));
    f.Put(*f.budgets, R"({"metadata":{"name":"p"},"spec":{"maxUnavailable":1,"selector":{}}})");
    const std::string wanted =
        Cat(R"([{"type":"DisruptionAllowed","status":"False","reason":"SyncFailed","message":)", c.message, "}]");
    EXPECT_EQ(f.Settled<DisruptionController>(*f.budgets, "p", "status.conditions", wanted), wanted);
  }
}

TEST(QuotaController, CountsWhatIsUsed) {
  StatusFixture f;
  f.Make("one");
  f.Put(*f.pods, R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i",
                     "resources":{"requests":{"cpu":"100m"}}}]}})");
  f.Put(*f.quotas, R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"3","cpu":"2","configmaps":"4",
                       "count/deployments.apps":"1","other.com/x":"1"}}})");
  const std::string_view hard =
      R"("hard":{"configmaps":"4","count/deployments.apps":"1","cpu":"2","other.com/x":"1","pods":"3"})";
  const std::string wanted =
      Cat("{", hard, R"(,"used":{"configmaps":"1","count/deployments.apps":"0","cpu":"100m","pods":"1"}})");
  EXPECT_EQ(f.Settled<QuotaController>(*f.quotas, "q", "status", wanted), wanted);
  f.Make("two");
  f.Put(*f.deployments, R"({"metadata":{"name":"d"}})");
  const std::string more =
      Cat("{", hard, R"(,"used":{"configmaps":"2","count/deployments.apps":"1","cpu":"100m","pods":"1"}})");
  EXPECT_EQ(f.Settled<QuotaController>(*f.quotas, "q", "status", more), more);
}

TEST(QuotaController, CountsWhatIsInScope) {
  StatusFixture f;
  f.Put(*f.pods, R"({"metadata":{"name":"a"},"spec":{"activeDeadlineSeconds":5}})");
  f.Put(*f.pods, R"({"metadata":{"name":"b"}})");
  f.Put(*f.quotas, R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"3"},"scopes":["Terminating"]}})");
  EXPECT_EQ(f.Settled<QuotaController>(*f.quotas, "q", "status.used", R"({"pods":"1"})"), R"({"pods":"1"})");
}

TEST(RoleAggregator, GathersRulesOnce) {
  StatusFixture f;
  const auto rule = [](std::string_view resource) {
    return Cat(R"({"verbs":["get"],"apiGroups":[""],"resources":[")", resource, R"("]})");
  };
  f.Put(*f.roles, Cat(R"({"metadata":{"name":"b","labels":{"one":"x"}},"rules":[)", rule("pods"), "]}"));
  f.Put(*f.roles,
        Cat(R"({"metadata":{"name":"a","labels":{"two":"x"}},"rules":[)", rule("secrets"), ",", rule("pods"), "]}"));
  f.Put(*f.roles, Cat(R"({"metadata":{"name":"z","labels":{"one":"x"}},"rules":[)", rule("nodes"),
                      R"(],"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"one":"x"}},)",
                      R"({"matchExpressions":[{"key":"two","operator":"Exists"}]}]}})"));
  const std::string wanted = Cat("[", rule("pods"), ",", rule("secrets"), "]");
  EXPECT_EQ(f.Settled<RoleAggregator>(*f.roles, "z", "rules", wanted), wanted);
  EXPECT_NE(f.Stored(*f.roles, "z").find(R"("manager":"clusterrole-aggregation-controller","operation":"Apply")"),
            std::string::npos);
}

TEST(RoleAggregator, TakesItsRulesAwayAgain) {
  StatusFixture f;
  f.Put(*f.roles,
        R"({"metadata":{"name":"b","labels":{"one":"x"}},"rules":[{"verbs":["get"],"nonResourceURLs":["/"]}]})");
  f.Put(*f.roles,
        R"({"metadata":{"name":"z"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"one":"x"}}]}})");
  constexpr std::string_view kRules = R"([{"verbs":["get"],"nonResourceURLs":["/"]}])";
  EXPECT_EQ(f.Settled<RoleAggregator>(*f.roles, "z", "rules", kRules), kRules);
  ASSERT_TRUE(f.Delete(*f.roles, "b"));
  EXPECT_EQ(f.Settled<RoleAggregator>(*f.roles, "z", "rules", "null"), "null");
}

TEST(RoleAggregator, LeavesRulesWhileNothingMatches) {
  StatusFixture f;
  constexpr std::string_view kRules = R"([{"verbs":["get"],"apiGroups":[""],"resources":["nodes"]}])";
  f.Put(*f.roles, Cat(R"({"metadata":{"name":"z"},"rules":)", kRules,
                      R"(,"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"one":"x"}}]}})"));
  RoleAggregator aggregator(*f.registry, f.stepped, f.stepped);
  aggregator.Start();
  f.stepped.RunFor(std::chrono::seconds(10));
  f.Stop(aggregator);
  const std::string stored = f.Stored(*f.roles, "z");
  EXPECT_EQ(registry::FindJson(stored, "rules"), kRules);
}

TEST(FlowSchemaConditions, SaysWhetherItDangles) {
  StatusFixture f;
  f.Put(*f.schemas, R"({"metadata":{"name":"s"},"spec":{"priorityLevelConfiguration":{"name":"l"}}})");
  constexpr std::string_view kDangling =
      R"([{"type":"Dangling","status":"True","reason":"NotFound","message":"This FlowSchema references the )"
      R"(PriorityLevelConfiguration object named \"l\" but there is no such object"}])";
  EXPECT_EQ(f.Settled<FlowSchemaConditions>(*f.schemas, "s", "status.conditions", kDangling), kDangling);
  f.Put(*f.levels, R"({"metadata":{"name":"l"}})");
  constexpr std::string_view kFound =
      R"([{"type":"Dangling","status":"False","reason":"Found","message":"This FlowSchema references the )"
      R"(PriorityLevelConfiguration object named \"l\" and it exists"}])";
  EXPECT_EQ(f.Settled<FlowSchemaConditions>(*f.schemas, "s", "status.conditions", kFound), kFound);
}

TEST(ApiServiceConditions, SaysWhyItIsNotAvailable) {
  StatusFixture f;
  const auto says = [&](std::string_view name, std::string_view reason, std::string_view message) {
    const std::string wanted = Cat(R"([{"type":"Available","status":")", reason == "Local" ? "True" : "False",
                                   R"(","reason":")", reason, R"(","message":)", message, "}]");
    EXPECT_EQ(f.Settled<ApiServiceConditions>(*f.api_services, name, "status.conditions", wanted), wanted);
  };
  f.Put(*f.api_services, R"({"metadata":{"name":"local"}})");
  says("local", "Local", R"("Local APIServices are always available")");
  f.Put(*f.api_services, R"({"metadata":{"name":"s"},"spec":{"service":{"namespace":"ns","name":"svc","port":443}}})");
  f.Put(*f.api_services, R"({"metadata":{"name":"t"},"spec":{"service":{"namespace":"ns","name":"svc","port":8443}}})");
  says("s", "ServiceNotFound", R"("service/svc in \"ns\" is not present")");
  f.Put(*f.services, R"({"metadata":{"name":"svc"},"spec":{"type":"ClusterIP","ports":[{"port":8443}]}})");
  says("s", "ServicePortError", R"("service/svc in \"ns\" is not listening on port 443")");
  says("t", "EndpointsNotFound", R"("cannot find endpoints for service/svc in \"ns\"")");
  f.Put(*f.endpoints, R"({"metadata":{"name":"svc"}})");
  says("t", "MissingEndpoints", R"("endpoints for service/svc in \"ns\" have no addresses with port name \"\"")");
}

TEST(Reconciler, AnExceptionWhileItReadsAnEventLosesNoChange) {
  StatusFixture f;
  f.Put(*f.services, R"({"metadata":{"name":"a"}})");
  bool throws = false;
  std::vector<std::string> worked;
  Reconciler reconciler(
      *f.registry, f.stepped, f.stepped, {.watched = {registry::ResourceRef(std::shared_ptr<void>(), f.services)}},
      [&](WorkQueue& queue, const Reconciler::Change& change) {
        if (std::exchange(throws, false)) throw std::bad_alloc();
        queue.Add(change.cell.key());
      },
      [&](std::string_view key) -> base::Task<WorkQueue::Outcome> {
        worked.emplace_back(key);
        co_return WorkQueue::Outcome::kDone;
      });
  reconciler.Start();
  EXPECT_TRUE(f.stepped.RunUntil([&] { return worked == std::vector<std::string>{"ns/a"}; }));
  throws = true;
  worked.clear();
  f.Put(*f.services, R"({"metadata":{"name":"b"}})");
  EXPECT_THROW(f.stepped.RunUntil([&] { return !throws; }), std::bad_alloc);
  EXPECT_TRUE(f.stepped.RunUntil([&] { return std::ranges::find(worked, "ns/b") != worked.end(); }));
  f.Stop(reconciler);
}

}  // namespace
}  // namespace controllers
