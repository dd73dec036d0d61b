// Health: /healthz, /livez and /readyz with their single checks. A check is a name and a question that is asked for
// each probe; names and texts are the real server's, so that dashboards and probes find what they look for.
//
// Checks are added before the endpoints are installed; questions are asked on the I/O threads, and must neither wait
// nor block.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/exchange.h"
#include "handlers/endpoints/endpoints.h"

namespace handlers {

class Health {
 public:
  enum class Probe : uint8_t { kHealthz = 1, kLivez = 2, kReadyz = 4 };
  static constexpr uint8_t kEveryProbe = 7;
  static constexpr uint8_t kReadinessOnly = 4;

  // "" while all is well, else what is wrong (for privileged eyes: it is told on the single check's own path only).
  using Question = std::function<std::string()>;

  // What the standard checks ask. Empty questions are always well.
  struct Questions {
    Question store;      // can the store be read and written
    Question admission;  // do the plugins and what gives out addresses stand
    Question objects;    // were the objects put that every server begins with
    Question place;      // and those that tell of this one: its service, endpoints and lease
    Question policies;   // do rules, flow schemas and API services follow what is stored
    Question serving;    // do limits, documents and counts stand
    Question running;    // fails from the moment the server begins to stop
    // While it is true, /livez does not mind what is not finished yet (--livez-grace-period). Null: never.
    std::function<bool()> in_grace;
    bool fairness = true;            // requests have priority levels; without them there is one limit for all
    bool identity = true;            // this server has a lease
    bool api_service_status = true;  // the controller of API services' conditions runs
  };
  // The checks of the real server by its names and in its order, each asked of what does that work here. Those of what
  // is turned off are left out.
  static Health Standard(Questions questions);

  // `probes`: a sum of Probe values. `start`: it is something that the server does at its start.
  void Add(std::string name, uint8_t probes, Question question, bool start = false);

  // Registers the probes and all their single checks. This object outlives `endpoints`.
  void Install(Endpoints& endpoints) const;

  exchange::Response Answer(Probe probe, const api::Query& query) const;

  // How every check stands, as the metric kubernetes_healthcheck: what /metrics/slis shows.
  std::string Indicators() const;

 private:
  struct Check {
    std::string name;
    uint8_t probes;
    Question question;
    bool start;
  };
  std::string Ask(const Check& check, Probe probe) const;
  exchange::Response AnswerOne(const Check& check, Probe probe) const;

  std::vector<Check> checks_;
  std::function<bool()> in_grace_;
};

}  // namespace handlers
