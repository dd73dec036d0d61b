// Committer: the queue of transactions, and the one thread that hands them to the engine: whatever has gathered while
// the last batch was made durable is the next batch. A write that finds nothing under way is committed by the thread it
// comes from, where that has a turn to block: no hand-over costs as little. Used by the store.
//
// Threads: Commit() and Kick() from any thread; OnApplied() by the holder of the apply lock. Callbacks run on the
// committer's thread or one that took a turn (with a remote engine also on the engine's). Bounds: `queue` transactions
// wait or are under way; a batch has at most kBatch of them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "store/collection_table.h"
#include "store/store.h"

namespace store {

// What the committer asks of the store.
class CommitterHost {
 public:
  virtual ~CommitterHost() = default;
  // The writers of a batch were answered: the watchers may be woken.
  virtual void OnAnswered() = 0;
  // The engine could not persist.
  virtual void OnEngineFailure(const base::Error& error) = 0;
  // What is to be done from time to time, on the committer's thread.
  virtual void Tick() = 0;
  // When that is, as things are now. On any thread that commits.
  virtual std::chrono::steady_clock::time_point NextTick() const = 0;
};

class Committer {
 public:
  static constexpr size_t kBatch = 512;
  static constexpr size_t kBatchBytes = 8 << 20;

  // `applied`: the newest revision that can be read. All outlive the committer.
  Committer(engine::Engine& engine, const CollectionTable& collections, const std::atomic<int64_t>& applied,
            CommitterHost& host, const base::Clock& clock, size_t queue);
  // The engine makes no callbacks any more.
  ~Committer();
  // Hands everything that waits to the engine and ends the thread.
  void Stop();

  void Commit(std::vector<Write> writes, CommitDone done);
  // `applied` has moved: answers the transactions that waited for it.
  void OnApplied();
  // Makes Tick() run soon.
  void Kick();

 private:
  struct Pending {
    std::vector<Write> writes;
    CommitDone done;
  };
  struct Rejected {
    CommitDone done;
    base::Error error;
  };
  // Everything that the engine looks at until it answers.
  struct Batch {
    std::vector<Pending> pending;
    std::vector<engine::Operation> operations;
    std::vector<engine::Transaction> transactions;
    std::vector<Rejected> rejected;
  };
  class Precheck;

  void Run();
  std::unique_ptr<Batch> Gather();  // null: nothing to do but a tick
  std::unique_ptr<Batch> Take();    // with the lock; of a queue that is not empty
  void CommitHere();                // on the thread that was promised to
  void EndPromise();                // by that thread: what is in the queue is left to the committer's
  void CommitBatch(std::unique_ptr<Batch> batch);
  void Prepare(Batch& batch) const;
  void Answer(Batch& batch, std::span<const base::Result<Revision>> results);
  void Complete(Pending& pending, Revision revision);
  static base::Result<> Validate(const std::vector<Write>& writes);

  engine::Engine& engine_;
  const CollectionTable& collections_;
  const std::atomic<int64_t>& applied_;
  CommitterHost& host_;
  const base::Clock& clock_;
  const size_t limit_;
  std::atomic<size_t> outstanding_{0};

  std::mutex mutex_;  // guards these
  std::condition_variable changed_;
  std::vector<Pending> queue_;
  bool committing_ = false;  // the committer's thread is at a batch
  bool promised_ = false;    // another thread is, or will be: the queue is left to it
  size_t to_thread_ = 0;     // so many writes go to the committer's thread: several come at a time
  bool kicked_ = false;
  bool stopping_ = false;
  std::chrono::steady_clock::time_point next_tick_;
  std::multimap<Revision, Pending> unapplied_;  // acknowledged by a remote engine before its feed showed them

  std::thread thread_;
};

}  // namespace store
