// Store::Find against scans: at any revision, whatever was written, dropped or is being written.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "store/memory_store.h"
#include "store/store_harness.h"

namespace store {
namespace {

// The terms of a body are the letters of its text, its index is one more: few, so that they are shared.
Term TermOf(char letter) { return Term{static_cast<uint64_t>(letter)}; }
std::string_view TextOf(const Cell& cell) {
  const std::string_view bytes = cell.bytes();
  const size_t from = bytes.rfind(":\"") + 2;
  return bytes.substr(from, bytes.size() - from - 2);
}
void LettersOf(const Cell& cell, std::vector<Term>& terms) {
  for (const char letter : TextOf(cell)) terms.push_back(TermOf(letter));
}
bool HasAny(const Cell& cell, std::string_view letters) {
  return TextOf(cell).find_first_of(letters) != std::string::npos;
}

std::string Scanned(const Snapshot& snapshot, std::string_view letters, const std::string& prefix,
                    const std::string& start) {
  std::string all;
  for (Scan scan = snapshot.Scan(prefix, start); const Cell* cell = scan.Next();) {
    if (HasAny(*cell, letters)) all += std::string(cell->key()) + "@" + std::to_string(cell->modified().value()) + " ";
  }
  return all;
}

// The same of what Find() gives; "none" where it gives nothing.
std::string Found(const Store& store, CollectionRef collection, const Snapshot& snapshot, std::string_view letters,
                  const std::string& prefix, const std::string& start) {
  std::vector<Term> terms;
  for (const char letter : letters) terms.push_back(TermOf(letter));
  auto candidates = store.Find(collection, snapshot, terms, prefix, start);
  if (!candidates) return "none";
  std::string all;
  size_t count = 0;
  for (const Cell* cell; (cell = candidates->Next()) != nullptr; ++count) {
    if (HasAny(*cell, letters)) all += std::string(cell->key()) + "@" + std::to_string(cell->modified().value()) + " ";
  }
  EXPECT_LE(count, candidates->Count());
  candidates->Rewind();
  for (; candidates->Next() != nullptr; --count) continue;
  EXPECT_EQ(count, 0u) << "the same again after Rewind()";
  return all;
}

std::string RandomText(std::mt19937& random, int letters) {
  std::string text;
  for (uint32_t i = random() % 4; i > 0; --i) text += static_cast<char>('a' + random() % letters);
  return text;
}

class FindTest : public testing::Test {
 protected:
  FindTest() : store_(OpenMemoryStore({.terms = LettersOf})), pods_(store_->Collection("pods").value()) {}
  std::string Find(std::string_view letters) { return Found(*store_, pods_, store_->Latest(pods_), letters, "", ""); }
  void ExpectScanned(const Snapshot& snapshot, std::string_view letters, const std::string& prefix,
                     const std::string& start) {
    const std::string found = Found(*store_, pods_, snapshot, letters, prefix, start);
    ++asked_;
    if (found == "none") return;
    ++answered_;
    EXPECT_EQ(found, Scanned(snapshot, letters, prefix, start)) << letters << " in " << prefix << " from " << start;
  }

  std::unique_ptr<Store> store_;
  CollectionRef pods_;
  int asked_ = 0, answered_ = 0;
};

TEST_F(FindTest, GivesWhatAScanGivesAtAnyRevision) {
  std::mt19937 random(7);
  std::vector<Snapshot> past;
  for (int i = 0; i < 3000; ++i) {
    const std::string key = std::string(1, static_cast<char>('m' + random() % 3)) + "/" + std::to_string(random() % 40);
    if (random() % 4 == 0) {
      Delete(*store_, pods_, key);
    } else {
      ASSERT_TRUE(Put(*store_, pods_, key, RandomText(random, 20)));
    }
    const Snapshot latest = store_->Latest(pods_);
    if (random() % 50 == 0) past.push_back(latest);
    if (random() % 500 == 0) store_->Compact(store_->revision());
    if (random() % 3 != 0) continue;  // several changes at a time as well
    const std::string prefix = random() % 2 == 0 ? "" : "n/";
    const std::string start = random() % 2 == 0 ? "" : "n/2";
    const std::string letters = {static_cast<char>('a' + random() % 20), static_cast<char>('a' + random() % 20)};
    const int before = answered_;
    ExpectScanned(latest, letters, prefix, start);
    EXPECT_EQ(answered_, before + 1) << "the newest version can always be searched";
    if (!past.empty()) ExpectScanned(past[random() % past.size()], letters, prefix, start);
    if (past.size() > 3) past.erase(past.begin());
  }
  EXPECT_GT(answered_, asked_ / 2 + 50) << "some past versions can be searched, too";
}

TEST_F(FindTest, KnowsWhatItCannotTell) {
  ASSERT_TRUE(Put(*store_, pods_, "n/a", "xy"));
  ASSERT_TRUE(Put(*store_, pods_, "n/b", "x"));
  const Snapshot before = store_->Latest(pods_);
  EXPECT_EQ(Find("x"), "n/a@2 n/b@3 ");
  ASSERT_TRUE(Put(*store_, pods_, "n/a", "y"));
  EXPECT_EQ(Find("x"), "n/b@3 ");
  EXPECT_EQ(Found(*store_, pods_, before, "x", "", ""), "none") << "an object has lost x since";
  EXPECT_EQ(Found(*store_, pods_, before, "y", "", ""), "n/a@2 ") << "the version of then";
  EXPECT_EQ(Find("z"), "");
  ASSERT_TRUE(Delete(*store_, pods_, "n/b"));
  EXPECT_EQ(Find("xy"), "n/a@4 ");
}

TEST_F(FindTest, KnowsNothingOfVersionsBeforeItWasMade) {
  ASSERT_TRUE(Put(*store_, pods_, "n/a", "x"));
  const Snapshot before = store_->Latest(pods_);
  ASSERT_TRUE(Put(*store_, pods_, "n/a", ""));
  EXPECT_EQ(Find("x"), "");
  EXPECT_EQ(Found(*store_, pods_, before, "x", "", ""), "none");
}

TEST_F(FindTest, GoesWithTheHistoryThatWouldBringItUp) {
  ASSERT_TRUE(Put(*store_, pods_, "n/a", "x"));
  const Snapshot before = store_->Latest(pods_);
  EXPECT_EQ(Find("x"), "n/a@2 ");
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(Put(*store_, pods_, "n/b", "y"));
  store_->Compact(store_->revision());
  EXPECT_EQ(Find("x"), "n/a@2 ");
  EXPECT_EQ(Found(*store_, pods_, before, "x", "", ""), "none") << "it was made anew";
}

TEST(FindNothingTest, WithoutTerms) {
  const std::unique_ptr<Store> store = OpenMemoryStore();
  const CollectionRef pods = store->Collection("pods").value();
  ASSERT_TRUE(Put(*store, pods, "n/a", "x"));
  EXPECT_EQ(Found(*store, pods, store->Latest(pods), "x", "", ""), "none");
}

TEST_F(FindTest, AgreesWithScansWhileOthersWriteAndForget) {
  std::atomic<bool> writing{true};
  std::thread writer([&] {
    std::mt19937 random(3);
    for (int i = 0; i < 3000; ++i) {
      const std::string key = "n/" + std::to_string(random() % 50);
      if (random() % 3 == 0) {
        Delete(*store_, pods_, key);
      } else {
        Put(*store_, pods_, key, RandomText(random, 6));
      }
      if (i % 300 == 0) store_->Compact(store_->revision());
    }
    writing = false;
  });
  auto read = [&] {
    std::mt19937 random(4);
    while (writing) {
      const Snapshot snapshot = store_->Latest(pods_);
      const std::string letters(1, static_cast<char>('a' + random() % 6));
      const std::string found = Found(*store_, pods_, snapshot, letters, "", "");
      if (found != "none") EXPECT_EQ(found, Scanned(snapshot, letters, "", ""));
    }
  };
  std::thread reader(read);
  read();
  reader.join();
  writer.join();
}

}  // namespace
}  // namespace store
