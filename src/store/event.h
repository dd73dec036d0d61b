// Event: one change of one object as watchers see it. Given out by Watcher::Next().
//
// Threads: immutable but for the cache of wire forms, which any thread may fill. Ownership: lives in the event log; the
// pointer that Next() gave holds until the Watcher's next call. A CellRef of its cell may be kept longer.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "store/cell.h"

namespace store {

enum class EventType : uint8_t { kAdded, kModified, kDeleted };

class Event {
 public:
  Event() = default;
  // `previous` is null where the object is new; a deletion has the restamped last state as `cell`.
  Event(CellRef cell, CellRef previous, bool deleted)
      : cell_(std::move(cell)), previous_(std::move(previous)), deleted_(deleted) {}

  EventType type() const {
    if (deleted_) return EventType::kDeleted;
    return previous_ ? EventType::kModified : EventType::kAdded;
  }
  Revision revision() const { return cell_->modified(); }
  const Cell& cell() const { return *cell_; }               // of kDeleted: the last state, stamped with the deletion
  const Cell* previous() const { return previous_.get(); }  // null of kAdded
  CellRef cell_ref() const { return cell_; }

  // The event in a wire form; `make` encodes it at first use, for all watchers.
  std::string_view Encoding(EncodingId id, absl::FunctionRef<std::string()> make) const {
    return encodings_.Get(id, make);
  }

 private:
  CellRef cell_;
  CellRef previous_;
  bool deleted_ = false;
  EncodingCache encodings_;
};

}  // namespace store
