// What a typical pod costs to default.
#include <benchmark/benchmark.h>

#include "resources/defaults/defaults.h"
#include "value/json_reader.h"

static void DefaultPod(benchmark::State& state) {
  const schema::Type& type = *schema::FindKind("", "v1", "Pod");
  for (auto _ : state) {
    value::Arena arena;
    value::Value pod = *value::ReadJson(
        R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"registry.example.com/team/app:1.2.3","ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"1","memory":"1Gi"}},"livenessProbe":{"httpGet":{"port":80}}}],"volumes":[{"name":"v","configMap":{"name":"c"}}]}})",
        arena);
    resources::SetDefaults(type, pod, arena);
    benchmark::DoNotOptimize(pod);
  }
}
BENCHMARK(DefaultPod);
