// Stage: one step that every request passes. A Handler that looks at the request and either answers it or hands it to
// the next one. Stages are made once and shared by all requests of all threads; what belongs to one request is in its
// Exchange.
#pragma once

#include <functional>
#include <string_view>

#include "api/error.h"
#include "exchange/exchange.h"

namespace pipeline {

class Stage : public exchange::Handler {
 public:
  // `next` outlives the stage.
  explicit Stage(exchange::Handler& next) : next_(next) {}

 protected:
  exchange::Handler& next_;
};

// An error as a response of the type that the request's Accept names. Given by whoever builds the chain.
using ErrorWriter = std::function<exchange::Response(exchange::Exchange&, const api::Error&)>;

// What the judging of a head ends with where the request may go on (exchange::Handler::Admit). A stage that had to wait
// for more than the head lets it pass: it is judged when the body is there.
constexpr int kGoOn = 100;
inline exchange::Response GoOn() { return {.status = kGoOn}; }

// An answer that is there already, as a Task.
base::Task<exchange::Response> Ready(exchange::Response response);

// text/plain with nosniff; adds a line feed.
exchange::Response PlainText(int status, std::string_view text);

// 500 in plain text, naming the request's target.
exchange::Response InternalServerError(const exchange::Exchange& exchange, std::string_view why);

// Requests that may last: watches and the subresources that carry a stream. No deadline and no in-flight limit holds
// for them.
bool IsLongRunning(const api::RequestInfo& info);

}  // namespace pipeline
