#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "admission/certificate_subject.h"
#include "admission/chain.h"
#include "admission/claim_resize.h"
#include "admission/default_storage_class.h"
#include "admission/default_toleration_seconds.h"
#include "admission/namespace_lifecycle.h"
#include "admission/node_taint.h"
#include "admission/priority.h"
#include "admission/runtime_class.h"
#include "admission/signer_rights.h"
#include "admission/storage_object_in_use.h"
#include "base/text.h"
#include "registry/registry_fixture.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace admission {
namespace {

using value::Value;

TEST(DefaultTolerationSeconds, AddsWhatThePodDoesNotSay) {
  const std::string not_ready =
      R"({"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300})";
  const std::string unreachable =
      R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300})";
  const std::string all = R"({"operator":"Exists"})",
                    other_effect = R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})";
  struct {
    std::string given, result;
  } cases[] = {
      {"", not_ready + "," + unreachable},
      {all, all},
      {other_effect, other_effect + "," + not_ready + "," + unreachable},
      {unreachable, unreachable + "," + not_ready},
  };
  for (const auto& c : cases) {
    value::Arena arena;
    Value pod = *value::ReadJson(arena.CopyString(R"({"spec":{"tolerations":[)" + c.given + "]}}"), arena);
    DefaultTolerationSeconds(pod, arena);
    EXPECT_EQ(value::ToJson(pod), R"({"spec":{"tolerations":[)" + c.result + "]}}");
  }
}

TEST(DefaultTolerationSeconds, TheTimesAreTheServers) {
  value::Arena arena;
  const Value pod = *value::ReadJson(R"({"spec":{}})", arena);
  DefaultTolerationSeconds(pod, arena, {.not_ready = 7, .unreachable = 0});
  EXPECT_EQ(pod.Get({"spec", "tolerations"})[0].Get("tolerationSeconds").AsInt(), 7);
  EXPECT_EQ(pod.Get({"spec", "tolerations"})[1].Get("tolerationSeconds").AsInt(), 0);
}

// The pod after its class was resolved, or the refusal.
std::string Resolved(std::string_view spec) {
  value::Arena arena;
  Value pod =
      *value::ReadJson(arena.CopyString(R"({"metadata":{"name":"p"},"spec":)" + std::string(spec) + "}"), arena);
  auto done = ResolvePriority(pod, arena, [&](std::string_view name) {
    return name == "high"
               ? *value::ReadJson(R"({"metadata":{"name":"high"},"value":7,"preemptionPolicy":"Never"})", arena)
               : Value();
  });
  return done ? value::ToJson(pod.Get("spec")) : done.error().message;
}

TEST(Priority, ComesFromTheClass) {
  EXPECT_EQ(Resolved("{}"), R"({"priority":0,"preemptionPolicy":"PreemptLowerPriority"})");
  EXPECT_EQ(Resolved(R"({"priorityClassName":"high"})"),
            R"({"priorityClassName":"high","priority":7,"preemptionPolicy":"Never"})");
  EXPECT_EQ(Resolved(R"({"priorityClassName":"none"})"),
            R"(pods "p" is forbidden: no PriorityClass with name none was found)");
  EXPECT_EQ(
      Resolved(R"({"priorityClassName":"high","priority":8})"),
      R"x(pods "p" is forbidden: the integer value of priority (8) must not be provided in pod spec; priority admission controller computed 7 from the given PriorityClass name)x");
}

TEST(Priority, AnUpdateKeepsWhatWasResolved) {
  value::Arena arena;
  Value pod = *value::ReadJson(R"({"spec":{"priority":9}})", arena);
  KeepPriority(pod, *value::ReadJson(R"({"spec":{"priority":7,"preemptionPolicy":"Never"}})", arena), arena);
  EXPECT_EQ(value::ToJson(pod), R"({"spec":{"priority":9,"preemptionPolicy":"Never"}})");
}

TEST(StorageObjectInUse, AddsTheFinalizerOnce) {
  value::Arena arena;
  Value claim = *value::ReadJson(R"({"metadata":{"name":"c","finalizers":["a.b/c"]}})", arena);
  for (int times = 0; times < 2; ++times) ProtectWhileInUse(claim, /*is_claim=*/true, arena);
  EXPECT_EQ(value::ToJson(claim), R"({"metadata":{"name":"c","finalizers":["a.b/c","kubernetes.io/pvc-protection"]}})");
  Value volume = *value::ReadJson("{}", arena);
  ProtectWhileInUse(volume, /*is_claim=*/false, arena);
  EXPECT_EQ(value::ToJson(volume), R"({"metadata":{"finalizers":["kubernetes.io/pv-protection"]}})");
}

TEST(DefaultStorageClass, TheNewestDefaultCounts) {
  value::Arena arena;
  const auto made = [&](std::string_view name, std::string_view time, bool is_default) {
    return *value::ReadJson(
        arena.CopyString(R"({"metadata":{"name":")" + std::string(name) + R"(","creationTimestamp":")" +
                         std::string(time) + R"(","annotations":{"storageclass.kubernetes.io/is-default-class":")" +
                         (is_default ? "true" : "false") + R"("}}})"),
        arena);
  };
  const Value older = made("a", "2024-01-01T00:00:00Z", true), newer = made("c", "2024-01-01T00:00:01Z", true),
              beside = made("b", "2024-01-01T00:00:01Z", true), other = made("d", "2025-01-01T00:00:00Z", false);
  EXPECT_TRUE(IsBetterDefault(older, Value()));
  EXPECT_TRUE(IsBetterDefault(newer, older));
  EXPECT_TRUE(IsBetterDefault(beside, newer));
  EXPECT_FALSE(IsBetterDefault(newer, beside));
  EXPECT_FALSE(IsBetterDefault(other, Value()));
}

TEST(DefaultStorageClass, OnlyClaimsThatAskForNoneTakeIt) {
  value::Arena arena;
  EXPECT_TRUE(AsksForClass(*value::ReadJson(R"({"spec":{"storageClassName":""}})", arena)));
  EXPECT_TRUE(AsksForClass(
      *value::ReadJson(R"({"metadata":{"annotations":{"volume.beta.kubernetes.io/storage-class":"s"}}})", arena)));
  Value claim = *value::ReadJson("{}", arena);
  EXPECT_FALSE(AsksForClass(claim));
  SetClass(claim, "", arena);
  EXPECT_EQ(value::ToJson(claim), "{}");
  SetClass(claim, "s", arena);
  EXPECT_EQ(value::ToJson(claim), R"({"spec":{"storageClassName":"s"}})");
}

TEST(ClaimResize, OnlyBoundClaimsOfGrowingClassesGrow) {
  struct {
    const char *name, *phase, *storage_class, *from, *to, *refusal;
  } cases[] = {
      {"smaller", "Pending", "", "2Gi", "1Gi", ""},
      {"same in other words", "Pending", "", "1Gi", "1073741824", ""},
      {"not bound", "Pending", "grows", "1Gi", "2Gi", "Only bound persistent volume claims can be expanded"},
      {"grows", "Bound", "grows", "1Gi", "2Gi", ""},
      {"no class", "Bound", "", "1Gi", "2Gi",
       "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support "
       "resize"},
      {"fixed class", "Bound", "fixed", "1Gi", "2Gi",
       "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support "
       "resize"},
  };
  for (const auto& c : cases) {
    value::Arena arena;
    const auto claim = [&](std::string_view size) {
      return *value::ReadJson(
          arena.CopyString(R"({"metadata":{"name":"c"},"spec":{"storageClassName":")" + std::string(c.storage_class) +
                           R"(","resources":{"requests":{"storage":")" + std::string(size) +
                           R"("}}},"status":{"phase":")" + c.phase + R"("}})"),
          arena);
    };
    auto done = AdmitResize(claim(c.to), claim(c.from), [&](std::string_view name) {
      return name == "grows" ? *value::ReadJson(R"({"allowVolumeExpansion":true})", arena) : Value();
    });
    const std::string prefix = R"(persistentvolumeclaims "c" is forbidden: )";
    EXPECT_EQ(done ? "" : done.error().message, *c.refusal ? prefix + c.refusal : "") << c.name;
  }
}

TEST(Priority, OneClassAtMostIsTheDefault) {
  struct {
    const char *name, *given, *there;
    bool creating;
    const char* error;
  } cases[] = {
      {"the first", R"({"metadata":{"name":"a"},"globalDefault":true})", "null", true, ""},
      {"no default", R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"b"}})", true, ""},
      {"the same", R"({"metadata":{"name":"a"},"globalDefault":true})", R"({"metadata":{"name":"a"}})", false, ""},
      {"a second", R"({"metadata":{"name":"a"},"globalDefault":true})", R"({"metadata":{"name":"b"}})", true,
       R"x(priorityclasses.scheduling.k8s.io "a" is forbidden: PriorityClass b is already marked as default. Only one default can exist)x"},
  };
  for (const auto& c : cases) {
    value::Arena arena;
    const Value there = *value::ReadJson(c.there, arena);
    const auto done =
        CheckDefaultClass(*value::ReadJson(c.given, arena), c.creating, [&](std::string_view) { return there; });
    EXPECT_EQ(done ? "" : done.error().message, c.error) << c.name;
  }
}

TEST(NodeTaint, NewNodesAreNotReady) {
  const std::string taint = R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})";
  for (const std::string& spec : {std::string("{}"), R"({"spec":{"taints":[)" + taint + "]}}"}) {
    value::Arena arena;
    const Value node = *value::ReadJson(arena.CopyString(spec), arena);
    TaintNewNode(node, arena);
    EXPECT_EQ(value::ToJson(node), R"({"spec":{"taints":[)" + taint + "]}}");
  }
}

// The pod's spec after its class was applied and looked at again, or the refusal.
std::string WithClass(std::string_view spec) {
  value::Arena arena;
  const Value pod =
      *value::ReadJson(arena.CopyString(R"({"metadata":{"name":"p"},"spec":)" + std::string(spec) + "}"), arena);
  const auto find = [&](std::string_view name) {
    if (name == "plain") return *value::ReadJson("{}", arena);
    return name == "c"
               ? *value::ReadJson(R"({"overhead":{"podFixed":{"cpu":"1"}},"scheduling":{"nodeSelector":{"a":"b"},
        "tolerations":[{"key":"t","operator":"Exists"}]}})",
                                  arena)
               : Value();
  };
  auto done = ApplyRuntimeClass(pod, arena, find);
  if (done) done = CheckOverhead(pod, find);
  return done ? value::ToJson(pod.Get("spec")) : done.error().message;
}

TEST(RuntimeClass, GivesWhatThePodDoesNotContradict) {
  struct {
    const char *name, *spec, *result;
  } cases[] = {
      {"no class", R"({"x":1})", R"({"x":1})"},
      {"all of it", R"({"runtimeClassName":"c"})",
       R"({"runtimeClassName":"c","overhead":{"cpu":"1"},"nodeSelector":{"a":"b"},"tolerations":[{"key":"t","operator":"Exists"}]})"},
      {"a wider toleration",
       R"({"runtimeClassName":"c","overhead":{"cpu":"1000m"},"tolerations":[{"operator":"Exists"}]})",
       R"({"runtimeClassName":"c","overhead":{"cpu":"1"},"tolerations":[{"operator":"Exists"}],"nodeSelector":{"a":"b"}})"},
      {"no such class", R"({"runtimeClassName":"d"})",
       R"x(pods "p" is forbidden: pod rejected: RuntimeClass "d" not found)x"},
      {"an empty name", R"({"runtimeClassName":""})", "resource name may not be empty"},
      {"no name of a class", R"({"runtimeClassName":"a/b%"})",
       R"x(invalid resource name "a/b%": [may not contain '/' may not contain '%'])x"},
      {"another overhead", R"({"runtimeClassName":"c","overhead":{"cpu":"2"}})",
       R"x(pods "p" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead)x"},
      {"overhead of its own", R"({"runtimeClassName":"plain","overhead":{"cpu":"2"}})",
       R"x(pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead)x"},
      {"another selector", R"({"runtimeClassName":"c","nodeSelector":{"a":"c"}})",
       R"x(pods "p" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = c)x"},
  };
  for (const auto& c : cases) EXPECT_EQ(WithClass(c.spec), c.result) << c.name;
}

TEST(RuntimeClass, OverheadIsLookedAtAgainAfterOthersHadThePod) {
  value::Arena arena;
  const auto pod = [&](std::string_view amount) {
    return *value::ReadJson(arena.CopyString(R"({"metadata":{"name":"p"},"spec":{"runtimeClassName":"c","overhead":)" +
                                             std::string(amount) + "}}"),
                            arena);
  };
  const auto find = [&](std::string_view) {
    return *value::ReadJson(R"({"overhead":{"podFixed":{"cpu":"1"}}})", arena);
  };
  EXPECT_TRUE(CheckOverhead(pod(R"({"cpu":"1000m"})"), find));
  EXPECT_EQ(CheckOverhead(pod(R"({"cpu":"2"})"), find).error().message,
            "pods \"p\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

TEST(SystemClasses, Stay) {
  EXPECT_TRUE(CheckSystemClass("high"));
  EXPECT_EQ(CheckSystemClass("system-node-critical").error().message,
            "priorityclasses.scheduling.k8s.io \"system-node-critical\" is forbidden: this is a system priority class "
            "and cannot be deleted");
}

TEST(CertificateSubject, OnlyOneSignerAsks) {
  value::Arena arena;
  const Value other = *value::ReadJson(R"({"spec":{"signerName":"example.com/x","request":"!"}})", arena);
  const Value unread =
      *value::ReadJson(R"({"spec":{"signerName":"kubernetes.io/kube-apiserver-client","request":"QUJD"}})", arena);
  EXPECT_TRUE(CheckCertificateSubject(other));
  EXPECT_TRUE(CheckCertificateSubject(unread));  // what is no request is refused by its own rules
}

// What NamespaceLifecycle says to a write of a config map, "" nothing.
std::string LifecycleSays(registry::Fixture& f, Operation operation, std::string_view namespace_name) {
  value::Arena arena;
  registry::Call call = f.NewCall();
  AdmissionRequest request{.call = call,
                           .resource = *f.configmaps,
                           .subresource = "",
                           .operation = operation,
                           .key = {namespace_name, "c"},
                           .object = *value::ReadJson(R"({"metadata":{"generateName":"g-"}})", arena),
                           .arena = arena};
  const auto admitted = NamespaceLifecycle(*f.store, *f.served).Mutate(request);
  return admitted ? "" : base::Cat(admitted.error().code, " ", admitted.error().message);
}

TEST(NamespaceLifecycle, NothingIsWrittenWhereNoNamespaceIs) {
  registry::Fixture f;
  ASSERT_TRUE(f.Create(*f.namespaces, R"({"metadata":{"name":"ending"},"status":{"phase":"Terminating"}})", ""));
  EXPECT_EQ(LifecycleSays(f, Operation::kCreate, "ns"), "");
  EXPECT_EQ(LifecycleSays(f, Operation::kCreate, "gone"), R"(404 namespaces "gone" not found)");
  EXPECT_EQ(LifecycleSays(f, Operation::kUpdate, "gone"), R"(404 namespaces "gone" not found)");
  EXPECT_EQ(LifecycleSays(f, Operation::kDelete, "gone"), "");
  EXPECT_EQ(LifecycleSays(f, Operation::kUpdate, "ending"), "");
  EXPECT_EQ(LifecycleSays(f, Operation::kCreate, "ending"),
            R"(403 configmaps "c" is forbidden: unable to create new content in namespace ending because it is being )"
            "terminated");
}

TEST(NamespaceLifecycle, KeepsTheFirstNamespaces) {
  registry::Fixture f;
  value::Arena arena;
  registry::Call call = f.NewCall();
  for (const std::string_view name : {"default", "kube-system", "kube-public", "other"}) {
    AdmissionRequest request{.call = call,
                             .resource = *f.namespaces,
                             .subresource = "",
                             .operation = Operation::kDelete,
                             .key = {"", name},
                             .object = Value(),
                             .arena = arena};
    EXPECT_EQ(NamespaceLifecycle(*f.store, *f.served).Mutate(request).has_value(), name == "other") << name;
  }
}

// Writes down when it was asked.
class Recorder final : public Plugin {
 public:
  Recorder(std::string_view name, std::string& said, bool waits, bool refuses)
      : Plugin(name), said_(said), waits_(waits), refuses_(refuses) {}
  api::Result<> Mutate(AdmissionRequest&) const override { return Say(" now"); }
  api::Result<> Validate(AdmissionRequest&) const override { return Say(" validates"); }
  bool Waits(const AdmissionRequest&) const override { return waits_; }
  base::Task<api::Result<>> MutateAsync(AdmissionRequest&) const override { co_return Say(" later"); }

 private:
  api::Result<> Say(std::string_view what) const {
    base::Append(said_, name(), what, ";");
    if (refuses_) return api::Fail(api::BadRequest("no"));
    return {};
  }

  std::string& said_;
  const bool waits_, refuses_;
};

TEST(Chain, RunsInOrderAndStopsAtTheFirstRefusal) {
  registry::Fixture f;
  std::string said;
  std::vector<std::unique_ptr<const Plugin>> plugins;
  plugins.push_back(std::make_unique<Recorder>("a", said, false, false));
  plugins.push_back(std::make_unique<Recorder>("b", said, true, false));
  plugins.push_back(std::make_unique<Recorder>("c", said, false, true));
  plugins.push_back(std::make_unique<Recorder>("d", said, false, false));
  const Chain chain(std::move(plugins));
  value::Arena arena;
  registry::Call call = f.NewCall();
  AdmissionRequest request{.call = call,
                           .resource = *f.configmaps,
                           .subresource = "",
                           .operation = Operation::kCreate,
                           .key = {"ns", "c"},
                           .object = Value(),
                           .arena = arena};
  EXPECT_FALSE(f.executor.Run(chain.Mutate(request)));
  EXPECT_FALSE(f.executor.Run(chain.Validate(request)));
  EXPECT_EQ(said, "a now;b later;c now;a validates;b validates;c validates;");
}

TEST(SignerRights, AreAskedForWhatIsDone) {
  const std::string request = R"({"metadata":{"name":"c"},"spec":{"signerName":"a.com/x"},"status":{}})";
  const std::string approved =
      R"({"metadata":{"name":"c"},"spec":{"signerName":"b.com/y"},"status":{"conditions":[{"type":"Approved"}]}})";
  const std::string labelled =
      R"({"metadata":{"name":"c","labels":{"a":"b"}},"spec":{"signerName":"a.com/x"},"status":{}})";
  const std::string free = R"({"metadata":{"name":"c"},"spec":{"trustBundle":""}})";
  const std::string owned =
      R"({"metadata":{"name":"c","finalizers":["a/b"]},"spec":{"signerName":"a.com/x"},"status":{}})";
  struct {
    std::string plural, subresource, object, old, may;
    std::string refusal;  // "" none
  } cases[] = {
      {"certificatesigningrequests", "approval", approved, request, "", "approve requests with signerName \"a.com/x\""},
      {"certificatesigningrequests", "approval", approved, request, "sign a.com/x", "approve requests"},
      {"certificatesigningrequests", "approval", approved, request, "approve b.com/y", "approve requests"},
      {"certificatesigningrequests", "approval", approved, request, "approve a.com/x", ""},
      {"certificatesigningrequests", "approval", approved, request, "approve a.com/*", ""},
      {"certificatesigningrequests", "status", approved, request, "", "sign requests with signerName \"a.com/x\""},
      {"certificatesigningrequests", "status", labelled, request, "", ""},
      {"certificatesigningrequests", "", approved, request, "", ""},
      {"clustertrustbundles", "", request, "", "", "attest for signerName \"a.com/x\""},
      {"clustertrustbundles", "", request, "", "attest a.com/x", ""},
      {"clustertrustbundles", "", labelled, request, "", "attest for"},
      {"clustertrustbundles", "", owned, request, "", ""},
      {"clustertrustbundles", "", free, "", "", ""},
  };
  for (const auto& c : cases) {
    value::Arena arena;
    registry::Resource resource{.group = "certificates.k8s.io", .version = "v1", .plural = c.plural};
    resource.type = schema::FindType("io.k8s.api.certificates.v1.CertificateSigningRequest");
    api::RequestContext context;
    registry::LoopExecutor executor;
    const registry::ResourceTableRef resources = registry::ResourceTable::Make({});
    registry::Call call{context, executor, context.warnings, *resources};
    const Value old = c.old.empty() ? Value() : *value::ReadJson(c.old, arena);
    const AdmissionRequest request{.call = call,
                                   .resource = resource,
                                   .subresource = c.subresource,
                                   .operation = c.old.empty() ? Operation::kCreate : Operation::kUpdate,
                                   .object = *value::ReadJson(c.object, arena),
                                   .old = c.old.empty() ? nullptr : &old,
                                   .arena = arena};
    const SignerRight right = [&](const api::User&, std::string_view verb, std::string_view signer) {
      return base::Cat(verb, " ", signer) == c.may;
    };
    std::string said;
    for (const auto check : {CheckApproval, CheckSigning, CheckAttest}) {
      if (const auto admitted = check(right, request); !admitted) said += admitted.error().message;
    }
    EXPECT_TRUE(c.refusal.empty() ? said.empty() : said.contains("user not permitted to " + c.refusal))
        << c.plural << "/" << c.subresource << " " << c.may << ": " << said;
  }
}

}  // namespace
}  // namespace admission
