#include "store/event_log.h"

#include <algorithm>

namespace store {

EventChunk::~EventChunk() {
  for (uint32_t i = 0; i < written_; ++i) std::launder(reinterpret_cast<Event*>(slot(i)))->~Event();
}

EventLog::~EventLog() {
  for (EventChunk* chunk : chunks_) chunk->Release();
}

void EventLog::Append(CellRef cell, CellRef previous, bool deleted) {
  if (chunks_.empty() || chunks_.back()->written_ == EventChunk::kSize) chunks_.push_back(new EventChunk(written_));
  EventChunk* last = chunks_.back();
  new (last->slot(last->written_++)) Event(std::move(cell), std::move(previous), deleted);
  ++written_;
}

void EventLog::Publish() {
  while (published_ < written_) {
    EventChunk* target = chunk(published_);
    target->published_.store(target->written_, std::memory_order_release);
    published_ = target->first() + target->written_;
  }
}

const Event& EventLog::at(uint64_t position) const {
  const EventChunk* holder = chunk(position);
  return holder->event(static_cast<uint32_t>(position - holder->first()));
}

ChunkRef EventLog::ChunkAt(uint64_t position) const { return ChunkRef(chunk(position)); }

uint64_t EventLog::After(Revision revision) const {
  uint64_t low = begin_, high = written_;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (at(middle).revision() > revision) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

void EventLog::DropBefore(uint64_t position) {
  while (!chunks_.empty() && chunks_.front()->first() + chunks_.front()->written_ <= position) {
    EventChunk* oldest = chunks_.front();
    begin_ = oldest->first() + oldest->written_;
    chunks_.pop_front();
    oldest->Release();
  }
}

}  // namespace store
