// Benchmarks of field ownership: the algebra of field sets and their text, on the sets of a Deployment with three
// containers, and whole applies of it.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

#include "apply/apply.h"
#include "schema/decode.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace apply {
namespace {

constexpr std::string_view kVersion = "apps/v1";
constexpr std::string_view kNow = "2024-01-02T03:04:05Z";

// What `manager` sets: three containers with ports, environment and resources, under one of two images.
std::string Configuration(std::string_view image) {
  std::string containers;
  for (std::string name : {"web", "sidecar", "metrics"}) {
    if (!containers.empty()) containers += ',';
    containers += R"({"name":")" + name + R"(","image":")" + std::string(image) +
                  R"(","ports":[{"containerPort":80,"name":"http"},{"containerPort":443,"name":"https"}],)"
                  R"("env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"C","value":"3"}],)"
                  R"("resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"100m","memory":"128Mi"}},)"
                  R"("volumeMounts":[{"mountPath":"/data","name":"data"}]})";
  }
  return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","labels":{"app":"web","tier":"front"}},)"
         R"("spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},)"
         R"("spec":{"containers":[)" +
         containers + R"(],"volumes":[{"emptyDir":{},"name":"data"}]}}}})";
}

std::optional<VersionedObject> NoOtherVersion(const Value&, std::string_view, std::string_view) { return std::nullopt; }

// The type, what is applied, and the object that the first apply made, canonical.
struct Setting {
  Arena arena;
  const schema::Type* type = schema::FindKind("apps", "v1", "Deployment");
  Value config = Read(Configuration("web:1"));
  Value other = Read(Configuration("web:2"));
  Value live = Made();

  Value Read(const std::string& json) { return *value::ReadJson(arena.CopyString(json), arena); }

  Writer writer(std::string_view manager) const {
    return {.manager = manager, .api_version = kVersion, .subresource = {}, .now = kNow};
  }

  Value Made() {
    auto applied = Apply(arena, *type, Value::Object(arena), config, writer("kubectl"), {}, NoOtherVersion);
    if (!applied) std::abort();
    return *schema::Decode(*type, applied->object, arena, nullptr);
  }

  const FieldSet* Set(const Value& object) { return *ToFieldSet(arena, *type, object, Reading::kDocument); }
};

// Of what is live and what is applied.
void OfTwoSets(benchmark::State& state, const FieldSet* (*combine)(Arena&, const FieldSet*, const FieldSet*)) {
  Setting setting;
  const FieldSet* live = setting.Set(setting.live);
  const FieldSet* config = setting.Set(setting.config);
  for (auto _ : state) {
    Arena arena;
    benchmark::DoNotOptimize(combine(arena, live, config));
  }
}
BENCHMARK_CAPTURE(OfTwoSets, union, Union);
BENCHMARK_CAPTURE(OfTwoSets, difference, Difference);

void EncodeSet(benchmark::State& state) {
  Setting setting;
  const FieldSet* set = setting.Set(setting.config);
  for (auto _ : state) {
    Arena arena;
    benchmark::DoNotOptimize(EncodeFieldsV1(arena, set));
  }
}
BENCHMARK(EncodeSet);

void DecodeSet(benchmark::State& state) {
  Setting setting;
  const Value fields = EncodeFieldsV1(setting.arena, setting.Set(setting.config));
  for (auto _ : state) {
    Arena arena;
    benchmark::DoNotOptimize(*DecodeFieldsV1(arena, fields));
  }
}
BENCHMARK(DecodeSet);

void SetOfObject(benchmark::State& state) {
  Setting setting;
  for (auto _ : state) {
    Arena arena;
    benchmark::DoNotOptimize(*ToFieldSet(arena, *setting.type, setting.config, Reading::kDocument));
  }
}
BENCHMARK(SetOfObject);

void CompareVersions(benchmark::State& state) {
  Setting setting;
  const Value changed = *schema::Decode(*setting.type, setting.other, setting.arena, nullptr);
  for (auto _ : state) {
    Arena arena;
    benchmark::DoNotOptimize(*Compare(arena, *setting.type, setting.live, changed, Reading::kCanonical));
  }
}
BENCHMARK(CompareVersions);

// One whole apply by the manager that made the object.
void ApplyOne(benchmark::State& state, bool changes) {
  Setting setting;
  for (auto _ : state) {
    Arena arena;
    auto applied = Apply(arena, *setting.type, setting.live, changes ? setting.other : setting.config,
                         setting.writer("kubectl"), {}, NoOtherVersion);
    benchmark::DoNotOptimize(applied->object);
  }
}
BENCHMARK_CAPTURE(ApplyOne, the_same, false);
BENCHMARK_CAPTURE(ApplyOne, a_change, true);

void TrackOneUpdate(benchmark::State& state) {
  Setting setting;
  const Value changed = *schema::Decode(*setting.type, setting.other, setting.arena, nullptr);
  for (auto _ : state) {
    Arena arena;
    benchmark::DoNotOptimize(
        TrackUpdate(arena, *setting.type, setting.live, changed, setting.writer("other"), false, NoOtherVersion));
  }
}
BENCHMARK(TrackOneUpdate);

}  // namespace
}  // namespace apply
