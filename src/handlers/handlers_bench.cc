// What reads and watches cost above the store: one get, a list of 10,000 objects, an event for each of 500 watchers.
#include "benchmark/benchmark.h"
#include "handlers/handlers_fixture.h"

namespace handlers {
namespace {

const std::string kMaps = "/api/v1/namespaces/ns/configmaps";

void Fill(Fixture& fixture, int count) {
  std::string filler(800, 'x');
  for (int i = 0; i < count; ++i) {
    fixture.Create(*fixture.configmaps, R"({"metadata":{"name":"c)" + std::to_string(i) + R"(","labels":{"l":")" +
                                            std::to_string(i % 100) + R"("}},"data":{"k":")" + filler + "\"}}");
  }
}

void Get(benchmark::State& state) {
  Fixture fixture;
  Fill(fixture, 1000);
  for (auto _ : state) {
    exchange::Response response =
        fixture.Send(fixture.NewRequest("GET", kMaps + "/c500", "", {{"accept", "application/json"}}));
    benchmark::DoNotOptimize(response.status);
  }
}
BENCHMARK(Get);

size_t Read(exchange::Response response) {
  auto* source = std::get_if<std::unique_ptr<exchange::BodySource>>(&response.body);
  size_t bytes = 0;
  std::vector<base::Slice> slices;
  exchange::BodySource::State body_state = exchange::BodySource::State::kMore;
  while (source != nullptr && body_state == exchange::BodySource::State::kMore) {
    slices.clear();
    body_state = (*source)->Pull(64 * 1024, slices);
    for (const base::Slice& slice : slices) bytes += slice.data.size();
  }
  return bytes;
}

void List(benchmark::State& state, const char* query, const char* accept) {
  Fixture fixture;
  Fill(fixture, 10'000);
  size_t bytes = 0;
  for (auto _ : state) bytes += Read(fixture.Send(fixture.NewRequest("GET", kMaps + query, "", {{"accept", accept}})));
  state.SetBytesProcessed(bytes);
}
BENCHMARK_CAPTURE(List, json, "", "application/json")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(List, protobuf, "", "application/vnd.kubernetes.protobuf")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(List, selector, "?labelSelector=l%3D7", "application/json")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(List, metadata, "", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(List, table, "?includeObject=None", "application/json;as=Table;g=meta.k8s.io;v=v1")
    ->Unit(benchmark::kMillisecond);

void FanOut(benchmark::State& state, const char* accept) {
  Fixture fixture;
  Fill(fixture, 1);
  std::vector<std::unique_ptr<OpenWatch>> watches;
  const std::string target = kMaps + "?watch=1&resourceVersion=" + std::to_string(fixture.store->revision().value());
  for (int i = 0; i < 500; ++i)
    watches.push_back(std::make_unique<OpenWatch>(
        fixture, target, std::vector<std::pair<std::string, std::string>>{{"accept", accept}}));
  std::string filler(800, 'y');
  int n = 0;
  for (auto _ : state) {
    state.PauseTiming();
    fixture.Create(*fixture.configmaps,
                   R"({"metadata":{"name":"n)" + std::to_string(n++) + R"("},"data":{"k":")" + filler + "\"}}");
    state.ResumeTiming();
    for (auto& watch : watches) benchmark::DoNotOptimize(watch->Read());
  }
  state.SetItemsProcessed(state.iterations() * 500);
}
BENCHMARK_CAPTURE(FanOut, json, "application/json");
BENCHMARK_CAPTURE(FanOut, protobuf, "application/vnd.kubernetes.protobuf");
BENCHMARK_CAPTURE(FanOut, metadata, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");

}  // namespace
}  // namespace handlers
