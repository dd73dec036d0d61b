#include "handlers/watch_body.h"

#include "base/text.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "handlers/replaced_resources.h"
#include "handlers/served_forms.h"
#include "registry/stored_form.h"

namespace handlers {

namespace {

using std::chrono::milliseconds;
using Time = std::chrono::steady_clock::time_point;

// Bookmarks come once more this long before the end, so that whoever comes again starts late.
constexpr milliseconds kLastBookmark{2000};
// A timer that is never reached would overflow some clocks.
constexpr milliseconds kLongest = std::chrono::hours(24 * 365);
// How long a conversion may take.
constexpr milliseconds kConversionWait{30'000};

class WatchBody final : public exchange::BodySource {
 public:
  WatchBody(const Dependencies& services, base::Executor& executor, WatchPlan plan)
      : services_(services),
        executor_(executor),
        entry_(std::move(plan.resource)),
        resource_(*entry_),
        converts_(registry::Waits(resource_)),
        frame_(resource_, plan.form, services.clock),
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
    if (resource_.custom && services_.replaced != nullptr) {
      follower_ = services_.replaced->Follow(entry_, [wake = wake_] { (*wake)(); });
    }
    auto watcher = services_.registry.store().Watch(start_->options, [wake = wake_] { (*wake)(); });
    if (watcher) {
      watcher_ = std::move(*watcher);
    } else {
      start_->error = StartError(watcher.error());
    }
  }

  State Pull(size_t max_bytes, std::vector<base::Slice>& out) override {
    if (ended_) return State::kEnd;
    // What happened until the definition became another one is told.
    const bool is_replaced = follower_ != nullptr && follower_->replaced();
    std::string text;
    if (start_ != nullptr) Begin(max_bytes, text);
    if (start_ == nullptr && !ended_) Follow(max_bytes, text);
    bool gave = !text.empty();
    if (is_replaced && !gave && portion_ == nullptr) ended_ = true;
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
    if (converts_ && start_->initial) {
      GiveConverted(text);
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
    if (converts_) {
      GiveConverted(text);
      return;
    }
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

  // What an event is to this watch: nothing ("") or the type and the object of one to give.
  struct Item {
    std::string_view type;
    store::CellRef cell;
    bool is_state = false;  // the cell is the event's own state
  };
  Item ItemOf(const store::Event& event) const {
    bool selects_all = labels_.empty() && fields_.empty();
    // Of what cannot be read there is nothing to tell.
    auto matches = [&](const store::Cell& cell) {
      if (!cell.readable()) return false;
      return selects_all || registry::Registry::Matches(resource_, cell, labels_, fields_);
    };
    const store::Cell& cell = event.cell();
    bool now = event.type() != store::EventType::kDeleted && matches(cell);
    bool before = event.type() != store::EventType::kAdded && event.previous() != nullptr && matches(*event.previous());
    if (!now && !before) return {};
    if (now) return {before ? "MODIFIED" : "ADDED", event.cell_ref(), true};
    if (event.type() == store::EventType::kDeleted && cell.readable()) return {"DELETED", event.cell_ref(), true};
    // It left the selection: the client gets what it had, at the version that took it away.
    return {"DELETED", event.previous()->Restamped(event.revision()), false};
  }

  void Give(const store::Event& event, std::string& text) {
    const Item item = ItemOf(event);
    if (item.type.empty() || EndsHere()) return;
    frame_.Append(item.type, *item.cell, item.is_state ? &event : nullptr, text);
  }

  // A portion whose objects have to be converted first. Shared with the task that does it, which may outlive the watch.
  struct Portion {
    std::vector<Item> items;
    bool ends_initial = false;  // the state at the start is complete with it
    bool ended = false;         // the watch fell behind
    bool ready = false;
    std::optional<api::Result<ServedFormsRef>> forms;
    api::RequestContext context;
  };

  // The portion that is ready, or the next one's beginning: one portion is under way at a time.
  void GiveConverted(std::string& text) {
    if (portion_ != nullptr && !portion_->ready) return;
    if (portion_ != nullptr) {
      const std::shared_ptr<Portion> portion = std::exchange(portion_, nullptr);
      if (!*portion->forms) {
        frame_.AppendError(portion->forms->error(), text);
        ended_ = true;
        return;
      }
      frame_.SetForms(**portion->forms);
      for (const Item& item : portion->items) {
        if (EndsHere()) return;
        frame_.Append(item.type, *item.cell, nullptr, text);
      }
      if (portion->ends_initial) {
        if (marks_initial_end_) frame_.AppendBookmark(start_->initial->revision(), true, text);
        start_.reset();
      }
      ended_ = portion->ended;
      if (ended_ || !text.empty()) return;
    }
    auto next = std::make_shared<Portion>();
    if (start_ != nullptr) {
      GatherInitial(*next);
    } else {
      GatherEvents(*next);
      if (next->items.empty()) {
        ended_ = next->ended;
        if (!ended_) OnIdle(text);
        return;
      }
    }
    Convert(std::move(next));
  }

  void GatherInitial(Portion& portion) {
    while (portion.items.size() < ServedForms::kBatch) {
      const store::Cell* cell = start_->initial->Next();
      portion.ends_initial = cell == nullptr;
      if (cell == nullptr) return;
      portion.items.push_back({"ADDED", store::CellRef(cell), false});
    }
  }

  void GatherEvents(Portion& portion) {
    while (portion.items.size() < ServedForms::kBatch) {
      auto event = watcher_->Next();
      portion.ended = !event;
      if (!event || *event == nullptr) return;
      if (Item item = ItemOf(**event); !item.type.empty()) portion.items.push_back(std::move(item));
    }
  }

  void Convert(std::shared_ptr<Portion> portion) {
    portion_ = portion;
    portion->context.deadline = services_.clock.Monotonic() + kConversionWait;
    base::Spawn(ConvertPortion(entry_, executor_, portion),
                [portion, wake = std::weak_ptr(wake_)](std::optional<bool>, std::exception_ptr failure) {
                  if (failure) portion->forms = api::Fail(api::Internal("the conversion failed"));
                  portion->ready = true;
                  if (const auto waker = wake.lock()) (*waker)();
                });
  }

  static base::Task<bool> ConvertPortion(registry::ResourceRef resource, base::Executor& executor,
                                         std::shared_ptr<Portion> portion) {
    std::vector<store::CellRef> cells;
    for (const Item& item : portion->items) cells.push_back(item.cell);
    portion->forms = co_await ConvertCells(*resource, {portion->context, executor}, std::move(cells));
    co_return true;
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
  const registry::ResourceRef entry_;
  const registry::Resource& resource_;
  const bool converts_;
  WatchFrame frame_;
  api::LabelSelector labels_;
  api::FieldSelector fields_;
  std::unique_ptr<Start> start_;
  std::shared_ptr<Portion> portion_;  // under way, where there are conversions to wait for
  std::shared_ptr<absl::AnyInvocable<void()>> wake_;
  std::unique_ptr<base::Timer> timer_;
  bool bookmarks_;
  bool marks_initial_end_;
  bool ended_ = false;
  Time deadline_;
  Time next_bookmark_;
  std::unique_ptr<ReplacedResources::Follower> follower_;
  std::unique_ptr<store::Watcher> watcher_;  // goes first: its waker uses wake_
};

}  // namespace

std::unique_ptr<exchange::BodySource> MakeWatchBody(const Dependencies& services, base::Executor& executor,
                                                    WatchPlan plan) {
  return std::make_unique<WatchBody>(services, executor, std::move(plan));
}

}  // namespace handlers
