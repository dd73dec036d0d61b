#include "handlers/watch.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "handlers/watch_body.h"
#include "handlers/websocket.h"

namespace handlers {

namespace {

// A watch without an end of its own lasts once to twice the least.
std::chrono::milliseconds RandomTimeout(const Dependencies& services) {
  uint32_t random = 0;
  services.random.Fill(reinterpret_cast<uint8_t*>(&random), sizeof random);
  std::chrono::milliseconds least = services.settings.min_request_timeout;
  return least + std::chrono::milliseconds(least.count() * (random >> 8) >> 24);
}

// One to three seconds until a client comes again, so that those who wait do not all come at once.
int RandomRetry(const Dependencies& services) {
  uint8_t random = 0;
  services.random.Fill(&random, sizeof random);
  return 1 + random % 3;
}

std::chrono::milliseconds TimeoutOf(const Dependencies& services, const ListParameters& parameters) {
  constexpr int64_t kMost = 365 * 24 * 3600;
  int64_t seconds = parameters.timeout_seconds.value_or(0);
  if (seconds == 0) return RandomTimeout(services);
  return std::chrono::seconds(std::clamp<int64_t>(seconds, 0, kMost));
}

// A path that names one object narrows the watch to it.
api::Result<> NarrowToName(const Scope& scope, ListParameters& parameters) {
  if (scope.name.empty()) return {};
  if (parameters.fields.empty()) {
    parameters.fields.terms().push_back({.field = "metadata.name", .value = std::string(scope.name), .equal = true});
    return {};
  }
  const std::string* selected = parameters.fields.RequiresExact("metadata.name");
  if (selected != nullptr && *selected == scope.name) return {};
  return api::Fail(api::BadRequest("fieldSelector metadata.name doesn't match requested name"));
}

// The part of the collection that can matter to these selectors.
store::WatchOptions OptionsOf(const Scope& scope, const api::FieldSelector& fields) {
  const registry::Resource& resource = scope.resource;
  store::WatchOptions options{.collection = resource.storage->id};
  const std::string* name = fields.RequiresExact("metadata.name");
  std::string_view namespace_name = scope.namespace_name;
  if (const std::string* selected = fields.RequiresExact("metadata.namespace");
      selected != nullptr && namespace_name.empty()) {
    namespace_name = *selected;
  }
  if (resource.namespaced && !namespace_name.empty()) options.prefix = base::Cat(namespace_name, "/");
  if (name != nullptr && !name->empty() && (!resource.namespaced || !options.prefix.empty())) {
    options.prefix += *name;
    options.exact_key = true;
  }
  std::string_view indexed = resource.strategy->facts().index_selector;
  if (indexed.empty()) return options;
  if (const std::string* value = fields.RequiresExact(indexed); value != nullptr && !value->empty())
    options.index = *value;
  return options;
}

// Where the plan begins: at the version that was asked for, with the state at one, or at now. Why the state cannot be
// had is an event.
base::Task<void> SetStart(const Scope& scope, const ListParameters& parameters, WatchPlan& plan) {
  registry::Registry& registry = scope.services.registry;
  bool at_no_version = plan.options.after == store::Revision(0);
  if (!parameters.send_initial_events.value_or(at_no_version)) {
    if (at_no_version) plan.options.after = registry.store().revision();
    co_return;
  }
  registry::Call call = scope.call();
  registry::ListOptions list{.version = {parameters.resource_version, at_no_version ? "" : "NotOlderThan"},
                             .labels = parameters.labels,
                             .fields = parameters.fields};
  auto initial = co_await registry.List(call, scope.resource, scope.namespace_name, list);
  if (!initial) {
    plan.error = std::move(initial.error());
    // A read that does not wait for its version says nothing about coming again; a watch does.
    int& retry = plan.error->details.retry_after_seconds;
    if (plan.error->code == 504 && retry == 0) retry = RandomRetry(scope.services);
    co_return;
  }
  plan.options.after = initial->revision();
  plan.initial = std::move(*initial);
}

}  // namespace

Answer ServeWatch(const Scope& scope, ListParameters parameters) {
  Offer offer = scope.offer(/*stream_types=*/true);
  if (parameters.is_watch_list()) offer.table = false;
  auto output = Negotiate(scope.request(), scope.query(), offer);
  if (!output) co_return std::unexpected(std::move(output.error()));
  if (auto known = registry::Registry::CheckSelector(scope.resource, parameters.fields); !known) {
    co_return std::unexpected(std::move(known.error()));
  }
  if (auto narrowed = NarrowToName(scope, parameters); !narrowed)
    co_return std::unexpected(std::move(narrowed.error()));
  if (!scope.resource.HasVerb("watch")) {
    co_return api::Fail(api::MethodNotSupported(scope.resource.group_resource(), "watch"));
  }
  auto version = registry::Registry::ParseVersion(parameters.resource_version);
  if (!version) co_return std::unexpected(std::move(version.error()));
  IncludeObject include = IncludeObject::kMetadata;
  if (output->view == View::kTable) {
    auto asked = ParseIncludeObject(scope.query());
    if (!asked) co_return std::unexpected(std::move(asked.error()));
    include = *asked;
  }
  auto stream = NegotiateStream(scope.request(), scope.query(), offer);
  if (!stream) co_return std::unexpected(std::move(stream.error()));

  WatchPlan plan{.resource = scope.entry(),
                 .form = {.output = *stream, .include = include},
                 .options = OptionsOf(scope, parameters.fields),
                 .bookmarks = parameters.bookmarks,
                 .marks_initial_end = parameters.is_watch_list(),
                 .timeout = TimeoutOf(scope.services, parameters)};
  plan.options.after = *version;
  co_await SetStart(scope, parameters, plan);
  plan.labels = std::move(parameters.labels);
  plan.fields = std::move(parameters.fields);

  auto body = MakeWatchBody(scope.services, scope.exchange.executor(), std::move(plan));
  if (IsWebSocketRequest(scope.request()))
    co_return UpgradeToWebSocket(scope.request(), stream->encoding, std::move(body));
  exchange::Response response;
  response.headers.Add("content-type", std::string(StreamMediaType(stream->encoding)));
  response.is_watch = true;
  response.body = std::move(body);
  co_return response;
}

}  // namespace handlers
