#include "base/hash_trie.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>

namespace base {
namespace {

struct Pair {
  int key, value;
};
using Entry = std::shared_ptr<const Pair>;

// `kSpread` 1: every key has a hash of its own; more: that many keys share one.
template <int kSpread>
struct ByKey {
  static uint64_t Hash(const Entry& entry) { return HashOf(entry->key); }
  static uint64_t HashOf(int key) { return static_cast<uint64_t>(key / kSpread) * 0x9E3779B97F4A7C15U; }
  static bool Same(const Entry& a, const Entry& b) { return a->key == b->key; }
};

Entry Make(int key, int value) { return std::make_shared<const Pair>(Pair{key, value}); }

template <class Trie>
std::map<int, int> Content(const Trie& trie) {
  std::map<int, int> content;
  trie.ForEach([&](const Entry& entry) { content[entry->key] = entry->value; });
  return content;
}

template <class Traits>
class HashTrieTest : public testing::Test {};
using Spreads = testing::Types<ByKey<1>, ByKey<3>, ByKey<100>>;
TYPED_TEST_SUITE(HashTrieTest, Spreads);

TYPED_TEST(HashTrieTest, IsWhatAMapIs) {
  using Trie = HashTrie<Entry, TypeParam>;
  std::mt19937 random(1);
  Trie trie;
  std::map<int, int> expected;
  for (int i = 0; i < 5000; ++i) {
    const int key = static_cast<int>(random() % 500);
    const Trie before = trie;
    const std::map<int, int> expected_before = expected;
    if (random() % 3 == 0) {
      trie = trie.Without(Make(key, 0));
      expected.erase(key);
    } else {
      trie = trie.With(Make(key, i));
      expected[key] = i;
    }
    const Entry* found = trie.Find(TypeParam::HashOf(key), [&](const Entry& one) { return one->key == key; });
    ASSERT_EQ(found != nullptr, expected.contains(key));
    if (found != nullptr) ASSERT_EQ((*found)->value, i);
    if (i % 100 == 0) {
      ASSERT_EQ(Content(trie), expected);
      ASSERT_EQ(Content(before), expected_before) << "versions do not change";
    }
  }
}

TYPED_TEST(HashTrieTest, TellsWhatDiffers) {
  using Trie = HashTrie<Entry, TypeParam>;
  std::mt19937 random(2);
  Trie first;
  for (int key = 0; key < 300; ++key) first = first.With(Make(key, 0));
  Trie second = first;
  std::map<int, std::pair<bool, bool>> expected;  // in the first, in the second
  for (int i = 0; i < 40; ++i) {
    const int key = static_cast<int>(random() % 400);
    const bool remove = random() % 2 == 0;
    second = remove ? second.Without(Make(key, 0)) : second.With(Make(key, 1));
    expected[key] = {key < 300, !remove};
  }
  std::erase_if(expected, [](const auto& one) { return !one.second.first && !one.second.second; });
  std::map<int, std::pair<bool, bool>> told;
  Trie::ForEachDifference(first, second, [&](const Entry* before, const Entry* after) {
    const bool is_new =
        told.emplace((before != nullptr ? *before : *after)->key, std::pair(before != nullptr, after != nullptr))
            .second;
    EXPECT_TRUE(is_new);
  });
  EXPECT_EQ(told, expected);
  Trie::ForEachDifference(second, second, [](const Entry*, const Entry*) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace base
