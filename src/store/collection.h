// Collection: the objects of one resource type: the newest tree, the history of its changes, and who waits for the next
// one. Used by the store: Apply/Publish/Wake/Compact by one thread at a time (the store's apply lock), the rest by any.
//
// A change is seen in three steps that the store takes for a whole batch of transactions: PublishTree() lets readers
// see the new objects; PublishEvents() shows the events and makes due who may want them; Wake() calls the wakers, after
// the writers were answered.
//
// A past version is not kept but for one in kCheckpointEvents changes: it is made again, when somebody asks, from the
// nearest tree at hand by playing the events between, forwards or backwards. The last few stay in a cache, for the next
// page of a list.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/published.h"
#include "base/result.h"
#include "engine/engine.h"
#include "store/event_log.h"
#include "store/label_index.h"
#include "store/snapshot.h"
#include "store/wake_index.h"

namespace store {

class Collection : public std::enable_shared_from_this<Collection> {
 public:
  static constexpr uint64_t kCheckpointEvents = 2048;
  static constexpr size_t kRemade = 4;

  // `terms_of` as in Options.
  explicit Collection(std::string name, TermsOf terms_of = nullptr);
  const std::string& name() const { return name_; }

  // ---- Loading: before any other thread knows of the collection.
  // `readable` as in Options.
  void Load(const engine::Version& version, bool (*readable)(std::string_view));
  // Everything was loaded: what is not later than `base` is the first tree, the rest is history. Fails with kCorrupt
  // when it makes no sense.
  base::Result<> FinishLoad(Revision base);

  // ---- Writing, by the holder of the apply lock.
  // The newest version of the key, also an unpublished one.
  const Cell* Newest(std::string_view key) const { return tree_.Find(key); }
  // Fails with kCorrupt for a deletion of a missing key.
  base::Result<> Apply(const engine::Version& version, Edit edit);
  // `revision`: that of the last change.
  void PublishTree(Revision revision);
  void PublishEvents();
  void Wake();
  // Appends what nobody can see any more once history before `revision` is forgotten, each version once over all calls;
  // returns the bytes of it. The views hold until DropHistory().
  uint64_t CollectSuperseded(Revision revision, std::vector<engine::Superseded>& superseded);
  // Forgets what led to `revision`: older ones cannot be read, nor watched from.
  void DropHistory(Revision revision);
  // Bytes that history alone keeps in memory, added since the last call.
  uint64_t TakeHistoryAdded() { return std::exchange(history_added_, 0); }

  // Whether it has neither objects nor history: by the holder of the apply lock.
  bool IsForgotten();

  // ---- Reading.
  // How many of the newest objects are not Cell::readable().
  size_t unreadable() const { return unreadable_.load(std::memory_order_acquire); }
  // The newest version; the caller releases the reference.
  const TreeVersion* Latest() const { return latest_.Load(); }
  // The version at a revision that is not later than the newest; the caller releases the reference. Null before
  // retained history.
  const TreeVersion* At(Revision revision);
  // The objects that have each of the terms, in a version that is not older than `revision`, which is not later than
  // Latest(): as Candidates wants them. None where that is not known, or where it is just being found out.
  std::optional<std::vector<Tree>> Holders(std::span<const Term> terms, Revision revision);
  // What the transaction of that revision made of the key; null when history does not have it.
  CellRef Changed(Revision revision, std::string_view key);

 private:
  friend class Cursor;
  struct Loading {
    CellRef cell;
    bool deleted;
  };
  struct Kept {
    Revision revision;
    uint64_t position = 0;  // of the first event that is not in it
    Tree tree;
  };
  // A tree to start from, and the positions between which events are to be played on it (backwards when from > to).
  struct Route {
    Tree tree;
    uint64_t from = 0, to = 0;
    std::vector<ChunkRef> chunks;
  };

  // Of a key whose newest object changed; null where there is none.
  void CountUnreadable(const Cell* before, const Cell* now);
  base::Result<> ApplyCell(const engine::Version& version, CellRef cell, Edit edit);
  Route RouteTo(Revision revision) const;                                 // with mutex_ held
  std::vector<ChunkRef> ChunksBetween(uint64_t from, uint64_t to) const;  // with mutex_ held
  static void Play(const Event& event, bool forwards, Tree& tree, Edit edit);
  void BringUpTerms();  // with terms_mutex_ held
  void DropUnusedTerms();

  const std::string name_;
  base::Published<TreeVersion> latest_;
  std::atomic<uint64_t> reader_edit_{1};  // odd: edits of readers who remake versions; the store's own are even

  std::atomic<size_t> unreadable_{0};

  // Of whoever holds the apply lock.
  Tree tree_;
  std::vector<Loading> loading_;
  uint64_t unreported_ = 0;  // events before this position were given by CollectSuperseded()
  uint64_t history_added_ = 0;

  std::atomic<bool> building_terms_{false};
  std::mutex terms_mutex_;  // taken before mutex_; guards terms_
  LabelIndex terms_;

  std::mutex mutex_;  // guards all below
  EventLog log_;
  WakeIndex wakes_;
  Revision compacted_;
  Kept newest_;                   // as published, perhaps before its events
  std::deque<Kept> checkpoints_;  // oldest first
  std::deque<Kept> remade_;       // oldest first
};

}  // namespace store
