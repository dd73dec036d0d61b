#include "handlers/watch_body.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace handlers {

namespace {

using std::chrono::milliseconds;
using Time = std::chrono::steady_clock::time_point;

// Bookmarks come once more this long before the end, so that whoever comes again starts late.
constexpr milliseconds kLastBookmark{2000};
// A timer that is never reached would overflow some clocks.
constexpr milliseconds kLongest = std::chrono::hours(24 * 365);

class WatchBody final : public exchange::BodySource {
 public:
  WatchBody(const Dependencies& services, base::Executor& executor, WatchPlan plan)
      : services_(services),
        executor_(executor),
        resource_(plan.resource),
        frame_(plan.resource, plan.form, services.clock),
        labels_(std::move(plan.labels)),
        fields_(std::move(plan.fields)),
        start_(std::make_unique<Start>(std::move(plan.options), std::move(plan.initial), std::move(plan.error))),
        bookmarks_(plan.bookmarks),
        marks_initial_end_(plan.marks_initial_end),
        deadline_(services.clock.Monotonic() + std::min(plan.timeout, kLongest)) {}

  void SetWaker(absl::AnyInvocable<void()> wake) override {
    wake_ = std::make_shared<absl::AnyInvocable<void()>>(std::move(wake));
    SetTimer();
    if (start_->error) return;
    auto watcher = services_.registry.store().Watch(start_->options, [wake = wake_] { (*wake)(); });
    if (watcher) {
      watcher_ = std::move(*watcher);
    } else {
      start_->error = StartError(watcher.error());
    }
  }

  State Pull(size_t max_bytes, std::vector<base::Slice>& out) override {
    if (ended_) return State::kEnd;
    std::string text;
    if (start_ != nullptr) Begin(max_bytes, text);
    if (start_ == nullptr && !ended_) Follow(max_bytes, text);
    bool gave = !text.empty();
    if (gave) out.push_back(base::Slice::Own(std::move(text)));
    if (ended_) return State::kEnd;
    return gave ? State::kMore : State::kWait;
  }

 private:
  // What is needed until the watch runs.
  struct Start {
    Start(store::WatchOptions o, std::optional<registry::ListView> i, std::optional<api::Error> e)
        : options(std::move(o)), initial(std::move(i)), error(std::move(e)) {}
    store::WatchOptions options;
    std::optional<registry::ListView> initial;
    std::optional<api::Error> error;
  };

  api::Error StartError(const base::Error& error) const {
    if (error.code != base::Code::kCompacted) return api::Internal(error.message);
    if (!resource_.watch_cached) {
      return api::ResourceExpired("The resourceVersion for the provided watch is too old.");
    }
    return api::ResourceExpired(base::Cat("too old resource version: ", start_->options.after.value(), " (",
                                          services_.registry.store().oldest().value() - 1, ")"));
  }

  void Begin(size_t max_bytes, std::string& text) {
    if (start_->error) {
      frame_.AppendError(*start_->error, text);
      ended_ = true;
      return;
    }
    if (start_->initial) {
      while (const store::Cell* cell = start_->initial->Next()) {
        if (EndsHere()) return;
        frame_.Append("ADDED", *cell, nullptr, text);
        if (text.size() >= max_bytes) return;
      }
      if (marks_initial_end_) frame_.AppendBookmark(start_->initial->revision(), true, text);
    }
    start_.reset();
  }

  void Follow(size_t max_bytes, std::string& text) {
    while (text.size() < max_bytes && !ended_) {
      auto event = watcher_->Next();
      if (!event) {
        ended_ = true;  // fell behind: whoever reads comes again from what it has
        return;
      }
      if (*event == nullptr) {
        OnIdle(text);
        return;
      }
      Give(**event, text);
    }
  }

  void Give(const store::Event& event, std::string& text) {
    bool selects_all = labels_.empty() && fields_.empty();
    // Of what cannot be read there is nothing to tell.
    auto matches = [&](const store::Cell& cell) {
      if (!cell.readable()) return false;
      return selects_all || registry::Registry::Matches(resource_, cell, labels_, fields_);
    };
    const store::Cell& cell = event.cell();
    bool now = event.type() != store::EventType::kDeleted && matches(cell);
    bool before = event.type() != store::EventType::kAdded && event.previous() != nullptr && matches(*event.previous());
    if ((!now && !before) || EndsHere()) return;
    if (now) {
      frame_.Append(before ? "MODIFIED" : "ADDED", cell, &event, text);
    } else if (event.type() == store::EventType::kDeleted && cell.readable()) {
      frame_.Append("DELETED", cell, &event, text);
    } else {
      // It left the selection: the client gets what it had, at the version that took it away.
      frame_.Append("DELETED", *event.previous()->Restamped(event.revision()), nullptr, text);
    }
  }

  // A list view of single objects cannot be written: the stream ends at the first.
  bool EndsHere() {
    if (frame_.is_unencodable()) ended_ = true;
    return ended_;
  }

  void OnIdle(std::string& text) {
    Time now = services_.clock.Monotonic();
    if (bookmarks_ && now >= next_bookmark_) {
      if (watcher_->position() > store::Revision(0)) frame_.AppendBookmark(watcher_->position(), false, text);
      next_bookmark_ = NextBookmark(now);
      SetTimer();
    }
    if (now >= deadline_) ended_ = true;
  }

  Time NextBookmark(Time now) const {
    Time regular = now + services_.settings.bookmark_interval;
    Time last = deadline_ - kLastBookmark;
    if (last <= now) return deadline_ + kLongest;
    return std::min(regular, last);
  }

  void SetTimer() {
    Time now = services_.clock.Monotonic();
    if (next_bookmark_ == Time()) next_bookmark_ = NextBookmark(now);
    Time due = bookmarks_ ? std::min(deadline_, next_bookmark_) : deadline_;
    milliseconds delay = std::max(milliseconds(0), std::chrono::ceil<milliseconds>(due - now));
    timer_ = executor_.PostAfter(delay, [this] {
      (*wake_)();
      if (services_.clock.Monotonic() < deadline_) SetTimer();
    });
  }

  const Dependencies& services_;
  base::Executor& executor_;
  const registry::Resource& resource_;
  WatchFrame frame_;
  api::LabelSelector labels_;
  api::FieldSelector fields_;
  std::unique_ptr<Start> start_;
  std::shared_ptr<absl::AnyInvocable<void()>> wake_;
  std::unique_ptr<base::Timer> timer_;
  bool bookmarks_;
  bool marks_initial_end_;
  bool ended_ = false;
  Time deadline_;
  Time next_bookmark_;
  std::unique_ptr<store::Watcher> watcher_;  // goes first: its waker uses wake_
};

}  // namespace

std::unique_ptr<exchange::BodySource> MakeWatchBody(const Dependencies& services, base::Executor& executor,
                                                    WatchPlan plan) {
  return std::make_unique<WatchBody>(services, executor, std::move(plan));
}

}  // namespace handlers
