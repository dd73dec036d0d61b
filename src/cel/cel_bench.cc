// What expressions typical of policies and definitions take to compile and to evaluate, with costs tracked.
#include <benchmark/benchmark.h>

#include <string>

#include "cel/program.h"
#include "value/json_reader.h"

namespace {

constexpr std::string_view kObject =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default","labels":{"app":"web",)"
    R"("team":"platform","tier":"front"},"annotations":{"owner":"a@example.com"}},"spec":{"replicas":3,"template":{"spec":)"
    R"({"containers":[{"name":"web","image":"registry.example.com/web:1.0","resources":{"limits":{"cpu":"500m",)"
    R"("memory":"256Mi"}}},{"name":"proxy","image":"registry.example.com/proxy:2.1","resources":{"limits":{"cpu":"100m",)"
    R"("memory":"64Mi"}}}],"hostNetwork":false}}}})";

constexpr std::string_view kExpressions[] = {
    "object.spec.replicas <= 5",
    "object.spec.template.spec.containers.all(c, c.image.startsWith('registry.example.com/'))",
    "has(object.metadata.labels) && object.metadata.labels.all(k, object.metadata.labels[k].matches('^[a-z0-9-]+$'))",
    "object.spec.template.spec.containers.all(c, quantity(c.resources.limits.memory).isLessThan(quantity('1Gi')))",
    "object.spec.template.spec.containers.map(c, c.name).exists(n, n == 'proxy')",
    "!has(object.spec.template.spec.hostNetwork) || object.spec.template.spec.hostNetwork == false",
    "'app' in object.metadata.labels && object.metadata.labels['app'] in ['web', 'api', 'worker']",
    "object.metadata.name.size() <= 63 ? 'fine' : 'name is too long: ' + object.metadata.name",
};

std::shared_ptr<const cel::Environment> TheEnvironment() {
  static const auto environment = [] {
    cel::Environment::Builder builder;
    for (const char* name : {"object", "oldObject", "params"}) builder.Declare(name, &cel::kDynType);
    return builder.Build();
  }();
  return environment;
}

void Compile(benchmark::State& state) {
  std::string_view text = kExpressions[static_cast<size_t>(state.range(0))];
  size_t bytes = 0;
  for (auto _ : state) {
    auto checked = cel::Check(TheEnvironment(), text);
    auto program = cel::MakeProgram(*checked);
    bytes = (*program)->memory();
    benchmark::DoNotOptimize(program);
  }
  state.SetLabel(std::string(text));
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(Compile)->DenseRange(0, std::size(kExpressions) - 1);

void Evaluate(benchmark::State& state) {
  std::string_view text = kExpressions[static_cast<size_t>(state.range(0))];
  value::Arena arena;
  auto object = value::ReadJson(kObject, arena);
  auto checked = cel::Check(TheEnvironment(), text);
  auto program = cel::MakeProgram(*checked);
  cel::Activation activation(*TheEnvironment());
  activation.Bind("object", *object);
  for (auto _ : state) {
    cel::Evaluation evaluation;
    cel::Value result = (*program)->Evaluate(activation, evaluation);
    benchmark::DoNotOptimize(result);
  }
  state.SetLabel(std::string(text));
}
BENCHMARK(Evaluate)->DenseRange(0, std::size(kExpressions) - 1);

}  // namespace
