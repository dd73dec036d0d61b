// MvccStore: the Store. Applies what the engine's feed says to the collections and publishes it; the committer brings
// the writes to the engine. Made by Store::Open() alone.
//
// Threads: as Store. Locks, in the order in which they may be taken: history_mutex_, apply_mutex_, a collection's, the
// rest are leaves.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/collection_table.h"
#include "store/committer.h"
#include "store/revision_waits.h"
#include "store/store.h"
#include "store/window.h"

namespace store {

class MvccStore final : public Store, private engine::Feed, private CommitterHost {
 public:
  MvccStore(std::unique_ptr<engine::Engine> engine, const Options& options);
  ~MvccStore() override;
  // Loads. Once, before anything else.
  base::Result<> Start();

  base::Result<CollectionRef> Collection(std::string_view name) override { return collections_.Hold(name); }
  Revision revision() const override { return Revision(revision_.load(std::memory_order_acquire)); }
  Snapshot Latest(CollectionId collection) const override;
  base::Result<Snapshot> At(CollectionId collection, Revision revision) const override;
  std::optional<Candidates> Find(CollectionId collection, const Snapshot& snapshot, std::span<const Term> terms,
                                 const std::string& prefix, const std::string& start) const override;
  Revision oldest() const override { return Revision(oldest_.load(std::memory_order_acquire)); }
  size_t Unreadable(CollectionId collection) const override { return collections_.Get(collection).unreadable(); }
  void WaitFor(Revision at_least, std::chrono::steady_clock::time_point deadline,
               absl::AnyInvocable<void(base::Result<>)> done) override;
  void ConsistentRevision(absl::AnyInvocable<void(base::Result<Revision>)> done) override;
  bool local() const override { return local_; }
  void Commit(std::vector<Write> writes, CommitDone done) override;
  base::Result<std::unique_ptr<Watcher>> Watch(WatchOptions options, absl::AnyInvocable<void()> wake) override;
  void Compact(Revision revision) override;
  base::Result<> Health() const override;

 private:
  // engine::Feed
  void OnLoaded(const engine::Version& version) override;
  void OnCommitted(std::span<const engine::Version> versions, Revision head) override;
  // CommitterHost
  void OnAnswered() override;
  void OnEngineFailure(const base::Error& error) override;
  void Tick() override;
  std::chrono::steady_clock::time_point NextTick() const override;

  base::Result<> Load();
  void Apply(std::span<const engine::Version> versions);
  void Publish(Revision head);
  void CompactTo(Revision revision);
  void CheckHealth(std::chrono::steady_clock::time_point now);

  const Options options_;
  std::unique_ptr<engine::Engine> engine_;
  const bool local_;  // the engine is a sole writer; its callbacks ask while it is being destroyed
  CollectionTable collections_;
  std::atomic<int64_t> revision_{0};   // readable
  std::atomic<int64_t> announced_{0};  // and watchers know of it
  std::atomic<int64_t> answered_{0};   // and who wrote it, too
  std::atomic<int64_t> oldest_{0};
  RevisionWaits waits_;

  // A remote engine may feed before what it loaded is in the trees: that waits.
  enum Phase { kLoading, kLoaded, kFailed };
  std::atomic<Phase> phase_{kLoading};

  base::Result<> loading_error_;  // of OnLoaded()

  std::mutex history_mutex_;  // one compaction at a time

  mutable std::mutex apply_mutex_;  // guards these, and the writing side of the collections
  Window window_;
  uint64_t edits_ = 0;
  uint64_t history_added_ = 0, history_dropped_ = 0;  // bytes since the beginning
  std::vector<std::pair<std::shared_ptr<store::Collection>, Revision>>
      touched_;                                              // by the batch being applied, with its last change
  std::vector<std::shared_ptr<store::Collection>> to_wake_;  // touched, wakers not yet called

  mutable std::mutex health_mutex_;  // guards these
  base::Result<> health_;
  std::chrono::steady_clock::time_point health_checked_{};

  std::unique_ptr<Committer> committer_;
};

}  // namespace store
