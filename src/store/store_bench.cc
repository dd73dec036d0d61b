// Benchmarks of the store's hot paths. Bodies are 1 KiB, like the ConfigMaps of `make bench`.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <mutex>

#include "engine/memory/memory_engine.h"
#include "engine/rocksdb/rocksdb_engine.h"
#include "store/memory_store.h"
#include "store/store_harness.h"

namespace store {
namespace {

enum Engine : int64_t { kMemory, kRocksDb };

constexpr size_t kBodySize = 1024;

std::unique_ptr<Store> OpenStore(int64_t engine, const std::string& path) {
  std::unique_ptr<engine::Engine> made =
      engine == kMemory ? engine::MakeMemoryEngine() : std::move(*engine::OpenRocksDbEngine({.path = path}));
  return std::move(*Store::Open(std::move(made), {.commit_queue = 1 << 20}));
}

std::string KeyOf(size_t i) {
  // Spread over the key space, as names are.
  return "namespace-" + std::to_string(i % 10) + "/object-" + std::to_string(i * 2654435761U % 100000007U);
}

// Commits `count` creates with `writers` of them under way at any time.
void Create(Store& store, CollectionRef collection, size_t first, size_t count, size_t writers) {
  std::mutex mutex;
  std::condition_variable changed;
  size_t running = 0;
  const std::string text(kBodySize - 22, 'x');
  for (size_t i = first; i < first + count; ++i) {
    std::vector<Write> writes = {{collection, KeyOf(i), MakeBody(text), Revision(0)}};
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return running < writers; });
      ++running;
    }
    store.Commit(std::move(writes), [&](base::Result<Committed> result) {
      if (!result) std::abort();
      std::lock_guard lock(mutex);
      --running;
      changed.notify_one();
    });
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return running == 0; });
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

double ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void BM_Create(benchmark::State& state) {
  TempDirectory directory;
  std::unique_ptr<Store> store = OpenStore(state.range(0), directory.path());
  const CollectionRef collection = store->Collection("configmaps").value();
  size_t created = 0;
  const double cpu = CpuSeconds();
  for (auto _ : state) {
    Create(*store, collection, created, 1000, static_cast<size_t>(state.range(1)));
    created += 1000;
  }
  state.SetItemsProcessed(static_cast<int64_t>(created));
  state.counters["cpu_us_each"] = 1e6 * (CpuSeconds() - cpu) / static_cast<double>(created);
}
BENCHMARK(BM_Create)
    ->ArgNames({"rocksdb", "writers"})
    ->ArgsProduct({{kMemory, kRocksDb}, {1, 64}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// A store of many objects, made once.
struct Filled {
  explicit Filled(size_t count) : store(OpenStore(kMemory, "")), collection(store->Collection("configmaps").value()) {
    Create(*store, collection, 0, count, 512);
  }
  std::unique_ptr<Store> store;
  CollectionRef collection;
};

void BM_Get(benchmark::State& state) {
  Filled filled(static_cast<size_t>(state.range(0)));
  std::vector<std::string> keys;
  for (size_t i = 0; i < static_cast<size_t>(state.range(0)); ++i) keys.push_back(KeyOf(i));
  size_t i = 0;
  for (auto _ : state) {
    const Snapshot snapshot = filled.store->Latest(filled.collection);
    i += 7919;
    benchmark::DoNotOptimize(snapshot.Get(keys[i % keys.size()])->bytes().data());
  }
}
BENCHMARK(BM_Get)->Arg(1000)->Arg(100000);

void BM_Scan(benchmark::State& state) {
  Filled filled(100000);
  int64_t bytes = 0;
  for (auto _ : state) {
    const Snapshot snapshot = filled.store->Latest(filled.collection);
    for (Scan scan = snapshot.Scan(); const Cell* cell = scan.Next();)
      bytes += static_cast<int64_t>(cell->bytes().size());
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK(BM_Scan)->Unit(benchmark::kMillisecond);

// The 30 objects of 100,000 that have a term; `changed` of the others are written between, which the index has to see.
void BM_Find(benchmark::State& state) {
  std::unique_ptr<Store> store =
      OpenMemoryStore({.commit_queue = 1 << 20, .terms = [](const Cell& cell, auto& terms) {
                         terms.push_back(Term{std::hash<std::string_view>()(cell.key()) % 3333});
                       }});
  const CollectionRef collection = store->Collection("configmaps").value();
  Create(*store, collection, 0, 100000, 512);
  size_t created = 100000;
  for (auto _ : state) {
    if (state.range(0) != 0) {
      state.PauseTiming();
      Create(*store, collection, created, static_cast<size_t>(state.range(0)), 64);
      created += static_cast<size_t>(state.range(0));
      state.ResumeTiming();
    }
    const Term term{77};
    auto found = store->Find(collection, store->Latest(collection), {&term, 1}, "", "");
    while (found->Next() != nullptr) continue;
  }
}
BENCHMARK(BM_Find)->ArgName("changed")->Arg(0)->Arg(100);

void BM_Count(benchmark::State& state) {
  Filled filled(100000);
  const Snapshot snapshot = filled.store->Latest(filled.collection);
  for (auto _ : state) benchmark::DoNotOptimize(snapshot.Count("namespace-5/", "namespace-5/object-5"));
}
BENCHMARK(BM_Count);

// A page of a list at a revision that 1000 writes have gone by since.
void BM_At(benchmark::State& state) {
  Filled filled(100000);
  const Revision past = filled.store->revision();
  Create(*filled.store, filled.collection, 100000, 1000, 64);
  for (auto _ : state) benchmark::DoNotOptimize(filled.store->At(filled.collection, past)->Get("x"));
}
BENCHMARK(BM_At);

// Creates in one namespace while watchers of another, of single keys, or of the same one are there; those that see the
// event read it.
void BM_FanOut(benchmark::State& state) {
  std::unique_ptr<Store> store = OpenStore(kMemory, "");
  const CollectionRef collection = store->Collection("configmaps").value();
  const bool concerned = state.range(1) != 0;
  const auto count = static_cast<size_t>(state.range(0));
  std::vector<std::unique_ptr<Watcher>> watchers;
  std::atomic<size_t> woken{0};
  const double before = static_cast<double>(mallinfo2().uordblks);
  for (size_t i = 0; i < count; ++i) {
    WatchOptions options{
        .collection = collection, .prefix = concerned ? "" : "other/", .index = {}, .after = store->revision()};
    watchers.push_back(std::move(*store->Watch(std::move(options), [&] { ++woken; })));
    std::ignore = watchers.back()->Next();
  }
  state.counters["bytes_each_idle"] = (static_cast<double>(mallinfo2().uordblks) - before) / static_cast<double>(count);
  size_t created = 0;
  const size_t writes = concerned ? 1 : 1000;
  for (auto _ : state) {
    woken = 0;
    Create(*store, collection, created, writes, 1);
    created += writes;
    if (!concerned) continue;
    while (woken < count) std::this_thread::yield();
    for (auto& watcher : watchers) {
      while (*watcher->Next() != nullptr) {
      }
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(concerned ? created * count : created));
}
BENCHMARK(BM_FanOut)
    ->ArgNames({"watchers", "concerned"})
    ->Args({500, 1})
    ->Args({5000, 1})
    ->Args({0, 0})
    ->Args({5000, 0})
    ->UseRealTime();

// Opening what 100,000 creates have left.
void BM_Restart(benchmark::State& state) {
  TempDirectory directory;
  const auto count = static_cast<size_t>(state.range(0));
  {
    std::unique_ptr<Store> store = OpenStore(kRocksDb, directory.path());
    Create(*store, store->Collection("configmaps").value(), 0, count, 512);
    if (state.range(1) != 0) store->Compact(store->revision());
  }
  malloc_trim(0);
  for (auto _ : state) {
    const double before = ResidentBytes();
    std::unique_ptr<Store> store = OpenStore(kRocksDb, directory.path());
    if (store->Latest(store->Collection("configmaps").value()).Count() != count) std::abort();
    state.counters["resident_over_json"] = (ResidentBytes() - before) / static_cast<double>(count * kBodySize + 1);
    state.PauseTiming();
    store = nullptr;
    malloc_trim(0);
    state.ResumeTiming();
  }
}
BENCHMARK(BM_Restart)
    ->ArgNames({"objects", "compacted"})
    ->Args({0, 0})
    ->Args({100000, 0})
    ->Args({100000, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace store
