#include "http/call.h"

#include <exception>
#include <optional>
#include <utility>

#include "http/compress.h"

namespace http {

void Call::Start(std::shared_ptr<Call> call) {
  call->service_.calls.fetch_add(1, std::memory_order_relaxed);
  if (call->running_) ++*call->running_;
  auto done = [call](std::optional<exchange::Response> response, const std::exception_ptr&) noexcept {
    call->service_.calls.fetch_sub(1, std::memory_order_release);
    if (call->running_) --*call->running_;
    call->Deliver(std::move(response));
  };
  try {
    base::Spawn(call->service_.handler.Handle(call->exchange_), done);
  } catch (...) {  // Handle itself failed, before it gave a Task
    call->service_.TellFailure("request");
    done(std::nullopt, std::current_exception());
  }
}

void Call::Deliver(std::optional<exchange::Response> response) noexcept {
  ResponseReceiver* receiver = std::exchange(receiver_, nullptr);
  if (receiver == nullptr) return;
  try {
    if (!response) response = PlainAnswer(500, "Internal Server Error\n");
    Compress(request(), *response);
    receiver->OnResponse(*std::move(response));
  } catch (...) {
    service_.TellFailure("answer");
    receiver->OnBroken();
  }
}

void Call::Abandon() {
  receiver_ = nullptr;
  exchange_.Abandon();
}

exchange::Admission Admit(Service& service, EventLoop& loop, exchange::Request& request) {
  exchange::Exchange exchange(std::move(request), loop);
  exchange.JudgeHeadOnly();
  exchange::Admission admission;
  try {
    admission = service.handler.Admit(exchange);
  } catch (...) {
    service.TellFailure("head of a request");
    admission.refusal = PlainAnswer(500, "Internal Server Error\n");
  }
  request = exchange.TakeRequest();
  if (admission.refusal) Compress(request, *admission.refusal);
  return admission;
}

exchange::Response PlainAnswer(int status, std::string text) {
  exchange::Response response{.status = status};
  response.headers.Add("content-type", "text/plain; charset=utf-8");
  response.headers.Add("x-content-type-options", "nosniff");
  response.body = std::vector<base::Slice>{base::Slice::Own(std::move(text))};
  return response;
}

}  // namespace http
