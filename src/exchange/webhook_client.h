// WebhookClient: posts JSON to where a webhook's `clientConfig` says, as kube-apiserver calls webhooks: services are
// resolved, credentials come from the configuration file of webhooks, answers are judged by their status.
//
//   exchange::WebhookAddress address{.url = "https://hook.example/convert", .authorities_pem = bundle};
//   auto answer = co_await client.Post(call.executor, {.address = address, .body = json, .deadline = deadline});
//   if (!answer) ... answer.error().message  // `Post "https://hook.example/convert?timeout=10s": EOF`
//
// Threads: any; the task goes on on the executor and never blocks a thread. server/webhook_transport.h implements it.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "base/executor.h"
#include "base/task.h"

namespace exchange {

struct WebhookService {
  std::string namespace_name, name, path;
  uint16_t port = 443;
};

// WebhookClientConfig of admissionregistration.k8s.io and apiextensions.k8s.io.
struct WebhookAddress {
  using Service = WebhookService;
  std::string url;  // "" where there is a service
  std::optional<Service> service;
  std::string authorities_pem;  // caBundle, decoded; "" trusts the system's
};

struct WebhookCall {
  const WebhookAddress& address;  // outlives the task
  std::string body;
  std::chrono::steady_clock::time_point deadline;
  // The server is told how long it has, as ?timeout=; 0: what is left, in whole seconds.
  std::chrono::seconds told_timeout{0};
  size_t most_answer_bytes = 4 << 20;
};

struct WebhookFailure {
  std::string message;  // as kube-apiserver says it after "failed to call webhook: "
  int code = 400;       // of the API's error that this is, for metrics: the server's own where it answered with one
  bool timed_out = false;
  bool before_call = false;  // the address or its TLS settings cannot be used
};

class WebhookClient {
 public:
  virtual ~WebhookClient() = default;
  // The body of an answer with a status from 200 to 206; may be empty.
  virtual base::Task<std::expected<std::string, WebhookFailure>> Post(base::Executor& executor, WebhookCall call) = 0;
};

}  // namespace exchange
