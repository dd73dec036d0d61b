// RequestInfoStage: the outermost stage. Gives the request its facts (RequestInfo, query, audit id) and the answer what every
// answer carries: Audit-Id, Cache-Control, warnings, the headers that stages asked for. An exception of a library ends
// here as a 500 and harms no other request.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "pipeline/stage.h"

namespace pipeline {

class RequestInfoStage final : public Stage {
 public:
  // Called once for each answered request, on its thread: for metrics and logs. `failure` is what() of an exception
  // that ended it, or "".
  using Observer = std::function<void(exchange::Exchange&, exchange::Response&, std::chrono::nanoseconds took,
                                      std::string_view failure)>;

  RequestInfoStage(const base::Clock& clock, base::Random& random, Observer observer, exchange::Handler& next)
      : Stage(next), clock_(clock), random_(random), observer_(std::move(observer)) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  // Fills the context; an answer if the request has no facts.
  std::optional<exchange::Response> Receive(exchange::Exchange& exchange);
  void AddSharedHeaders(exchange::Exchange& exchange, exchange::Response& response) const;

  const base::Clock& clock_;
  base::Random& random_;
  const Observer observer_;
};

// Warning headers of these texts, as the server limits them: each once, cut short when they are too long together.
std::vector<std::string> WarningHeaders(const std::vector<std::string>& texts);

}  // namespace pipeline
