#include "store/committer.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/turn_to_block.h"

namespace store {
namespace {

using Clock = std::chrono::steady_clock;

// So many writes are not committed by their threads after one that others had to wait for.
constexpr size_t kToThread = 500;

base::Error Cancelled() { return {base::Code::kCancelled, "the store is stopping"}; }

bool Valid(const Write& write) {
  if (write.key.empty() || write.key.find('\0') != std::string::npos) return false;
  if (!write.body) return true;
  constexpr size_t kMost = size_t{1} << 31;
  return write.body->bytes.size() < kMost && write.body->index.size() < kMost &&
         write.body->revision_offset <= write.body->bytes.size();
}

}  // namespace

// Compares of one batch for a sole writer, which takes them as checked: against the newest objects and the earlier
// transactions of the batch, whose revisions are known because a sole writer counts on by one.
class Committer::Precheck {
 public:
  Precheck(const CollectionTable& collections, Revision applied, bool several)
      : collections_(collections), next_(applied), several_(several) {}

  // Makes the bodies that depend on what is there, and drops the writes that come to nothing. `compared` by the engine:
  // it is told what they were made of.
  base::Result<> Compute(std::vector<Write>& writes, bool compared) const {
    if (std::ranges::none_of(writes, [](const Write& write) { return static_cast<bool>(write.compute); })) return {};
    for (Write& write : writes) {
      if (!write.compute) continue;
      const State state = Find(write);
      const Newest newest = NewestOf(write);
      base::Result<std::optional<Body>> made = write.compute(newest.bytes.empty() ? nullptr : &newest);
      if (!made) return std::unexpected(std::move(made).error());
      write.body = *std::move(made);
      write.expected = compared ? state.modified : kAnyRevision;
    }
    std::erase_if(writes, [](const Write& write) { return write.compute && !write.body; });
    return {};
  }
  // Fills in `created` of the operations, which follow the writes one to one.
  base::Result<> Check(const std::vector<Write>& writes, engine::Operation* operations) {
    for (size_t i = 0; i < writes.size(); ++i) {
      const Write& write = writes[i];
      const State state = Find(write);
      if (write.expected != kAnyRevision && write.expected != state.modified) {
        return base::Fail(base::Code::kConflict, "the object was changed");
      }
      if (!write.body && state.modified == Revision())
        return base::Fail(base::Code::kNotFound, "there is no such object");
      operations[i].created = state.created;
    }
    next_ = next_.Next();
    if (several_) {
      for (size_t i = 0; i < writes.size(); ++i) Remember(writes[i], operations[i].created);
    }
    return {};
  }

 private:
  struct State {
    Revision created, modified;  // 0: not there
    const Body* body = nullptr;  // of an earlier transaction of the batch
  };
  using Key = std::pair<uint32_t, std::string_view>;
  static Key KeyOf(const Write& write) { return {static_cast<uint32_t>(write.collection), write.key}; }

  State Find(const Write& write) const {
    if (several_) {
      if (auto found = changed_.find(KeyOf(write)); found != changed_.end()) return found->second;
    }
    const Cell* cell = collections_.Get(write.collection).Newest(write.key);
    return cell == nullptr ? State{} : State{.created = cell->created(), .modified = cell->modified()};
  }
  // Nothing in it: the key is not there.
  Newest NewestOf(const Write& write) const {
    if (several_) {
      if (auto found = changed_.find(KeyOf(write)); found != changed_.end()) {
        const Body* body = found->second.body;
        return body == nullptr ? Newest{} : Newest{body->bytes, body->needs_reencoding};
      }
    }
    const Cell* cell = collections_.Get(write.collection).Newest(write.key);
    return cell == nullptr ? Newest{} : Newest{cell->bytes(), cell->needs_reencoding()};
  }
  void Remember(const Write& write, Revision created) {
    State state;
    if (write.body) state = {created == Revision() ? next_ : created, next_, &*write.body};
    changed_[KeyOf(write)] = state;
  }

  const CollectionTable& collections_;
  Revision next_;
  const bool several_;
  absl::flat_hash_map<Key, State> changed_;
};

Committer::Committer(engine::Engine& engine, const CollectionTable& collections, const std::atomic<int64_t>& applied,
                     CommitterHost& host, const base::Clock& clock, size_t queue)
    : engine_(engine),
      collections_(collections),
      applied_(applied),
      host_(host),
      clock_(clock),
      limit_(queue),
      next_tick_(clock.Monotonic()) {
  thread_ = std::thread([this] { Run(); });
}

Committer::~Committer() {
  for (auto& [revision, pending] : unapplied_) pending.done(std::unexpected(Cancelled()));
}

void Committer::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

base::Result<> Committer::Validate(const std::vector<Write>& writes) {
  if (writes.empty()) return base::Fail(base::Code::kInvalid, "a transaction without writes");
  for (const Write& write : writes) {
    if (!Valid(write)) return base::Fail(base::Code::kInvalid, "a write with a bad key or revision offset");
  }
  if (writes.size() == 1) return {};
  absl::flat_hash_set<std::pair<uint32_t, std::string_view>> keys;
  for (const Write& write : writes) {
    if (!keys.emplace(static_cast<uint32_t>(write.collection), write.key).second) {
      return base::Fail(base::Code::kInvalid, "a transaction that writes one key twice");
    }
  }
  return {};
}

void Committer::Commit(std::vector<Write> writes, CommitDone done) {
  if (base::Result<> valid = Validate(writes); !valid) return done(std::unexpected(std::move(valid).error()));
  if (outstanding_.fetch_add(1, std::memory_order_relaxed) >= limit_) {
    outstanding_.fetch_sub(1, std::memory_order_relaxed);
    return done(base::Fail(base::Code::kExhausted, "too many writes are waiting to be committed"));
  }
  // A remote engine answers later: nothing blocks.
  base::TurnToBlock* turn = engine_.sole_writer() ? base::TurnToBlock::Here() : nullptr;
  {
    std::lock_guard lock(mutex_);
    const bool first = queue_.empty();
    queue_.push_back({std::move(writes), std::move(done)});
    if (!first || promised_ || committing_) return;  // whoever is at it looks again
    if (to_thread_ > 0) {
      --to_thread_;
      turn = nullptr;
    }
    promised_ = turn != nullptr;
  }
  if (turn != nullptr) {
    turn->Take([this] { CommitHere(); }, [this] { EndPromise(); });
  } else {
    changed_.notify_one();
  }
}

void Committer::CommitHere() {
  std::unique_ptr<Batch> batch;
  {
    std::lock_guard lock(mutex_);
    batch = Take();
  }
  CommitBatch(std::move(batch));
  {
    std::lock_guard lock(mutex_);
    if (!queue_.empty()) to_thread_ = kToThread;
  }
  EndPromise();
}

void Committer::EndPromise() {
  const Clock::time_point next = host_.NextTick();
  // Under the lock: without the promise the committer may be gone any moment.
  std::lock_guard lock(mutex_);
  promised_ = false;
  kicked_ = kicked_ || next < next_tick_;
  if (!queue_.empty() || kicked_ || stopping_) changed_.notify_one();
}

void Committer::Kick() {
  {
    std::lock_guard lock(mutex_);
    kicked_ = true;
  }
  changed_.notify_one();
}

void Committer::Run() {
  for (;;) {
    std::unique_ptr<Batch> batch = Gather();
    if (batch != nullptr) {
      CommitBatch(std::move(batch));
    } else {
      std::lock_guard lock(mutex_);
      if (stopping_ && queue_.empty() && !promised_) return;
    }
    host_.Tick();
  }
}

std::unique_ptr<Committer::Batch> Committer::Gather() {
  const auto next = host_.NextTick();
  std::unique_lock lock(mutex_);
  committing_ = false;
  next_tick_ = next;
  while ((queue_.empty() && !stopping_) || promised_) {
    if (kicked_) break;
    if (next_tick_ == Clock::time_point::max()) {
      changed_.wait(lock);
    } else {
      const auto wait = next_tick_ - clock_.Monotonic();
      if (wait <= Clock::duration::zero() || changed_.wait_for(lock, wait) == std::cv_status::timeout) break;
    }
  }
  kicked_ = false;
  if (queue_.empty() || promised_) return nullptr;
  committing_ = true;
  return Take();
}

std::unique_ptr<Committer::Batch> Committer::Take() {
  auto batch = std::make_unique<Batch>();
  size_t count = 0, bytes = 0;
  for (; count < queue_.size() && count < kBatch && bytes < kBatchBytes; ++count) {
    for (const Write& write : queue_[count].writes) bytes += write.body ? write.body->bytes.size() : 0;
  }
  if (count == queue_.size()) {
    batch->pending.swap(queue_);
  } else {
    auto end = queue_.begin() + static_cast<ptrdiff_t>(count);
    batch->pending.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
    queue_.erase(queue_.begin(), end);
  }
  return batch;
}

void Committer::Prepare(Batch& batch) const {
  size_t writes = 0;
  for (const Pending& pending : batch.pending) writes += pending.writes.size();
  batch.operations.reserve(writes);  // the transactions point into it
  batch.transactions.reserve(batch.pending.size());
  const bool check = engine_.sole_writer();
  Precheck precheck(collections_, Revision(applied_.load(std::memory_order_acquire)), batch.pending.size() > 1);
  size_t kept = 0;
  for (Pending& pending : batch.pending) {
    if (base::Result<> computed = precheck.Compute(pending.writes, /*compared=*/!check); !computed) {
      batch.rejected.push_back({std::move(pending.done), std::move(computed).error()});
      continue;
    }
    const size_t first = batch.operations.size();
    for (const Write& write : pending.writes) {
      engine::Operation& operation = batch.operations.emplace_back();
      operation.collection = collections_.Get(write.collection).name();
      operation.key = write.key;
      operation.expected = write.expected;
      if (!write.body) continue;
      operation.value = {.bytes = write.body->bytes,
                         .revision_offset = write.body->revision_offset,
                         .labels_offset = write.body->labels_offset,
                         .index = write.body->index,
                         .needs_reencoding = write.body->needs_reencoding};
    }
    if (check) {
      if (base::Result<> checked = precheck.Check(pending.writes, &batch.operations[first]); !checked) {
        batch.operations.resize(first);
        batch.rejected.push_back({std::move(pending.done), std::move(checked).error()});
        continue;
      }
    }
    batch.transactions.push_back({std::span(&batch.operations[first], pending.writes.size())});
    // Writes move as a whole: what the operations view stays where it is.
    if (&batch.pending[kept] != &pending) batch.pending[kept] = std::move(pending);
    ++kept;
  }
  batch.pending.resize(kept);
}

void Committer::CommitBatch(std::unique_ptr<Batch> batch) {
  Prepare(*batch);
  if (batch->transactions.empty()) return Answer(*batch, {});
  Batch& held = *batch;
  engine_.Commit(held.transactions, [this, batch = std::move(batch)](std::span<const base::Result<Revision>> results) {
    Answer(*batch, results);
  });
}

void Committer::Answer(Batch& batch, std::span<const base::Result<Revision>> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    Pending& pending = batch.pending[i];
    if (results[i]) {
      Complete(pending, *results[i]);
      continue;
    }
    const base::Error& error = results[i].error();
    if (error.code == base::Code::kIo || error.code == base::Code::kExhausted) host_.OnEngineFailure(error);
    outstanding_.fetch_sub(1, std::memory_order_relaxed);
    pending.done(std::unexpected(error));
  }
  for (Rejected& rejected : batch.rejected) {
    outstanding_.fetch_sub(1, std::memory_order_relaxed);
    rejected.done(std::unexpected(std::move(rejected.error)));
  }
  host_.OnAnswered();
}

void Committer::Complete(Pending& pending, Revision revision) {
  if (applied_.load(std::memory_order_acquire) < revision.value()) {
    std::lock_guard lock(mutex_);
    if (applied_.load(std::memory_order_acquire) < revision.value()) {
      unapplied_.emplace(revision, std::move(pending));
      return;
    }
  }
  outstanding_.fetch_sub(1, std::memory_order_relaxed);
  Committed committed{.revision = revision, .cells = {}};
  committed.cells.reserve(pending.writes.size());
  for (const Write& write : pending.writes) {
    CellRef cell = collections_.Get(write.collection).Changed(revision, write.key);
    if (!cell) return pending.done(base::Fail(base::Code::kUnavailable, "the write was made, but its history is gone"));
    committed.cells.push_back(std::move(cell));
  }
  pending.done(std::move(committed));
}

void Committer::OnApplied() {
  std::vector<std::pair<Revision, Pending>> ready;
  {
    std::lock_guard lock(mutex_);
    const auto end = unapplied_.upper_bound(Revision(applied_.load(std::memory_order_acquire)));
    for (auto it = unapplied_.begin(); it != end; ++it) ready.emplace_back(it->first, std::move(it->second));
    unapplied_.erase(unapplied_.begin(), end);
  }
  for (auto& [revision, pending] : ready) Complete(pending, revision);
}

}  // namespace store
