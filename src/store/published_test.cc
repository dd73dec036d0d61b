#include "store/published.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace store {
namespace {

std::atomic<int64_t>& Alive() {
  static std::atomic<int64_t> alive{0};
  return alive;
}

class Counted {
 public:
  explicit Counted(int64_t value) : value_(value), check_(~value) { ++Alive(); }
  void AddReferences(uint32_t count) const { references_ += count; }
  void Release(uint32_t count) const {
    if (references_.fetch_sub(count) == count) delete this;
  }
  int64_t value() const { return value_; }
  bool whole() const { return check_ == ~value_; }

 private:
  ~Counted() {
    check_ = 0;
    --Alive();
  }
  const int64_t value_;
  int64_t check_;
  mutable std::atomic<uint32_t> references_{1};
};

TEST(Published, ReadersSeeWholeObjectsInOrderAndNoneLeaks) {
  {
    Published<Counted> published(new Counted(0));
    std::atomic<bool> stop{false};
    std::vector<std::thread> readers;
    readers.reserve(3);
    for (int i = 0; i < 3; ++i) {
      readers.emplace_back([&] {
        std::vector<const Counted*> held;
        int64_t last = 0;
        while (!stop) {
          const Counted* object = published.Load();
          ASSERT_TRUE(object->whole());
          ASSERT_GE(object->value(), last);
          last = object->value();
          held.push_back(object);
          if (held.size() < 8) continue;
          for (const Counted* old : held) old->Release(1);
          held.clear();
        }
        for (const Counted* old : held) old->Release(1);
      });
    }
    for (int64_t i = 1; i <= 20000; ++i) published.Swap(new Counted(i));
    stop = true;
    for (std::thread& reader : readers) reader.join();
    const Counted* newest = published.Load();
    EXPECT_EQ(newest->value(), 20000);
    newest->Release(1);
  }
  EXPECT_EQ(Alive(), 0);
}

}  // namespace
}  // namespace store
