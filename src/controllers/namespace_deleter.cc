#include "controllers/namespace_deleter.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <set>

#include "base/text.h"
#include "controllers/object_facts.h"
#include "registry/json_scan.h"
#include "registry/strategy.h"

namespace controllers {
namespace {

using base::Cat;
using value::Arena;
using value::Value;

constexpr std::string_view kFinalizer = "kubernetes";
constexpr std::chrono::milliseconds kGather{2};
constexpr size_t kMost = 4096;  // events of one turn
// What others may take to remove their finalizers; decides when the conditions are looked at again.
constexpr std::chrono::seconds kFinalizerEstimate{15};
// No pod's grace is waited for longer, whatever its spec says.
constexpr int64_t kLongestGrace = 366 * 24 * 3600;
// After this, writes that were under way when their namespace went have come to their end.
constexpr std::chrono::seconds kSettle{2};

std::chrono::system_clock::time_point ParseTime(std::string_view rfc3339) {
  std::tm parts{};
  if (strptime(std::string(rfc3339).c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return {};
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

int64_t ToInt(std::string_view digits) {
  int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

registry::DeleteOptions Background() {
  registry::DeleteOptions options;
  options.propagation_policy = "Background";
  return options;
}

// Every kind of object that namespaces hold, each once: of a group's versions the first that is listed is the preferred
// one.
std::vector<registry::ResourceRef> Contents(const registry::ResourceTable& resources) {
  std::vector<registry::ResourceRef> contents;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const registry::Resource* resource : resources.All()) {
    if (!resource->namespaced || resource->storage == nullptr || !resource->HasVerb("delete")) continue;
    if (seen.emplace(resource->group, resource->plural).second)
      contents.push_back(resources.FindEntry(resource->group, resource->version, resource->plural));
  }
  return contents;
}

}  // namespace

NamespaceDeleter::NamespaceDeleter(registry::Registry& registry, const base::Clock& clock, base::Executor& executor)
    : registry_(registry),
      clock_(clock),
      executor_(executor),
      account_(registry, executor, "namespace-controller"),
      namespaces_(registry.resources()->FindEntry("", "v1", "namespaces")),
      queue_(executor, clock, {.concurrency = 10, .longest_delay = std::chrono::seconds(60)},
             [this](std::string_view name) { return Work(name); }),
      self_(std::make_shared<NamespaceDeleter*>(this)) {}

NamespaceDeleter::~NamespaceDeleter() { *self_ = nullptr; }

void NamespaceDeleter::Start() {
  executor_.Post([self = self_] {
    if (*self != nullptr) (*self)->Begin();
  });
}

void NamespaceDeleter::Stop(absl::AnyInvocable<void()> stopped) {
  executor_.Post([this, stopped = std::move(stopped)]() mutable {
    stopped_ = true;
    watches_.reset();
    awaited_.clear();
    queue_.Stop(std::move(stopped));
  });
}

void NamespaceDeleter::Begin() {
  if (stopped_ || namespaces_ == nullptr) return;
  watches_ = std::make_unique<WatchSet>(registry_.store(), executor_, kGather, [this] { ReadEvents(); });
  const store::CollectionId collection = namespaces_->storage->id;
  store::WatchOptions options{
      .collection = collection, .prefix = {}, .index = {}, .after = registry_.store().revision()};
  if (!watches_->Add(0, std::move(options))) return Start();
  const store::Snapshot snapshot = registry_.store().Latest(collection);
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) Learn(*cell);
}

void NamespaceDeleter::ReadEvents() {
  if (stopped_) return;
  const WatchSet::State state = watches_->Read(kMost, [this](size_t, const store::Event& event) {
    if (event.type() == store::EventType::kDeleted) {
      queue_.AddAfter(event.cell().key(), kSettle);
    } else {
      Learn(event.cell());
    }
  });
  if (state == WatchSet::State::kLost) Start();
}

void NamespaceDeleter::Learn(const store::Cell& cell) {
  if (ReadFacts(cell.bytes()).deleting) queue_.Add(cell.key());
}

size_t NamespaceDeleter::Count(const registry::Resource& resource, std::string_view name) const {
  return registry_.store().Latest(resource.storage->id).Count(Cat(name, "/"));
}

base::Task<WorkQueue::Outcome> NamespaceDeleter::Work(std::string_view name) {
  using enum WorkQueue::Outcome;
  Subject subject{.name = std::string(name), .uid = {}, .deleted_at = {}};
  awaited_.erase(subject.name);
  bool finalized = false, terminating = false;
  {
    const store::Snapshot snapshot = registry_.store().Latest(namespaces_->storage->id);
    const store::Cell* cell = snapshot.Get(name);
    const ObjectFacts facts = cell != nullptr ? ReadFacts(cell->bytes()) : ObjectFacts();
    if (cell != nullptr && !facts.deleting) co_return kDone;
    if (cell != nullptr) {
      subject.uid = facts.uid;
      subject.deleted_at =
          ParseTime(registry::PlainText(registry::FindJson(cell->bytes(), "metadata.deletionTimestamp")));
      finalized = !registry::FindJson(cell->bytes(), "spec.finalizers").starts_with("[\"");
      terminating = registry::PlainText(registry::FindJson(cell->bytes(), "status.phase")) == "Terminating";
    }
  }
  Round round;
  if (subject.uid.empty()) {
    co_await Empty(subject, round);  // what came after the namespace had gone
    co_return kDone;
  }
  if (!terminating) {
    if (const auto set = co_await SetPhase(subject); !set) co_return set.error().code == 404 ? kDone : kRetry;
  }
  if (finalized) co_return kDone;
  co_await Empty(subject, round);
  const api::Result<> reported = co_await Report(subject, round.report);
  if (!reported && reported.error().code == 404) co_return kDone;
  if (!round.report.errors.empty() || !reported) co_return kRetry;
  if (round.estimate.count() > 0) {
    if (stopped_) co_return kDone;
    AwaitContent(subject.name, round.remaining);
    queue_.AddAfter(subject.name, round.estimate / 2 + std::chrono::seconds(1));
    co_return kDone;
  }
  const auto held = [&](const registry::ResourceRef& resource) { return Count(*resource, subject.name) > 0; };
  if (std::ranges::any_of(Contents(*registry_.resources()), held))
    co_return kRetry;  // somebody was faster than the mark
  const api::Result<> let_go = co_await Finalize(subject);
  co_return let_go || let_go.error().code == 404 ? kDone : kRetry;
}

base::Task<> NamespaceDeleter::Empty(const Subject& subject, Round& round) {
  const std::vector<registry::ResourceRef> contents = Contents(*registry_.resources());
  for (const registry::ResourceRef& resource : contents) {
    if (Count(*resource, subject.name) == 0) continue;
    co_await EmptyCollection(subject, resource, round);
  }
}

base::Task<> NamespaceDeleter::EmptyCollection(const Subject& subject, const registry::ResourceRef& resource,
                                               Round& round) {
  const std::chrono::seconds grace = GraceOf(subject, *resource);
  const api::Result<> deleted = co_await account_.DeleteCollection(*resource, subject.name, Background());
  if (!deleted) {
    round.report.errors.push_back(deleted.error().message);
    round.estimate = std::max(round.estimate, grace);
    co_return;
  }
  CountRemaining(subject, resource, grace, round);
}

void NamespaceDeleter::CountRemaining(const Subject& subject, const registry::ResourceRef& entry,
                                      std::chrono::seconds grace, Round& round) const {
  const registry::Resource& resource = *entry;
  const store::Snapshot snapshot = registry_.store().Latest(resource.storage->id);
  store::Scan scan = snapshot.Scan(Cat(subject.name, "/"));
  size_t count = 0;
  bool held = false;
  while (const store::Cell* cell = scan.Next()) {
    ++count;
    ForEachFinalizer(ReadFacts(cell->bytes()), [&](std::string_view finalizer) {
      held = true;
      ++round.report.finalizers[std::string(finalizer)];
    });
  }
  if (count == 0) return;
  round.report.remaining[{resource.plural, resource.group}] = count;
  round.remaining.push_back(entry);
  if (grace.count() == 0 && !held) {
    round.report.errors.push_back(Cat("unexpected items still remain in namespace: ", subject.name, " for gvr: ",
                                      resource.group, "/", resource.version, ", Resource=", resource.plural));
  }
  const std::chrono::seconds estimate = grace.count() > 0 ? grace : kFinalizerEstimate;
  if (held || grace.count() > 0) round.estimate = std::max(round.estimate, estimate);
}

// How long the pods of the namespace may take to end; 0 where that time is over.
std::chrono::seconds NamespaceDeleter::GraceOf(const Subject& subject, const registry::Resource& resource) const {
  std::chrono::seconds grace{0};
  if (!resource.group.empty() || resource.plural != "pods") return grace;
  const store::Snapshot snapshot = registry_.store().Latest(resource.storage->id);
  store::Scan scan = snapshot.Scan(Cat(subject.name, "/"));
  while (const store::Cell* cell = scan.Next()) {
    const std::string_view phase = registry::PlainText(registry::FindJson(cell->bytes(), "status.phase"));
    if (phase == "Succeeded" || phase == "Failed") continue;
    const int64_t wanted = ToInt(registry::FindJson(cell->bytes(), "spec.terminationGracePeriodSeconds"));
    grace = std::max(grace, std::chrono::seconds(std::min(wanted, kLongestGrace)));
  }
  return clock_.Now() - subject.deleted_at >= grace ? std::chrono::seconds(0) : grace;
}

base::Task<api::Result<>> NamespaceDeleter::SetPhase(const Subject& subject) {
  const auto set = [](const Value& object, Arena& arena) {
    Value status = object.Get("status");
    if (!status.is_object()) {
      status = Value::Object(arena, 1);
      object.Add(arena, "status", status);
    }
    status.Set(arena, "phase", Value::String("Terminating"));
  };
  co_return co_await account_.Update({*namespaces_, {"", subject.name}, "status", subject.uid}, set);
}

base::Task<api::Result<>> NamespaceDeleter::Report(const Subject& subject, const ContentReport& report) {
  const std::string now = registry::TimeText(clock_.Now());
  const auto set = [&](const Value& object, Arena& arena) {
    SetConditions(object, report, arena.CopyString(now), arena);
  };
  co_return co_await account_.Update({*namespaces_, {"", subject.name}, "status", subject.uid}, set);
}

base::Task<api::Result<>> NamespaceDeleter::Finalize(const Subject& subject) {
  const auto let_go = [](const Value& object, Arena& arena) {
    std::set<std::string_view> others;
    for (const Value& item : object.Get({"spec", "finalizers"}).items()) {
      if (item.AsString() != kFinalizer) others.insert(item.AsString());
    }
    const Value list = Value::Array(arena, static_cast<uint32_t>(others.size()));
    for (std::string_view other : others) list.Append(arena, Value::String(other));
    const Value spec = object.Get("spec");
    spec.Remove("finalizers");
    if (!others.empty()) spec.Add(arena, "finalizers", list);
  };
  co_return co_await account_.Update({*namespaces_, {"", subject.name}, "finalize", subject.uid}, let_go);
}

void NamespaceDeleter::AwaitContent(const std::string& name, const std::vector<registry::ResourceRef>& remaining) {
  Awaited& awaited = awaited_[name];
  awaited.remaining = remaining;
  awaited.watches =
      std::make_unique<WatchSet>(registry_.store(), executor_, kGather, [this, name] { CheckContent(name); });
  for (const registry::ResourceRef& resource : remaining) {
    store::WatchOptions options{.collection = resource->storage->id,
                                .prefix = Cat(name, "/"),
                                .index = {},
                                .after = registry_.store().revision()};
    // Without a watch it is looked at after its time.
    if (!awaited.watches->Add(0, std::move(options))) break;
  }
}

void NamespaceDeleter::CheckContent(const std::string& name) {
  const auto found = awaited_.find(name);
  if (stopped_ || found == awaited_.end()) return;
  const auto ignore = [](size_t, const store::Event&) {};
  const bool lost = found->second.watches->Read(kMost, ignore) == WatchSet::State::kLost;
  const auto gone = [&](const registry::ResourceRef& resource) { return Count(*resource, name) == 0; };
  if (lost || std::ranges::all_of(found->second.remaining, gone)) queue_.Add(name);
}

}  // namespace controllers
