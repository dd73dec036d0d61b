// Store: every object of the server under one order of revisions. Sees bytes, never JSON.
//
// Keys belong to collections (one a stored resource type). A snapshot is all collections at one revision, taken without
// a lock and immutable; a write is a transaction of compares and puts, acknowledged after the engine made it durable
// and it can be read from Latest(). A watch is a cursor into the collection's event log.
//
// Threads: everything here may be called from any thread. Commit callbacks and watch wakers run on the store's own
// thread: they only post. Ownership: snapshots, cells and cursors keep alive what they need; the Store outlives them
// all. Errors: base::Error with codes kCompacted, kFuture, kConflict, kExhausted (queue full), kIo, kUnavailable.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/slice.h"
#include "engine/engine.h"
#include "store/candidates.h"
#include "store/cell.h"
#include "store/event.h"
#include "store/snapshot.h"

namespace store {

// Names a collection as long as somebody holds it.
enum class CollectionId : uint32_t {};

// A counted hold on a collection: while there is one, the collection keeps its id, also where it has no objects. Copied
// freely; a CollectionId that is used (in a snapshot's request, a write, a watch) is one that somebody holds meanwhile.
class CollectionRef {
 public:
  CollectionRef() = default;
  explicit CollectionRef(std::shared_ptr<const CollectionId> held) : held_(std::move(held)) {}
  // Not of an empty one.
  CollectionId id() const { return *held_; }
  operator CollectionId() const { return *held_; }  // NOLINT(google-explicit-constructor): it stands for its id
  explicit operator bool() const { return held_ != nullptr; }

 private:
  std::shared_ptr<const CollectionId> held_;
};

// The bytes a writer hands in, with a hole where the revision goes: the store inserts its decimal digits at
// `revision_offset` when the revision is known, on write and again for the last state of a deleted object.
struct Body {
  std::string bytes;
  uint32_t revision_offset = 0;
  uint32_t labels_offset = 0;     // opaque to the store, kept with the object (0 is none): where selectors find the
                                  // labels. Counted in `bytes`, before the revision is put in
  bool needs_reencoding = false;  // opaque to the store, kept with the object: `bytes` is not JSON as clients get it
  std::string index;              // value of the collection's one indexed field (a pod's node); "" is none
};

using engine::kAnyRevision;  // as Write::expected: no compare

// What a key holds right before a transaction: of one that was committed, or that is committed before it in the same
// batch, whose bytes have no revision in them yet.
struct Newest {
  std::string_view bytes;
  bool needs_reencoding = false;
};

struct Write {
  // Makes the body of what the key holds then (null: nothing), on the thread that commits: short, and without waiting.
  // None: this write is left out of the transaction. An error fails the transaction.
  using Compute = std::function<base::Result<std::optional<Body>>(const Newest* newest)>;

  CollectionId collection;
  std::string key;           // "namespace/name" or "name"; no NUL
  std::optional<Body> body;  // none: delete; of a missing key the transaction fails with kNotFound
  Revision expected{0};      // compare: 0 the key must not exist, kAnyRevision no compare, else its modified()
  Compute compute = {};      // in place of `body` and `expected`; not of the first write of a transaction
};

struct Committed {
  Revision revision;
  std::vector<CellRef> cells;  // one a Write: the new version; of a delete the last state stamped with this revision
};
using CommitDone = absl::AnyInvocable<void(base::Result<Committed>)>;

// A cursor into one collection's event log. One owner, used on one thread; the waker comes from the store's thread.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // The next event whose key begins with the watch's prefix (and whose index value, old or new, is the wanted one), or
  // nullptr when there is none yet: the waker will be called. Fails with kCompacted when the cursor fell behind the
  // retained history. The pointer holds until the next call.
  virtual base::Result<const Event*> Next() = 0;
  // Everything up to this revision has been given or does not concern this watch: what a bookmark says.
  virtual Revision position() const = 0;
};

struct WatchOptions {
  CollectionId collection;
  std::string prefix;  // "" all, "namespace/", or a whole key with `exact_key`
  bool exact_key = false;
  std::optional<std::string> index;  // only objects whose Body::index is or was this
  Revision after{0};                 // events with greater revisions; a future one waits for it
};

struct Options {
  std::chrono::milliseconds retention = std::chrono::minutes(5);  // history kept for exact reads and watches
  uint64_t history_bytes = uint64_t{256} << 20;  // memory that history alone may hold; less is kept when it is more
  size_t commit_queue = 4096;                    // transactions waiting for the committer; more fail with kExhausted
  const base::Clock* clock = &base::SystemClock();
  // Whether stored bytes are an object at all. Asked while loading, about what somebody else may have written or
  // damaged; null: they are.
  bool (*readable)(std::string_view bytes) = nullptr;
  // Appends the terms by which an object is to be found (Find). Pure; null: nothing is found by terms.
  void (*terms)(const Cell& cell, std::vector<Term>& terms) = nullptr;
};

class Store {
 public:
  // Loads everything the engine holds. kCorrupt, kIo, kUnavailable as the engine says.
  static base::Result<std::unique_ptr<Store>> Open(std::unique_ptr<engine::Engine> engine, Options options);
  virtual ~Store() = default;  // waits for what was handed to the engine, ends watches

  // The collection of that name ("pods", "apps/deployments"), made at first use. What is stored under that name is in
  // it, whoever wrote it and when. One that nobody holds any more goes once it has no objects and no history.
  // kExhausted where there are too many.
  virtual base::Result<CollectionRef> Collection(std::string_view name) = 0;

  virtual Revision revision() const = 0;                       // newest that can be read
  virtual Snapshot Latest(CollectionId collection) const = 0;  // no lock
  // Exactly at that revision: kCompacted before the window, kFuture after revision().
  virtual base::Result<Snapshot> At(CollectionId collection, Revision revision) const = 0;
  virtual Revision oldest() const = 0;  // oldest that At() gives
  // What of a snapshot of that collection has one of the terms; `prefix` and `start` as in Snapshot::Scan(). None where
  // the store cannot tell for this snapshot, or not now: then a scan has to. The first call makes an index of the whole
  // collection, in about four times the time of a scan; later ones bring it up to date.
  virtual std::optional<Candidates> Find(CollectionId collection, const Snapshot& snapshot, std::span<const Term> terms,
                                         const std::string& prefix, const std::string& start) const = 0;
  // How many of the collection's newest objects are not Cell::readable(). One load.
  virtual size_t Unreadable(CollectionId collection) const = 0;

  // Calls `done` once revision() >= `at_least` (at once where it is), or with kTimeout at the deadline.
  virtual void WaitFor(Revision at_least, std::chrono::steady_clock::time_point deadline,
                       absl::AnyInvocable<void(base::Result<>)> done) = 0;
  // The newest revision that any acknowledged write has, also another process's: at once with a local engine, a round
  // trip with a remote one. Latest() at or after it is a linearizable read.
  virtual void ConsistentRevision(absl::AnyInvocable<void(base::Result<Revision>)> done) = 0;
  virtual bool local() const = 0;  // true: ConsistentRevision is revision(), callers need not ask

  // All or none of the writes, at one revision. kConflict (nothing changed) when a compare fails, kExhausted when the
  // queue is full, kIo when the engine could not persist: nothing of a failed transaction is ever visible.
  virtual void Commit(std::vector<Write> writes, CommitDone done) = 0;

  // kCompacted when `after` is before the window. `wake` may be called any number of times until the Watcher is
  // destroyed.
  virtual base::Result<std::unique_ptr<Watcher>> Watch(WatchOptions options, absl::AnyInvocable<void()> wake) = 0;

  // Drops history before `revision` now (the window does it by itself).
  virtual void Compact(Revision revision) = 0;
  virtual base::Result<> Health() const = 0;  // fails while the engine cannot write
};

}  // namespace store
