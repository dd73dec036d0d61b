// What a request and an event cost in this floor: sessions in memory (no sockets, no TLS), TLS records, and wake-ups.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "http/memory_carrier.h"
#include "http/request_head.h"

namespace http {
namespace {

using testing::EchoHandler;
using testing::MemoryCarrier;

// As client-go asks for one object.
const std::string kGet =
    "GET /api/v1/namespaces/default/configmaps/example HTTP/1.1\r\nHost: 127.0.0.1:6443\r\n"
    "User-Agent: kubectl/v1.32.0 (linux/amd64) kubernetes/70d3cc9\r\nAccept: application/json\r\n"
    "Authorization: Bearer 0123456789abcdef0123456789abcdef\r\nAccept-Encoding: gzip\r\n\r\n";

void BM_ParseRequestHead(benchmark::State& state) {
  for (auto _ : state) {
    RequestHead head;
    auto error = ParseRequestHead(kGet, head);
    benchmark::DoNotOptimize(error);
    benchmark::DoNotOptimize(head);
  }
}
BENCHMARK(BM_ParseRequestHead);

void BM_Http1Get(benchmark::State& state) {
  EchoHandler handler;
  Service service({}, handler);
  MemoryCarrier carrier(service, &MakeHttp1Session);
  std::string out;
  for (auto _ : state) {
    carrier.session().Receive(kGet);
    out.clear();
    testing::StringSink sink(out, SIZE_MAX);
    carrier.session().Produce(sink);
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(BM_Http1Get);

// One commit that wakes `range` watches, each on its own connection; counted per event.
void BM_FanOut(benchmark::State& state) {
  struct Target final : WakeTarget {
    int woken = 0;
    void OnWake() override { ++woken; }
  };
  auto loop = std::move(*EventLoop::Create());
  std::vector<std::unique_ptr<Target>> targets;
  std::vector<std::shared_ptr<WakeCell>> cells;
  for (int64_t i = 0; i < state.range(0); ++i) {
    targets.push_back(std::make_unique<Target>());
    cells.push_back(std::make_shared<WakeCell>(*loop, *targets.back()));
  }
  for (auto _ : state) {
    for (auto& cell : cells) cell->Wake();
    loop->RunOnce(std::chrono::milliseconds(0));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_FanOut)->Arg(1)->Arg(500)->Arg(5000);

void BM_Http1WatchEvent(benchmark::State& state) {
  EchoHandler handler;
  Service service({}, handler);
  MemoryCarrier carrier(service, &MakeHttp1Session);
  carrier.Exchange("GET /watch/w HTTP/1.1\r\nHost: h\r\n\r\n");
  auto feed = handler.feed("w");
  const std::string event(1200, 'e');
  std::string out;
  for (auto _ : state) {
    feed->Send(event);
    carrier.loop().RunOnce(std::chrono::milliseconds(0));
    out.clear();
    testing::StringSink sink(out, SIZE_MAX);
    carrier.session().Produce(sink);
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(BM_Http1WatchEvent);

}  // namespace
}  // namespace http
