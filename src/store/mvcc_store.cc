#include "store/mvcc_store.h"

#include <algorithm>

#include "store/cursor.h"

namespace store {
namespace {
using Time = std::chrono::steady_clock::time_point;
constexpr std::chrono::seconds kHealthInterval(1);
}  // namespace

base::Result<std::unique_ptr<Store>> Store::Open(std::unique_ptr<engine::Engine> engine, Options options) {
  auto made = std::make_unique<MvccStore>(std::move(engine), options);
  if (base::Result<> started = made->Start(); !started) return std::unexpected(std::move(started).error());
  return made;
}

MvccStore::MvccStore(std::unique_ptr<engine::Engine> engine, const Options& options)
    : options_(options),
      engine_(std::move(engine)),
      local_(engine_->sole_writer()),
      collections_(options.terms),
      window_(options.retention, options.history_bytes) {}

MvccStore::~MvccStore() {
  if (committer_ != nullptr) committer_->Stop();
  engine_.reset();
  committer_.reset();
  waits_.Cancel();
}

base::Result<> MvccStore::Start() {
  base::Result<> loaded = Load();
  if (loaded) {
    CommitterHost& host = *this;
    committer_ =
        std::make_unique<Committer>(*engine_, collections_, announced_, host, *options_.clock, options_.commit_queue);
  }
  phase_.store(loaded ? kLoaded : kFailed, std::memory_order_release);
  phase_.notify_all();
  return loaded;
}

base::Result<> MvccStore::Load() {
  base::Result<engine::Loaded> started = engine_->Start(*this);
  if (!started) return std::unexpected(std::move(started).error());
  if (!loading_error_) return loading_error_;
  const engine::Loaded loaded = *started;
  std::lock_guard lock(apply_mutex_);
  for (uint32_t i = 0; i < collections_.size(); ++i) {
    store::Collection& collection = collections_.Get(CollectionId{i});  // none has gone yet
    if (base::Result<> finished = collection.FinishLoad(loaded.base); !finished) return finished;
    history_added_ += collection.TakeHistoryAdded();
  }
  oldest_.store(loaded.base.value(), std::memory_order_release);
  revision_.store(loaded.head.value(), std::memory_order_release);
  announced_.store(loaded.head.value(), std::memory_order_release);
  answered_.store(loaded.head.value(), std::memory_order_release);
  if (loaded.head > loaded.base) window_.Advance(options_.clock->Monotonic(), loaded.head, history_added_);
  return {};
}

void MvccStore::OnLoaded(const engine::Version& version) {
  auto collection = collections_.Get(version.collection);
  if (collection) {
    (*collection)->Load(version, options_.readable);
  } else if (loading_error_) {
    loading_error_ = std::unexpected(std::move(collection.error()));
  }
}

void MvccStore::OnCommitted(std::span<const engine::Version> versions, Revision head) {
  phase_.wait(kLoading, std::memory_order_acquire);
  if (phase_.load(std::memory_order_acquire) == kFailed) return;
  {
    std::lock_guard lock(apply_mutex_);
    Apply(versions);
    Publish(head);
  }
  if (local_) return;  // the committer answers, then wakes
  committer_->OnApplied();
  OnAnswered();
}

void MvccStore::Apply(std::span<const engine::Version> versions) {
  const Edit edit(edits_ += 2);
  touched_.clear();
  std::shared_ptr<store::Collection> collection;
  for (const engine::Version& version : versions) {
    if (collection == nullptr || collection->name() != version.collection) {
      auto found = collections_.Get(version.collection);
      if (!found) {
        OnEngineFailure(found.error());  // others may have written more than this server can hold
        continue;
      }
      collection = *std::move(found);
    }
    if (base::Result<> applied = collection->Apply(version, edit); !applied) {
      OnEngineFailure(applied.error());  // an engine that breaks its contract
      continue;
    }
    auto same = [&](const auto& touched) { return touched.first == collection; };
    auto known = std::find_if(touched_.begin(), touched_.end(), same);
    if (known == touched_.end()) known = touched_.insert(known, {collection, Revision()});
    known->second = version.modified;
  }
}

void MvccStore::Publish(Revision head) {
  for (auto& [collection, changed] : touched_) collection->PublishTree(changed);
  revision_.store(head.value(), std::memory_order_seq_cst);
  for (auto& [collection, changed] : touched_) {
    collection->PublishEvents();
    history_added_ += collection->TakeHistoryAdded();
    to_wake_.push_back(collection);
  }
  announced_.store(head.value(), std::memory_order_seq_cst);
  if (!touched_.empty()) window_.Advance(options_.clock->Monotonic(), head, history_added_);
  touched_.clear();
}

void MvccStore::OnAnswered() {
  answered_.store(announced_.load(std::memory_order_acquire), std::memory_order_release);
  if (!waits_.empty()) waits_.Reached(revision());
  std::vector<std::shared_ptr<store::Collection>> woken;
  {
    std::lock_guard lock(apply_mutex_);
    woken.swap(to_wake_);
  }
  for (const std::shared_ptr<store::Collection>& collection : woken) collection->Wake();
}

Snapshot MvccStore::Latest(CollectionId collection) const {
  // In this order: what is published up to `now` is then in the version, and a version that is newer still says itself
  // how new.
  const Revision now = revision();
  const TreeVersion* version = collections_.Get(collection).Latest();
  return Snapshot(version, std::max(now, version->revision()));
}

base::Result<Snapshot> MvccStore::At(CollectionId id, Revision wanted) const {
  if (wanted < oldest()) return base::Fail(base::Code::kCompacted, "the revision is before the retained history");
  store::Collection& collection = collections_.Get(id);
  const Revision now = revision();  // before the version, as in Latest()
  const TreeVersion* version = collection.Latest();
  const Revision changed = version->revision();
  if (changed <= wanted && wanted <= now) return Snapshot(version, wanted);
  version->Release(1);
  if (wanted > std::max(now, changed)) return base::Fail(base::Code::kFuture, "the revision has not been written yet");
  version = collection.At(wanted);
  if (version == nullptr) return base::Fail(base::Code::kCompacted, "the revision is before the retained history");
  return Snapshot(version, wanted);
}

std::optional<Candidates> MvccStore::Find(CollectionId collection, const Snapshot& snapshot,
                                          std::span<const Term> terms, const std::string& prefix,
                                          const std::string& start) const {
  auto holders = collections_.Get(collection).Holders(terms, snapshot.revision());
  if (!holders) return std::nullopt;
  return Candidates(snapshot, *std::move(holders), prefix, start);
}

void MvccStore::WaitFor(Revision at_least, Time deadline, absl::AnyInvocable<void(base::Result<>)> done) {
  if (revision() >= at_least) return done({});
  waits_.Add(at_least, deadline, std::move(done));
  // Either this sees the new revision, or whoever published it sees the wait: both sides write first, and look then.
  if (revision_.load(std::memory_order_seq_cst) >= at_least.value()) waits_.Reached(revision());
  committer_->Kick();  // which looks at the deadline
}

void MvccStore::ConsistentRevision(absl::AnyInvocable<void(base::Result<Revision>)> done) {
  if (local()) return done(revision());
  engine_->ReadRevision(std::move(done));
}

void MvccStore::Commit(std::vector<Write> writes, CommitDone done) {
  committer_->Commit(std::move(writes), std::move(done));
}

base::Result<std::unique_ptr<Watcher>> MvccStore::Watch(WatchOptions options, absl::AnyInvocable<void()> wake) {
  const Revision after = options.after;
  store::Collection& collection = collections_.Get(options.collection);
  auto cursor =
      std::make_unique<Cursor>(collection.shared_from_this(), announced_, std::move(options), std::move(wake));
  // Asked last: history that went before the cursor stood has raised it already.
  if (after < oldest()) return base::Fail(base::Code::kCompacted, "the revision is before the retained history");
  return cursor;
}

void MvccStore::Compact(Revision revision) {
  CompactTo(std::min(revision, Revision(announced_.load(std::memory_order_acquire))));
}

void MvccStore::CompactTo(Revision revision) {
  std::lock_guard history(history_mutex_);
  if (revision <= oldest()) return;
  oldest_.store(revision.value(), std::memory_order_seq_cst);
  std::vector<engine::Superseded> superseded;
  {
    std::lock_guard lock(apply_mutex_);
    for (uint32_t i = 0; i < collections_.size(); ++i) {
      store::Collection* const collection = collections_.Find(CollectionId{i});
      if (collection != nullptr) history_dropped_ += collection->CollectSuperseded(revision, superseded);
    }
  }
  // The apply lock is not held: a sole writer may be feeding us under a lock of its own.
  if (base::Result<> compacted = engine_->Compact(revision, superseded); !compacted) OnEngineFailure(compacted.error());
  // Only this takes collections away, under the history lock: those that are found stay.
  for (uint32_t i = 0; i < collections_.size(); ++i) {
    if (store::Collection* const collection = collections_.Find(CollectionId{i})) collection->DropHistory(revision);
  }
  std::lock_guard lock(apply_mutex_);
  collections_.Reclaim();
}

void MvccStore::Tick() {
  const Time now = options_.clock->Monotonic();
  if (!waits_.empty()) waits_.Expire(now);
  CheckHealth(now);
  Revision due;
  {
    std::lock_guard lock(apply_mutex_);
    due = window_.Due(now, history_added_, history_dropped_);
  }
  // A thread that took a turn may be about to answer: what its writes made is looked up in the history.
  if (due != Revision()) CompactTo(std::min(due, Revision(answered_.load(std::memory_order_acquire))));
}

Time MvccStore::NextTick() const {
  Time next = waits_.empty() ? Time::max() : waits_.next();
  {
    std::lock_guard lock(apply_mutex_);
    next = std::min(next, window_.Next(history_added_, history_dropped_));
  }
  std::lock_guard lock(health_mutex_);
  return health_ && local() ? next : std::min(next, health_checked_ + kHealthInterval);
}

void MvccStore::CheckHealth(Time now) {
  {
    std::lock_guard lock(health_mutex_);
    if ((health_ && local()) || now - health_checked_ < kHealthInterval) return;
    health_checked_ = now;
  }
  base::Result<> health = engine_->Health();
  std::lock_guard lock(health_mutex_);
  health_ = std::move(health);
}

void MvccStore::OnEngineFailure(const base::Error& error) {
  std::lock_guard lock(health_mutex_);
  health_ = std::unexpected(error);
}

base::Result<> MvccStore::Health() const {
  std::lock_guard lock(health_mutex_);
  return health_;
}

}  // namespace store
