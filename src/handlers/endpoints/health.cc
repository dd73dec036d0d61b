#include "handlers/endpoints/health.h"

#include <algorithm>
#include <iterator>
#include <set>
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

using Questions = Health::Questions;

// What the real server does after its start, in the order in which its probes list it, and what does it here. Custom
// resource definitions have no controllers of their own here: they are stored objects like others.
struct StartHook {
  std::string_view name;
  Health::Question Questions::* question;
  bool Questions::* only = nullptr;    // it is there where this is so
  bool Questions::* unless = nullptr;  // and not where this is
};
constexpr StartHook kStartHooks[] = {
    {"start-apiserver-admission-initializer", &Questions::admission},
    {"generic-apiserver-start-informers", &Questions::policies},
    {"priority-and-fairness-config-consumer", &Questions::policies, &Questions::fairness},
    {"priority-and-fairness-filter", &Questions::serving, &Questions::fairness},
    {"max-in-flight-filter", &Questions::serving, nullptr, &Questions::fairness},
    {"storage-object-count-tracker-hook", &Questions::serving},
    {"start-apiextensions-informers", &Questions::objects},
    {"start-apiextensions-controllers", &Questions::objects},
    {"crd-informer-synced", &Questions::objects},
    {"start-system-namespaces-controller", &Questions::objects},
    {"start-cluster-authentication-info-controller", &Questions::place},
    {"start-kube-apiserver-identity-lease-controller", &Questions::place, &Questions::identity},
    {"start-kube-apiserver-identity-lease-garbage-collector", &Questions::place, &Questions::identity},
    {"start-legacy-token-tracking-controller", &Questions::place},
    {"start-service-ip-repair-controllers", &Questions::admission},
    {"rbac/bootstrap-roles", &Questions::objects},
    {"scheduling/bootstrap-system-priority-classes", &Questions::objects},
    {"priority-and-fairness-config-producer", &Questions::objects},
    {"bootstrap-controller", &Questions::place},
    {"start-kube-aggregator-informers", &Questions::policies},
    {"apiservice-status-local-available-controller", &Questions::serving, &Questions::api_service_status},
    {"apiservice-status-remote-available-controller", &Questions::serving, &Questions::api_service_status},
    {"apiservice-registration-controller", &Questions::policies},
    {"apiservice-discovery-controller", &Questions::policies},
    {"kube-apiserver-autoregistration", &Questions::objects},
};
constexpr std::string_view kLateStartHooks[] = {"apiservice-openapi-controller", "apiservice-openapiv3-controller"};

exchange::Response PlainText(int status, std::string text, bool nosniff = true) {
  exchange::Response response = RespondText(status, "text/plain; charset=utf-8", std::move(text));
  if (nosniff) response.headers.Add("x-content-type-options", "nosniff");
  return response;
}

}  // namespace

Health Health::Standard(Questions questions) {
  Health health;
  health.in_grace_ = std::move(questions.in_grace);
  health.Add("ping", kEveryProbe, nullptr);
  health.Add("log", kEveryProbe, nullptr);
  health.Add("etcd", kEveryProbe, questions.store);
  health.Add("etcd-readiness", kReadinessOnly, questions.store);
  health.Add("informer-sync", kReadinessOnly, questions.policies);
  for (const StartHook& hook : kStartHooks) {
    if (hook.only != nullptr && !(questions.*hook.only)) continue;
    if (hook.unless != nullptr && questions.*hook.unless) continue;
    health.Add(base::Cat("poststarthook/", hook.name), kEveryProbe, questions.*hook.question, /*start=*/true);
  }
  health.Add("autoregister-completion", kEveryProbe, questions.objects, /*start=*/true);
  for (std::string_view hook : kLateStartHooks) {
    health.Add(base::Cat("poststarthook/", hook), kEveryProbe, questions.serving, /*start=*/true);
  }
  health.Add("shutdown", kReadinessOnly, std::move(questions.running));
  return health;
}

void Health::Add(std::string name, uint8_t probes, Question question, bool start) {
  checks_.push_back({std::move(name), probes, std::move(question), start});
}

std::string Health::Ask(const Check& check, Probe probe) const {
  if (!check.question || (check.start && probe == Probe::kLivez && in_grace_ && in_grace_())) return {};
  return check.question();
}

exchange::Response Health::AnswerOne(const Check& check, Probe probe) const {
  const std::string wrong = Ask(check, probe);
  if (wrong.empty()) return PlainText(200, "ok", false);
  return PlainText(500, base::Cat("internal server error: ", wrong, "\n"));
}

void Health::Install(Endpoints& endpoints) const {
  for (const ProbeName& probe : kProbes) {
    endpoints.Exact(base::Cat("/", probe.name), Sync([this, kind = probe.probe](exchange::Exchange& exchange) {
                      return Answer(kind, exchange.context().query);
                    }));
    for (const Check& check : checks_) {
      if ((check.probes & static_cast<uint8_t>(probe.probe)) == 0) continue;
      endpoints.Exact(base::Cat("/", probe.name, "/", check.name),
                      Sync([this, &check, kind = probe.probe](exchange::Exchange&) { return AnswerOne(check, kind); }));
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
    } else if (Ask(check, probe).empty()) {
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
      family.With({check.name, probe.name}).Set(Ask(check, probe.probe).empty() ? 1 : 0);
    }
  }
  return metrics.Expose();
}

}  // namespace handlers
