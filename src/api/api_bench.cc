// What every request pays before anybody looks at it: the facts of its path, its query; and what a list pays for each
// object.
#include <benchmark/benchmark.h>

#include "api/quantity.h"
#include "api/request.h"
#include "api/selector.h"

namespace api {
namespace {

void RequestInfoOfAnItem(benchmark::State& state) {
  const Query query;
  bool failed = false;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        ParseRequestInfo("GET", "/api/v1/namespaces/default/configmaps/some-name", query, &failed));
  }
}
BENCHMARK(RequestInfoOfAnItem);

void RequestInfoOfASelectedWatch(benchmark::State& state) {
  bool failed = false;
  for (auto _ : state) {
    const Query query = Query::Parse("allowWatchBookmarks=true&fieldSelector=spec.nodeName%3Dnode-1&watch=true");
    benchmark::DoNotOptimize(ParseRequestInfo("GET", "/api/v1/pods", query, &failed));
  }
}
BENCHMARK(RequestInfoOfASelectedWatch);

void MatchLabels(benchmark::State& state) {
  const LabelSelector selector = LabelSelector::Parse("app=web,tier in (front,back),!canary").value();
  const std::string_view app = "web", tier = "back";
  for (auto _ : state) {
    benchmark::DoNotOptimize(selector.Matches([&](std::string_view key) -> const std::string_view* {
      return key == "app" ? &app : key == "tier" ? &tier : nullptr;
    }));
  }
}
BENCHMARK(MatchLabels);

void ParseQuantity(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Quantity::Parse("1500m"));
}
BENCHMARK(ParseQuantity);

void CanonicalQuantity(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Quantity::Parse("0.5")->text());
}
BENCHMARK(CanonicalQuantity);

}  // namespace
}  // namespace api
