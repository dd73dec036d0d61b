#include "pipeline/flowcontrol/flow_control.h"

namespace pipeline {
namespace {

// One running request; no longer counted when this is gone, however it ended.
class Counted {
 public:
  explicit Counted(std::atomic<int>& running) : running_(running) {}
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { running_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<int>& running_;
};

bool IsMutating(std::string_view verb) { return verb != "get" && verb != "list" && verb != "watch"; }

}  // namespace

bool FlowControl::Classify(exchange::Exchange& exchange) const {
  api::RequestContext& context = exchange.context();
  const bool master = context.user.InGroup("system:masters");
  const std::shared_ptr<const FlowSchemas> schemas = schemas_.Load();
  if (!schemas) return master;
  const FlowSchemas::Flow flow = schemas->Classify(context.user, context.info);
  if (flow.level == nullptr) return master;
  context.response_headers.emplace_back("x-kubernetes-pf-flowschema-uid", flow.schema_uid);
  context.response_headers.emplace_back("x-kubernetes-pf-prioritylevel-uid", flow.level->uid);
  return master || flow.level->exempt;
}

base::Task<exchange::Response> FlowControl::Handle(exchange::Exchange& exchange) {
  const api::RequestInfo& info = exchange.context().info;
  const bool is_watch = info.verb == "watch";
  if (!is_watch && IsLongRunning(info)) return next_.Handle(exchange);
  const bool exempt = Classify(exchange);
  if (is_watch) return next_.Handle(exchange);
  const bool is_mutating = IsMutating(info.verb);
  std::atomic<int>& running = is_mutating ? mutating_ : reading_;
  const int limit = is_mutating ? limits_.mutating : limits_.reading;
  if (running.fetch_add(1, std::memory_order_relaxed) < limit || limit == 0 || exempt) {
    return HandleCounted(exchange, running);
  }
  running.fetch_sub(1, std::memory_order_relaxed);
  exchange::Response refusal = PlainText(429, "Too many requests, please try again later.");
  refusal.headers.Add("retry-after", "1");
  return Ready(std::move(refusal));
}

base::Task<exchange::Response> FlowControl::HandleCounted(exchange::Exchange& exchange, std::atomic<int>& running) {
  const Counted counted(running);
  co_return co_await next_.Handle(exchange);
}

}  // namespace pipeline
