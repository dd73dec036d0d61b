#include "controllers/api_service_conditions.h"

#include <algorithm>

#include "base/text.h"
#include "registry/json_scan.h"
#include "registry/strategy.h"
#include "value/json_reader.h"
#include "value/quote.h"

namespace controllers {
namespace {

using base::Cat;
using value::Arena;
using value::Value;

registry::Condition Unavailable(std::string_view reason, std::string message) {
  return {.type = "Available", .status = "False", .reason = reason, .message = std::move(message)};
}

// The stored object as a tree; null where there is none.
Value Read(registry::Registry& registry, const registry::Resource& resource, std::string_view key, Arena& arena) {
  const store::Snapshot snapshot = registry.store().Latest(resource.storage->id);
  const store::Cell* cell = snapshot.Get(key);
  if (cell == nullptr || !cell->readable()) return {};
  const auto read = value::ReadJson(Value::Copy(arena, cell->bytes()).AsString(), arena);
  return read ? *read : Value();
}

}  // namespace

ApiServiceConditions::ApiServiceConditions(registry::Registry& registry, const base::Clock& clock,
                                           base::Executor& executor)
    : registry_(registry),
      clock_(clock),
      account_(registry, executor, "apiservice-status-available-controller"),
      api_services_(registry.resources()->FindEntry("apiregistration.k8s.io", "v1", "apiservices")),
      services_(registry.resources()->FindEntry("", "v1", "services")),
      endpoints_(registry.resources()->FindEntry("", "v1", "endpoints")),
      reconciler_(
          registry, clock, executor, {.watched = {api_services_, services_, endpoints_}},
          [this](WorkQueue& queue, const Reconciler::Change& change) { Notice(queue, change); },
          [this](std::string_view name) { return Work(name); }) {}

// There are few that name a service.
void ApiServiceConditions::Notice(WorkQueue& queue, const Reconciler::Change& change) const {
  if (change.watched == 0) return queue.Add(change.cell.key());
  const std::string_view key = change.cell.key();
  const size_t slash = key.find('/');
  const store::Snapshot snapshot = registry_.store().Latest(api_services_->storage->id);
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) {
    const std::string_view service = registry::FindJson(cell->bytes(), "spec.service");
    if (!service.starts_with('{')) continue;
    if (registry::PlainText(registry::FindJson(service, "namespace")) == key.substr(0, slash) &&
        registry::PlainText(registry::FindJson(service, "name")) == key.substr(slash + 1)) {
      queue.Add(cell->key());
    }
  }
}

std::optional<registry::Condition> ApiServiceConditions::Available(const Value& api_service) const {
  const Value reference = api_service.Get({"spec", "service"});
  if (!reference.is_object()) {
    return registry::Condition{
        .type = "Available", .status = "True", .reason = "Local", .message = "Local APIServices are always available"};
  }
  const std::string key = Cat(reference.GetString("namespace"), "/", reference.GetString("name"));
  const std::string named =
      Cat("service/", reference.GetString("name"), " in ", value::Quote(reference.GetString("namespace")));
  Arena arena;
  const Value service = Read(registry_, *services_, key, arena);
  if (service.is_null()) return Unavailable("ServiceNotFound", Cat(named, " is not present"));
  if (service.Get("spec").GetString("type") != "ClusterIP") return std::nullopt;
  const Value port = reference.Get("port");
  const int64_t number = port.is_int() ? port.AsInt() : 443;
  const auto ports = service.Get({"spec", "ports"}).items();
  const auto found = std::ranges::find_if(ports, [&](const Value& offered) {
    const Value offered_number = offered.Get("port");
    return offered_number.is_int() && offered_number.AsInt() == number;
  });
  if (found == ports.end()) {
    return Unavailable("ServicePortError", Cat(named, " is not listening on port ", std::to_string(number)));
  }
  return HasEndpoints(key, named, found->GetString("name"));
}

std::optional<registry::Condition> ApiServiceConditions::HasEndpoints(std::string_view key, std::string_view named,
                                                                      std::string_view port_name) const {
  Arena arena;
  const Value endpoints = Read(registry_, *endpoints_, key, arena);
  if (endpoints.is_null()) return Unavailable("EndpointsNotFound", Cat("cannot find endpoints for ", named));
  for (const Value& subset : endpoints.Get("subsets").items()) {
    if (subset.Get("addresses").empty()) continue;
    const auto is_port = [&](const Value& port) { return port.GetString("name") == port_name; };
    if (std::ranges::any_of(subset.Get("ports").items(), is_port)) return std::nullopt;
  }
  return Unavailable("MissingEndpoints",
                     Cat("endpoints for ", named, " have no addresses with port name ", value::Quote(port_name)));
}

base::Task<WorkQueue::Outcome> ApiServiceConditions::Work(std::string_view name) {
  using enum WorkQueue::Outcome;
  Arena arena;
  const Value api_service = Read(registry_, *api_services_, name, arena);
  if (api_service.is_null()) co_return kDone;
  const std::optional<registry::Condition> condition = Available(api_service);
  if (!condition || registry::HasCondition(api_service.Get({"status", "conditions"}), *condition)) co_return kDone;
  const std::string uid(api_service.Get("metadata").GetString("uid"));
  const auto say = [&](const Value& object, Arena& object_arena) {
    const std::optional<registry::Condition> now = Available(object);
    if (!now) return;
    Value status = object.Get("status");
    if (!status.is_object()) {
      status = Value::Object(object_arena, 1);
      object.Set(object_arena, "status", status);
    }
    registry::SetCondition(status, *now, registry::TimeText(clock_.Now()), object_arena);
  };
  const auto written = co_await account_.Update({.resource = *api_services_,
                                                 .key = {"", name},
                                                 .subresource = "status",
                                                 .uid = uid,
                                                 .field_manager = "kube-apiserver"},
                                                say);
  co_return written || written.error().code == 404 || written.error().code == 409 ? kDone : kRetry;
}

}  // namespace controllers
