// EventLog: what happened in one collection, in order, as far back as history is kept. Appended by the store's apply
// step, read by cursors in place: events live in chunks of 64 that a cursor holds while it reads, so that reading takes
// no lock.
//
// Threads: everything is guarded by the collection's mutex, but for reading the published events of a held chunk.
// Positions count the events of the collection from 0 and never repeat. Ownership: a chunk lives while the log or a
// reader holds it, with its events.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <new>
#include <utility>

#include "store/event.h"

namespace store {

class EventChunk {
 public:
  static constexpr uint32_t kSize = 64;

  explicit EventChunk(uint64_t first) : first_(first) {}
  uint64_t first() const { return first_; }  // position of its first event
  // How many of its events may be read.
  uint32_t published() const { return published_.load(std::memory_order_acquire); }
  const Event& event(uint32_t at) const { return *std::launder(reinterpret_cast<const Event*>(slot(at))); }

  void AddReference() { references_.fetch_add(1, std::memory_order_relaxed); }
  void Release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  friend class EventLog;
  ~EventChunk();
  unsigned char* slot(uint32_t at) { return events_.data() + at * sizeof(Event); }
  const unsigned char* slot(uint32_t at) const { return events_.data() + at * sizeof(Event); }

  const uint64_t first_;
  std::atomic<uint32_t> references_{1};
  std::atomic<uint32_t> published_{0};
  uint32_t written_ = 0;
  alignas(Event) std::array<unsigned char, kSize * sizeof(Event)> events_;
};

// A counted reference to a chunk.
class ChunkRef {
 public:
  ChunkRef() = default;
  explicit ChunkRef(EventChunk* chunk) : chunk_(chunk) {
    if (chunk_ != nullptr) chunk_->AddReference();
  }
  ChunkRef(const ChunkRef& other) : ChunkRef(other.chunk_) {}
  ChunkRef(ChunkRef&& other) noexcept : chunk_(std::exchange(other.chunk_, nullptr)) {}
  ChunkRef& operator=(ChunkRef other) noexcept {
    std::swap(chunk_, other.chunk_);
    return *this;
  }
  ~ChunkRef() {
    if (chunk_ != nullptr) chunk_->Release();
  }
  EventChunk* operator->() const { return chunk_; }
  explicit operator bool() const { return chunk_ != nullptr; }

 private:
  EventChunk* chunk_ = nullptr;
};

class EventLog {
 public:
  EventLog() = default;
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // Adds an event that nobody sees before Publish().
  void Append(CellRef cell, CellRef previous, bool deleted);
  // Shows everything appended.
  void Publish();

  uint64_t begin() const { return begin_; }      // oldest position kept
  uint64_t end() const { return published_; }    // one past the newest that is published
  uint64_t written() const { return written_; }  // one past the newest
  const Event& at(uint64_t position) const;      // begin() <= position < written()
  ChunkRef ChunkAt(uint64_t position) const;     // begin() <= position < end()
  // The first position whose event, published or not, is later than `revision`; written() when none is.
  uint64_t After(Revision revision) const;
  // Forgets the events before `position`, by whole chunks.
  void DropBefore(uint64_t position);

 private:
  EventChunk* chunk(uint64_t position) const {
    return chunks_[(position - chunks_.front()->first()) / EventChunk::kSize];
  }
  std::deque<EventChunk*> chunks_;
  uint64_t begin_ = 0, published_ = 0, written_ = 0;
};

}  // namespace store
