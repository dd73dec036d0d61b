#include "store/cell.h"

#include <charconv>
#include <cstring>
#include <new>

namespace store {

// In one allocation with its bytes, which stand behind it: a list of another encoding goes from cell to node to bytes.
struct EncodingCache::Node {
  EncodingId id;
  Node* next;
  size_t size;

  static Node* New(EncodingId id, std::string_view bytes, Node* next) {
    void* memory = ::operator new(sizeof(Node) + bytes.size());
    Node* node = new (memory) Node{id, next, bytes.size()};
    if (!bytes.empty()) std::memcpy(node + 1, bytes.data(), bytes.size());
    return node;
  }
  static void Delete(Node* node) { ::operator delete(node); }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(this + 1), size}; }
};

EncodingCache::~EncodingCache() {
  for (Node* node = first_.load(std::memory_order_acquire); node != nullptr;) {
    Node::Delete(std::exchange(node, node->next));
  }
}

std::string_view EncodingCache::Get(EncodingId id, absl::FunctionRef<std::string()> make) const {
  Node* first = first_.load(std::memory_order_acquire);
  for (Node* node = first; node != nullptr; node = node->next) {
    if (node->id == id) return node->bytes();
  }
  Node* made = Node::New(id, make(), first);
  while (!first_.compare_exchange_weak(made->next, made, std::memory_order_acq_rel, std::memory_order_acquire)) {
    // Somebody added a form meanwhile: this one, perhaps. Nodes that were looked at already are not looked at again.
    for (Node* node = made->next; node != first; node = node->next) {
      if (node->id != id) continue;
      Node::Delete(made);
      return node->bytes();
    }
    first = made->next;
  }
  return made->bytes();
}

Cell* Cell::Allocate(size_t key, size_t index, size_t bytes) {
  void* memory = ::operator new(sizeof(Cell) + key + index + bytes);
  Cell* cell = new (memory) Cell;
  cell->key_size_ = static_cast<uint32_t>(key);
  cell->index_size_ = static_cast<uint32_t>(index);
  cell->bytes_size_ = static_cast<uint32_t>(bytes);
  return cell;
}

void Cell::Release() const {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  this->~Cell();
  ::operator delete(const_cast<Cell*>(this));
}

CellRef Cell::Make(std::string_view key, Revision created, Revision modified, const engine::Value& value) {
  char digits[20];
  const size_t digits_size = std::to_chars(digits, digits + sizeof(digits), modified.value()).ptr - digits;
  Cell* cell = Allocate(key.size(), value.index.size(), value.bytes.size() + digits_size);
  cell->created_ = created;
  cell->modified_ = modified;
  cell->labels_offset_ = value.labels_offset;
  cell->revision_offset_ = value.revision_offset & 0x3fffffffU;
  cell->needs_reencoding_ = value.needs_reencoding;
  char* to = cell->data();
  auto append = [&to](const char* from, size_t size) {
    if (size > 0) std::memcpy(to, from, size);
    to += size;
  };
  append(key.data(), key.size());
  append(value.index.data(), value.index.size());
  append(value.bytes.data(), value.revision_offset);
  append(digits, digits_size);
  append(value.bytes.data() + value.revision_offset, value.bytes.size() - value.revision_offset);
  return CellRef::Adopt(cell);
}

CellRef Cell::MakeUnreadable(std::string_view key, Revision created, Revision modified, const engine::Value& value) {
  Cell* cell = const_cast<Cell*>(std::move(Make(key, created, modified, value)).Detach());  // nobody else has it yet
  cell->unreadable_ = 1;
  return CellRef::Adopt(cell);
}

CellRef Cell::Restamped(Revision modified) const {
  char digits[20];
  const size_t digits_size = std::to_chars(digits, digits + sizeof(digits), modified_.value()).ptr - digits;
  const std::string_view stamped = bytes();
  std::string bare;
  bare.reserve(stamped.size());
  bare.append(stamped.substr(0, revision_offset_)).append(stamped.substr(revision_offset_ + digits_size));
  const engine::Value value{.bytes = bare,
                            .revision_offset = revision_offset_,
                            .labels_offset = labels_offset_,
                            .index = index(),
                            .needs_reencoding = needs_reencoding()};
  return readable() ? Make(key(), created_, modified, value) : MakeUnreadable(key(), created_, modified, value);
}

base::Slice Cell::Share() const {
  CellRef keep(this);
  return {bytes(), std::shared_ptr<const void>(this, [keep = std::move(keep)](const void*) {})};
}

}  // namespace store
