#include "base/published.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace base {
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

TEST(PublishedShared, HoldsTheNewestAndNullAndLeaksNone) {
  std::weak_ptr<const std::string> first, second;
  {
    PublishedShared<const std::string> published;
    EXPECT_EQ(published.Load(), nullptr);
    published.Store(std::make_shared<const std::string>("first"));
    first = published.Load();
    const std::shared_ptr<const std::string> held = published.Load();
    published.Store(std::make_shared<const std::string>("second"));
    second = published.Load();
    EXPECT_EQ(*held, "first");
    EXPECT_EQ(*published.Load(), "second");
  }
  EXPECT_TRUE(first.expired());
  EXPECT_TRUE(second.expired());
}

TEST(PublishedShared, ManyStoreAndLoad) {
  PublishedShared<const std::pair<int, int>> published(std::make_shared<const std::pair<int, int>>(0, 0));
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        if (t < 2) published.Store(std::make_shared<const std::pair<int, int>>(i, i));
        const auto seen = published.Load();
        ASSERT_EQ(seen->first, seen->second);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace base
