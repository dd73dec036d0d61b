#include "server/stored_policies.h"

#include <mutex>
#include <string>
#include <utility>
#include <vector>

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
    for (Member& member : members_) Watch(member);
    Drain();  // a watcher calls once it has been asked in vain
    publish_(*this);
  }

  void Refresh() {
    if (Drain()) publish_(*this);
  }

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
  }

  // True if anything changed since the last time. A watcher that fell behind is begun anew at the newest revision: it
  // only has to tell that something changed.
  bool Drain() {
    bool changed = false;
    for (Member& member : members_) {
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
};

// Lives as long as work is posted; `groups` is emptied at the end, so that late work finds nothing to do.
struct StoredPolicies::Shared : std::enable_shared_from_this<Shared> {
  explicit Shared(base::Executor& the_executor) : executor(the_executor) {}

  void Wake() {
    if (posted.exchange(true, std::memory_order_acq_rel)) return;
    executor.Post([self = shared_from_this()] {
      self->posted.store(false, std::memory_order_release);
      std::lock_guard lock(self->mutex);
      for (const std::unique_ptr<Group>& group : self->groups) group->Refresh();
    });
  }

  base::Executor& executor;
  std::atomic<bool> posted{false};
  std::mutex mutex;
  std::vector<std::unique_ptr<Group>> groups;  // guarded by mutex
};

StoredPolicies::StoredPolicies(store::Store& store, const registry::ResourceTable& resources, base::Executor& executor,
                               Publish publish)
    : shared_(std::make_shared<Shared>(executor)) {
  auto rbac = std::make_unique<Group>(store, [publish = std::move(publish.rbac)](Group& group) {
    pipeline::RbacPolicy::Builder builder;
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
}

void StoredPolicies::Start() {
  std::lock_guard lock(shared_->mutex);
  for (const std::unique_ptr<Group>& group : shared_->groups) {
    group->Start([weak = shared_->weak_from_this()] {
      if (std::shared_ptr<Shared> shared = weak.lock()) shared->Wake();
    });
  }
}

}  // namespace server
