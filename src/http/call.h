// Call: one request with its handler at work. Made by a session when a request is whole; it lives until the handler is
// done and the session has let it go, so a client that leaves never pulls the exchange from under a running handler.
// Threads: the connection's loop.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "exchange/exchange.h"
#include "http/session.h"

namespace http {

class ResponseReceiver {
 public:
  virtual ~ResponseReceiver() = default;
  virtual void OnResponse(exchange::Response response) = 0;
  // OnResponse threw (no memory): whatever it began, the answer is broken off.
  virtual void OnBroken() noexcept = 0;
};

class Call {
 public:
  // What the answer holds is charged for as long as the Call lives. `running`, if any, counts the handlers at work of
  // one connection. `charge` holds the request's body against the budget for as long as the Call lives. `receiver`
  // lives until the answer or Abandon.
  Call(Service& service, EventLoop& loop, exchange::Request request, std::unique_ptr<BodyCharge> charge,
       ResponseReceiver& receiver, std::shared_ptr<int> running = nullptr)
      : service_(service),
        charge_(std::move(charge)),
        exchange_(std::move(request), loop),
        receiver_(&receiver),
        running_(std::move(running)) {}
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Starts the handler. OnResponse is called once, maybe before Start returns, but never after Abandon. An exception
  // becomes a 500, or breaks the answer off where not even that can be made.
  static void Start(std::shared_ptr<Call> call);
  // The client is gone: the answer is dropped.
  void Abandon();

  const exchange::Request& request() const { return exchange_.request(); }

 private:
  void Deliver(std::optional<exchange::Response> response) noexcept;
  bool Charge(const exchange::Response& response);

  Service& service_;
  std::unique_ptr<BodyCharge> charge_;
  std::string address_;  // that has `answer_` bytes of Service::answers
  int64_t answer_ = 0;
  exchange::Exchange exchange_;
  ResponseReceiver* receiver_;
  std::shared_ptr<int> running_;
};

// Asks the handler whether `request` may send its body. `request` is as before when this returns.
exchange::Admission Admit(Service& service, EventLoop& loop, exchange::Request& request);

// An answer of the server's own, in plain text.
exchange::Response PlainAnswer(int status, std::string text);

}  // namespace http
