#include "controllers/reconciler.h"

#include <utility>

namespace controllers {
namespace {

constexpr size_t kMost = 4096;  // events of one turn
// How long changes gather: long beside a write, short beside what waits for a status.
constexpr std::chrono::milliseconds kGather{10};

}  // namespace

Reconciler::Reconciler(registry::Registry& registry, const base::Clock& clock, base::Executor& executor,
                       Options options, Noticed noticed, WorkQueue::Work work)
    : store_(registry.store()),
      executor_(executor),
      watched_(std::move(options.watched)),
      noticed_(std::move(noticed)),
      queue_(executor, clock, options.queue, std::move(work)),
      self_(std::make_shared<Reconciler*>(this)) {}

Reconciler::~Reconciler() { *self_ = nullptr; }

void Reconciler::Start() {
  executor_.Post([self = self_] {
    if (*self != nullptr) (*self)->Begin();
  });
}

void Reconciler::Stop(absl::AnyInvocable<void()> stopped) {
  executor_.Post([this, stopped = std::move(stopped)]() mutable {
    stopped_ = true;
    watches_.reset();
    queue_.Stop(std::move(stopped));
  });
}

void Reconciler::Begin() {
  if (stopped_ || watched_.empty() || watched_[0] == nullptr) return;
  watches_ = std::make_unique<WatchSet>(store_, executor_, kGather, [this] { ReadEvents(); });
  const store::Revision now = store_.revision();
  for (size_t i = 0; i < watched_.size(); ++i) {
    if (watched_[i] == nullptr) continue;
    if (!AddWatch(i, watched_[i]->storage->id, now)) return Start();
  }
  for (const auto& [number, collection] : more_) {
    if (!AddWatch(number, collection, now)) return Start();
  }
  const store::Snapshot snapshot = store_.Latest(watched_[0]->storage->id);
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) noticed_(queue_, {.watched = 0, .cell = *cell});
}

base::Result<> Reconciler::AddWatch(size_t number, store::CollectionId collection, store::Revision after) {
  return watches_->Add(number, {.collection = collection, .prefix = {}, .index = {}, .after = after});
}

void Reconciler::Watch(size_t number, store::CollectionId collection) {
  more_[number] = collection;
  if (watches_ == nullptr || stopped_) return;
  if (!AddWatch(number, collection, store_.revision())) Start();
}

void Reconciler::Unwatch(size_t number) {
  more_.erase(number);
  if (watches_ != nullptr) watches_->Remove(number);
}

void Reconciler::ReadEvents() {
  if (stopped_) return;
  const WatchSet::State state = watches_->Read(kMost, [this](size_t watch, const store::Event& event) {
    noticed_(queue_, {.watched = watch, .cell = event.cell(), .event = &event});
  });
  if (state == WatchSet::State::kLost) Start();
}

}  // namespace controllers
