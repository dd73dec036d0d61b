// What the handlers' tests stand on: a router over the registry's fixture, asked by plain requests and read to the end.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/endpoints/endpoints.h"
#include "handlers/router.h"
#include "handlers/subresources/subresources.h"
#include "registry/registry_fixture.h"

namespace handlers {

// Timers run when the test says so; posted work runs on the thread that waits.
class TestExecutor : public base::Executor {
 public:
  explicit TestExecutor(registry::LoopExecutor& loop) : loop_(loop) {}
  void Post(base::Work work) override { loop_.Post(std::move(work)); }
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds delay, base::Work work) override {
    auto timer = std::make_unique<Pending>(*this, delay, std::move(work));
    timers_.push_back(timer.get());
    return timer;
  }
  // Runs every timer that was set, once.
  void Fire() {
    for (Pending* timer : std::vector<Pending*>(timers_)) {
      if (std::ranges::find(timers_, timer) == timers_.end()) continue;
      std::erase(timers_, timer);
      base::Work work = std::move(timer->work);
      work();
    }
  }
  std::chrono::milliseconds shortest() const {
    auto least = std::chrono::milliseconds::max();
    for (const Pending* timer : timers_) least = std::min(least, timer->delay);
    return least;
  }

 private:
  struct Pending : base::Timer {
    Pending(TestExecutor& owner, std::chrono::milliseconds d, base::Work w)
        : executor(owner), delay(d), work(std::move(w)) {}
    ~Pending() override { Cancel(); }
    void Cancel() override { std::erase(executor.timers_, this); }
    TestExecutor& executor;
    std::chrono::milliseconds delay;
    base::Work work;
  };
  registry::LoopExecutor& loop_;
  std::vector<Pending*> timers_;
};

struct TestAnswer {
  int status = 0;
  std::string type, body;
  bool is_stream = false;
};

class Fixture : public registry::Fixture {
 public:
  Fixture() : timers(executor) {
    for (registry::Resource* resource : {namespaces, configmaps, pods, deployments, events}) {
      resource->verbs = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
      resource->list_kind = resource->kind + "List";
      resource->list_type = schema::FindKind(resource->group, resource->version, resource->list_kind);
    }
    namespaces->verbs = {"create", "delete", "get", "list", "patch", "update", "watch"};
    deployments->subresources.clear();
    registry::Subresource& status = deployments->subresources.emplace_back();
    status = {.name = "status",
              .verbs = {"get", "patch", "update"},
              .group = "apps",
              .version = "v1",
              .kind = "Deployment",
              .type = deployments->type};
    registry::Subresource& scale = deployments->subresources.emplace_back();
    scale = {.name = "scale",
             .verbs = {"get", "patch", "update"},
             .group = "autoscaling",
             .version = "v1",
             .kind = "Scale",
             .type = schema::FindKind("autoscaling", "v1", "Scale")};
    AddScales(subresources);
    services = std::make_unique<Dependencies>(*registry, clock, base::SystemRandom(), subresources, Settings{});
    discovery = Sync([](exchange::Exchange&) { return exchange::Response{.status = 299}; });
    router = std::make_unique<Router>(*services, endpoints, *discovery);
  }

  exchange::Request NewRequest(std::string method, std::string_view target, std::string body = "",
                               std::vector<std::pair<std::string, std::string>> headers = {}) {
    exchange::Request asked;
    asked.method = std::move(method);
    size_t question = target.find('?');
    asked.path = target.substr(0, question);
    if (question != std::string_view::npos) asked.raw_query = target.substr(question + 1);
    if (!body.empty()) asked.headers.Add("content-length", std::to_string(body.size()));
    for (auto& [name, value] : headers) asked.headers.Add(std::move(name), std::move(value));
    asked.body = std::move(body);
    return asked;
  }

  exchange::Response Send(exchange::Request asked) {
    exchange::Exchange exchange(std::move(asked), timers);
    api::RequestContext& context = exchange.context();
    context.query = api::Query::Parse(exchange.request().raw_query);
    bool failed = false;
    context.info = api::ParseRequestInfo(exchange.request().method, exchange.request().path, context.query, &failed);
    exchange::Response response = executor.Run(router->Handle(exchange));
    sent_warnings = context.warnings;
    return response;
  }

  // The whole answer; a watch is read until it waits.
  TestAnswer Ask(std::string method, std::string_view target, std::string body = "",
                 std::vector<std::pair<std::string, std::string>> headers = {}) {
    exchange::Response response = Send(NewRequest(std::move(method), target, std::move(body), std::move(headers)));
    TestAnswer answer{.status = response.status, .type = std::string(response.headers.Get("content-type"))};
    std::vector<base::Slice> slices;
    if (auto* whole = std::get_if<std::vector<base::Slice>>(&response.body)) {
      slices = std::move(*whole);
    } else {
      answer.is_stream = true;
      auto& body_source = std::get<std::unique_ptr<exchange::BodySource>>(response.body);
      body_source->SetWaker([] {});
      while (body_source->Pull(4096, slices) == exchange::BodySource::State::kMore) {
      }
    }
    for (const base::Slice& slice : slices) answer.body += slice.data;
    return answer;
  }

  TestExecutor timers;
  Subresources subresources;
  std::unique_ptr<Dependencies> services;
  Endpoints endpoints;
  std::shared_ptr<exchange::Handler> discovery;
  std::unique_ptr<Router> router;
  std::vector<std::string> sent_warnings;
};

// A watch that stays open.
class OpenWatch {
 public:
  OpenWatch(Fixture& fixture, std::string_view target, std::vector<std::pair<std::string, std::string>> headers = {}) {
    exchange::Response response = fixture.Send(fixture.NewRequest("GET", target, "", std::move(headers)));
    status = response.status;
    auto* source = std::get_if<std::unique_ptr<exchange::BodySource>>(&response.body);
    if (source == nullptr) return;
    body_ = std::move(*source);
    body_->SetWaker([this] { woken = true; });
  }
  // What came since the last call.
  std::string Read() {
    std::vector<base::Slice> slices;
    exchange::BodySource::State state;
    do {
      state = body_->Pull(4096, slices);
    } while (state == exchange::BodySource::State::kMore);
    ended = state == exchange::BodySource::State::kEnd;
    std::string text;
    for (const base::Slice& slice : slices) text += slice.data;
    return text;
  }
  int status = 0;
  bool ended = false;
  std::atomic<bool> woken = false;

 private:
  std::unique_ptr<exchange::BodySource> body_;
};

}  // namespace handlers
