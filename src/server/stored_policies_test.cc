#include "server/stored_policies.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>

#include "base/text.h"
#include "engine/memory/memory_engine.h"
#include "resources/builtin.h"
#include "resources/api_resource_config.h"
#include "store/store.h"

namespace server {
namespace {

// Work and timers wait until the test runs them. Work may come from the store's thread.
class FakeExecutor final : public base::Executor {
 public:
  void Post(base::Work work) override {
    std::lock_guard lock(mutex_);
    works_.push_back(std::move(work));
    posted_.notify_one();
  }
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds delay, base::Work work) override {
    delays.push_back(delay);
    auto dropped = std::make_shared<bool>(false);
    timed_.push_back([dropped, work = std::move(work)]() mutable {
      if (!*dropped) work();
    });
    return std::make_unique<FakeTimer>(dropped);
  }
  void Run() {
    for (base::Work work; (work = Take());) work();
  }
  // Waits until there is some.
  void Await() {
    {
      std::unique_lock lock(mutex_);
      posted_.wait(lock, [this] { return !works_.empty(); });
    }
    Run();
  }
  void RunTimers() {
    std::deque<base::Work> due;
    due.swap(timed_);
    for (base::Work& work : due) work();
    Run();
  }

  std::vector<std::chrono::milliseconds> delays;

 private:
  struct FakeTimer final : base::Timer {
    explicit FakeTimer(std::shared_ptr<bool> flag) : dropped(std::move(flag)) {}
    ~FakeTimer() override { *dropped = true; }
    void Cancel() override { *dropped = true; }
    const std::shared_ptr<bool> dropped;
  };
  base::Work Take() {
    std::lock_guard lock(mutex_);
    if (works_.empty()) return nullptr;
    base::Work work = std::move(works_.front());
    works_.pop_front();
    return work;
  }

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<base::Work> works_;  // guarded by mutex_
  std::deque<base::Work> timed_;
};

// A store whose watches cannot begin while `broken`, and end at the next look while `ending`.
class BrokenWatches final : public store::Store {
 public:
  explicit BrokenWatches(store::Store& store) : store_(store) {}
  bool broken = false, ending = false;
  int tries = 0;

  base::Result<store::CollectionRef> Collection(std::string_view name) override { return store_.Collection(name); }
  store::Revision revision() const override { return store_.revision(); }
  store::Snapshot Latest(store::CollectionId id) const override { return store_.Latest(id); }
  base::Result<store::Snapshot> At(store::CollectionId id, store::Revision at) const override {
    return store_.At(id, at);
  }
  store::Revision oldest() const override { return store_.oldest(); }
  std::optional<store::Candidates> Find(store::CollectionId id, const store::Snapshot& snapshot,
                                        std::span<const store::Term> terms, const std::string& prefix,
                                        const std::string& start) const override {
    return store_.Find(id, snapshot, terms, prefix, start);
  }
  size_t Unreadable(store::CollectionId id) const override { return store_.Unreadable(id); }
  void WaitFor(store::Revision at_least, std::chrono::steady_clock::time_point deadline,
               absl::AnyInvocable<void(base::Result<>)> done) override {
    store_.WaitFor(at_least, deadline, std::move(done));
  }
  void ConsistentRevision(absl::AnyInvocable<void(base::Result<store::Revision>)> done) override {
    store_.ConsistentRevision(std::move(done));
  }
  bool local() const override { return store_.local(); }
  void Commit(std::vector<store::Write> writes, store::CommitDone done) override {
    store_.Commit(std::move(writes), std::move(done));
  }
  base::Result<std::unique_ptr<store::Watcher>> Watch(store::WatchOptions options,
                                                      absl::AnyInvocable<void()> wake) override {
    ++tries;
    if (broken) return base::Fail(base::Code::kUnavailable, "no watch today");
    auto watcher = store_.Watch(std::move(options), std::move(wake));
    if (!watcher) return watcher;
    return std::make_unique<EndingWatcher>(*std::move(watcher), ending);
  }
  void Compact(store::Revision revision) override { store_.Compact(revision); }
  base::Result<> Health() const override { return store_.Health(); }

 private:
  struct EndingWatcher final : store::Watcher {
    EndingWatcher(std::unique_ptr<store::Watcher> the_watcher, const bool& the_end)
        : watcher(std::move(the_watcher)), end(the_end) {}
    base::Result<const store::Event*> Next() override {
      if (end) return base::Fail(base::Code::kCompacted, "it fell behind");
      return watcher->Next();
    }
    store::Revision position() const override { return watcher->position(); }
    const std::unique_ptr<store::Watcher> watcher;
    const bool& end;
  };
  store::Store& store_;
};

class StoredPoliciesTest : public testing::Test {
 protected:
  StoredPoliciesTest() {
    pipe(pipe_);
    logger_.emplace(pipe_[1], base::SystemClock());
  }
  ~StoredPoliciesTest() override {
    logger_.reset();
    close(pipe_[0]);
    if (pipe_[1] >= 0) close(pipe_[1]);
  }
  void Start() {
    policies_.emplace(
        watched_, table_, executor_, *logger_,
        StoredPolicies::Publish{
            .rbac = [this](auto) { ++published_; }, .flow_schemas = [](auto) {}, .api_services = [](auto) {}});
    policies_->Start();
    executor_.Run();
  }
  void PutRole(const std::string& name) {
    std::promise<bool> done;
    store::Body body{.bytes = R"({"kind":"ClusterRole","metadata":{"resourceVersion":""}})", .revision_offset = 53};
    store_->Commit({{.collection = table_.Find("rbac.authorization.k8s.io", "v1", "clusterroles")->storage->id,
                     .key = name,
                     .body = std::move(body)}},
                   [&](const base::Result<store::Committed>& result) { done.set_value(result.has_value()); });
    EXPECT_TRUE(done.get_future().get());
  }
  std::string Logged() {
    logger_.reset();
    close(std::exchange(pipe_[1], -1));
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = read(pipe_[0], buffer, sizeof(buffer))) > 0;)
      text.append(buffer, static_cast<size_t>(got));
    return text;
  }

  int pipe_[2] = {-1, -1};
  std::optional<base::Logger> logger_;
  std::unique_ptr<store::Store> store_ = std::move(*store::Store::Open(engine::MakeMemoryEngine(), {}));
  const registry::ResourceTableRef held_ =
      resources::MakeBuiltinTable(*resources::ApiResourceConfig::Make({}), store_.get()).value();
  const registry::ResourceTable& table_ = *held_;
  BrokenWatches watched_{*store_};
  FakeExecutor executor_;
  int published_ = 0;
  std::optional<StoredPolicies> policies_;
};

TEST_F(StoredPoliciesTest, AWatchThatCannotBeginIsTriedAgainLaterAndLater) {
  watched_.broken = true;
  Start();
  EXPECT_EQ(published_, 1) << "what is stored is read all the same";
  EXPECT_FALSE(policies_->following());
  PutRole("a");
  executor_.Run();
  EXPECT_EQ(published_, 1);
  executor_.RunTimers();
  executor_.RunTimers();
  ASSERT_EQ(executor_.delays.size(), 3U);
  EXPECT_LT(executor_.delays[0], executor_.delays[1]);
  EXPECT_LT(executor_.delays[1], executor_.delays[2]);
  for (int i = 0; i < 20; ++i) executor_.RunTimers();
  EXPECT_LE(executor_.delays.back(), std::chrono::seconds(10)) << "but not for ever";
  watched_.broken = false;
  executor_.RunTimers();
  EXPECT_EQ(published_, 2) << "with what came meanwhile";
  EXPECT_TRUE(policies_->following());
  const size_t tries = executor_.delays.size();
  executor_.RunTimers();
  EXPECT_EQ(executor_.delays.size(), tries) << "no more of them";
  policies_.reset();
  executor_.Run();
  const std::string log = Logged();
  EXPECT_NE(log.find("Stored policies are not followed"), std::string::npos);
  EXPECT_NE(log.find("no watch today"), std::string::npos);
  EXPECT_NE(log.find("Stored policies are followed again"), std::string::npos);
}

TEST_F(StoredPoliciesTest, AWatchThatEndsAndCannotBeginAnewIsTriedAgain) {
  Start();
  const int before = published_;
  watched_.ending = watched_.broken = true;
  PutRole("a");
  executor_.Await();
  const int ended = published_;
  EXPECT_GT(ended, before) << "it said that something changed";
  watched_.ending = watched_.broken = false;
  PutRole("b");
  executor_.RunTimers();
  EXPECT_EQ(published_, ended + 1);
  PutRole("c");
  executor_.Await();
  EXPECT_EQ(published_, ended + 2) << "followed again";
}

TEST_F(StoredPoliciesTest, NothingIsTriedAfterItsEnd) {
  watched_.broken = true;
  Start();
  policies_.reset();
  executor_.Run();
  const int tries = watched_.tries;
  executor_.RunTimers();
  EXPECT_EQ(watched_.tries, tries);
}

}  // namespace
}  // namespace server
