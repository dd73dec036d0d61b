#include "registry/expiry.h"

#include <algorithm>
#include <ctime>
#include <latch>

#include "registry/json_scan.h"
#include "store/cell.h"
#include "store/snapshot.h"

namespace registry {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr milliseconds kLongestPause{30'000}, kShortestPause{10};
constexpr size_t kAtOnce = 512;  // removals that are under way together: far fewer than the store's queue takes

system_clock::time_point ParseTime(std::string_view rfc3339) {
  std::tm parts{};
  if (strptime(std::string(rfc3339).c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return {};
  return system_clock::from_time_t(timegm(&parts));
}

// The latest of the times that the metadata tells: every write through the API is of a field manager.
system_clock::time_point LastWritten(const store::Cell& cell) {
  const std::string_view metadata = FindJson(cell.bytes(), "metadata");
  system_clock::time_point latest = ParseTime(PlainText(FindJson(metadata, "creationTimestamp")));
  std::string_view managers = FindJson(metadata, "managedFields");
  constexpr std::string_view kTime = "\"time\":\"";
  for (size_t at = managers.find(kTime); at != std::string_view::npos; at = managers.find(kTime)) {
    managers.remove_prefix(at + kTime.size());
    latest = std::max(latest, ParseTime(managers.substr(0, managers.find('"'))));
  }
  return latest;
}

}  // namespace

Expiry::Expiry(store::Store& store, store::CollectionId collection, milliseconds age, const base::Clock& clock)
    : store_(store), collection_(collection), age_(age), clock_(clock) {}

Expiry::~Expiry() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Expiry::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Expiry::Run() {
  const milliseconds pause = std::clamp(age_ / 60, kShortestPause, kLongestPause);
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    Round();
    lock.lock();
    changed_.wait_for(lock, pause, [this] { return stopping_; });
  }
}

void Expiry::Round() {
  if (!read_) ReadOld();
  const Time now = clock_.Monotonic();
  Remove(DueOld());
  Remove(DueNoted(now));
  const store::Revision newest = store_.revision();
  if (newest <= first_ || (!notes_.empty() && newest <= notes_.back().revision)) return;
  notes_.push_back({clock_.Monotonic(), newest});
}

void Expiry::ReadOld() {
  read_ = true;
  const store::Snapshot snapshot = store_.Latest(collection_);
  first_ = done_ = snapshot.revision();
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) {
    old_.push_back({LastWritten(*cell) + age_, std::string(cell->key()), cell->modified()});
  }
  std::ranges::sort(old_, std::ranges::greater(), &Old::due);
}

std::vector<store::Write> Expiry::DueOld() {
  std::vector<store::Write> due;
  const system_clock::time_point now = clock_.Now();
  while (!old_.empty() && old_.back().due <= now) {
    due.push_back({collection_, std::move(old_.back().key), std::nullopt, old_.back().modified});
    old_.pop_back();
  }
  return due;
}

std::vector<store::Write> Expiry::DueNoted(Time now) {
  store::Revision last = done_;
  while (!notes_.empty() && notes_.front().time + age_ <= now) {
    last = notes_.front().revision;
    notes_.pop_front();
  }
  std::vector<store::Write> due;
  if (last == done_) return due;
  done_ = last;
  const store::Snapshot snapshot = store_.Latest(collection_);
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) {
    if (cell->modified() <= first_ || cell->modified() > last) continue;
    due.push_back({collection_, std::string(cell->key()), std::nullopt, cell->modified()});
  }
  return due;
}

void Expiry::Remove(std::vector<store::Write> removals) {
  for (size_t begin = 0; begin < removals.size(); begin += kAtOnce) {
    const size_t count = std::min(kAtOnce, removals.size() - begin);
    std::latch gone(static_cast<std::ptrdiff_t>(count));
    for (size_t i = begin; i < begin + count; ++i) {
      std::vector<store::Write> one;
      one.push_back(std::move(removals[i]));
      // What was written or removed meanwhile is not due any more.
      store_.Commit(std::move(one), [&gone](const base::Result<store::Committed>&) { gone.count_down(); });
    }
    gone.wait();
  }
}

}  // namespace registry
