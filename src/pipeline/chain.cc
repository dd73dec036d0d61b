#include "pipeline/chain.h"

#include <iterator>
#include <utility>

#include "pipeline/authn/authentication.h"
#include "pipeline/authz/authorization.h"
#include "pipeline/authz/impersonation.h"
#include "pipeline/deadline.h"

namespace pipeline {
namespace {

enum class Step { kReception, kDrain, kDeadline, kAuthentication, kImpersonation, kFlowControl, kAuthorization };

// The order in which a request passes the stages.
constexpr Step kOrder[] = {
    Step::kReception,       // facts, audit id, shared headers, failures
    Step::kDrain,           // may anything come in
    Step::kDeadline,        // until when
    Step::kAuthentication,  // who
    Step::kImpersonation,   // as whom
    Step::kFlowControl,     // may it run now
    Step::kAuthorization,   // may it at all
};

}  // namespace

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
      case Step::kDrain:
        drain_ = add(std::make_unique<Drain>(next));
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
        flow_control_ = add(std::make_unique<FlowControl>(parts.in_flight, next));
        break;
      case Step::kAuthorization:
        add(std::make_unique<Authorization>(parts.authorizer, parts.write_error, next));
        break;
    }
  }
}

}  // namespace pipeline
