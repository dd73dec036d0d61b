#include "store/wake_index.h"

namespace store {
namespace {

void Link(Waiter*& list, Waiter& waiter) {
  waiter.previous = nullptr;
  waiter.next = list;
  if (list != nullptr) list->previous = &waiter;
  list = &waiter;
}

}  // namespace

bool WatchFilter::Matches(const Event& event) const {
  const std::string_view key = event.cell().key();
  if (exact_key ? key != prefix : !key.starts_with(prefix)) return false;
  if (!index) return true;
  return event.cell().index() == *index || (event.previous() != nullptr && event.previous()->index() == *index);
}

WakeIndex::Groups* WakeIndex::TableOf(const WatchFilter& filter, std::string_view& key) {
  key = filter.prefix;
  if (filter.exact_key) return &by_key_;
  if (filter.index && !filter.index->empty()) {
    key = *filter.index;
    return &by_index_;
  }
  if (!key.empty() && key.find('/') == key.size() - 1) return &by_namespace_;
  return nullptr;
}

void WakeIndex::Register(Waiter& waiter) {
  std::string_view key;
  Groups* table = TableOf(waiter.filter, key);
  if (table == nullptr) {
    waiter.group = &everything_;
  } else {
    std::unique_ptr<WaiterGroup>& group = (*table)[key];
    if (group == nullptr) group = std::make_unique<WaiterGroup>();
    waiter.group = group.get();
  }
  ++waiter.group->registered;
}

void WakeIndex::Unregister(Waiter& waiter) {
  Unlink(waiter);
  std::string_view key;
  Groups* table = TableOf(waiter.filter, key);
  if (--waiter.group->registered == 0 && table != nullptr) table->erase(key);
  waiter.group = nullptr;
}

void WakeIndex::Arm(Waiter& waiter) {
  Unlink(waiter);
  waiter.state = Waiter::State::kArmed;
  Link(waiter.group->armed, waiter);
}

void WakeIndex::Unlink(Waiter& waiter) {
  if (waiter.state == Waiter::State::kReading) return;
  Waiter*& list = waiter.state == Waiter::State::kArmed ? waiter.group->armed : due_;
  if (waiter.previous != nullptr) {
    waiter.previous->next = waiter.next;
  } else {
    list = waiter.next;
  }
  if (waiter.next != nullptr) waiter.next->previous = waiter.previous;
  waiter.state = Waiter::State::kReading;
}

void WakeIndex::Match(const Event& event, uint64_t position) {
  MatchGroup(everything_, event, position);
  const std::string_view key = event.cell().key();
  MatchIn(by_key_, key, event, position);
  if (const size_t slash = key.find('/'); slash != key.npos) {
    MatchIn(by_namespace_, key.substr(0, slash + 1), event, position);
  }
  const std::string_view index = event.cell().index();
  MatchIn(by_index_, index, event, position);
  if (event.previous() != nullptr && event.previous()->index() != index) {
    MatchIn(by_index_, event.previous()->index(), event, position);
  }
}

void WakeIndex::MatchIn(Groups& groups, std::string_view key, const Event& event, uint64_t position) {
  if (groups.empty()) return;
  if (auto found = groups.find(key); found != groups.end()) MatchGroup(*found->second, event, position);
}

void WakeIndex::MatchGroup(WaiterGroup& group, const Event& event, uint64_t position) {
  for (Waiter* waiter = group.armed; waiter != nullptr;) {
    Waiter& current = *std::exchange(waiter, waiter->next);
    if (!current.filter.Matches(event)) continue;
    Unlink(current);
    current.state = Waiter::State::kDue;
    current.resume = position;
    Link(due_, current);
  }
}

bool WakeIndex::WakeOne() {
  Waiter* waiter = due_;
  if (waiter == nullptr) return false;
  Unlink(*waiter);
  waiter->wake();
  return true;
}

}  // namespace store
