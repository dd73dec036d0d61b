#include "engine/memory/memory_engine.h"

#include <atomic>
#include <vector>

#include "engine/local_feed.h"

namespace engine {
namespace {

class MemoryEngine final : public Engine {
 public:
  base::Result<Loaded> Start(Feed& feed) override {
    feed_ = &feed;
    return Loaded{.base = Revision(head_.load()), .head = Revision(head_.load())};
  }

  void Commit(std::span<const Transaction> batch, CommitDone done) override {
    const Revision before(head_.load(std::memory_order_relaxed));
    VersionsOf(batch, before, versions_);
    std::vector<base::Result<Revision>> results;
    results.reserve(batch.size());
    for (size_t i = 1; i <= batch.size(); ++i) results.push_back(Revision(before.value() + static_cast<int64_t>(i)));
    const int64_t head = before.value() + static_cast<int64_t>(batch.size());
    head_.store(head, std::memory_order_release);
    feed_->OnCommitted(versions_, Revision(head));
    done(results);
  }

  bool sole_writer() const override { return true; }
  void ReadRevision(ReadDone done) override { done(Revision(head_.load(std::memory_order_acquire))); }
  base::Result<> Compact(Revision, std::span<const Superseded>) override { return {}; }
  base::Result<> Health() override { return {}; }

 private:
  Feed* feed_ = nullptr;
  std::atomic<int64_t> head_{1};
  std::vector<Version> versions_;
};

}  // namespace

std::unique_ptr<Engine> MakeMemoryEngine() { return std::make_unique<MemoryEngine>(); }

}  // namespace engine
