#include "http/call.h"

#include <exception>
#include <optional>
#include <utility>

#include "http/compress.h"

namespace http {
namespace {

constexpr int64_t kFreeAnswer = 4 << 10;  // no more than a stream takes without it

}  // namespace

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

Call::~Call() {
  if (answer_ > 0) service_.answers.Give(address_, answer_);
}

// Bytes that others have too (a stored object's, a document's) take nothing.
bool Call::Charge(const exchange::Response& response) {
  const auto* whole = std::get_if<std::vector<base::Slice>>(&response.body);
  if (whole == nullptr) return true;  // made as it is taken
  int64_t bytes = 0;
  for (const base::Slice& slice : *whole) {
    if (slice.owner.use_count() == 1) bytes += static_cast<int64_t>(slice.data.size());
  }
  if (bytes <= kFreeAnswer) return true;
  if (request().peer != nullptr) address_ = AddressOf(*request().peer);
  if (!service_.answers.Take(address_, bytes)) return false;
  answer_ = bytes;
  return true;
}

void Call::Deliver(std::optional<exchange::Response> response) noexcept {
  ResponseReceiver* receiver = std::exchange(receiver_, nullptr);
  if (receiver == nullptr) return;
  try {
    if (!response) response = PlainAnswer(500, "Internal Server Error\n");
    if (!Charge(*response)) {
      const std::string& method = request().method;
      if (method != "GET" && method != "HEAD") return receiver->OnBroken();  // whether it was done is not known
      response = PlainAnswer(429, "429 Too Many Requests");
      response->headers.Add("retry-after", "1");
    }
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
