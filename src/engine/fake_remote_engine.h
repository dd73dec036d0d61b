// FakeRemoteEngine: a remote engine for tests, in the likeness of etcd: a FakeCluster holds the objects, assigns the
// revisions and evaluates the compares; any number of engines (one a Store) attach to it. Each has a thread that does
// one of the waiting things at a time, at random: carry out a commit, answer one, answer a read, deliver the next part
// of the feed. So answers come before and after the feed shows them, and in any order, without a clock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace engine {

// One version, owning its bytes.
struct KeptVersion {
  std::string collection, key, bytes, index;
  Revision created, modified;
  bool deleted = false;
  uint32_t revision_offset = 0, labels_offset = 0;
  bool needs_reencoding = false;

  Version View() const {
    Version version{
        .collection = collection, .key = key, .created = created, .modified = modified, .value = std::nullopt};
    if (!deleted) version.value = Value{bytes, revision_offset, labels_offset, index, needs_reencoding};
    return version;
  }
};

// What one engine's feed still has to deliver: whole transactions.
using FakeTransaction = std::shared_ptr<const std::vector<KeptVersion>>;

class FakeCluster {
 public:
  using Deliver = std::function<void(FakeTransaction, Revision)>;

  base::Result<Revision> Commit(const Transaction& transaction) {
    std::lock_guard lock(mutex_);
    for (const Operation& operation : transaction.operations) {
      auto found = newest_.find(NameOf(operation));
      const Revision modified = found == newest_.end() ? Revision() : found->second.modified;
      if (operation.expected != kAnyRevision && operation.expected != modified) {
        return base::Fail(base::Code::kConflict, "the object was changed");
      }
      if (!operation.value && found == newest_.end()) return base::Fail(base::Code::kNotFound, "no such object");
    }
    head_ = head_.Next();
    auto made = std::make_shared<std::vector<KeptVersion>>();
    for (const Operation& operation : transaction.operations) made->push_back(Apply(operation));
    history_.insert(history_.end(), made->begin(), made->end());
    for (auto& [engine, deliver] : attached_) deliver(made, head_);
    return head_;
  }

  // Somebody writes what is no object.
  void Advance() {
    std::lock_guard lock(mutex_);
    head_ = head_.Next();
    for (auto& [engine, deliver] : attached_) deliver(std::make_shared<std::vector<KeptVersion>>(), head_);
  }

  Revision head() {
    std::lock_guard lock(mutex_);
    return head_;
  }
  void Compact(Revision revision) {
    std::lock_guard lock(mutex_);
    base_ = std::max(base_, std::min(revision, head_));
  }

  Loaded Attach(const void* engine, Deliver deliver, Feed& feed) {
    std::lock_guard lock(mutex_);
    std::map<std::pair<std::string, std::string>, const KeptVersion*> at_base;
    for (const KeptVersion& version : history_) {
      if (version.modified > base_) {
        feed.OnLoaded(version.View());
      } else {
        at_base[{version.collection, version.key}] = &version;
      }
    }
    for (auto& [name, version] : at_base) {
      if (!version->deleted) feed.OnLoaded(version->View());
    }
    attached_[engine] = std::move(deliver);
    return {.base = base_, .head = head_};
  }
  void Detach(const void* engine) {
    std::lock_guard lock(mutex_);
    attached_.erase(engine);
  }

 private:
  using Name = std::pair<std::string, std::string>;
  static Name NameOf(const Operation& operation) {
    return {std::string(operation.collection), std::string(operation.key)};
  }

  KeptVersion Apply(const Operation& operation) {
    KeptVersion made;
    std::tie(made.collection, made.key) = NameOf(operation);
    auto found = newest_.find({made.collection, made.key});
    made.created = found == newest_.end() ? head_ : found->second.created;
    made.modified = head_;
    made.deleted = !operation.value;
    if (made.deleted) {
      newest_.erase(found);
      return made;
    }
    made.bytes = operation.value->bytes;
    made.index = operation.value->index;
    made.revision_offset = operation.value->revision_offset;
    made.labels_offset = operation.value->labels_offset;
    made.needs_reencoding = operation.value->needs_reencoding;
    newest_[{made.collection, made.key}] = made;
    return made;
  }

  std::mutex mutex_;
  Revision base_{1}, head_{1};
  std::map<Name, KeptVersion> newest_;
  std::deque<KeptVersion> history_;
  std::map<const void*, Deliver> attached_;
};

class FakeRemoteEngine final : public Engine {
 public:
  FakeRemoteEngine(std::shared_ptr<FakeCluster> cluster, uint64_t seed) : cluster_(std::move(cluster)), random_(seed) {}

  ~FakeRemoteEngine() override {
    cluster_->Detach(this);
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
    const base::Error cancelled{base::Code::kCancelled, "the engine is stopping"};
    for (Request& request : requests_) request.Answer(std::unexpected(cancelled));
    for (Request& request : answers_) request.Answer(std::unexpected(cancelled));
    for (ReadDone& read : reads_) read(std::unexpected(cancelled));
  }

  base::Result<Loaded> Start(Feed& feed) override {
    feed_ = &feed;
    auto deliver = [this](FakeTransaction transaction, Revision head) {
      std::lock_guard lock(mutex_);
      feeds_.emplace_back(std::move(transaction), head);
      changed_.notify_one();
    };
    const Loaded loaded = cluster_->Attach(this, deliver, feed);
    thread_ = std::thread([this] { Run(); });
    return loaded;
  }

  void Commit(std::span<const Transaction> batch, CommitDone done) override {
    std::lock_guard lock(mutex_);
    requests_.push_back({batch, std::move(done), {}});
    changed_.notify_one();
  }
  bool sole_writer() const override { return false; }
  void ReadRevision(ReadDone done) override {
    std::lock_guard lock(mutex_);
    reads_.push_back(std::move(done));
    changed_.notify_one();
  }
  base::Result<> Compact(Revision revision, std::span<const Superseded>) override {
    cluster_->Compact(revision);
    return {};
  }
  base::Result<> Health() override { return {}; }

 private:
  struct Request {
    std::span<const Transaction> batch;
    CommitDone done;
    std::vector<base::Result<Revision>> results;
    void Answer(const base::Result<Revision>& all) {
      results.assign(batch.size(), all);
      done(results);
    }
  };
  template <class T>
  static T TakeAt(std::deque<T>& queue, size_t at) {
    T taken = std::move(queue[at]);
    queue.erase(queue.begin() + static_cast<ptrdiff_t>(at));
    return taken;
  }

  void Run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] {
        return stopping_ || !requests_.empty() || !answers_.empty() || !reads_.empty() || !feeds_.empty();
      });
      if (stopping_) return;
      switch (random_() % 4) {
        case 0:
          if (!requests_.empty()) CarryOut(lock);
          break;
        case 1:
          if (!answers_.empty()) {
            Request request = TakeAt(answers_, random_() % answers_.size());
            lock.unlock();
            request.done(request.results);
            lock.lock();
          }
          break;
        case 2:
          if (!reads_.empty()) {
            ReadDone read = TakeAt(reads_, random_() % reads_.size());
            lock.unlock();
            read(cluster_->head());
            lock.lock();
          }
          break;
        default:
          if (!feeds_.empty()) DeliverSome(lock);
      }
    }
  }

  void CarryOut(std::unique_lock<std::mutex>& lock) {
    Request request = TakeAt(requests_, 0);
    lock.unlock();
    for (const Transaction& transaction : request.batch) request.results.push_back(cluster_->Commit(transaction));
    lock.lock();
    answers_.push_back(std::move(request));
  }

  // One or several transactions in one call.
  void DeliverSome(std::unique_lock<std::mutex>& lock) {
    std::vector<FakeTransaction> taken;
    Revision head;
    for (size_t count = 1 + random_() % 3; count > 0 && !feeds_.empty(); --count) {
      taken.push_back(feeds_.front().first);
      head = feeds_.front().second;
      feeds_.pop_front();
    }
    lock.unlock();
    std::vector<Version> versions;
    for (const FakeTransaction& transaction : taken) {
      for (const KeptVersion& version : *transaction) versions.push_back(version.View());
    }
    feed_->OnCommitted(versions, head);
    lock.lock();
  }

  const std::shared_ptr<FakeCluster> cluster_;
  Feed* feed_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::mt19937_64 random_;
  std::deque<Request> requests_;
  std::deque<Request> answers_;
  std::deque<ReadDone> reads_;
  std::deque<std::pair<FakeTransaction, Revision>> feeds_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace engine
