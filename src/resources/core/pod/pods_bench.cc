// What a typical pod costs from its canonical tree to what is stored: defaults, strategy, validation, warnings. The
// copy of the tree that each round works on is measured alone too, to be taken off.
#include <benchmark/benchmark.h>

#include <string>
#include <string_view>
#include <vector>

#include "registry/registry_fixture.h"
#include "registry/strategy.h"
#include "resources/defaults/defaults.h"
#include "resources/strategies.h"
#include "value/json_reader.h"

namespace {

using value::Arena;
using value::Value;

constexpr std::string_view kPod = R"({"metadata":{"name":"web-7d4b9c-x2x9z","namespace":"team","labels":{"app":"web",
"tier":"front"}},"spec":{"containers":[{"name":"main","image":"registry.example.com/team/web:v1.2.3","ports":[{"name":
"http","containerPort":8080}],"env":[{"name":"LEVEL","value":"info"},{"name":"POD_IP","valueFrom":{"fieldRef":{
"fieldPath":"status.podIP"}}}],"resources":{"requests":{"cpu":"100m","memory":"128Mi"},"limits":{"memory":"256Mi"}},
"livenessProbe":{"httpGet":{"path":"/healthz","port":"http"}},"readinessProbe":{"httpGet":{"path":"/ready","port":
"http"}},"volumeMounts":[{"name":"config","mountPath":"/etc/config","readOnly":true}],"securityContext":{
"runAsNonRoot":true,"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}],"volumes":[{"name":"config",
"configMap":{"name":"config"}}],"tolerations":[{"key":"a","operator":"Exists"}]}})";

struct Pods {
  Pods() {
    resource = &table.Add("", "v1", "pods", "Pod", true);
    resource->strategy = resources::MakeStrategy(resources::StrategyTableOf("", "v1", "pods"));
    resource->subresources.emplace_back().name = "status";
    request.info.verb = "create";
    pod = *schema::Decode(*resource->type, *value::ReadJson(kPod, arena), arena, nullptr);
  }
  registry::FixtureTable table;
  registry::Resource* resource;
  api::RequestContext request;
  Arena arena;
  Value pod;
};

void CopyPod(benchmark::State& state) {
  const Pods pods;
  for (auto _ : state) {
    Arena arena;
    benchmark::DoNotOptimize(value::DeepCopy(arena, pods.pod));
  }
}
BENCHMARK(CopyPod);

void CreatePod(benchmark::State& state) {
  const Pods pods;
  for (auto _ : state) {
    Arena arena;
    const Value pod = value::DeepCopy(arena, pods.pod);
    std::vector<std::string> warnings;
    registry::WriteContext context{pods.request, *pods.resource, arena, "", "2027-01-15T08:00:00Z", warnings};
    resources::SetDefaults(*pods.resource->type, pod, arena);
    if (!registry::BeforeCreate(context, pod, "team")) state.SkipWithError("the pod is refused");
  }
}
BENCHMARK(CreatePod);

}  // namespace
