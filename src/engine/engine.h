// Engine: the durable, totally ordered log under the store. Called by `store` alone; one Engine serves one Store.
//
// Two kinds are meant. A *sole writer* (memory, rocksdb) is a local log: its caller has seen every change, so it has
// already checked the compares, and Commit() answers before it returns. A *remote* engine (etcd) assigns revisions in
// another process, evaluates the compares there, has other writers, and answers late: `done` may come before or after
// the feed shows the same transaction. A store that follows this contract works over both without asking which.
//
// Threads: Start() once, then every method from any thread; Commit() of a sole writer by one thread at a time. The feed
// is called by one thread at a time. Ownership: the Feed outlives the Engine; views given to a callback hold until it
// returns. Errors: kIo, kExhausted (disk full), kUnavailable, kCorrupt (at Start), kConflict and kNotFound (of one
// transaction).
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "base/result.h"

namespace engine {

// A point in the one order of all writes: 1, 2, ...; 0 is "none".
class Revision {
 public:
  constexpr Revision() = default;
  constexpr explicit Revision(int64_t value) : value_(value) {}
  constexpr int64_t value() const { return value_; }
  constexpr Revision Next() const { return Revision(value_ + 1); }
  friend constexpr auto operator<=>(Revision, Revision) = default;
  template <class H>
  friend H AbslHashValue(H state, Revision revision) {
    return H::combine(std::move(state), revision.value_);
  }

 private:
  int64_t value_ = 0;
};

// As Operation::expected: no compare.
inline constexpr Revision kAnyRevision{-1};

// What is stored of an object. `bytes` lack the revision's digits, which belong at `revision_offset`: only the engine
// knows them, and it keeps them beside the value.
struct Value {
  std::string_view bytes;
  uint32_t revision_offset = 0;
  uint32_t labels_offset = 0;
  std::string_view index;
  bool needs_reencoding = false;  // store::Body::needs_reencoding
};

// One version of one key. A key is unique within its collection ("pods"; etcd's /registry/<collection>/<key>); neither
// has a NUL.
struct Version {
  std::string_view collection;
  std::string_view key;
  Revision created;            // when the key came to be, this time
  Revision modified;           // when this version was written
  std::optional<Value> value;  // none: the key was deleted at `modified`
};

// Where an engine delivers. Implemented by the store.
class Feed {
 public:
  virtual ~Feed() = default;
  // During Start(), in any order: of each key its newest version up to the base revision (never a deletion) and every
  // later one.
  virtual void OnLoaded(const Version& version) = 0;
  // After Start(): what was committed by anybody, whole transactions, in the order of revisions, each version once.
  // Everything up to `head` has now been given; `versions` may be empty (others wrote what is no object of ours).
  virtual void OnCommitted(std::span<const Version> versions, Revision head) = 0;
};

struct Operation {
  std::string_view collection;
  std::string_view key;
  Revision expected;           // compare: 0 the key does not exist, kAnyRevision no compare, else its `modified`
  std::optional<Value> value;  // none: delete; of a missing key it fails with kNotFound
  Revision created;            // read by sole writers only: of an existing key its `created`, else 0
};

// All or nothing, at one revision. No key twice.
struct Transaction {
  std::span<const Operation> operations;
};

// A version that no read at or after the compacted revision can see any more.
struct Superseded {
  std::string_view collection;
  std::string_view key;
  Revision modified;
};

struct Loaded {
  Revision base;  // history is known after this revision
  Revision head;  // newest revision; at least 1, like etcd's
};

class Engine {
 public:
  using CommitDone = absl::AnyInvocable<void(std::span<const base::Result<Revision>>)>;
  using ReadDone = absl::AnyInvocable<void(base::Result<Revision>)>;

  // Stops: no callback runs any more when it returns; commits without an answer are answered with kCancelled.
  virtual ~Engine() = default;

  // Loads everything into `feed`, then keeps feeding it. Blocks while loading.
  virtual base::Result<Loaded> Start(Feed& feed) = 0;

  // Persists the transactions in their order with one sync; `done` gets one result each, once. What the views name
  // stays valid until then. A failed transaction is never visible; kUnavailable of a remote engine means that the
  // outcome is not known.
  virtual void Commit(std::span<const Transaction> batch, CommitDone done) = 0;

  // True: this process alone writes, Commit() answers before it returns after feeding the changes, and takes compares
  // as checked.
  virtual bool sole_writer() const = 0;

  // The newest revision acknowledged to anybody.
  virtual void ReadRevision(ReadDone done) = 0;

  // History up to `revision` is not needed any more. `superseded` is what that makes unreachable, for engines that keep
  // versions themselves. Need not be durable at return: after a crash an older base may come back.
  virtual base::Result<> Compact(Revision revision, std::span<const Superseded> superseded) = 0;

  // Fails while writes cannot succeed. A sole writer tries here whether they can again; called about once a second
  // while it fails.
  virtual base::Result<> Health() = 0;
};

}  // namespace engine
