// Published<T>: a counted pointer that one writer swaps and any thread loads without a lock.
//
// std::atomic<std::shared_ptr> of the library takes a spin lock in the pointer (and gives it back, after a load,
// without ordering what it read before the next store); a reader that loses its time slice there stops all others, the
// committer as well. Here the word holds the pointer in its low 48 bits and, in the high 16, how many loads are under
// way. A load announces itself (one fetch_add), takes a count of its own on the object, and takes its announcement
// back; if the writer swapped meanwhile, the writer turns the announcements it found into counts of the old object, and
// the reader drops one. The reader may do so first: therefore the word's own share is kBias counts, which the writer
// gives back in the same step in which it adds the announced ones. Neither ever waits, and nothing is reclaimed late
// (no epochs, no hazard lists).
//
// T has AddReferences(uint32_t) const and Release(uint32_t) const. The pointer is never null after construction.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

namespace base {

template <class T>
class Published {
 public:
  // Takes over the caller's reference.
  explicit Published(const T* first) : word_(Pack(first)) { first->AddReferences(kBias - 1); }
  ~Published() { Pointer(word_.load(std::memory_order_acquire))->Release(kBias); }
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;

  // The newest object, with one reference that the caller releases. Any thread.
  const T* Load() const {
    uint64_t seen = word_.fetch_add(kAnnounced, std::memory_order_acquire) + kAnnounced;
    const T* object = Pointer(seen);
    object->AddReferences(1);
    while (Pointer(seen) == object) {
      // Release: the writer that swaps next must see the count taken above.
      if (word_.compare_exchange_weak(seen, seen - kAnnounced, std::memory_order_release, std::memory_order_relaxed)) {
        return object;
      }
    }
    object->Release(1);
    return object;
  }

  // Publishes `next`, taking over the caller's reference. One writer at a time; `next` has never been published before.
  void Swap(const T* next) {
    next->AddReferences(kBias - 1);
    const uint64_t old = word_.exchange(Pack(next), std::memory_order_acq_rel);
    Pointer(old)->Release(kBias - static_cast<uint32_t>(old >> kPointerBits));
  }

 private:
  static constexpr int kPointerBits = 48;
  static constexpr uint32_t kBias = 1U << 30;  // more than can be announced, and than readers give back early
  static constexpr uint64_t kAnnounced = uint64_t{1} << kPointerBits;

  static uint64_t Pack(const T* object) {
    uint64_t word = reinterpret_cast<uintptr_t>(object);
    if (word >> kPointerBits != 0) std::abort();  // an address space that this platform does not have
    return word;
  }
  static const T* Pointer(uint64_t word) {
    return reinterpret_cast<const T*>(word &
                                      (kAnnounced - 1));  // NOLINT(performance-no-int-to-ptr): what the word is for
  }

  mutable std::atomic<uint64_t> word_;
};

// The same for what a shared_ptr holds, null included.
template <class T>
class PublishedShared {
 public:
  explicit PublishedShared(std::shared_ptr<T> first = nullptr) : held_(new Held(std::move(first))) {}

  // Any thread, without a lock.
  std::shared_ptr<T> Load() const {
    const Held* held = held_.Load();
    std::shared_ptr<T> value = held->value;
    held->Release(1);
    return value;
  }

  // Any thread; stores wait for each other.
  void Store(std::shared_ptr<T> next) {
    std::lock_guard lock(storing_);
    held_.Swap(new Held(std::move(next)));
  }

 private:
  struct Held {
    explicit Held(std::shared_ptr<T> value) : value(std::move(value)) {}
    void AddReferences(uint32_t count) const { references.fetch_add(count, std::memory_order_relaxed); }
    void Release(uint32_t count) const {
      if (references.fetch_sub(count, std::memory_order_acq_rel) == count) delete this;
    }

    const std::shared_ptr<T> value;
    mutable std::atomic<uint32_t> references{1};
  };

  Published<Held> held_;
  std::mutex storing_;
};

}  // namespace base
