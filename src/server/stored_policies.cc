#include "server/stored_policies.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "store/cell.h"
#include "store/event.h"
#include "store/snapshot.h"
#include "value/arena.h"
#include "value/json_reader.h"

namespace server {
namespace {

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kFlowGroup = "flowcontrol.apiserver.k8s.io";
constexpr std::string_view kServiceGroup = "apiregistration.k8s.io";
constexpr std::chrono::milliseconds kFirstRetry(100), kLongestRetry(10'000);

}  // namespace

// Collections that are read together: a change in one publishes all anew.
class StoredPolicies::Group {
 public:
  using Add = std::function<void(std::string_view plural, const value::Value& object)>;

  Group(store::Store& store, std::function<void(Group&)> publish) : store_(store), publish_(std::move(publish)) {}

  void Include(const registry::ResourceTable& resources, std::string_view group, std::string_view plural) {
    const registry::Resource* resource = resources.Find(group, "v1", plural);
    if (resource != nullptr && resource->storage != nullptr)
      members_.push_back({plural, resource->storage->id, nullptr});
  }

  // `wake` is called from any thread when something changed.
  void Start(const std::function<void()>& wake) {
    wake_ = wake;
    Drain();  // a watcher calls once it has been asked in vain
    publish_(*this);
  }

  void Refresh() {
    if (Drain()) publish_(*this);
  }

  // Why changes of a collection are not heard of, after Start() or Refresh(): "" while all are.
  const std::string& deaf() const { return deaf_; }

  // Every object as it is stored now.
  void ForEach(const Add& add) const {
    for (const Member& member : members_) {
      store::Snapshot snapshot = store_.Latest(member.collection);
      store::Scan scan = snapshot.Scan("");
      while (const store::Cell* cell = scan.Next()) {
        value::Arena arena;
        if (base::Result<value::Value> object = value::ReadJson(cell->bytes(), arena)) add(member.plural, *object);
      }
    }
  }

 private:
  struct Member {
    std::string_view plural;
    store::CollectionId collection;
    std::unique_ptr<store::Watcher> watcher;
  };

  void Watch(Member& member) {
    store::WatchOptions options{.collection = member.collection, .after = store_.revision()};
    auto watcher = store_.Watch(std::move(options), [wake = wake_] { wake(); });
    member.watcher = watcher ? *std::move(watcher) : nullptr;
    if (!watcher) deaf_ = base::Cat(member.plural, ": ", watcher.error().message);
  }

  // True if anything changed since the last time. A watcher that fell behind, or could not begin, is begun anew at the
  // newest revision: it only has to tell that something changed.
  bool Drain() {
    bool changed = false;
    deaf_.clear();
    for (Member& member : members_) {
      if (!member.watcher) {
        Watch(member);
        changed |= member.watcher != nullptr;
      }
      while (member.watcher) {
        base::Result<const store::Event*> event = member.watcher->Next();
        if (event && *event == nullptr) break;
        changed = true;
        if (!event) Watch(member);
      }
    }
    return changed;
  }

  store::Store& store_;
  const std::function<void(Group&)> publish_;
  std::function<void()> wake_;
  std::vector<Member> members_;
  std::string deaf_;
};

// Lives as long as work is posted; `groups` is emptied at the end, so that late work finds nothing to do.
struct StoredPolicies::Shared : std::enable_shared_from_this<Shared> {
  Shared(base::Executor& the_executor, base::Logger& the_logger) : executor(the_executor), logger(the_logger) {}

  void Wake() {
    if (posted.exchange(true, std::memory_order_acq_rel)) return;
    executor.Post([self = shared_from_this()] {
      self->posted.store(false, std::memory_order_release);
      std::lock_guard lock(self->mutex);
      try {
        for (const std::unique_ptr<Group>& group : self->groups) group->Refresh();
        self->RetryWhereDeaf();
      } catch (...) {  // rights that were taken away must not stay for want of memory
        self->TryAgainLater("exception");
        throw;
      }
    });
  }

  // On the executor's thread, with the lock: what a client grants or takes away meanwhile has no effect before the
  // watch stands, so it is tried again, later and later, and the log says so each time.
  void RetryWhereDeaf() {
    std::string why;
    for (const std::unique_ptr<Group>& group : groups) {
      if (!group->deaf().empty()) why = group->deaf();
    }
    deaf.store(!why.empty(), std::memory_order_release);
    if (why.empty()) {
      if (timer) logger.Info("Stored policies are followed again");
      timer.reset();
      retry = kFirstRetry;
      return;
    }
    TryAgainLater(why);
  }

  void TryAgainLater(std::string_view why) {
    logger.Error("Stored policies are not followed: changes have no effect until they are", {{"err", why}});
    timer = executor.PostAfter(retry, [weak = weak_from_this()] {
      if (std::shared_ptr<Shared> self = weak.lock()) self->Wake();
    });
    retry = std::min(retry * 2, kLongestRetry);
  }

  base::Executor& executor;
  base::Logger& logger;
  std::unique_ptr<base::Timer> timer;             // of the next try; the executor's thread only
  std::chrono::milliseconds retry = kFirstRetry;  // guarded by mutex
  std::atomic<bool> posted{false};
  std::atomic<bool> deaf{false};
  std::mutex mutex;
  std::vector<std::unique_ptr<Group>> groups;  // guarded by mutex
};

StoredPolicies::StoredPolicies(store::Store& store, const registry::ResourceTable& resources, base::Executor& executor,
                               base::Logger& logger, Publish publish)
    : shared_(std::make_shared<Shared>(executor, logger)) {
  auto rbac = std::make_unique<Group>(store, [publish = std::move(publish.rbac)](Group& group) {
    auth::RbacPolicy::Builder builder;
    group.ForEach([&](std::string_view plural, const value::Value& object) {
      if (plural == "roles") builder.AddRole(object);
      if (plural == "clusterroles") builder.AddClusterRole(object);
      if (plural == "rolebindings") builder.AddRoleBinding(object);
      if (plural == "clusterrolebindings") builder.AddClusterRoleBinding(object);
    });
    publish(std::move(builder).Build());
  });
  for (std::string_view plural : {"roles", "clusterroles", "rolebindings", "clusterrolebindings"}) {
    rbac->Include(resources, kRbacGroup, plural);
  }
  auto flow = std::make_unique<Group>(store, [publish = std::move(publish.flow_schemas)](Group& group) {
    pipeline::FlowSchemas::Builder builder;
    group.ForEach([&](std::string_view plural, const value::Value& object) {
      if (plural == "flowschemas") builder.AddFlowSchema(object);
      if (plural == "prioritylevelconfigurations") builder.AddPriorityLevel(object);
    });
    publish(std::move(builder).Build());
  });
  for (std::string_view plural : {"flowschemas", "prioritylevelconfigurations"}) {
    flow->Include(resources, kFlowGroup, plural);
  }
  auto services = std::make_unique<Group>(store, [publish = std::move(publish.api_services)](Group& group) {
    handlers::ApiServices::Builder builder;
    group.ForEach([&](std::string_view, const value::Value& object) { builder.Add(object); });
    publish(std::move(builder).Build());
  });
  services->Include(resources, kServiceGroup, "apiservices");
  shared_->groups.push_back(std::move(rbac));
  shared_->groups.push_back(std::move(flow));
  shared_->groups.push_back(std::move(services));
}

StoredPolicies::~StoredPolicies() {
  std::vector<std::unique_ptr<Group>> ended;
  std::lock_guard lock(shared_->mutex);
  ended.swap(shared_->groups);
  shared_->executor.Post([shared = shared_] { shared->timer.reset(); });  // timers are its thread's
}

void StoredPolicies::Start() {
  std::lock_guard lock(shared_->mutex);
  for (const std::unique_ptr<Group>& group : shared_->groups) {
    group->Start([weak = shared_->weak_from_this()] {
      if (std::shared_ptr<Shared> shared = weak.lock()) shared->Wake();
    });
    if (group->deaf().empty()) continue;
    shared_->deaf.store(true, std::memory_order_release);
    shared_->Wake();
  }
}

bool StoredPolicies::following() const { return !shared_->deaf.load(std::memory_order_acquire); }

}  // namespace server
