// Cell: one version of one object, in one allocation: header, key, index value, final bytes. Made by the store at
// commit and at load, read by everybody.
//
// Threads: immutable but for the cache of other encodings, which any thread may fill. Ownership: counted; a CellRef
// keeps it, and so does the Snapshot, Event or Watcher it came from. Views into it hold as long as it lives.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/functional/function_ref.h"
#include "base/slice.h"
#include "engine/engine.h"

namespace store {

using engine::Revision;

// Names an encoding other than the stored one. The caller chooses the numbers; a few a cell.
enum class EncodingId : uint32_t {};

// The other forms of something immutable, each made once on first use and kept as long as its owner.
class EncodingCache {
 public:
  EncodingCache() = default;
  EncodingCache(const EncodingCache&) = delete;
  EncodingCache& operator=(const EncodingCache&) = delete;
  ~EncodingCache();

  // The bytes of `id`, from `make` where nobody asked before. Two threads may both call `make`; one result is kept.
  std::string_view Get(EncodingId id, absl::FunctionRef<std::string()> make) const;

 private:
  struct Node;
  mutable std::atomic<Node*> first_{nullptr};
};

class CellRef;

class Cell {
 public:
  // The cell of a stored version: `value.bytes` with the digits of `modified` put in at its revision_offset. Sizes are
  // below 1 GiB.
  static CellRef Make(std::string_view key, Revision created, Revision modified, const engine::Value& value);
  // Of bytes that are no object (Options::readable): what they say must not be handed out.
  static CellRef MakeUnreadable(std::string_view key, Revision created, Revision modified, const engine::Value& value);
  // The same object with another revision: what a deletion shows as the last state.
  CellRef Restamped(Revision modified) const;

  std::string_view key() const { return {data(), key_size_}; }
  std::string_view index() const { return {data() + key_size_, index_size_}; }
  std::string_view bytes() const { return {data() + key_size_ + index_size_, bytes_size_}; }
  Revision created() const { return created_; }
  Revision modified() const { return modified_; }
  // In the bytes that were written, into which the store has put the revision's digits at revision_offset().
  uint32_t labels_offset() const { return labels_offset_; }  // 0: none
  uint32_t revision_offset() const { return revision_offset_; }
  bool readable() const { return unreadable_ == 0; }
  bool needs_reencoding() const { return needs_reencoding_ != 0; }  // Body::needs_reencoding

  // The object in another encoding; `make` encodes it at first use. Kept with the cell: for forms that many readers
  // want.
  std::string_view Encoding(EncodingId id, absl::FunctionRef<std::string()> make) const {
    return encodings_.Get(id, make);
  }

  // The bytes as a slice that keeps this cell alive.
  base::Slice Share() const;
  // Memory of this cell, caches not counted.
  size_t footprint() const { return sizeof(Cell) + key_size_ + index_size_ + bytes_size_; }

  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

 private:
  friend class CellRef;
  Cell() = default;
  ~Cell() = default;
  static Cell* Allocate(size_t key, size_t index, size_t bytes);
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
  char* data() { return reinterpret_cast<char*>(this + 1); }
  void Release() const;

  mutable std::atomic<uint32_t> references_{1};
  uint32_t key_size_ = 0;
  uint32_t index_size_ = 0;
  uint32_t bytes_size_ = 0;
  uint32_t labels_offset_ = 0;
  uint32_t revision_offset_ : 30 = 0;
  uint32_t unreadable_ : 1 = 0;
  uint32_t needs_reencoding_ : 1 = 0;
  Revision created_;
  Revision modified_;
  EncodingCache encodings_;
};

// A counted reference to a Cell, used like a pointer. Copying is one atomic increment.
class CellRef {
 public:
  CellRef() = default;
  CellRef(std::nullptr_t) {}  // NOLINT: a null reference
  explicit CellRef(const Cell* cell) : cell_(cell) {
    if (cell_ != nullptr) cell_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  CellRef(const CellRef& other) : CellRef(other.cell_) {}
  CellRef(CellRef&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  CellRef& operator=(CellRef other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~CellRef() {
    if (cell_ != nullptr) cell_->Release();
  }

  const Cell* get() const { return cell_; }
  const Cell& operator*() const { return *cell_; }
  const Cell* operator->() const { return cell_; }
  explicit operator bool() const { return cell_ != nullptr; }
  friend bool operator==(const CellRef&, const CellRef&) = default;

  // Moves the count itself out of, and into, a CellRef: for nodes that keep plain pointers.
  [[nodiscard]] const Cell* Detach() && { return std::exchange(cell_, nullptr); }
  static CellRef Adopt(const Cell* counted) {
    CellRef adopted;
    adopted.cell_ = counted;
    return adopted;
  }

 private:
  const Cell* cell_ = nullptr;
};

}  // namespace store
