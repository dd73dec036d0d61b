// StoreHarness: what tests of the store share: stores over every engine, writes that wait for their answer, bodies that
// say what they are.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "engine/engine.h"
#include "store/store.h"

namespace store {

// A clock that stands until the test moves it.
class FakeClock final : public base::Clock {
 public:
  std::chrono::system_clock::time_point Now() const override {
    return std::chrono::system_clock::time_point(since_.load());
  }
  std::chrono::steady_clock::time_point Monotonic() const override {
    return std::chrono::steady_clock::time_point(since_.load());
  }
  void Advance(std::chrono::nanoseconds by) { since_.store(since_.load() + by); }

 private:
  std::atomic<std::chrono::nanoseconds> since_{std::chrono::hours(1000)};
};

// A directory that goes with the object.
class TempDirectory {
 public:
  TempDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "fairlead-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TempDirectory() { std::filesystem::remove_all(path_); }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// {"rv":"","text":"..."} with a hole for the revision.
inline Body MakeBody(std::string_view text, std::string index = "") {
  return {.bytes = "{\"rv\":\"\",\"text\":\"" + std::string(text) + "\"}",
          .revision_offset = 7,
          .labels_offset = 3,
          .needs_reencoding = text.contains("\\u"),
          .index = std::move(index)};
}
inline std::string Stamped(std::string_view text, Revision revision) {
  return "{\"rv\":\"" + std::to_string(revision.value()) + "\",\"text\":\"" + std::string(text) + "\"}";
}

inline base::Result<Committed> CommitAll(Store& store, std::vector<Write> writes) {
  std::promise<base::Result<Committed>> promise;
  store.Commit(std::move(writes), [&](base::Result<Committed> result) { promise.set_value(std::move(result)); });
  return promise.get_future().get();
}
inline base::Result<Committed> Put(Store& store, CollectionId collection, std::string key, std::string_view text,
                                   Revision expected = kAnyRevision, std::string index = "") {
  return CommitAll(store, {{.collection = collection,
                            .key = std::move(key),
                            .body = MakeBody(text, std::move(index)),
                            .expected = expected}});
}
inline base::Result<Committed> Delete(Store& store, CollectionId collection, std::string key,
                                      Revision expected = kAnyRevision) {
  return CommitAll(store,
                   {{.collection = collection, .key = std::move(key), .body = std::nullopt, .expected = expected}});
}

// Waits until `revision` can be read: at once in the store that wrote it.
inline void AwaitRevision(Store& store, Revision revision) {
  std::promise<void> reached;
  store.WaitFor(revision, std::chrono::steady_clock::time_point::max(), [&](base::Result<>) { reached.set_value(); });
  reached.get_future().get();
}

// "key@revision=text ..." of a snapshot.
inline std::string Describe(const Snapshot& snapshot, std::string_view prefix = {}) {
  std::string all;
  Scan scan = snapshot.Scan(prefix);
  while (const Cell* cell = scan.Next()) {
    all += std::string(cell->key()) + "=" + std::string(cell->bytes()) + " ";
  }
  return all;
}

// A watcher and what woke it.
class WatchProbe {
 public:
  WatchProbe(Store& store, WatchOptions options) {
    base::Result<std::unique_ptr<Watcher>> watcher = store.Watch(std::move(options), [this] {
      std::lock_guard lock(mutex_);
      woken_ = true;
      changed_.notify_one();
    });
    if (watcher) {
      watcher_ = std::move(*watcher);
    } else {
      failure_ = watcher.error().code;
    }
  }
  // The next event as text ("ADDED a/b@3"), waiting for it; "(error)" when the watch failed.
  std::string Next() {
    for (;;) {
      if (std::string event = Poll(); event != "(none)") return event;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return woken_; });
      woken_ = false;
    }
  }
  // The same without waiting: "(none)" when there is none.
  std::string Poll() {
    if (failure_) return "(error)";
    base::Result<const Event*> next = watcher_->Next();
    if (!next) {
      failure_ = next.error().code;
      return "(error)";
    }
    if (*next == nullptr) return "(none)";
    static constexpr const char* kNames[] = {"ADDED ", "MODIFIED ", "DELETED "};
    const Event& event = **next;
    return kNames[static_cast<int>(event.type())] + std::string(event.cell().key()) + "@" +
           std::to_string(event.revision().value());
  }
  bool woken() {
    std::lock_guard lock(mutex_);
    return woken_;
  }
  std::optional<base::Code> failure() const { return failure_; }
  Watcher& watcher() { return *watcher_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  std::optional<base::Code> failure_;
  std::unique_ptr<Watcher> watcher_;
};

}  // namespace store
