// What the registry's tests and benchmarks stand on: a small resource table, a memory store, an executor that runs on
// the caller's thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/names.h"
#include "registry/label_index.h"
#include "registry/registry.h"
#include "schema/decode.h"
#include "store/memory_store.h"
#include "value/json_reader.h"

namespace registry {

// Runs posted work on the thread that waits in Run().
class LoopExecutor : public base::Executor {
 public:
  void Post(base::Work work) override {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    ready_.notify_one();
  }
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds, base::Work) override { return nullptr; }

  // What is posted now, and by that.
  void RunPosted() {
    for (std::unique_lock lock(mutex_); !queue_.empty(); lock.lock()) {
      base::Work work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
    }
  }

  template <class T>
  T Run(base::Task<T> task) {
    std::optional<T> result;
    base::Spawn(std::move(task), [&](std::optional<T> value, std::exception_ptr) { result = std::move(value); });
    while (!result) {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [&] { return !queue_.empty(); });
      base::Work work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
    }
    return *std::move(result);
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<base::Work> queue_;
};

// A clock that stands still until it is told to go on.
class FixedClock : public base::Clock {
 public:
  std::chrono::system_clock::time_point Now() const override {
    return std::chrono::system_clock::from_time_t(1'800'000'000);  // 2027-01-15T08:00:00Z
  }
  std::chrono::steady_clock::time_point Monotonic() const override { return base::SystemClock().Monotonic() + ahead; }
  std::chrono::seconds ahead{0};
};

// Admits what a function says of a request that is to be stored.
class FakeAdmission final : public Admission {
 public:
  using Check = std::function<api::Result<>(const AdmissionRequest& request)>;
  explicit FakeAdmission(Check check) : check_(std::move(check)) {}
  base::Task<api::Result<>> Mutate(AdmissionRequest&) const override { co_return api::Result<>(); }
  base::Task<api::Result<>> Validate(AdmissionRequest& request) const override { co_return check_(request); }

 private:
  const Check check_;
};

class FixtureTable : public ResourceTables {
 public:
  // The resource of a built-in kind with a Strategy of its own, to be changed before use.
  Resource& Add(std::string group, std::string version, std::string plural, std::string kind, bool namespaced) {
    Entry& entry = entries_.emplace_back();
    const schema::Type* type = schema::FindKind(group, version, kind);
    entry.storage =
        std::make_shared<Storage>(group.empty() ? plural : group + "/" + plural, group, version, kind, type);
    entry.strategy = std::make_shared<TableStrategy>(StrategyTable{});
    entry.resource = std::make_shared<Resource>();
    Resource& resource = *entry.resource;
    resource.group = std::move(group);
    resource.version = std::move(version);
    resource.plural = std::move(plural);
    resource.kind = std::move(kind);
    resource.namespaced = namespaced;
    resource.type = type;
    resource.storage = entry.storage;
    resource.strategy = entry.strategy;
    resource.place = static_cast<uint32_t>(entries_.size());
    Publish({.remove = {}, .put = {entry.resource}});
    return resource;
  }
  StrategyTable& StrategyOf(const Resource& resource) {
    for (Entry& entry : entries_) {
      if (entry.resource.get() == &resource) return entry.strategy->table();
    }
    std::abort();
  }
  void Open(store::Store& store) {
    for (Entry& entry : entries_) entry.storage->id = store.Collection(entry.storage->collection).value();
  }

 private:
  struct Entry {
    std::shared_ptr<Storage> storage;
    std::shared_ptr<TableStrategy> strategy;
    std::shared_ptr<Resource> resource;
  };
  std::deque<Entry> entries_;
};

// A registry over namespaces (with one, "ns"), configmaps, pods (graceful) and deployments (with generation and
// status).
class Fixture {
 public:
  explicit Fixture(WriteHooks hooks = {}, RegistryOptions options = {})
      : store(store::OpenMemoryStore({.terms = CollectTerms})) {
    namespaces = &table.Add("", "v1", "namespaces", "Namespace", false);
    configmaps = &table.Add("", "v1", "configmaps", "ConfigMap", true);
    pods = &table.Add("", "v1", "pods", "Pod", true);
    deployments = &table.Add("apps", "v1", "deployments", "Deployment", true);
    events = &table.Add("", "v1", "events", "Event", true);
    events->watch_cached = false;
    table.StrategyOf(*configmaps).facts.check_name = api::CheckNameIsDnsSubdomain;
    StrategyTable& pod = table.StrategyOf(*pods);
    pod.grace_seconds = [](const Value&, std::optional<int64_t> asked) { return asked.value_or(30); };
    pod.facts.index_selector = "spec.nodeName";
    pods->selectable_fields = {{"spec.nodeName", {"spec.nodeName"}, ""}, {"status.phase", {"status.phase"}, ""}};
    static constexpr std::string_view kSpec[] = {"spec", "metadata.annotations"};
    StrategyTable& deployment = table.StrategyOf(*deployments);
    deployment.facts.has_generation = true;
    deployment.facts.generation_of = kSpec;
    deployment.facts.status_write_keeps = kLabels;
    deployments->subresources.emplace_back().name = "status";
    table.Open(*store);
    registry = std::make_unique<Registry>(*store, table, clock, base::SystemRandom(), std::move(hooks), options);
    Create(*namespaces, R"({"metadata":{"name":"ns"}})", "");
  }

  // Of what is served now.
  Call NewCall() {
    served = table.Snapshot();
    return {request, executor, warnings, *served};
  }
  Value Parse(const Resource& resource, std::string_view json, Arena& arena) {
    texts.emplace_back(json);
    return schema::Decode(*resource.type, value::ReadJson(texts.back(), arena).value(), arena, nullptr).value();
  }
  api::Result<WriteResult> Create(const Resource& resource, std::string_view json, std::string_view ns = "ns",
                                  bool dry_run = false) {
    Arena arena;
    Call call = NewCall();
    return executor.Run(
        registry->CreateObject(call, resource, {{ns, ""}, Parse(resource, json, arena), &arena, dry_run}));
  }
  api::Result<WriteResult> Put(const Resource& resource, std::string_view name, std::string_view json,
                               std::string_view subresource = "", bool dry_run = false) {
    Call call = NewCall();
    Registry::Update update;
    update.key = {resource.namespaced ? "ns" : "", name};
    update.subresource = subresource;
    update.dry_run = dry_run;
    update.transform = [&](const Value*, const Value&, Arena& arena) -> api::Result<Value> {
      return Parse(resource, json, arena);
    };
    return executor.Run(registry->UpdateObject(call, resource, std::move(update)));
  }
  api::Result<WriteResult> Delete(const Resource& resource, std::string_view name, DeleteOptions options = {}) {
    Call call = NewCall();
    return executor.Run(
        registry->DeleteObject(call, resource, {resource.namespaced ? "ns" : "", name}, std::move(options)));
  }
  api::Result<store::CellRef> Get(const Resource& resource, std::string_view name, std::string_view version = "") {
    Call call = NewCall();
    return executor.Run(registry->Get(call, resource, {resource.namespaced ? "ns" : "", name}, {version, ""}));
  }
  api::Result<ListView> List(const Resource& resource, const ListOptions& options, std::string_view ns = "ns") {
    Call call = NewCall();
    return executor.Run(registry->List(call, resource, ns, options));
  }

  FixedClock clock;
  FixtureTable table;
  ResourceTableRef served;
  Resource *namespaces, *configmaps, *pods, *deployments, *events;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<Registry> registry;
  LoopExecutor executor;
  api::RequestContext request;
  std::vector<std::string> warnings;
  std::deque<std::string> texts;  // what decoded trees point into
};

}  // namespace registry
