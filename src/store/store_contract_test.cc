// The contract of the store, held over every engine: memory, rocksdb, and a remote one that is shared, late and out of
// order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>

#include "engine/fake_remote_engine.h"
#include "engine/memory/memory_engine.h"
#include "engine/rocksdb/rocksdb_engine.h"
#include "store/store_harness.h"

namespace store {
namespace {

// Where a test's stores keep their objects.
struct Place {
  TempDirectory directory;
  std::shared_ptr<engine::FakeCluster> cluster = std::make_shared<engine::FakeCluster>();
  uint64_t seed = 1;
};

struct EngineCase {
  const char* name;
  bool durable;  // a second Open() finds what the first left
  std::unique_ptr<engine::Engine> (*make)(Place&);
};

void PrintTo(const EngineCase& engine, std::ostream* out) { *out << engine.name; }

const EngineCase kMemory = {"memory", false, [](Place&) { return engine::MakeMemoryEngine(); }};
const EngineCase kRocksDb = {"rocksdb", true, [](Place& place) {
                               return std::move(*engine::OpenRocksDbEngine({.path = place.directory.path()}));
                             }};
const EngineCase kRemote = {"remote", true, [](Place& place) -> std::unique_ptr<engine::Engine> {
                              return std::make_unique<engine::FakeRemoteEngine>(place.cluster, place.seed++);
                            }};

class StoreContract : public testing::TestWithParam<EngineCase> {
 protected:
  void SetUp() override { Open(); }
  void Open() {
    store_ = nullptr;
    base::Result<std::unique_ptr<Store>> opened = Store::Open(GetParam().make(place_), options_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
    pods_ = store_->Collection("pods").value();
    maps_ = store_->Collection("configmaps").value();
  }
  Store& store() { return *store_; }
  WatchOptions Pods(Revision after, std::string prefix = "") {
    return {
        .collection = pods_, .prefix = std::move(prefix), .exact_key = false, .index = std::nullopt, .after = after};
  }

  Place place_;
  FakeClock clock_;
  Options options_{.clock = &clock_};
  std::unique_ptr<Store> store_;
  CollectionRef pods_{}, maps_{};
};

TEST_P(StoreContract, StampsTheRevisionIntoTheBytes) {
  base::Result<Committed> created = Put(store(), pods_, "a/b", "one", Revision(0), "node1");
  ASSERT_TRUE(created);
  EXPECT_EQ(created->revision, Revision(2)) << "like etcd, the empty store is at revision 1";
  const Snapshot snapshot = store().Latest(pods_);
  const Cell* cell = snapshot.Get("a/b");
  ASSERT_NE(cell, nullptr);
  EXPECT_EQ(cell, created->cells.at(0).get());
  EXPECT_EQ(cell->bytes(), Stamped("one", Revision(2)));
  EXPECT_EQ(cell->index(), "node1");
  EXPECT_EQ(cell->labels_offset(), 3u);
  EXPECT_FALSE(cell->needs_reencoding());

  base::Result<Committed> updated = Put(store(), pods_, "a/b", "two\\udcff", Revision(2));
  ASSERT_TRUE(updated);
  EXPECT_EQ(updated->cells[0]->created(), Revision(2));
  EXPECT_EQ(updated->cells[0]->modified(), Revision(3));
  EXPECT_EQ(updated->cells[0]->bytes(), Stamped("two\\udcff", Revision(3)));
  EXPECT_TRUE(updated->cells[0]->needs_reencoding());

  base::Result<Committed> deleted = Delete(store(), pods_, "a/b", Revision(3));
  ASSERT_TRUE(deleted);
  EXPECT_EQ(deleted->cells[0]->bytes(), Stamped("two\\udcff", Revision(4)))
      << "the last state has the deletion's revision";
  EXPECT_TRUE(deleted->cells[0]->needs_reencoding());
  EXPECT_EQ(store().Latest(pods_).Get("a/b"), nullptr);
  EXPECT_EQ(snapshot.Get("a/b")->bytes(), Stamped("one", Revision(2))) << "a snapshot does not change";
}

TEST_P(StoreContract, FailedComparesChangeNothing) {
  ASSERT_TRUE(Put(store(), pods_, "a/b", "one", Revision(0)));
  const struct {
    const char* name;
    std::vector<Write> writes;
    base::Code code;
  } cases[] = {
      {"create what exists", {{pods_, "a/b", MakeBody("x"), Revision(0)}}, base::Code::kConflict},
      {"update with an old revision", {{pods_, "a/b", MakeBody("x"), Revision(1)}}, base::Code::kConflict},
      {"update what is not there", {{pods_, "a/c", MakeBody("x"), Revision(2)}}, base::Code::kConflict},
      {"delete with an old revision", {{pods_, "a/b", std::nullopt, Revision(1)}}, base::Code::kConflict},
      {"delete what is not there", {{pods_, "a/c", std::nullopt, kAnyRevision}}, base::Code::kNotFound},
      {"one of two fails",
       {{pods_, "a/new", MakeBody("x"), Revision(0)}, {maps_, "a/b", MakeBody("x"), Revision(7)}},
       base::Code::kConflict},
      {"the same key twice",
       {{pods_, "a/d", MakeBody("x"), Revision(0)}, {pods_, "a/d", MakeBody("y"), kAnyRevision}},
       base::Code::kInvalid},
      {"no writes", {}, base::Code::kInvalid},
      {"no key", {{pods_, "", MakeBody("x"), Revision(0)}}, base::Code::kInvalid},
      {"NUL in the key", {{pods_, std::string("a\0b", 3), MakeBody("x"), Revision(0)}}, base::Code::kInvalid},
      {"offset outside",
       {{pods_, "a/e", Body{.bytes = "{}", .revision_offset = 3}, Revision(0)}},
       base::Code::kInvalid},
  };
  for (const auto& c : cases) {
    base::Result<Committed> result = CommitAll(store(), c.writes);
    ASSERT_FALSE(result) << c.name;
    EXPECT_EQ(result.error().code, c.code) << c.name;
  }
  EXPECT_EQ(store().revision(), Revision(2));
  EXPECT_EQ(Describe(store().Latest(pods_)), "a/b=" + Stamped("one", Revision(2)) + " ");
}

TEST_P(StoreContract, ATransactionHasOneRevision) {
  ASSERT_TRUE(Put(store(), maps_, "a/old", "old"));
  base::Result<Committed> both = CommitAll(store(), {{pods_, "a/p", MakeBody("p"), Revision(0)},
                                                     {maps_, "a/m", MakeBody("m"), Revision(0)},
                                                     {maps_, "a/old", std::nullopt, Revision(2)}});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->revision, Revision(3));
  ASSERT_EQ(both->cells.size(), 3u);
  EXPECT_EQ(both->cells[2]->bytes(), Stamped("old", Revision(3)));
  EXPECT_EQ(store().Latest(pods_).Get("a/p")->modified(), Revision(3));
  EXPECT_EQ(Describe(store().Latest(maps_)), "a/m=" + Stamped("m", Revision(3)) + " ");
}

TEST_P(StoreContract, AWriteIsComputedOfWhatIsThereThen) {
  // The last letter counts the writes, up to three; the revision comes before it.
  ASSERT_TRUE(CommitAll(store(), {{maps_, "a/count", Body{.bytes = "0"}, Revision(0)}}));
  const auto count = [](const Newest* newest) -> base::Result<std::optional<Body>> {
    const char last = newest->bytes.back();
    if (last == '3') return base::Fail(base::Code::kConflict, "that is enough");
    return Body{.bytes = std::string(1, static_cast<char>(last + 1))};
  };
  std::mutex mutex;
  std::condition_variable changed;
  int answered = 0, committed = 0;
  constexpr int kWriters = 8;
  for (int i = 0; i < kWriters; ++i) {
    std::vector<Write> both(2);
    both[0] = {pods_, "a/" + std::to_string(i), MakeBody("p"), Revision(0)};
    both[1] = {.collection = maps_, .key = "a/count", .body = {}, .compute = count};
    store().Commit(std::move(both), [&](base::Result<Committed> result) {
      if (!result) EXPECT_EQ(result.error().code, base::Code::kConflict);
      std::lock_guard lock(mutex);
      ++answered;
      committed += result ? 1 : 0;
      changed.notify_all();
    });
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return answered == kWriters; });
  // Where others write, too, some come too late for what their write was computed of.
  if (store().local()) EXPECT_EQ(committed, 3);
  EXPECT_GE(committed, 1);
  EXPECT_EQ(store().Latest(pods_).Count("a/"), static_cast<size_t>(committed));
  EXPECT_EQ(store().Latest(maps_).Get("a/count")->bytes().back(), static_cast<char>('0' + committed));
}

TEST_P(StoreContract, AComputedWriteMayBeLeftOut) {
  std::vector<Write> both;
  bool asked = false;
  both.push_back({pods_, "a/p", MakeBody("p"), Revision(0)});
  both.push_back({.collection = maps_, .key = "a/gone", .body = {}, .compute = [&](const Newest* newest) {
                    asked = newest == nullptr;
                    return base::Result<std::optional<Body>>(std::nullopt);
                  }});
  const base::Result<Committed> result = CommitAll(store(), std::move(both));
  ASSERT_TRUE(result);
  EXPECT_TRUE(asked);
  EXPECT_EQ(result->cells.size(), 1u);
  EXPECT_EQ(store().Latest(maps_).Get("a/gone"), nullptr);
}

TEST_P(StoreContract, ScansAndCounts) {
  for (const char* key : {"b/1", "a/1", "a/3", "a/2", "ab/1", "c"}) ASSERT_TRUE(Put(store(), pods_, key, "x"));
  const Snapshot snapshot = store().Latest(pods_);
  const struct {
    const char *prefix, *start, *keys;
  } cases[] = {
      {"", "", "a/1 a/2 a/3 ab/1 b/1 c "},
      {"a/", "", "a/1 a/2 a/3 "},
      {"a/", "a/2", "a/2 a/3 "},
      {"a/", std::string_view("a/2\0", 4).data(), "a/2 a/3 "},
      {"", "a/4", "ab/1 b/1 c "},
      {"z", "", ""},
      {"a", "", "a/1 a/2 a/3 ab/1 "},
      {"b/", "a/", "b/1 "},
      {"a/", "b", ""},
  };
  for (const auto& c : cases) {
    std::string keys;
    size_t count = 0;
    for (Scan scan = snapshot.Scan(c.prefix, c.start); const Cell* cell = scan.Next(); ++count) {
      keys += std::string(cell->key()) + " ";
    }
    EXPECT_EQ(keys, c.keys) << c.prefix << " from " << c.start;
    EXPECT_EQ(snapshot.Count(c.prefix, c.start), count) << c.prefix << " from " << c.start;
  }
}

// Writes at random and remembers every state.
class History {
 public:
  History(Store& store, CollectionRef collection) : store_(store), collection_(collection) {
    states_[store.revision()] = Describe(store.Latest(collection));
  }
  void Write(int count, int keys) {
    for (int i = 0; i < count; ++i) {
      const std::string key = "ns" + std::to_string(random_() % 3) + "/" + std::to_string(random_() % keys);
      const bool there = store_.Latest(collection_).Get(key) != nullptr;
      base::Result<Committed> written = there && random_() % 3 == 0
                                            ? Delete(store_, collection_, key)
                                            : Put(store_, collection_, key, std::to_string(random_() % 1000));
      ASSERT_TRUE(written);
      states_[written->revision] = Describe(store_.Latest(collection_));
    }
  }
  const std::map<Revision, std::string>& states() const { return states_; }

 private:
  Store& store_;
  const CollectionId collection_;
  std::mt19937 random_{7};
  std::map<Revision, std::string> states_;
};

TEST_P(StoreContract, EveryRevisionOfTheWindowCanBeRead) {
  History history(store(), pods_);
  history.Write(300, 20);
  const Revision middle(150);
  auto check = [&](Revision oldest) {
    for (const auto& [revision, state] : history.states()) {
      base::Result<Snapshot> snapshot = store().At(pods_, revision);
      if (revision < oldest) {
        ASSERT_FALSE(snapshot);
        EXPECT_EQ(snapshot.error().code, base::Code::kCompacted);
      } else {
        ASSERT_TRUE(snapshot) << revision.value();
        EXPECT_EQ(snapshot->revision(), revision);
        ASSERT_EQ(Describe(*snapshot), state) << revision.value();
      }
    }
  };
  check(store().oldest());
  EXPECT_EQ(store().At(pods_, store().revision().Next()).error().code, base::Code::kFuture);
  store().Compact(middle);
  EXPECT_EQ(store().oldest(), middle);
  check(middle);
  store().Compact(Revision(10));
  EXPECT_EQ(store().oldest(), middle) << "compaction never goes back";
  store().Compact(Revision(1000000));
  EXPECT_EQ(store().oldest(), store().revision()) << "nor beyond what was written";
  check(store().revision());
}

TEST_P(StoreContract, ARestartKeepsObjectsAndHistory) {
  if (!GetParam().durable) GTEST_SKIP() << "keeps nothing";
  History history(store(), pods_);
  history.Write(200, 20);
  ASSERT_TRUE(Put(store(), maps_, "a/odd", "\\udcff"));
  const Revision base(60);
  store().Compact(base);
  std::vector<std::string> events;
  {
    WatchProbe before(store(), Pods(base));
    while (events.empty() || events.back() != "(none)") events.push_back(before.Poll());
  }
  const Revision head = store().revision();
  const std::map<Revision, std::string> states = history.states();
  for (int round = 0; round < 2; ++round) {
    Open();
    EXPECT_EQ(store().revision(), head);
    EXPECT_EQ(store().oldest(), base);
    EXPECT_TRUE(store().Latest(maps_).Get("a/odd")->needs_reencoding());
    for (const auto& [revision, state] : states) {
      base::Result<Snapshot> snapshot = store().At(pods_, revision);
      ASSERT_EQ(snapshot.has_value(), revision >= base) << revision.value();
      if (snapshot) ASSERT_EQ(Describe(*snapshot), state) << revision.value();
    }
    WatchProbe after(store(), Pods(base));
    for (const std::string& event : events) EXPECT_EQ(after.Poll(), event);
    EXPECT_EQ(WatchProbe(store(), Pods(Revision(base.value() - 1))).failure(), base::Code::kCompacted);
  }
  ASSERT_TRUE(Put(store(), pods_, "a/next", "x"));
  EXPECT_EQ(store().revision(), head.Next());
}

TEST_P(StoreContract, WatchesSeeWhatConcernsThem) {
  const Revision start = store().revision();
  const struct {
    const char* name;
    WatchOptions options;
    std::vector<std::string> events;
  } cases[] = {
      {"all",
       Pods(start),
       {"ADDED a/1@2", "ADDED b/1@3", "MODIFIED a/1@4", "MODIFIED a/1@5", "DELETED a/1@6", "ADDED a/12@8"}},
      {"namespace", Pods(start, "b/"), {"ADDED b/1@3"}},
      {"prefix that is no namespace",
       Pods(start, "a/1"),
       {"ADDED a/1@2", "MODIFIED a/1@4", "MODIFIED a/1@5", "DELETED a/1@6", "ADDED a/12@8"}},
      {"later", Pods(Revision(4)), {"MODIFIED a/1@5", "DELETED a/1@6", "ADDED a/12@8"}},
      {"in the future", Pods(Revision(5)), {"DELETED a/1@6", "ADDED a/12@8"}},
      {"one key",
       {pods_, "a/1", true, std::nullopt, start},
       {"ADDED a/1@2", "MODIFIED a/1@4", "MODIFIED a/1@5", "DELETED a/1@6"}},
      {"index, into and out of it", {pods_, "", false, "n1", start}, {"MODIFIED a/1@4", "MODIFIED a/1@5"}},
      {"index and namespace", {pods_, "b/", false, "n2", start}, {"ADDED b/1@3"}},
      {"without index value",
       {pods_, "a/", false, "", start},
       {"ADDED a/1@2", "MODIFIED a/1@4", "MODIFIED a/1@5", "DELETED a/1@6", "ADDED a/12@8"}},
      {"another collection", {maps_, "", false, std::nullopt, start}, {"ADDED a/1@7"}},
  };
  std::vector<std::unique_ptr<WatchProbe>> early;
  for (const auto& c : cases) {
    early.push_back(std::make_unique<WatchProbe>(store(), c.options));
    EXPECT_EQ(early.back()->Poll(), "(none)") << c.name;
  }
  ASSERT_TRUE(Put(store(), pods_, "a/1", "x", Revision(0)));
  ASSERT_TRUE(Put(store(), pods_, "b/1", "x", Revision(0), "n2"));
  ASSERT_TRUE(Put(store(), pods_, "a/1", "x", Revision(2), "n1"));
  ASSERT_TRUE(Put(store(), pods_, "a/1", "x", Revision(4)));
  ASSERT_TRUE(Delete(store(), pods_, "a/1"));
  ASSERT_TRUE(Put(store(), maps_, "a/1", "x"));
  ASSERT_TRUE(Put(store(), pods_, "a/12", "x"));
  for (size_t i = 0; i < std::size(cases); ++i) {
    WatchProbe late(store(), cases[i].options);
    for (const std::string& event : cases[i].events) {
      EXPECT_EQ(early[i]->Next(), event) << cases[i].name;
      EXPECT_EQ(late.Next(), event) << cases[i].name << ", begun late";
    }
    EXPECT_EQ(early[i]->Poll(), "(none)") << cases[i].name;
    EXPECT_EQ(late.Poll(), "(none)") << cases[i].name;
    EXPECT_EQ(early[i]->watcher().position(), Revision(8)) << cases[i].name << ": what passed does not concern it";
  }
}

TEST_P(StoreContract, AWriteWakesOnlyWhomItConcerns) {
  WatchProbe a(store(), Pods(store().revision(), "a/")), b(store(), Pods(store().revision(), "b/"));
  EXPECT_EQ(a.Poll(), "(none)");
  EXPECT_EQ(b.Poll(), "(none)");
  ASSERT_TRUE(Put(store(), pods_, "a/1", "x"));
  EXPECT_EQ(a.Next(), "ADDED a/1@2");
  EXPECT_FALSE(b.woken());
}

TEST_P(StoreContract, AnIdleWatchOutlivesHistoryASlowOneDoesNot) {
  ASSERT_TRUE(Put(store(), pods_, "b/0", "x"));
  WatchProbe idle(store(), Pods(store().revision(), "a/")), slow(store(), Pods(store().revision(), "b/"));
  EXPECT_EQ(idle.Poll(), "(none)");
  EXPECT_EQ(slow.Poll(), "(none)");
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(Put(store(), pods_, "b/0", "x"));
  store().Compact(store().revision());
  EXPECT_EQ(idle.watcher().position(), store().revision());
  base::Result<Committed> last = Put(store(), pods_, "a/1", "x");
  EXPECT_EQ(idle.Next(), "ADDED a/1@" + std::to_string(last->revision.value()));
  EXPECT_EQ(slow.Next(), "(error)");
  EXPECT_EQ(slow.failure(), base::Code::kCompacted);
}

TEST_P(StoreContract, HistoryGoesWithTime) {
  options_.retention = std::chrono::minutes(5);
  Open();
  ASSERT_TRUE(Put(store(), pods_, "a/1", "x"));
  clock_.Advance(std::chrono::minutes(3));
  ASSERT_TRUE(Put(store(), pods_, "a/2", "x"));
  const Revision second = store().revision();
  clock_.Advance(std::chrono::minutes(3));
  ASSERT_TRUE(Put(store(), pods_, "a/3", "x"));
  ASSERT_TRUE(Put(store(), pods_, "a/4", "x"));  // its batch comes after the tick that the one before ended with
  EXPECT_LT(store().oldest(), second);
  EXPECT_EQ(store().oldest(), Revision(second.value() - 1));
  EXPECT_TRUE(store().At(pods_, second));
}

TEST_P(StoreContract, HistoryIsBoundedInBytes) {
  options_.history_bytes = 1 << 20;
  Open();
  const std::string text(1000, 'x');
  WatchProbe slow(store(), Pods(store().revision()));
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(Put(store(), pods_, "a/1", text));
  const int64_t kept = store().revision().value() - store().oldest().value();
  EXPECT_GT(kept, 500);
  EXPECT_LT(kept, 1500);
  EXPECT_EQ(slow.Poll(), "(error)");
  EXPECT_EQ(slow.failure(), base::Code::kCompacted);
}

TEST_P(StoreContract, WaitsForRevisions) {
  std::promise<base::Result<>> now, later, never;
  const auto deadline = clock_.Monotonic() + std::chrono::seconds(3);
  store().WaitFor(Revision(1), deadline, [&](base::Result<> r) { now.set_value(r); });
  EXPECT_TRUE(now.get_future().get());
  store().WaitFor(Revision(2), deadline, [&](base::Result<> r) { later.set_value(r); });
  store().WaitFor(Revision(1000), deadline, [&](base::Result<> r) { never.set_value(r); });
  ASSERT_TRUE(Put(store(), pods_, "a/1", "x"));
  EXPECT_TRUE(later.get_future().get());
  clock_.Advance(std::chrono::seconds(4));
  ASSERT_TRUE(Put(store(), pods_, "a/2", "x"));  // makes the committer look at its clock
  EXPECT_EQ(never.get_future().get().error().code, base::Code::kTimeout);
}

TEST_P(StoreContract, ConsistentRevisionCoversWhatWasAcknowledged) {
  ASSERT_TRUE(Put(store(), pods_, "a/1", "x"));
  std::promise<base::Result<Revision>> promise;
  store().ConsistentRevision([&](base::Result<Revision> r) { promise.set_value(r); });
  EXPECT_EQ(promise.get_future().get().value(), Revision(2));
}

TEST_P(StoreContract, ConcurrentIncrementsAreAllCounted) {
  constexpr int kThreads = 4, kIncrements = 50;
  ASSERT_TRUE(Put(store(), pods_, "a/n", "0"));
  const Revision start = store().revision();
  auto increment = [&] {
    for (int done = 0; done < kIncrements;) {
      const Snapshot snapshot = store().Latest(pods_);
      const Cell* cell = snapshot.Get("a/n");
      const std::string_view bytes = cell->bytes();
      const size_t text = bytes.rfind(":\"") + 2;
      const int n = std::stoi(std::string(bytes.substr(text)));
      base::Result<Committed> written = Put(store(), pods_, "a/n", std::to_string(n + 1), cell->modified());
      if (written) {
        ++done;
      } else {
        ASSERT_EQ(written.error().code, base::Code::kConflict);
      }
    }
  };
  WatchProbe watch(store(), Pods(start));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(increment);
  for (int i = 1; i <= kThreads * kIncrements; ++i) {
    EXPECT_EQ(watch.Next(), "MODIFIED a/n@" + std::to_string(start.value() + i));
  }
  for (std::thread& thread : threads) thread.join();
  const Snapshot last = store().Latest(pods_);
  EXPECT_EQ(last.Get("a/n")->bytes(),
            Stamped(std::to_string(kThreads * kIncrements), Revision(start.value() + kThreads * kIncrements)));
}

TEST_P(StoreContract, ReadersAndWatchersRunBesideWriters) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        const std::string key = "ns" + std::to_string(t) + "/" + std::to_string(i % 40);
        ASSERT_TRUE(Put(store(), pods_, key, "x"));
        if (i % 5 == 0) ASSERT_TRUE(Delete(store(), pods_, key));
      }
    });
  }
  std::thread reader([&] {
    Revision last(0);
    while (!stop) {
      const Snapshot snapshot = store().Latest(pods_);
      ASSERT_GE(snapshot.revision(), last);
      last = snapshot.revision();
      size_t count = 0;
      for (Scan scan = snapshot.Scan(); const Cell* cell = scan.Next(); ++count) ASSERT_LE(cell->modified(), last);
      ASSERT_EQ(snapshot.Count(), count);
      std::ignore = store().At(pods_, Revision(std::max<int64_t>(1, last.value() - 20)));
    }
  });
  std::thread watcher([&] {
    while (!stop) {
      WatchProbe probe(store(), Pods(store().revision(), "ns1/"));
      for (int i = 0; i < 20; ++i) std::ignore = probe.Poll();
    }
  });
  std::thread compactor([&] {
    while (!stop) store().Compact(Revision(store().revision().value() - 50));
  });
  for (std::thread& thread : threads) thread.join();
  stop = true;
  reader.join();
  watcher.join();
  compactor.join();
  EXPECT_EQ(store().revision(), Revision(1 + 2 * (300 + 60)));
}

TEST_P(StoreContract, TheQueueIsBounded) {
  options_.commit_queue = 3;
  Open();
  std::promise<void> first, release;
  std::atomic<int> exhausted{0}, committed{0};
  auto count = [&](base::Result<Committed> result) {
    if (result) {
      ++committed;
    } else if (result.error().code == base::Code::kExhausted) {
      ++exhausted;
    }
  };
  // The first writer's answer holds the committer (or the remote engine's thread) up.
  store().Commit({{pods_, "a/0", MakeBody("x"), Revision(0)}}, [&](base::Result<Committed>) {
    first.set_value();
    release.get_future().wait();
  });
  first.get_future().wait();
  for (int i = 1; i <= 5; ++i) store().Commit({{pods_, "a/" + std::to_string(i), MakeBody("x"), Revision(0)}}, count);
  EXPECT_EQ(exhausted, 2);
  release.set_value();
  while (committed < 3) std::this_thread::yield();
  EXPECT_TRUE(Put(store(), pods_, "a/9", "x"));
}

TEST_P(StoreContract, DestructionAnswersEveryWriter) {
  std::atomic<int> answered{0};
  for (int i = 0; i < 50; ++i) {
    store().Commit({{pods_, "a/" + std::to_string(i), MakeBody("x"), Revision(0)}},
                   [&](base::Result<Committed>) { ++answered; });
  }
  store_ = nullptr;
  EXPECT_EQ(answered, 50);
}

INSTANTIATE_TEST_SUITE_P(Engines, StoreContract, testing::Values(kMemory, kRocksDb, kRemote),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- Two stores on one cluster.

class SharedCluster : public testing::Test {
 protected:
  std::unique_ptr<Store> Open() {
    return std::move(*Store::Open(std::make_unique<engine::FakeRemoteEngine>(cluster_, seed_++), {}));
  }
  std::shared_ptr<engine::FakeCluster> cluster_ = std::make_shared<engine::FakeCluster>();
  uint64_t seed_ = 11;
};

TEST_F(SharedCluster, BothSeeEveryWriteInOneOrder) {
  std::unique_ptr<Store> stores[] = {Open(), Open()};
  std::vector<std::thread> writers;
  for (auto& store : stores) {
    writers.emplace_back([&store] {
      const CollectionRef pods = store->Collection("pods").value();
      for (int i = 0; i < 200; ++i) {
        const std::string key = "a/" + std::to_string(i % 10);
        base::Result<Committed> written = i % 7 == 6 ? Delete(*store, pods, key) : Put(*store, pods, key, "x");
        // Read your own write, whichever came first, the answer or the feed; another writer may have been there since.
        if (written) ASSERT_GE(store->revision(), written->revision);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::string seen[2];
  const Revision head = cluster_->head();
  for (int i = 0; i < 2; ++i) {
    AwaitRevision(*stores[i], head);
    const CollectionRef pods = stores[i]->Collection("pods").value();
    seen[i] = Describe(stores[i]->Latest(pods));
    WatchProbe watch(*stores[i], {.collection = pods, .prefix = "", .index = std::nullopt, .after = Revision(1)});
    for (std::string event; event != "(none)"; seen[i] += event) event = watch.Poll();
  }
  EXPECT_EQ(seen[0], seen[1]);
}

TEST_F(SharedCluster, AStaleComparesFailsAndAFreshOneFromElsewhereSucceeds) {
  std::unique_ptr<Store> one = Open(), two = Open();
  const CollectionRef pods1 = one->Collection("pods").value(), pods2 = two->Collection("pods").value();
  ASSERT_TRUE(Put(*one, pods1, "a/1", "x", Revision(0)));
  // `two` may not have seen it: the cluster decides.
  EXPECT_EQ(Put(*two, pods2, "a/1", "y", Revision(0)).error().code, base::Code::kConflict);
  base::Result<Committed> updated = Put(*two, pods2, "a/1", "y", Revision(2));
  ASSERT_TRUE(updated);
  EXPECT_EQ(two->Latest(pods2).Get("a/1")->bytes(), Stamped("y", Revision(3)));
  EXPECT_FALSE(two->local());
}

TEST_F(SharedCluster, OtherWritesMoveTheRevision) {
  std::unique_ptr<Store> store = Open();
  cluster_->Advance();
  cluster_->Advance();
  AwaitRevision(*store, Revision(3));
  EXPECT_EQ(Put(*store, store->Collection("pods").value(), "a/1", "x")->revision, Revision(4));
}

}  // namespace
}  // namespace store
