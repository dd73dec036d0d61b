// Scope: what every verb works with: the exchange, the services behind it, and the resource, subresource and key that
// its path names. Made by the Router on the stack of the request's task, passed by reference down to the verb; lives as
// long as the task.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/error.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/task.h"
#include "exchange/exchange.h"
#include "handlers/negotiation.h"
#include "registry/registry.h"
#include "registry/resource_table.h"

namespace handlers {

class ReplacedResources;
class Subresources;

struct Settings {
  bool cbor = false;                                   // gate CBORServingAndStorage
  bool unsafe_deletion = false;                        // gate AllowUnsafeMalformedObjectDeletion
  bool watch_lists = true;                             // gate WatchList
  size_t body_limit = 3 * 1024 * 1024;                 // bytes; more is 413
  std::chrono::seconds min_request_timeout{1800};      // a watch without timeoutSeconds ends after once to twice this
  std::chrono::milliseconds bookmark_interval{60000};  // between bookmarks of an idle watch
};

// Whether the user of a request may do `verb` to the object that it names: the reason why not, nullopt where he may.
using RightCheck = std::function<std::optional<std::string>(const api::RequestContext&, std::string_view verb)>;

// Outlives every request.
struct Dependencies {
  registry::Registry& registry;
  const base::Clock& clock;
  base::Random& random;
  const Subresources& subresources;
  Settings settings;
  ReplacedResources* replaced = nullptr;  // null: watches of custom resources outlive changes of their definitions
  RightCheck check_right;                 // asked for what the verb of a request does not cover; empty: nobody may
};

struct Scope {
  exchange::Exchange& exchange;
  const Dependencies& services;
  const registry::ResourceTable& resources;  // what was served when the request began
  const registry::Resource& resource;        // one of them
  const registry::Subresource* subresource = nullptr;
  std::string_view namespace_name;                      // "": cluster-scoped, or all namespaces
  std::string_view name;                                // "": the collection
  std::string_view rest;                                // the path below a subresource that connects
  bool deprecated_watch = false;                        // came by /watch/
  registry::PendingConversions* conversions = nullptr;  // what the request waits for beside its object

  const exchange::Request& request() const { return exchange.request(); }
  const api::Query& query() const { return exchange.context().query; }
  api::RequestContext& context() const { return exchange.context(); }
  registry::Key key() const { return {namespace_name, name}; }
  // The resource for what outlives the request's task: an answer's body.
  registry::ResourceRef entry() const { return resources.FindEntry(resource.group, resource.version, resource.plural); }
  registry::Call call() const {
    return {exchange.context(), exchange.executor(), exchange.context().warnings, resources, conversions};
  }

  Offer offer(bool stream_types = false) const {
    bool has_views = resource.storage != nullptr || resource.HasVerb("list");
    return {.protobuf = resource.custom || (resource.type != nullptr && resource.type->has_wire),
            .cbor = services.settings.cbor,
            .stream_types = stream_types,
            .table = has_views && (subresource == nullptr || subresource->table),
            .partial_object = true,
            .text = subresource != nullptr && subresource->name == "log",
            .routed = !resource.custom,
            .protobuf_views_only = resource.custom};
  }
};

// What a verb gives: an answer, or an error that the Router answers in the negotiated type.
using Answer = base::Task<api::Result<exchange::Response>>;

}  // namespace handlers
