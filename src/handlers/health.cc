#include "handlers/health.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "base/metrics.h"
#include "base/text.h"
#include "handlers/respond.h"

namespace handlers {
namespace {

struct ProbeName {
  Health::Probe probe;
  std::string_view name;
};
constexpr ProbeName kProbes[] = {
    {Health::Probe::kHealthz, "healthz"}, {Health::Probe::kLivez, "livez"}, {Health::Probe::kReadyz, "readyz"}};

// What the real server does after its start, in the order in which its probes list it. Between the first and the rest
// stands what watches over how many requests run.
constexpr std::string_view kFirstStartHooks[] = {"start-apiserver-admission-initializer",
                                                 "generic-apiserver-start-informers"};
constexpr std::string_view kFairnessHooks[] = {"priority-and-fairness-config-consumer", "priority-and-fairness-filter"};
constexpr std::string_view kLimitHooks[] = {"max-in-flight-filter"};
constexpr std::string_view kStartHooks[] = {
    "storage-object-count-tracker-hook",
    "start-apiextensions-informers",
    "start-apiextensions-controllers",
    "crd-informer-synced",
    "start-system-namespaces-controller",
    "start-cluster-authentication-info-controller",
    "start-kube-apiserver-identity-lease-controller",
    "start-kube-apiserver-identity-lease-garbage-collector",
    "start-legacy-token-tracking-controller",
    "start-service-ip-repair-controllers",
    "rbac/bootstrap-roles",
    "scheduling/bootstrap-system-priority-classes",
    "priority-and-fairness-config-producer",
    "bootstrap-controller",
    "start-kube-aggregator-informers",
    "apiservice-status-local-available-controller",
    "apiservice-status-remote-available-controller",
    "apiservice-registration-controller",
    "apiservice-discovery-controller",
    "kube-apiserver-autoregistration",
};
constexpr std::string_view kLateStartHooks[] = {"apiservice-openapi-controller", "apiservice-openapiv3-controller"};

exchange::Response PlainText(int status, std::string text, bool nosniff = true) {
  exchange::Response response = RespondText(status, "text/plain; charset=utf-8", std::move(text));
  if (nosniff) response.headers.Add("x-content-type-options", "nosniff");
  return response;
}

std::string Ask(const Health::Question& question) { return question ? question() : std::string(); }

exchange::Response AnswerOne(const Health::Question& question) {
  const std::string wrong = Ask(question);
  if (wrong.empty()) return PlainText(200, "ok", false);
  return PlainText(500, base::Cat("internal server error: ", wrong, "\n"));
}

}  // namespace

Health Health::Standard(Questions questions) {
  Health health;
  health.Add("ping", kEveryProbe, nullptr);
  health.Add("log", kEveryProbe, nullptr);
  health.Add("etcd", kEveryProbe, questions.store);
  health.Add("etcd-readiness", kReadinessOnly, questions.store);
  health.Add("informer-sync", kReadinessOnly, questions.started);
  const auto add_hooks = [&](std::span<const std::string_view> hooks) {
    for (std::string_view hook : hooks) {
      health.Add(base::Cat("poststarthook/", hook), kEveryProbe, questions.started);
    }
  };
  add_hooks(kFirstStartHooks);
  questions.fairness ? add_hooks(kFairnessHooks) : add_hooks(kLimitHooks);
  add_hooks(kStartHooks);
  health.Add("autoregister-completion", kEveryProbe, questions.started);
  add_hooks(kLateStartHooks);
  health.Add("shutdown", kReadinessOnly, std::move(questions.running));
  return health;
}

void Health::Add(std::string name, uint8_t probes, Question question) {
  checks_.push_back({std::move(name), probes, std::move(question)});
}

void Health::Install(Endpoints& endpoints) const {
  for (const ProbeName& probe : kProbes) {
    endpoints.Exact(base::Cat("/", probe.name), Sync([this, kind = probe.probe](exchange::Exchange& exchange) {
                      return Answer(kind, exchange.context().query);
                    }));
    for (const Check& check : checks_) {
      if ((check.probes & static_cast<uint8_t>(probe.probe)) == 0) continue;
      endpoints.Exact(base::Cat("/", probe.name, "/", check.name),
                      Sync([&check](exchange::Exchange&) { return AnswerOne(check.question); }));
    }
  }
}

exchange::Response Health::Answer(Probe probe, const api::Query& query) const {
  const std::string_view name =
      std::find_if(std::begin(kProbes), std::end(kProbes), [&](const ProbeName& p) { return p.probe == probe; })->name;
  std::set<std::string_view> excluded;
  for (std::string_view check : query.All("exclude")) excluded.insert(check);
  std::string lines;
  bool failed = false;
  for (const Check& check : checks_) {
    if ((check.probes & static_cast<uint8_t>(probe)) == 0) continue;
    if (excluded.erase(check.name) > 0) {
      base::Append(lines, "[+]", check.name, " excluded: ok\n");
    } else if (Ask(check.question).empty()) {
      base::Append(lines, "[+]", check.name, " ok\n");
    } else {
      base::Append(lines, "[-]", check.name, " failed: reason withheld\n");
      failed = true;
    }
  }
  if (!excluded.empty()) {
    std::string unknown;
    for (std::string_view check : excluded) base::Append(unknown, unknown.empty() ? "\"" : ", \"", check, "\"");
    base::Append(lines, "warn: some health checks cannot be excluded: no matches for ", unknown, "\n");
  }
  if (failed) return PlainText(500, base::Cat(lines, name, " check failed\n"));
  if (!query.Has("verbose")) return PlainText(200, "ok");
  return PlainText(200, base::Cat(lines, name, " check passed\n"));
}

std::string Health::Indicators() const {
  base::Metrics metrics;
  base::GaugeFamily& family = metrics.Gauges(
      "kubernetes_healthcheck", "[STABLE] This metric records the result of a single healthcheck.", {"name", "type"});
  for (const ProbeName& probe : kProbes) {
    for (const Check& check : checks_) {
      if ((check.probes & static_cast<uint8_t>(probe.probe)) == 0) continue;
      family.With({check.name, probe.name}).Set(Ask(check.question).empty() ? 1 : 0);
    }
  }
  return metrics.Expose();
}

}  // namespace handlers
