#include "pipeline/chain.h"

#include <exception>
#include <iterator>
#include <optional>
#include <utility>

#include "pipeline/authentication.h"
#include "pipeline/authorization.h"
#include "pipeline/deadline.h"
#include "pipeline/impersonation.h"

namespace pipeline {
namespace {

enum class Step {
  kReception,
  kConnectionHeaders,
  kDrain,
  kDeadline,
  kCors,
  kAuthentication,
  kImpersonation,
  kFlowControl,
  kAuthorization,
  kHead
};

// The order in which a request passes the stages.
constexpr Step kOrder[] = {
    Step::kReception,          // facts, audit id, shared headers, failures
    Step::kConnectionHeaders,  // what is said of the connection
    Step::kDrain,              // may anything come in
    Step::kDeadline,           // until when
    Step::kCors,               // may a browser's page ask
    Step::kAuthentication,     // who
    Step::kImpersonation,      // as whom
    Step::kFlowControl,        // may it run now
    Step::kAuthorization,      // may it at all
    Step::kHead,               // if that was all that was asked
};

// Where the judging of a head ends well.
class Head final : public Stage {
 public:
  using Stage::Stage;
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override {
    return exchange.head_only() ? Ready(GoOn()) : next_.Handle(exchange);
  }
};

}  // namespace

exchange::Admission Chain::Admit(exchange::Exchange& exchange) {
  std::optional<exchange::Response> answer;
  std::exception_ptr failure;
  // The stages wait for nothing where only the head is judged, so that this has ended when Spawn returns.
  base::Spawn(outermost_->Handle(exchange), [&](std::optional<exchange::Response> response, std::exception_ptr thrown) {
    answer = std::move(response);
    failure = std::move(thrown);
  });
  if (failure) std::rethrow_exception(failure);
  exchange::Admission admission;
  admission.user = exchange.context().user.name;
  if (answer->status != kGoOn) admission.refusal = std::move(answer);
  return admission;
}

Chain::Chain(Parts parts, exchange::Handler& innermost) : outermost_(&innermost) {
  const auto add = [this]<class T>(std::unique_ptr<T> stage) {
    T* const raw = stage.get();
    outermost_ = raw;
    stages_.push_back(std::move(stage));
    return raw;
  };
  for (auto step = std::rbegin(kOrder); step != std::rend(kOrder); ++step) {
    exchange::Handler& next = *outermost_;
    switch (*step) {
      case Step::kReception:
        add(std::make_unique<RequestInfoStage>(parts.clock, parts.random, parts.observer, next));
        break;
      case Step::kConnectionHeaders:
        if (!parts.connection_headers.empty()) {
          add(std::make_unique<ConnectionHeaders>(parts.connection_headers, parts.random, next));
        }
        break;
      case Step::kDrain:
        drain_ = add(std::make_unique<Drain>(parts.drain, next));
        break;
      case Step::kCors:
        if (!parts.allowed_origins.empty()) add(std::make_unique<Cors>(std::move(parts.allowed_origins), next));
        break;
      case Step::kDeadline:
        add(std::make_unique<Deadline>(parts.request_timeout, parts.clock, parts.write_error, next));
        break;
      case Step::kAuthentication:
        add(std::make_unique<Authentication>(std::move(parts.authenticators), parts.anonymous, parts.write_error,
                                             next));
        break;
      case Step::kImpersonation:
        add(std::make_unique<Impersonation>(parts.authorizer, parts.write_error, next));
        break;
      case Step::kFlowControl:
        flow_control_ = add(std::make_unique<FlowControl>(std::move(parts.flow_control), parts.clock, next));
        break;
      case Step::kAuthorization:
        add(std::make_unique<Authorization>(parts.authorizer, parts.write_error, next));
        break;
      case Step::kHead:
        add(std::make_unique<Head>(next));
        break;
    }
  }
}

}  // namespace pipeline
