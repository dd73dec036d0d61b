// Kills a process that writes, again and again, and checks that the next one finds what was acknowledged. See
// README.md.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/rocksdb/rocksdb_engine.h"
#include "engine/rocksdb/test_file_system.h"
#include "store/store.h"

namespace {

using store::Revision;

// ---- What child and parent say to each other: lines, each in one write, which a pipe keeps whole.

struct Line {
  char kind;  // 'B' begun, 'A' acknowledged, 'E' event (live or from history), 'S' object at start, 'R' loaded, 'D'
              // done checking
  int64_t revision = 0;
  std::string key;
  std::string text;  // of the object; "-" deleted
};

class LineWriter {
 public:
  explicit LineWriter(int pipe) : pipe_(pipe) {}
  void Write(const Line& line) {
    const std::string text = std::string(1, line.kind) + " " + std::to_string(line.revision) + " " +
                             (line.key.empty() ? "-" : line.key) + " " + (line.text.empty() ? "-" : line.text) + "\n";
    if (write(pipe_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(3);
  }

 private:
  const int pipe_;
};

std::optional<Line> Parse(const std::string& text) {
  Line line;
  char key[256], body[256];
  if (std::sscanf(text.c_str(), "%c %ld %255s %255s", &line.kind, &line.revision, key, body) != 4) return std::nullopt;
  line.key = key;
  line.text = body;
  return line;
}

struct Cycle {
  std::string directory;
  int pipe;
  uint64_t seed;
  Revision verified;                                 // everything up to here was seen by an earlier child
  std::optional<int64_t> kill_after = std::nullopt;  // at which write or sync the child dies; none: it rolls dice
};

// ---- The child.

constexpr int kWriters = 4;
constexpr int kKeys = 30;

std::string TextOf(const store::Cell& cell) {
  // {"rv":"N","t":"TEXT......"}: the text up to its padding, after checking that the stamp is the revision.
  const std::string_view bytes = cell.bytes();
  const std::string head = "{\"rv\":\"" + std::to_string(cell.modified().value()) + "\",\"t\":\"";
  if (!bytes.starts_with(head) || !bytes.ends_with("\"}")) return "?bad-bytes";
  const std::string_view rest = bytes.substr(head.size());
  return std::string(rest.substr(0, rest.find('.')));
}

class Child {
 public:
  Child(const Cycle& cycle) : cycle_(cycle), lines_(cycle.pipe), random_(cycle.seed) {}

  [[noreturn]] void Run() {
    engine::FileFaults faults;
    faults.buffered = true;
    faults.random.seed(cycle_.seed);
    // Nearly all die within a write of their own, some already while they open; or by the parent's hand before.
    clean_ = !cycle_.kill_after && random_() % 16 == 0;
    if (!clean_) faults.kill_after = static_cast<int64_t>(random_() % (random_() % 4 == 0 ? 40 : 400));
    if (cycle_.kill_after) faults.kill_after = *cycle_.kill_after;
    std::unique_ptr<rocksdb::Env> env = engine::MakeTestEnv(faults);
    // Small buffers, so that tables are written and merged as well.
    base::Result<std::unique_ptr<engine::Engine>> opened =
        engine::OpenRocksDbEngine({.path = cycle_.directory, .write_buffer = 128 << 10, .env = env.get()});
    if (!opened) Fail("open: " + opened.error().message);
    base::Result<std::unique_ptr<store::Store>> loaded = store::Store::Open(std::move(*opened), {});
    if (!loaded) Fail("load: " + loaded.error().message);
    store_ = std::move(*loaded);
    pods_ = store_->Collection("pods").value();
    ReportLoaded();
    ReportEvents();
    WriteAtRandom();
    store_ = nullptr;
    _exit(0);
  }

 private:
  [[noreturn]] void Fail(const std::string& why) {
    std::fprintf(stderr, "child: %s\n", why.c_str());
    _exit(2);
  }

  void ReportLoaded() {
    lines_.Write({'R', store_->revision().value(), "oldest", std::to_string(store_->oldest().value())});
    const store::Snapshot snapshot = store_->Latest(pods_);
    store::Scan scan = snapshot.Scan();
    while (const store::Cell* cell = scan.Next()) {
      lines_.Write({'S', cell->modified().value(), std::string(cell->key()), TextOf(*cell)});
    }
  }

  // The watch that goes on from the last revision seen; first what it finds, later what comes.
  void ReportEvents() {
    for (int64_t r = store_->oldest().value(); r <= store_->revision().value(); ++r) {
      if (!store_->At(pods_, Revision(r))) Fail("revision " + std::to_string(r) + " cannot be read");
    }
    store::WatchOptions options{.collection = pods_, .prefix = "", .index = std::nullopt, .after = cycle_.verified};
    base::Result<std::unique_ptr<store::Watcher>> watcher = store_->Watch(options, [this] {
      std::lock_guard lock(mutex_);
      woken_ = true;
      changed_.notify_one();
    });
    if (!watcher) Fail("watch from " + std::to_string(cycle_.verified.value()) + ": " + watcher.error().message);
    watcher_ = std::move(*watcher);
    DrainWatch();
    lines_.Write({'D', store_->revision().value(), "", ""});
  }

  void DrainWatch() {
    for (;;) {
      base::Result<const store::Event*> next = watcher_->Next();
      if (!next) Fail("watch: " + next.error().message);
      if (*next == nullptr) return;
      const store::Event& event = **next;
      const bool deleted = event.type() == store::EventType::kDeleted;
      const std::string text = TextOf(event.cell());
      if (text == "?bad-bytes") Fail("bytes of " + std::string(event.cell().key()));
      lines_.Write({'E', event.revision().value(), std::string(event.cell().key()), deleted ? "-" : text});
    }
  }

  void WriteAtRandom() {
    std::vector<std::thread> writers;
    for (int i = 0; i < kWriters; ++i) writers.emplace_back([this, i] { RunWriter(i); });
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return woken_ || finished_ == kWriters; });
      if (!woken_ && finished_ == kWriters) break;
      woken_ = false;
      lock.unlock();
      DrainWatch();
    }
    for (std::thread& writer : writers) writer.join();
    DrainWatch();
    watcher_ = nullptr;
  }

  void RunWriter(int number) {
    std::mt19937_64 random(cycle_.seed * kWriters + static_cast<uint64_t>(number));
    const int writes = clean_ ? static_cast<int>(random() % 100) : 10000;
    for (int i = 0; i < writes; ++i) {
      // A writer's keys are its own, so that the parent knows what may be at a key.
      const std::string key = "ns" + std::to_string(number) + "/" + std::to_string(random() % kKeys);
      const bool there = store_->Latest(pods_).Get(key) != nullptr;
      const bool deletion = there && random() % 3 == 0;
      const std::string text =
          deletion ? "-" : std::to_string(cycle_.seed) + "-" + std::to_string(number) + "-" + std::to_string(i);
      lines_.Write({'B', 0, key, text});
      std::vector<store::Write> txn = {
          {.collection = pods_, .key = key, .body = std::nullopt, .expected = store::kAnyRevision}};
      if (!deletion) {
        txn[0].body =
            store::Body{.bytes = "{\"rv\":\"\",\"t\":\"" + text + std::string(random() % 3000 + 1, '.') + "\"}",
                        .revision_offset = 7,
                        .index = ""};
      }
      Commit(std::move(txn), key, text);
      if (random() % 50 == 0) store_->Compact(cycle_.verified);
    }
    std::lock_guard lock(mutex_);
    ++finished_;
    changed_.notify_one();
  }

  void Commit(std::vector<store::Write> txn, const std::string& key, const std::string& text) {
    std::mutex mutex;
    std::condition_variable answered;
    bool done = false;
    store_->Commit(std::move(txn), [&](base::Result<store::Committed> result) {
      if (!result) Fail("commit: " + result.error().message);
      lines_.Write({'A', result->revision.value(), key, text});
      std::lock_guard lock(mutex);
      done = true;
      answered.notify_one();
    });
    std::unique_lock lock(mutex);
    answered.wait(lock, [&] { return done; });
  }

  const Cycle cycle_;
  LineWriter lines_;
  std::mt19937_64 random_;
  bool clean_ = false;  // ends by itself
  std::unique_ptr<store::Store> store_;
  store::CollectionRef pods_{};
  std::unique_ptr<store::Watcher> watcher_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  int finished_ = 0;
};

// ---- The parent.

// The one true history, and what may still turn out to have happened.
class Truth {
 public:
  struct Change {
    std::string key, text;
    friend bool operator==(const Change&, const Change&) = default;
  };

  void Take(const Line& line) {
    switch (line.kind) {
      case 'B':
        begun_[line.key].push_back(line.text);
        break;
      case 'A':
        Know(line.revision, {line.key, line.text}, "acknowledged");
        ++acknowledged;
        break;
      case 'E':
        if (line.revision != seen_ + 1) Complain("the watch went from " + std::to_string(seen_) + " to", line.revision);
        seen_ = line.revision;
        Know(line.revision, {line.key, line.text}, "seen");
        ++seen;
        break;
      case 'R':
        head_ = line.revision;
        state_.clear();
        // What was acknowledged or seen is durable.
        if (head_ < (known_.empty() ? seen_ : known_.rbegin()->first))
          Complain("the store lost what came after", head_);
        if (std::stoll(line.text) > seen_) Complain("history begins after what was seen, at", std::stoll(line.text));
        break;
      case 'S':
        state_[line.key] = {line.revision, line.text};
        break;
      case 'D':
        if (seen_ != head_) Complain("the watch ended before the head, at", seen_);
        CheckState();
        begun_.clear();  // what is not there now never comes
        ++checked;
        break;
      default:
        Complain("a line of kind " + std::string(1, line.kind), line.revision);
    }
  }
  // A new child's watch begins after what the last one's showed; what was acknowledged beyond has to come first.
  Revision seen_revision() const { return Revision(seen_); }
  bool failed() const { return failed_; }
  int64_t acknowledged = 0, seen = 0, checked = 0;

 private:
  void Complain(const std::string& what, int64_t revision) {
    std::fprintf(stderr, "FAILED: %s %ld\n", what.c_str(), revision);
    failed_ = true;
  }
  void Know(int64_t revision, const Change& change, const char* how) {
    auto [known, fresh] = known_.emplace(revision, change);
    if (!fresh) {
      if (known->second != change) Complain(known->second.key + " became " + change.key + ", " + how + " at", revision);
      return;
    }
    // Nobody said so before: then somebody had begun it.
    std::vector<std::string>& begun = begun_[change.key];
    auto found = std::find(begun.begin(), begun.end(), change.text);
    if (found == begun.end())
      return Complain(change.key + "=" + change.text + " was never begun, " + how + " at", revision);
    begun.erase(found);
  }
  // Everything up to the head was seen: it goes into the objects, and they have to be what the child found.
  void CheckState() {
    for (const auto& [revision, change] : known_) {
      if (change.text == "-") {
        expected_.erase(change.key);
      } else {
        expected_[change.key] = {revision, change.text};
      }
    }
    known_.clear();
    if (expected_ != state_) Complain("the objects are not what the history makes of them, at", head_);
  }

  std::map<int64_t, Change> known_;                        // what was acknowledged or seen since the last check
  std::map<std::string, std::vector<std::string>> begun_;  // by key: what was begun and not heard of since
  std::map<std::string, std::pair<int64_t, std::string>> state_, expected_;
  int64_t head_ = 1, seen_ = 1;
  bool failed_ = false;
};

struct Ending {
  bool killed = false, failed = false;
};

Ending RunCycle(const Cycle& settings, Truth& truth, std::mt19937_64& random) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    Cycle cycle = settings;
    cycle.pipe = ends[1];
    Child(cycle).Run();
  }
  close(ends[1]);
  // Some are killed after so many lines, wherever they are then.
  int64_t lines_left = random() % 3 == 0 ? static_cast<int64_t>(random() % 600) : -1;
  FILE* lines = fdopen(ends[0], "r");
  char text[1024];
  while (std::fgets(text, sizeof(text), lines) != nullptr) {
    if (std::strchr(text, '\n') == nullptr) break;  // cut off by the kill
    if (const std::optional<Line> line = Parse(text)) truth.Take(*line);
    if (lines_left-- == 0) kill(child, SIGKILL);
  }
  std::fclose(lines);
  int status = 0;
  waitpid(child, &status, 0);
  return {.killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
          .failed = truth.failed() || (WIFSIGNALED(status) ? WTERMSIG(status) != SIGKILL : WEXITSTATUS(status) != 0)};
}

int64_t Argument(int count, char** values, const char* name, int64_t otherwise) {
  for (int i = 1; i + 1 < count; ++i) {
    if (std::strcmp(values[i], name) == 0) return std::atoll(values[i + 1]);
  }
  return otherwise;
}

// Moments of the making of a store at which a child dies; it takes fewer writes and syncs.
constexpr int64_t kMakings = 40;

struct Totals {
  int64_t cycles = 0, killed = 0, checked = 0, acknowledged = 0, seen = 0;
};

// One store, from when it is made; false when something was lost, came back, or did not open. The first child dies at
// `kill_after` where that is given.
bool RunStore(int64_t cycles, uint64_t seed, std::optional<int64_t> kill_after, Totals& totals) {
  std::string directory = (std::filesystem::temp_directory_path() / "fairlead-crash-XXXXXX").string();
  if (mkdtemp(directory.data()) == nullptr) return false;
  std::mt19937_64 random(seed);
  Truth truth;
  for (int64_t cycle = 1; cycle <= cycles; ++cycle) {
    const Ending ending = RunCycle({.directory = directory,
                                    .pipe = -1,
                                    .seed = random() % 1000000000,
                                    .verified = truth.seen_revision(),
                                    .kill_after = cycle == 1 ? kill_after : std::nullopt},
                                   truth, random);
    ++totals.cycles;
    totals.killed += ending.killed ? 1 : 0;
    if (ending.failed) {
      std::fprintf(stderr, "cycle %ld failed; its files are in %s\n", cycle, directory.c_str());
      return false;
    }
  }
  totals.checked += truth.checked;
  totals.acknowledged += truth.acknowledged;
  totals.seen += truth.seen;
  std::filesystem::remove_all(directory);
  return true;
}

}  // namespace

int main(int count, char** values) {
  const int64_t cycles = Argument(count, values, "--cycles", 20);
  const int64_t seed =
      Argument(count, values, "--seed", std::chrono::system_clock::now().time_since_epoch().count() % 1000000);
  Totals totals;
  bool good = RunStore(cycles, static_cast<uint64_t>(seed), std::nullopt, totals);
  for (int64_t moment = 0; good && moment < kMakings; ++moment) {
    good = RunStore(2, static_cast<uint64_t>(seed + moment), moment, totals);
  }
  if (!good) {
    std::fprintf(stderr, "--seed %ld\n", seed);
    return 1;
  }
  std::printf(
      "%ld cycles (%ld killed, %ld opened and checked), %ld writes acknowledged, %ld events seen: none lost, none came "
      "back\n",
      totals.cycles, totals.killed, totals.checked, totals.acknowledged, totals.seen);
  return 0;
}
