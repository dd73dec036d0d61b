// The registry's hot paths over a memory store. Creates include the store's committer thread and two thread hops.
#include <benchmark/benchmark.h>

#include "base/text.h"
#include "registry/registry_fixture.h"

namespace registry {
namespace {

std::string ConfigMap(std::string_view name, size_t size) {
  return base::Cat(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")", name,
                   R"(","labels":{"app":"bench","group":")", name.size() % 7 == 0 ? "rare" : "many",
                   R"("}},"data":{"k":")", std::string(size, 'x'), "\"}}");
}

void BM_CreateConfigMap1KiB(benchmark::State& state) {
  Fixture f;
  const std::string json = ConfigMap("", 900);
  int64_t number = 0;
  for (auto _ : state) {
    Arena arena;
    const Value object = schema::Decode(*f.configmaps->type, *value::ReadJson(json, arena), arena, nullptr).value();
    object.Get("metadata").Set(arena, "name", Value::Copy(arena, base::Cat("c", number++)));
    Call call = f.NewCall();
    auto written = f.executor.Run(f.registry->CreateObject(call, *f.configmaps, {{"ns", ""}, object, &arena, false}));
    if (!written) state.SkipWithError(written.error().message.c_str());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_CreateConfigMap1KiB)->UseRealTime()->MeasureProcessCPUTime();

// Everything a create does but the store.
void BM_CreateConfigMap1KiBDryRun(benchmark::State& state) {
  Fixture f;
  const std::string json = ConfigMap("c", 900);
  for (auto _ : state) {
    Arena arena;
    const Value object = schema::Decode(*f.configmaps->type, *value::ReadJson(json, arena), arena, nullptr).value();
    Call call = f.NewCall();
    auto written = f.executor.Run(f.registry->CreateObject(call, *f.configmaps, {{"ns", ""}, object, &arena, true}));
    if (!written) state.SkipWithError(written.error().message.c_str());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_CreateConfigMap1KiBDryRun);

class Filled : public benchmark::Fixture {
 public:
  void SetUp(const benchmark::State&) override {
    f = std::make_unique<registry::Fixture>();
    for (int i = 0; i < 10'000; ++i) {
      if (!f->Create(*f->configmaps, ConfigMap(std::string(1 + i % 50, 'a') + std::to_string(i), 900))) std::abort();
    }
  }
  void TearDown(const benchmark::State&) override { f.reset(); }
  std::unique_ptr<registry::Fixture> f;
};

BENCHMARK_F(Filled, Get)(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(f->Get(*f->configmaps, "a0"));
}

BENCHMARK_F(Filled, ListWalk10k)(benchmark::State& state) {
  for (auto _ : state) {
    auto view = f->List(*f->configmaps, {});
    size_t bytes = 0;
    while (const store::Cell* cell = view->Next()) bytes += cell->bytes().size();
    state.SetBytesProcessed(state.bytes_processed() + static_cast<int64_t>(bytes));
  }
}

BENCHMARK_F(Filled, ListChunk500)(benchmark::State& state) {
  ListOptions options;
  options.limit = 500;
  for (auto _ : state) {
    auto view = f->List(*f->configmaps, options);
    while (view->Next() != nullptr) {
    }
  }
}

BENCHMARK_F(Filled, ListByLabel10k)(benchmark::State& state) {
  ListOptions options;
  options.labels = api::LabelSelector::Parse("group=none").value();
  for (auto _ : state) {
    auto view = f->List(*f->configmaps, options);
    while (view->Next() != nullptr) {
    }
  }
  state.SetItemsProcessed(state.iterations() * 10'000);
}

BENCHMARK_F(Filled, ListByField10k)(benchmark::State& state) {
  ListOptions options;
  options.fields = api::FieldSelector::Parse("metadata.name!=x").value();
  for (auto _ : state) {
    auto view = f->List(*f->configmaps, options);
    while (view->Next() != nullptr) {
    }
  }
  state.SetItemsProcessed(state.iterations() * 10'000);
}

}  // namespace
}  // namespace registry
