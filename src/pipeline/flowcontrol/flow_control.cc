#include "pipeline/flowcontrol/flow_control.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/text.h"
#include "pipeline/flowcontrol/flow_dump.h"

namespace pipeline {
namespace {

using base::Cat;

constexpr double kObjectsPerSeat = 100;  // that a list goes through
constexpr int kMostSeats = 10;           // of one request
constexpr std::chrono::milliseconds kLongestWaitEver{60'000};

// One running request; no longer counted when this is gone, however it ended.
class Counted {
 public:
  explicit Counted(std::atomic<int>& running) : running_(running) {}
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { running_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<int>& running_;
};

// The seats of one request; given back when this is gone.
class Seated {
 public:
  Seated(QueueSet& queues, QueueSet::RequestRef request) : queues_(queues), request_(std::move(request)) {}
  Seated(const Seated&) = delete;
  Seated& operator=(const Seated&) = delete;
  ~Seated() { queues_.Finish(request_); }

 private:
  QueueSet& queues_;
  const QueueSet::RequestRef request_;
};

bool IsMutating(std::string_view verb) { return verb != "get" && verb != "list" && verb != "watch"; }

// Which flow of a schema it is, as the real server hashes it: the same hands of queues are dealt.
uint64_t FlowHash(std::string_view schema, std::string_view distinguisher) {
  std::string text(schema);
  text += '\0';
  text += distinguisher;
  // One user's requests come one after the other: the digest costs more than all else here.
  thread_local std::string known;
  thread_local uint64_t known_hash = 0;
  if (text == known) return known_hash;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  uint64_t hash = 0;
  for (size_t i = 8; i-- > 0;) hash = hash << 8 | digest[i];
  known = std::move(text);
  known_hash = hash;
  return hash;
}

exchange::Response TooMany(int64_t retry_after) {
  exchange::Response refusal = PlainText(429, "Too many requests, please try again later.");
  refusal.headers.Add("retry-after", Cat(retry_after));
  return refusal;
}

// Whether a list has to leave the newest state that is in memory: an older page, or an exact version.
bool ReadsHistory(const api::Query& query) {
  const std::string_view version = query.Get("resourceVersion"), match = query.Get("resourceVersionMatch");
  if (!query.Get("continue").empty() || (!match.empty() && match != "NotOlderThan")) return true;
  const auto limit = api::ParseInt64(query.Get("limit"));
  return limit && *limit > 0 && match.empty() && !version.empty() && version != "0";
}

}  // namespace

// Counters by the names of the real server.
struct FlowControl::Families {
  explicit Families(base::Metrics& metrics);

  base::CounterFamily &rejected, &dispatched;
  base::HistogramFamily &waited, &executed;
  base::GaugeFamily &waiting_requests, &waiting_seats, &running_requests, &running_seats;
  base::GaugeFamily &nominal, &least, &most, &current, &demand_most, &demand_average, &demand_deviation,
      &demand_smoothed, &target;
};

namespace {

std::string Name(std::string_view metric) { return Cat("apiserver_flowcontrol_", metric); }

base::GaugeFamily& PerLevel(base::Metrics& metrics, std::string_view name, std::string_view help) {
  return metrics.Gauges(Name(name), std::string(help), {"priority_level"});
}
base::GaugeFamily& PerSchema(base::Metrics& metrics, std::string_view name, std::string_view help) {
  return metrics.Gauges(Name(name), std::string(help), {"flow_schema", "priority_level"});
}

const std::vector<double> kSeconds{0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30};

}  // namespace

FlowControl::Families::Families(base::Metrics& metrics)
    : rejected(metrics.Counters(Name("rejected_requests_total"),
                                "[BETA] Number of requests rejected by API Priority and Fairness subsystem",
                                {"flow_schema", "priority_level", "reason"})),
      dispatched(metrics.Counters(Name("dispatched_requests_total"),
                                  "[BETA] Number of requests executed by API Priority and Fairness subsystem",
                                  {"flow_schema", "priority_level"})),
      waited(metrics.Histograms(Name("request_wait_duration_seconds"),
                                "[BETA] Length of time a request spent waiting in its queue",
                                {"execute", "flow_schema", "priority_level"}, kSeconds)),
      executed(metrics.Histograms(Name("request_execution_seconds"),
                                  "[ALPHA] Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of "
                                  "request execution in the API Priority and Fairness subsystem",
                                  {"flow_schema", "priority_level", "type"}, kSeconds)),
      waiting_requests(PerSchema(metrics, "current_inqueue_requests",
                                 "[BETA] Number of requests currently pending in queues of the API Priority and "
                                 "Fairness subsystem")),
      waiting_seats(PerSchema(metrics, "current_inqueue_seats",
                              "[ALPHA] Number of seats currently pending in queues of the API Priority and Fairness "
                              "subsystem")),
      running_requests(PerSchema(metrics, "current_executing_requests",
                                 "[BETA] Number of requests in initial (for a WATCH) or any (for a non-WATCH) "
                                 "execution stage in the API Priority and Fairness subsystem")),
      running_seats(PerSchema(metrics, "current_executing_seats",
                              "[BETA] Concurrency (number of seats) occupied by the currently executing (initial stage "
                              "for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem")),
      nominal(PerLevel(metrics, "nominal_limit_seats",
                       "[BETA] Nominal number of execution seats configured for each priority level")),
      least(PerLevel(metrics, "lower_limit_seats",
                     "[ALPHA] Configured lower bound on number of execution seats available to each priority level")),
      most(PerLevel(metrics, "upper_limit_seats",
                    "[ALPHA] Configured upper bound on number of execution seats available to each priority level")),
      current(PerLevel(metrics, "current_limit_seats",
                       "[ALPHA] current derived number of execution seats available to each priority level")),
      demand_most(PerLevel(metrics, "demand_seats_high_watermark",
                           "[ALPHA] High watermark, over last adjustment period, of demand_seats")),
      demand_average(PerLevel(metrics, "demand_seats_average",
                              "[ALPHA] Time-weighted average, over last adjustment period, of demand_seats")),
      demand_deviation(PerLevel(metrics, "demand_seats_stdev",
                                "[ALPHA] Time-weighted standard deviation, over last adjustment period, of "
                                "demand_seats")),
      demand_smoothed(PerLevel(metrics, "demand_seats_smoothed", "[ALPHA] Smoothed seat demands")),
      target(PerLevel(metrics, "target_seats", "[ALPHA] Seat allocation targets")) {}

void FlowControl::CountIn(base::Metrics& metrics) {
  families_ = std::make_shared<Families>(metrics);
  metrics.OnCollect([this] { Collect(); });
}

void FlowControl::Collect() const {
  struct Sums {
    double waiting = 0, waiting_seats = 0, running = 0, running_seats = 0;
  };
  for (const PriorityLevels::Level& level : levels_.List(/*with_requests=*/true)) {
    const std::string& name = level.name;
    const LevelState::Seats& seats = level.seats;
    const std::pair<base::GaugeFamily*, double> gauges[] = {{&families_->nominal, seats.nominal},
                                                            {&families_->least, seats.least},
                                                            {&families_->most, seats.most},
                                                            {&families_->current, seats.current},
                                                            {&families_->demand_most, seats.demand_most},
                                                            {&families_->demand_average, seats.demand_average},
                                                            {&families_->demand_deviation, seats.demand_deviation},
                                                            {&families_->demand_smoothed, seats.demand_smoothed},
                                                            {&families_->target, seats.target}};
    for (const auto& [family, value] : gauges) family->With({name}).Set(value);
    base::StringMap<Sums> schemas;
    const auto add = [&schemas](const QueueSet::RequestDump& request, bool runs) {
      Sums& sums = schemas[request.flow_schema];
      (runs ? sums.running : sums.waiting) += 1;
      (runs ? sums.running_seats : sums.waiting_seats) += request.seats;
    };
    for (const QueueSet::QueueDump& queue : level.dump.queues) {
      for (const QueueSet::RequestDump& request : queue.waiting) add(request, false);
      for (const QueueSet::RequestDump& request : queue.running) add(request, true);
    }
    for (const QueueSet::RequestDump& request : level.dump.without_queue) add(request, true);
    for (const auto& [schema, sums] : schemas) {
      families_->waiting_requests.With({schema, name}).Set(sums.waiting);
      families_->waiting_seats.With({schema, name}).Set(sums.waiting_seats);
      families_->running_requests.With({schema, name}).Set(sums.running);
      families_->running_seats.With({schema, name}).Set(sums.running_seats);
    }
  }
}

void FlowControl::Publish(std::shared_ptr<FlowSchemas> schemas) {
  if (options_.limits.reading + options_.limits.mutating == 0) return;  // no limit: nothing to divide
  levels_.Apply(*schemas);
  schemas_.Store(std::move(schemas));
}

std::string FlowControl::DumpLevels() const { return DumpPriorityLevels(levels_.List(false)); }
std::string FlowControl::DumpQueues() const { return pipeline::DumpQueues(levels_.List(false)); }
std::string FlowControl::DumpRequests(bool with_details) const {
  return pipeline::DumpRequests(levels_.List(true), with_details);
}

base::Task<exchange::Response> FlowControl::Handle(exchange::Exchange& exchange) {
  api::RequestContext& context = exchange.context();
  const api::RequestInfo& info = context.info;
  if (info.verb != "watch" && IsLongRunning(info)) return next_.Handle(exchange);
  Schemas schemas = schemas_.Load();
  if (!schemas) return HandleLimited(exchange);
  const FlowSchemas::Flow flow = schemas->Classify(context.user, info);
  if (flow.level == nullptr) return next_.Handle(exchange);
  context.response_headers.emplace_back("x-kubernetes-pf-flowschema-uid", flow.schema_uid);
  context.response_headers.emplace_back("x-kubernetes-pf-prioritylevel-uid", flow.level->uid);
  if (exchange.head_only()) return next_.Handle(exchange);  // it takes its seats when all of it is there
  levels_.Adjust();
  LevelState& level = *flow.level->state;
  QueueSet::Facts facts{.flow_schema = flow.schema, .seats = SeatsOf(context, level), .context = &context};
  if (flow.level->queues_requests && flow.level->queues > 1) {
    facts.distinguisher = flow.distinguisher;
    facts.flow_hash = FlowHash(flow.schema, flow.distinguisher);
  }
  QueueSet::RequestRef request = level.queues.Start(std::move(facts));
  if (request == nullptr) {
    return Ready(Refuse(flow, flow.level->queues_requests ? "queue-full" : "concurrency-limit"));
  }
  return HandleSeated(exchange, std::move(schemas), flow, std::move(request));
}

exchange::Response FlowControl::Refuse(const FlowSchemas::Flow& flow, std::string_view reason) {
  if (families_) families_->rejected.With({flow.schema, flow.level->name, reason}).Add();
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_.Now()).time_since_epoch().count();
  return TooMany(flow.level->state->retry_after.Refused(now));
}

// `schemas` holds what `flow` points into.
base::Task<exchange::Response> FlowControl::HandleSeated(exchange::Exchange& exchange, Schemas schemas,
                                                         FlowSchemas::Flow flow, QueueSet::RequestRef request) {
  const std::shared_ptr<LevelState> level = flow.level->state;
  const std::string& level_name = flow.level->name;
  const auto started = clock_.Monotonic();
  const auto since = [&](std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(clock_.Monotonic() - begin).count();
  };
  bool runs = level->queues.Runs(*request);
  if (!runs) {
    const std::unique_ptr<base::Timer> timer = exchange.executor().PostAfter(
        LongestWait(exchange.context()), [level, request] { level->queues.Cancel(request); });
    runs = co_await base::Await<bool>(exchange.executor(), [&level, &request](auto decided) {
      level->queues.WhenDecided(*request, std::move(decided));
    });
  }
  if (families_ && flow.level->queues_requests) {
    families_->waited.With({runs ? "true" : "false", flow.schema, level_name}).Observe(since(started));
  }
  if (!runs) co_return Refuse(flow, "time-out");
  const Seated seated(level->queues, std::move(request));
  std::atomic<int>& running = IsMutating(exchange.context().info.verb) ? mutating_ : reading_;
  running.fetch_add(1, std::memory_order_relaxed);
  const Counted counted(running);
  const auto began = clock_.Monotonic();
  exchange::Response response = co_await next_.Handle(exchange);
  if (families_) {
    const bool is_watch = exchange.context().info.verb == "watch";
    families_->dispatched.With({flow.schema, level_name}).Add();
    families_->executed.With({flow.schema, level_name, is_watch ? "watch" : "regular"}).Observe(since(began));
  }
  co_return response;
}

std::chrono::milliseconds FlowControl::LongestWait(const api::RequestContext& context) const {
  using std::chrono::milliseconds;
  constexpr int kPart = 4;  // of the time that the request may take
  auto wait = std::chrono::duration_cast<milliseconds>(options_.longest_wait);
  if (context.deadline != std::chrono::steady_clock::time_point::max()) {
    wait = std::chrono::duration_cast<milliseconds>(context.deadline - clock_.Monotonic()) / kPart;
  }
  return std::clamp(wait, milliseconds(0), kLongestWaitEver);
}

// What it costs, beside a request for one object.
int FlowControl::SeatsOf(const api::RequestContext& context, const LevelState& level) const {
  const bool watch = context.info.verb == "watch";
  if (!context.info.is_resource_request || !context.info.name.empty() || !options_.object_count) return 1;
  if (watch ? !context.query.IsTrue("sendInitialEvents") : context.info.verb != "list") return 1;
  const auto stored = static_cast<double>(options_.object_count(context.info));
  double objects = stored;
  if (!watch && ReadsHistory(context.query)) {
    const auto limit = api::ParseInt64(context.query.Get("limit"));
    const double page = limit && *limit > 0 ? std::min(static_cast<double>(*limit), stored) : stored;
    const bool selects = !context.query.Get("fieldSelector").empty() || !context.query.Get("labelSelector").empty();
    objects = selects ? stored + page : 2 * page;
  }
  const int widest = level.widest.load(std::memory_order_relaxed);
  const int most = widest == 0 ? kMostSeats : std::min(widest, kMostSeats);
  return static_cast<int>(std::clamp(std::ceil(objects / kObjectsPerSeat), 1.0, static_cast<double>(most)));
}

base::Task<exchange::Response> FlowControl::HandleLimited(exchange::Exchange& exchange) {
  const api::RequestContext& context = exchange.context();
  if (context.info.verb == "watch") return next_.Handle(exchange);
  const bool is_mutating = IsMutating(context.info.verb);
  std::atomic<int>& running = is_mutating ? mutating_ : reading_;
  const int limit = is_mutating ? options_.limits.mutating : options_.limits.reading;
  if (running.fetch_add(1, std::memory_order_relaxed) < limit || limit == 0 || context.user.InGroup("system:masters")) {
    return HandleCounted(exchange, running);
  }
  running.fetch_sub(1, std::memory_order_relaxed);
  return Ready(TooMany(1));
}

base::Task<exchange::Response> FlowControl::HandleCounted(exchange::Exchange& exchange, std::atomic<int>& running) {
  const Counted counted(running);
  co_return co_await next_.Handle(exchange);
}

}  // namespace pipeline
