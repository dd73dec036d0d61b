#include "store/collection.h"

#include <algorithm>

namespace store {
namespace {

size_t HistoryCost(const Event& event) {
  size_t cost = sizeof(Event);
  if (event.previous() != nullptr) cost += event.previous()->footprint();
  if (event.type() == EventType::kDeleted) cost += event.cell().footprint();
  return cost;
}

}  // namespace

Collection::Collection(std::string name, TermsOf terms_of)
    : name_(std::move(name)), latest_(new TreeVersion(Tree(), Revision(0))), terms_(terms_of) {}

void Collection::Load(const engine::Version& version, bool (*readable)(std::string_view)) {
  const bool deleted = !version.value.has_value();
  const engine::Value value = version.value.value_or(engine::Value{});
  CellRef cell = Cell::Make(version.key, version.created, version.modified, value);
  if (!deleted && readable != nullptr && !readable(cell->bytes())) {
    cell = Cell::MakeUnreadable(version.key, version.created, version.modified, value);
  }
  loading_.push_back({std::move(cell), deleted});
}

void Collection::CountUnreadable(const Cell* before, const Cell* now) {
  if (before != nullptr && !before->readable()) unreadable_.fetch_sub(1, std::memory_order_acq_rel);
  if (now != nullptr && !now->readable()) unreadable_.fetch_add(1, std::memory_order_acq_rel);
}

base::Result<> Collection::FinishLoad(Revision base) {
  std::vector<CellRef> live;
  std::vector<Loading> later;
  for (Loading& loaded : std::exchange(loading_, {})) {
    if (loaded.cell->modified() <= base) {
      live.push_back(std::move(loaded.cell));
    } else {
      later.push_back(std::move(loaded));
    }
  }
  auto before = [](const CellRef& a, const CellRef& b) { return a->key() < b->key(); };
  if (!std::is_sorted(live.begin(), live.end(), before)) std::sort(live.begin(), live.end(), before);
  for (size_t i = 1; i < live.size(); ++i) {
    if (live[i - 1]->key() == live[i]->key()) {
      return base::Fail(base::Code::kCorrupt,
                        "two versions of " + name_ + " " + std::string(live[i]->key()) + " before the history's base");
    }
  }
  Revision newest(0);
  for (const CellRef& cell : live) {
    newest = std::max(newest, cell->modified());
    CountUnreadable(nullptr, cell.get());
  }
  tree_ = Tree::Build(live);
  std::sort(later.begin(), later.end(), [](const Loading& a, const Loading& b) {
    return std::pair(a.cell->modified(), a.cell->key()) < std::pair(b.cell->modified(), b.cell->key());
  });
  for (Loading& change : later) {
    newest = change.cell->modified();
    const CellRef cell = std::move(change.cell);
    const engine::Version version{
        .collection = name_, .key = cell->key(), .created = cell->created(), .modified = newest};
    base::Result<> applied = ApplyCell(version, change.deleted ? nullptr : cell, Edit(0));
    if (!applied) return applied;
  }
  PublishTree(newest);
  PublishEvents();
  return {};
}

base::Result<> Collection::Apply(const engine::Version& version, Edit edit) {
  CellRef cell;
  if (version.value) cell = Cell::Make(version.key, version.created, version.modified, *version.value);
  return ApplyCell(version, std::move(cell), edit);
}

base::Result<> Collection::ApplyCell(const engine::Version& version, CellRef cell, Edit edit) {
  const bool deleted = !cell;
  CellRef previous;
  if (deleted) {
    previous = tree_.Erase(version.key, edit);
    if (!previous) {
      return base::Fail(base::Code::kCorrupt,
                        "deletion of " + name_ + " " + std::string(version.key) + ", which is not there");
    }
    cell = previous->Restamped(version.modified);
  } else {
    previous = tree_.Put(cell, edit);
  }
  CountUnreadable(previous.get(), deleted ? nullptr : cell.get());
  std::lock_guard lock(mutex_);
  log_.Append(std::move(cell), std::move(previous), deleted);
  history_added_ += HistoryCost(log_.at(log_.written() - 1));
  return {};
}

void Collection::PublishTree(Revision revision) {
  {
    std::lock_guard lock(mutex_);
    newest_ = {revision, log_.written(), tree_};
    if (log_.written() - (checkpoints_.empty() ? 0 : checkpoints_.back().position) >= kCheckpointEvents) {
      checkpoints_.push_back(newest_);
    }
  }
  latest_.Swap(new TreeVersion(tree_, revision));
}

void Collection::PublishEvents() {
  std::lock_guard lock(mutex_);
  const uint64_t first = log_.end();
  log_.Publish();
  for (uint64_t position = first; position < log_.end(); ++position) wakes_.Match(log_.at(position), position);
}

void Collection::Wake() {
  // In small portions: whoever is woken comes back at once for the lock.
  for (bool more = true; more;) {
    std::lock_guard lock(mutex_);
    for (int i = 0; i < 32 && more; ++i) more = wakes_.WakeOne();
  }
}

uint64_t Collection::CollectSuperseded(Revision revision, std::vector<engine::Superseded>& superseded) {
  uint64_t bytes = 0;
  std::lock_guard lock(mutex_);
  for (; unreported_ < log_.end() && log_.at(unreported_).revision() <= revision; ++unreported_) {
    const Event& event = log_.at(unreported_);
    const std::string_view key = event.cell().key();
    if (event.previous() != nullptr) superseded.push_back({name_, key, event.previous()->modified()});
    if (event.type() == EventType::kDeleted) superseded.push_back({name_, key, event.revision()});
    bytes += HistoryCost(event);
  }
  return bytes;
}

void Collection::DropHistory(Revision revision) {
  DropUnusedTerms();
  std::vector<Tree> dropped;  // freed after the lock
  std::lock_guard lock(mutex_);
  compacted_ = std::max(compacted_, revision);
  log_.DropBefore(log_.After(revision));
  auto drop = [&](std::deque<Kept>& kept) {
    auto old = [revision](const Kept& version) { return version.revision < revision; };
    for (Kept& version : kept) {
      if (old(version)) dropped.push_back(std::move(version.tree));
    }
    std::erase_if(kept, old);
  };
  drop(checkpoints_);
  drop(remade_);
}

bool Collection::IsForgotten() {
  std::lock_guard lock(mutex_);
  return tree_.size() == 0 && loading_.empty() && log_.begin() == log_.written();
}

const TreeVersion* Collection::At(Revision revision) {
  Route route;
  {
    std::lock_guard lock(mutex_);
    if (revision < compacted_) return nullptr;
    route = RouteTo(revision);
  }
  if (route.from != route.to) {
    const Edit edit(reader_edit_.fetch_add(2, std::memory_order_relaxed));
    const bool forwards = route.from < route.to;
    for (uint64_t position = route.from; position != route.to; position += forwards ? 1 : -1) {
      const uint64_t event = forwards ? position : position - 1;
      const ChunkRef& chunk = route.chunks[(event - route.chunks[0]->first()) / EventChunk::kSize];
      Play(chunk->event(static_cast<uint32_t>(event - chunk->first())), forwards, route.tree, edit);
    }
    Kept evicted;  // freed after the lock
    std::lock_guard lock(mutex_);
    if (revision >= compacted_) remade_.push_back({revision, route.to, route.tree});
    if (remade_.size() > kRemade) {
      evicted = std::move(remade_.front());
      remade_.pop_front();
    }
  }
  return new TreeVersion(std::move(route.tree), revision);
}

Collection::Route Collection::RouteTo(Revision revision) const {
  const uint64_t goal = log_.After(revision);
  const Kept* best = &newest_;
  auto distance = [goal](const Kept* kept) {
    return kept->position > goal ? kept->position - goal : goal - kept->position;
  };
  for (const std::deque<Kept>* versions : {&checkpoints_, &remade_}) {
    for (const Kept& version : *versions) {
      if (distance(&version) < distance(best)) best = &version;
    }
  }
  Route route{.tree = best->tree, .from = best->position, .to = goal, .chunks = {}};
  route.chunks = ChunksBetween(std::min(route.from, route.to), std::max(route.from, route.to));
  return route;
}

std::vector<ChunkRef> Collection::ChunksBetween(uint64_t from, uint64_t to) const {
  std::vector<ChunkRef> chunks;
  while (from < to) {
    chunks.push_back(log_.ChunkAt(from));
    from = chunks.back()->first() + EventChunk::kSize;
  }
  return chunks;
}

void Collection::Play(const Event& event, bool forwards, Tree& tree, Edit edit) {
  const bool present = forwards ? event.type() != EventType::kDeleted : event.previous() != nullptr;
  if (present) {
    tree.Put(forwards ? event.cell_ref() : CellRef(event.previous()), edit);
  } else {
    tree.Erase(event.cell().key(), edit);
  }
}

std::optional<std::vector<Tree>> Collection::Holders(std::span<const Term> terms, Revision revision) {
  if (!terms_.usable() || building_terms_.load(std::memory_order_relaxed)) return std::nullopt;
  std::lock_guard lock(terms_mutex_);
  BringUpTerms();
  return terms_.Find(terms, revision);
}

void Collection::BringUpTerms() {
  Kept newest;
  std::vector<ChunkRef> chunks;
  bool build;
  {
    std::lock_guard lock(mutex_);
    newest = newest_;
    const uint64_t known = terms_.position();
    build = !terms_.built() || known < log_.begin() || newest.position - known > newest.tree.size();
    if (!build) chunks = ChunksBetween(known, newest.position);
  }
  if (build) {
    building_terms_.store(true, std::memory_order_relaxed);
    terms_.Build(newest.tree, newest.revision, newest.position);
    building_terms_.store(false, std::memory_order_relaxed);
  } else if (terms_.position() < newest.position) {
    terms_.BeginPlay();
    for (const uint64_t first = chunks[0]->first(); terms_.position() < newest.position;) {
      const ChunkRef& chunk = chunks[(terms_.position() - first) / EventChunk::kSize];
      terms_.Play(chunk->event(static_cast<uint32_t>(terms_.position() - chunk->first())));
    }
  }
}

// An index that nobody used while the history went by that would bring it up goes with that history. One that is in use
// is not waited for.
void Collection::DropUnusedTerms() {
  std::unique_lock unused(terms_mutex_, std::try_to_lock);
  if (!unused.owns_lock() || !terms_.built()) return;
  {
    std::lock_guard lock(mutex_);
    if (terms_.position() >= log_.begin()) return;
  }
  terms_.Clear();
}

CellRef Collection::Changed(Revision revision, std::string_view key) {
  std::lock_guard lock(mutex_);
  for (uint64_t at = log_.After(Revision(revision.value() - 1)); at < log_.end(); ++at) {
    const Event& event = log_.at(at);
    if (event.revision() != revision) break;
    if (event.cell().key() == key) return event.cell_ref();
  }
  return nullptr;
}

}  // namespace store
