// What the controllers' tests stand on: the registry's fixture with namespaces that end in two steps, and an executor
// whose time runs as fast as there is something to do.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "controllers/object_facts.h"
#include "registry/json_scan.h"
#include "registry/registry_fixture.h"

namespace controllers {

// Runs posted work on the thread that calls RunUntil() or RunFor(); its clock jumps to the next timer when there is
// nothing else.
class SteppedExecutor final : public base::Executor, public base::Clock {
 public:
  void Post(base::Work work) override {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    posted_.notify_one();
  }
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds delay, base::Work work) override {
    auto timer = std::make_unique<StepTimer>();
    timers_.emplace(Monotonic() + delay, std::pair(timer->live, std::make_shared<base::Work>(std::move(work))));
    return timer;
  }
  std::chrono::system_clock::time_point Now() const override {
    return std::chrono::system_clock::from_time_t(1'800'000'000) +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(skipped_);
  }
  std::chrono::steady_clock::time_point Monotonic() const override {
    return base::SystemClock().Monotonic() + skipped_;
  }

  // False where it did not come true in a long while.
  bool RunUntil(const std::function<bool()>& done) {
    const auto end = base::SystemClock().Monotonic() + std::chrono::seconds(20);
    while (!done()) {
      if (base::SystemClock().Monotonic() > end) return false;
      Step(std::chrono::steady_clock::time_point::max());
    }
    return true;
  }
  // Of its own time.
  void RunFor(std::chrono::seconds time) {
    const auto end = Monotonic() + time;
    while (Monotonic() < end) Step(end);
  }

 private:
  struct StepTimer final : base::Timer {
    ~StepTimer() override { *live = false; }
    void Cancel() override { *live = false; }
    std::shared_ptr<bool> live = std::make_shared<bool>(true);
  };

  // Posted work where there is some, else the next timer until `end`.
  void Step(std::chrono::steady_clock::time_point end) {
    std::unique_lock lock(mutex_);
    if (posted_.wait_for(lock, std::chrono::milliseconds(2), [&] { return !queue_.empty(); })) {
      base::Work work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      return work();
    }
    lock.unlock();
    const auto next = timers_.empty() ? end : std::min(end, timers_.begin()->first);
    if (next == std::chrono::steady_clock::time_point::max()) return;
    skipped_ += std::max(std::chrono::nanoseconds(0), next - Monotonic());
    if (timers_.empty() || timers_.begin()->first > next) return;
    auto [live, work] = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    if (*live) (*work)();
  }

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<base::Work> queue_;  // guarded by mutex_
  std::chrono::nanoseconds skipped_{0};
  std::multimap<std::chrono::steady_clock::time_point, std::pair<std::shared_ptr<bool>, std::shared_ptr<base::Work>>>
      timers_;
};

class Fixture : public registry::Fixture {
 public:
  explicit Fixture(registry::WriteHooks hooks = {}) : registry::Fixture(std::move(hooks)) {
    for (registry::Resource* resource : {namespaces, configmaps, pods, deployments, events}) {
      resource->verbs = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
    }
    for (const char* name : {"status", "finalize"}) namespaces->subresources.emplace_back().name = name;
    registry::StrategyTable& strategy = table.StrategyOf(*namespaces);
    strategy.begin_termination = [](registry::WriteContext& context, value::Value object) {
      const value::Value status = value::Value::Object(context.arena, 1);
      status.Set(context.arena, "phase", value::Value::String("Terminating"));
      object.Set(context.arena, "status", status);
    };
    strategy.facts.deletes_in_two_steps = true;
    strategy.termination_pending = [](const value::Value& object) {
      return !object.Get({"spec", "finalizers"}).empty();
    };
    strategy.facts.returns_deleted_object = true;
    Create(*namespaces, R"({"metadata":{"name":"other"},"spec":{"finalizers":["kubernetes"]}})", "");
  }

  // A config map that names others as its owners, with further members of metadata; gives its uid.
  std::string Make(std::string_view name, std::string_view owners = "", std::string_view more = "",
                   std::string_view ns = "ns") {
    const std::string list = owners.empty() ? "" : base::Cat(R"(,"ownerReferences":[)", owners, "]");
    const auto made = Create(*configmaps, base::Cat(R"({"metadata":{"name":")", name, "\"", list, more, "}}"), ns);
    return made ? std::string(ReadFacts(made->bytes.data).uid) : made.error().message;
  }
  static std::string Owner(std::string_view name, std::string_view uid, bool blocks = false,
                           std::string_view kind = "ConfigMap") {
    return base::Cat(R"({"apiVersion":"v1","kind":")", kind, R"(","name":")", name, R"(","uid":")", uid, "\"",
                     blocks ? R"(,"blockOwnerDeletion":true)" : "", "}");
  }
  void Remove(std::string_view name, std::string_view policy = "") {
    registry::DeleteOptions options;
    options.propagation_policy = policy;
    ASSERT_TRUE(Delete(*configmaps, name, std::move(options))) << name;
  }
  // The stored object; "" where there is none.
  std::string Stored(const registry::Resource& resource, std::string_view key) const {
    const store::Snapshot snapshot = store->Latest(resource.storage->id);
    const store::Cell* cell = snapshot.Get(key);
    return cell == nullptr ? "" : std::string(cell->bytes());
  }
  std::string Map(std::string_view name) const { return Stored(*configmaps, base::Cat("ns/", name)); }
  bool Gone(std::string_view name) const { return Map(name).empty(); }

  // Starts and stops a controller on `stepped`.
  template <class Controller>
  void Run(Controller& controller, const std::function<bool()>& done) {
    controller.Start();
    EXPECT_TRUE(stepped.RunUntil(done));
    Stop(controller);
  }
  template <class Controller>
  void Stop(Controller& controller) {
    bool stopped = false;
    controller.Stop([&] { stopped = true; });
    EXPECT_TRUE(stepped.RunUntil([&] { return stopped; }));
  }

  SteppedExecutor stepped;
};

}  // namespace controllers
