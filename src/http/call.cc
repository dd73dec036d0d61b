#include "http/call.h"

#include <exception>
#include <optional>
#include <utility>

#include "http/compress.h"

namespace http {

void Call::Start(std::shared_ptr<Call> call) {
  call->service_.calls.fetch_add(1, std::memory_order_relaxed);
  if (call->running_) ++*call->running_;
  auto done = [call](std::optional<exchange::Response> response, const std::exception_ptr& failure) {
    call->service_.calls.fetch_sub(1, std::memory_order_release);
    if (call->running_) --*call->running_;
    call->Deliver(response ? *std::move(response) : PlainAnswer(500, "Internal Server Error\n"));
  };
  try {
    base::Spawn(call->service_.handler.Handle(call->exchange_), done);
  } catch (...) {  // Handle itself failed, before it gave a Task
    done(std::nullopt, std::current_exception());
  }
}

void Call::Deliver(exchange::Response response) {
  ResponseReceiver* receiver = std::exchange(receiver_, nullptr);
  if (receiver == nullptr) return;
  Compress(request(), response);
  receiver->OnResponse(std::move(response));
}

void Call::Abandon() {
  receiver_ = nullptr;
  exchange_.Abandon();
}

exchange::Response PlainAnswer(int status, std::string text) {
  exchange::Response response{.status = status};
  response.headers.Add("content-type", "text/plain; charset=utf-8");
  response.headers.Add("x-content-type-options", "nosniff");
  response.body = std::vector<base::Slice>{base::Slice::Own(std::move(text))};
  return response;
}

}  // namespace http
