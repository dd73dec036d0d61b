#include "controllers/garbage_collector.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "base/text.h"
#include "registry/keys.h"
#include "value/keep_items.h"

namespace controllers {
namespace {

// What one turn of the executor reads: others have work there, too.
constexpr size_t kTurn = 2048;
// How long writes gather before they are looked at.
constexpr std::chrono::milliseconds kGather{2};
// Kinds that are not served any more and are remembered.
constexpr size_t kMostGoneKinds = 512;

bool IsIgnored(const registry::Resource& resource) {
  return resource.plural == "events" && (resource.group.empty() || resource.group == "events.k8s.io");
}

bool IsCollected(const registry::Resource& resource) {
  return resource.storage != nullptr && !IsIgnored(resource) && resource.HasVerb("delete") &&
         resource.HasVerb("list") && resource.HasVerb("watch");
}

// Makes a list of `object`'s metadata what `keep` says of its items; a list without items goes.
void Filter(const value::Value& object, std::string_view list, absl::FunctionRef<bool(const value::Value&)> keep) {
  const value::Value metadata = object.Get("metadata");
  const value::Value items = metadata.Get(list);
  value::KeepItems(items, keep);
  if (items.empty()) metadata.Remove(list);
}

// Whether another attempt can come to anything: the object that was meant is still there.
bool MayRetry(const api::Error& error) { return error.code != 404 && error.code != 409; }

}  // namespace

GarbageCollector::GarbageCollector(registry::Registry& registry, const base::Clock& clock, base::Executor& executor)
    : registry_(registry),
      executor_(executor),
      account_(registry, executor, "generic-garbage-collector"),
      sources_(registry, executor,
               {.is_wanted = IsCollected,
                .added = [this](size_t source) { OnSource(source); },
                .removed = [this](size_t source) { OnSourceGone(source); },
                .changed = [this](const auto& before, const auto& after) { OnKind(before, after); }}),
      queue_(executor, clock, {.concurrency = 128}, [this](std::string_view uid) { return Work(uid); }),
      self_(std::make_shared<GarbageCollector*>(this)) {}

GarbageCollector::~GarbageCollector() { *self_ = nullptr; }

void GarbageCollector::Start() {
  sources_.Start();
  BeginSoon();
}

void GarbageCollector::BeginSoon() {
  executor_.Post([self = self_] {
    if (*self != nullptr) (*self)->Begin();
  });
}

void GarbageCollector::Stop(absl::AnyInvocable<void()> stopped) {
  sources_.Stop();
  executor_.Post([this, stopped = std::move(stopped)]() mutable {
    stopped_ = true;
    watches_.reset();
    scan_.reset();
    snapshot_ = {};
    queue_.Stop(std::move(stopped));
  });
}

// From nothing: at the start, and where the watches have lost their place.
void GarbageCollector::Begin() {
  if (stopped_) return;
  index_.Clear();
  watches_ = std::make_unique<WatchSet>(registry_.store(), executor_, kGather, [this] { ReadEvents(); });
  const store::Revision now = registry_.store().revision();
  for (size_t source = 0; source < sources_.size(); ++source) {
    if (sources_.at(source) == nullptr) continue;
    if (!Watch(source, now)) break;  // history is shorter than this took: ReadEvents will be told
  }
  phase_ = Phase::kOwners;
  scanned_ = 0;
  scan_.reset();
  Scan();
}

base::Result<> GarbageCollector::Watch(size_t source, store::Revision after) {
  const store::CollectionId collection = sources_.at(source)->storage->id;
  return watches_->Add(source, {.collection = collection, .prefix = {}, .index = {}, .after = after});
}

// A collection that is served from now on. It is empty, but for one that was served before.
void GarbageCollector::OnSource(size_t source) {
  if (stopped_ || watches_ == nullptr) return;
  const store::Snapshot snapshot = registry_.store().Latest(sources_.at(source)->storage->id);
  if (snapshot.Count() > kTurn || !Watch(source, snapshot.revision())) return BeginSoon();
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) Learn(source, *cell);
}

void GarbageCollector::OnSourceGone(size_t source) {
  if (stopped_ || watches_ == nullptr) return;
  ReadEvents();  // its last deletions are among them
  watches_->Remove(source);
}

void GarbageCollector::OnKind(const registry::ResourceRef& before, const registry::ResourceRef& after) {
  const registry::ResourceRef& one = after != nullptr ? after : before;
  if (one->storage == nullptr) return;
  Kind kind(one->group_version(), one->kind);
  if (after != nullptr) {
    registry::ResourceRef& known = kinds_[kind];
    // Of two resources of one kind the first stays.
    if (known == nullptr || known == before || known->place >= after->place) known = after;
    return;
  }
  const auto known = kinds_.find(kind);
  if (known == kinds_.end() || known->second != before) return;
  gone_kinds_.emplace_back(std::move(kind), before);
  if (gone_kinds_.size() <= kMostGoneKinds) return;
  const auto oldest = kinds_.find(gone_kinds_.front().first);
  if (oldest != kinds_.end() && oldest->second == gone_kinds_.front().second) kinds_.erase(oldest);
  gone_kinds_.pop_front();
}

void GarbageCollector::Scan() {
  for (size_t read = 0; phase_ != Phase::kDone && read < kTurn;) {
    if (scanned_ == sources_.size()) {
      phase_ = phase_ == Phase::kOwners ? Phase::kWork : Phase::kDone;
      scanned_ = 0;
      continue;
    }
    if (sources_.at(scanned_) == nullptr) {
      scan_.reset();
      ++scanned_;
      continue;
    }
    if (!scan_) {
      snapshot_ = registry_.store().Latest(sources_.at(scanned_)->storage->id);
      scan_.emplace(snapshot_.Scan());
    }
    const store::Cell* cell = scan_->Next();
    ++read;
    if (cell == nullptr) {
      scan_.reset();
      snapshot_ = {};
      ++scanned_;
      continue;
    }
    const ObjectFacts facts = ReadFacts(cell->bytes());
    if (phase_ == Phase::kOwners) {
      index_.Put(scanned_, cell->key(), facts);
    } else if (const OwnerIndex::Node* node = index_.Find(facts.uid)) {
      Consider(*node);
    }
  }
  if (phase_ == Phase::kDone) return ReadEvents();
  executor_.Post([self = self_] {
    if (*self != nullptr && !(*self)->stopped_) (*self)->Scan();
  });
}

void GarbageCollector::ReadEvents() {
  if (stopped_ || phase_ != Phase::kDone || watches_ == nullptr) return;
  const WatchSet::State state = watches_->Read(kTurn, [this](size_t source, const store::Event& event) {
    event.type() == store::EventType::kDeleted ? Forget(event.cell()) : Learn(source, event.cell());
  });
  if (state == WatchSet::State::kLost) BeginSoon();
}

void GarbageCollector::Learn(size_t source, const store::Cell& cell) {
  const OwnerIndex::Changes changes = index_.Put(source, cell.key(), ReadFacts(cell.bytes()));
  EnqueueWaiting(changes.let_go);
  if (changes.node == nullptr) return;
  if (changes.starts_waiting) EnqueueDependents(changes.node->uid);
  if (changes.starts_waiting || changes.owners_changed) Consider(*changes.node);
}

void GarbageCollector::Forget(const store::Cell& cell) {
  const ObjectFacts facts = ReadFacts(cell.bytes());
  EnqueueWaiting(index_.Remove(facts.uid));
  EnqueueDependents(facts.uid);
}

void GarbageCollector::EnqueueDependents(std::string_view owner_uid) {
  const OwnerIndex::Owned* owned = index_.FindOwned(owner_uid);
  if (owned == nullptr) return;
  for (const OwnerIndex::Node* dependent : owned->dependents) queue_.Add(dependent->uid);
}

void GarbageCollector::EnqueueWaiting(const std::vector<std::string>& owner_uids) {
  for (const std::string& uid : owner_uids) {
    const OwnerIndex::Node* owner = index_.Find(uid);
    if (owner != nullptr && owner->waits()) queue_.Add(uid);
  }
}

void GarbageCollector::Consider(const OwnerIndex::Node& node) {
  const Live live = Read(node);
  if (live.cell && Judge(node, live).action != Action::kNothing) queue_.Add(node.uid);
}

registry::Key GarbageCollector::KeyOf(size_t source, std::string_view store_key) const {
  if (!sources_.at(source)->namespaced) return {"", store_key};
  const size_t slash = store_key.find('/');
  return {store_key.substr(0, slash), store_key.substr(slash + 1)};
}

GarbageCollector::Live GarbageCollector::Read(const OwnerIndex::Node& node) const {
  Live live;
  if (sources_.at(node.source) == nullptr) return live;
  const store::Snapshot snapshot = registry_.store().Latest(sources_.at(node.source)->storage->id);
  live.cell = store::CellRef(snapshot.Get(node.key));
  if (!live.cell) return live;
  live.facts = ReadFacts(live.cell->bytes());
  if (live.facts.uid != node.uid) live.cell = nullptr;
  return live;
}

GarbageCollector::Verdict GarbageCollector::Judge(const OwnerIndex::Node& node, const Live& live) const {
  Verdict verdict;
  for (const OwnerIndex::Node::Owner& owner : node.owners) {
    const OwnerIndex::Node* waiting = index_.Find(owner.owned->uid);
    if (waiting == nullptr || !waiting->orphaning_dependents) continue;
    // The index may be a write behind.
    if (live.facts.owner_references.contains(waiting->uid)) verdict.drop.push_back(waiting->uid);
  }
  if (!verdict.drop.empty()) {
    verdict.action = Action::kDropReferences;
    return verdict;
  }
  if (live.facts.deleting) {
    const OwnerIndex::Owned* owned = index_.FindOwned(node.uid);
    const bool foreground_over = live.facts.foreground && (owned == nullptr || owned->blocking == 0);
    const bool orphaning_over = live.facts.orphan && owned == nullptr;
    if (foreground_over || orphaning_over) verdict.action = Action::kLetOwnerGo;
    return verdict;
  }
  return JudgeOwners(node, live);
}

GarbageCollector::Verdict GarbageCollector::JudgeOwners(const OwnerIndex::Node& node, const Live& live) const {
  Verdict verdict;
  const registry::Resource& resource = *sources_.at(node.source);
  const registry::Key key = KeyOf(node.source, node.key);
  bool solid = false, waiting = false, unobserved = false;
  std::vector<std::string> gone;
  const std::vector<OwnerReference> owners = ReadOwners(live.facts);
  if (owners.empty()) return verdict;
  for (const OwnerReference& owner : owners) {
    const OwnerState state = StateOf(owner, resource.namespaced, key.namespace_name);
    if (state == OwnerState::kForbidden) return {};
    if (state == OwnerState::kUnknown) return {.action = Action::kLookAgain, .policy = {}, .drop = {}};
    solid |= state == OwnerState::kSolid || state == OwnerState::kUnobserved;
    waiting |= state == OwnerState::kWaiting;
    unobserved |= state == OwnerState::kUnobserved;
    if (state == OwnerState::kGone || state == OwnerState::kWaiting) gone.push_back(owner.uid);
  }
  if (solid) {
    verdict.action = unobserved ? Action::kLookAgain : Action::kNothing;
    if (!gone.empty()) verdict = {.action = Action::kDropReferences, .policy = {}, .drop = std::move(gone)};
    return verdict;
  }
  if (waiting && index_.FindOwned(node.uid) != nullptr) {
    verdict.action = HasWaitingDependent(node) ? Action::kBreakCycle : Action::kDeleteForeground;
    return verdict;
  }
  verdict.action = Action::kDelete;
  verdict.policy = live.facts.orphan ? "Orphan" : live.facts.foreground ? "Foreground" : "Background";
  return verdict;
}

GarbageCollector::OwnerState GarbageCollector::StateOf(const OwnerReference& owner, bool namespaced,
                                                       std::string_view namespace_name) const {
  const auto kind = kinds_.find(std::pair(owner.api_version, owner.kind));
  if (kind == kinds_.end()) return OwnerState::kUnknown;
  const registry::Resource& resource = *kind->second;
  // An object outside of namespaces cannot belong to one inside: it is left alone.
  if (resource.namespaced && !namespaced) return OwnerState::kForbidden;
  const store::Snapshot snapshot = registry_.store().Latest(resource.storage->id);
  const store::Cell* cell = snapshot.Get(registry::StoreKey(resource, {namespace_name, owner.name}));
  if (cell == nullptr) return OwnerState::kGone;
  const ObjectFacts facts = ReadFacts(cell->bytes());
  if (facts.uid != owner.uid) return OwnerState::kGone;
  if (facts.deleting_dependents()) return OwnerState::kWaiting;
  return sources_.NumberOf(resource.storage->id) != SIZE_MAX ? OwnerState::kSolid : OwnerState::kUnobserved;
}

bool GarbageCollector::HasWaitingDependent(const OwnerIndex::Node& node) const {
  const OwnerIndex::Owned* owned = index_.FindOwned(node.uid);
  return owned != nullptr && std::ranges::any_of(owned->dependents, &OwnerIndex::Node::deleting_dependents);
}

base::Task<WorkQueue::Outcome> GarbageCollector::Work(std::string_view uid) {
  using enum WorkQueue::Outcome;
  const OwnerIndex::Node* node = index_.Find(uid);
  if (node == nullptr || phase_ != Phase::kDone) co_return node == nullptr ? kDone : kRetry;
  Verdict verdict;
  bool foreground = false;
  {
    const Live live = Read(*node);
    if (!live.cell) co_return kDone;  // its event is on the way
    verdict = Judge(*node, live);
    foreground = live.facts.foreground;
  }
  if (verdict.action == Action::kNothing) co_return kDone;
  if (verdict.action == Action::kLookAgain) co_return kRetry;
  // The node may go while this waits, and its resource as well.
  const registry::ResourceRef resource = sources_.at(node->source);
  const std::string store_key = node->key;
  const registry::Key key = KeyOf(node->source, store_key);
  const api::Result<> acted = co_await Act(*resource, key, uid, verdict, foreground);
  if (!acted) co_return MayRetry(acted.error()) ? kRetry : kDone;
  // Without the references there may be more to do.
  if (verdict.action == Action::kDropReferences) queue_.Add(uid);
  co_return kDone;
}

base::Task<api::Result<>> GarbageCollector::Act(const registry::Resource& resource, registry::Key key,
                                                std::string_view uid, const Verdict& verdict, bool foreground) {
  const auto drop_finalizer = [foreground](const value::Value& object, value::Arena&) {
    const std::string_view mine = foreground ? kForegroundFinalizer : kOrphanFinalizer;
    Filter(object, "finalizers", [&](const value::Value& item) { return item.AsString() != mine; });
  };
  const auto drop_references = [&verdict](const value::Value& object, value::Arena&) {
    const absl::flat_hash_set<std::string_view> dropped(verdict.drop.begin(), verdict.drop.end());
    Filter(object, "ownerReferences",
           [&](const value::Value& item) { return !dropped.contains(item.GetString("uid")); });
  };
  const auto unblock = [](const value::Value& object, value::Arena& arena) {
    for (const value::Value& item : object.Get({"metadata", "ownerReferences"}).items()) {
      const value::Value* blocks = item.Find("blockOwnerDeletion");
      if (blocks != nullptr && blocks->AsBool()) item.Set(arena, "blockOwnerDeletion", value::Value::Bool(false));
    }
  };
  switch (verdict.action) {
    case Action::kLetOwnerGo:
      co_return co_await account_.Update({resource, key, "", uid}, drop_finalizer);
    case Action::kDropReferences:
      co_return co_await account_.Update({resource, key, "", uid}, drop_references);
    case Action::kBreakCycle:
      if (auto unblocked = co_await account_.Update({resource, key, "", uid}, unblock); !unblocked) co_return unblocked;
      break;
    default:
      break;
  }
  registry::DeleteOptions options;
  options.preconditions.uid = std::string(uid);
  options.propagation_policy = verdict.action == Action::kDelete ? verdict.policy : "Foreground";
  co_return co_await account_.Delete(resource, key, std::move(options));
}

}  // namespace controllers
