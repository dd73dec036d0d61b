// Connections: what leads through the server to nodes, pods and services (exec, attach, portforward, proxy), and logs.
// They are answered as far as that needs no node: names, containers and addresses are looked up as for a connection,
// and where one would be opened the answer is 503, for this server does not reach nodes.
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "base/text.h"
#include "handlers/options.h"
#include "handlers/respond.h"
#include "handlers/subresources/subresources.h"
#include "handlers/subresources/virtual_resource.h"
#include "handlers/views.h"
#include "registry/stored_form.h"
#include "registry/versions.h"
#include "schema/text_forms.h"

namespace handlers {

namespace {

using value::Arena;
using value::Value;
using Type = api::FieldError::Type;

// "name", "name:port" or "scheme:name:port".
struct Target {
  std::string_view scheme, name, port;
};

std::optional<Target> ParseTarget(std::string_view id) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t colon = std::min(id.find(':'), id.size());
    parts.push_back(id.substr(0, colon));
    if (colon == id.size()) break;
    id.remove_prefix(colon + 1);
  }
  Target target;
  if (parts.size() == 1) target = {"", parts[0], ""};
  if (parts.size() == 2) target = {"", parts[0], parts[1]};
  if (parts.size() == 3) target = {parts[0], parts[1], parts[2]};
  const bool known = target.scheme.empty() || target.scheme == "http" || target.scheme == "https";
  if (parts.size() > 3 || target.name.empty() || !known) return std::nullopt;
  return target;
}

// The stored object, in a tree of the arena's.
base::Task<api::Result<Value>> Read(const Scope& scope, std::string_view plural, registry::Key key, Arena& arena) {
  const registry::Resource* resource = scope.resources.Find("", "v1", plural);
  registry::Call call = scope.call();
  auto cell = co_await scope.services.registry.Get(call, *resource, key, {});
  if (!cell) co_return std::unexpected(std::move(cell.error()));
  auto object = registry::DecodeStored(*resource, **cell, arena);
  if (!object) co_return std::unexpected(std::move(object.error()));
  co_return value::DeepCopy(arena, *object);
}

// A node's kubelet is where a connection would begin: an error in any case.
base::Task<api::Error> ReachNode(const Scope& scope, std::string_view name, Arena& arena) {
  auto node = co_await Read(scope, "nodes", {"", name}, arena);
  if (!node) {  // which is named by what the request is about
    if (node.error().code != 404) co_return std::move(node.error());
    co_return api::NotFound(scope.resource.group_resource(), name);
  }
  const Value addresses = node->Get({"status", "addresses"});
  if (addresses.empty()) co_return api::Generic(500, "no preferred addresses found; known addresses: []");
  co_return api::ServiceUnavailable(base::Cat("the kubelet of node ", name, " is not reached from here"));
}

// The container that is meant: the one that is asked for, or the only one.
api::Result<> CheckContainer(const Value& pod, std::string_view asked) {
  const std::string_view name = pod.Get("metadata").GetString("name");
  const Value containers = pod.Get({"spec", "containers"});
  if (asked.empty() && containers.size() == 1) return {};
  if (asked.empty() && containers.empty()) {
    return api::Fail(api::BadRequest(base::Cat("a container name must be specified for pod ", name)));
  }
  std::string names;
  for (std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const Value& container : pod.Get({"spec", list}).items()) {
      if (!asked.empty() && container.GetString("name") == asked) return {};
      base::Append(names, names.empty() ? "" : " ", container.GetString("name"));
    }
  }
  if (!asked.empty()) {
    return api::Fail(api::BadRequest(base::Cat("container ", asked, " is not valid for pod ", name)));
  }
  return api::Fail(api::BadRequest(
      base::Cat("a container name must be specified for pod ", name, ", choose one of: [", names, "]")));
}

// Ports to forward, which may stand in one list.
api::Result<> CheckPorts(const api::Query& query) {
  for (std::string_view list : query.All("ports")) {
    while (true) {
      const size_t comma = std::min(list.find(','), list.size());
      const std::string_view port = list.substr(0, comma);
      const auto number = registry::ParseUnsigned(port);
      const bool in_range = number && *number <= std::numeric_limits<uint16_t>::max();
      if (port.empty() || !in_range) {
        const std::string_view why = port.empty() || !number ? ": invalid syntax" : ": value out of range";
        return api::Fail(api::BadRequest(
            base::Cat("cannot convert to []int32: strconv.ParseUint: parsing ", api::Quote(port), why)));
      }
      if (comma == list.size()) break;
      list.remove_prefix(comma + 1);
    }
  }
  return {};
}

// exec, attach and portforward.
Answer Connect(const Scope& scope, std::string_view) {
  Arena arena;
  if (auto ports = CheckPorts(scope.query()); scope.subresource->name == "portforward" && !ports) {
    co_return std::unexpected(std::move(ports.error()));
  }
  if (auto admitted = co_await AdmitConnect(scope, arena); !admitted) {
    co_return std::unexpected(std::move(admitted.error()));
  }
  auto pod = co_await Read(scope, "pods", scope.key(), arena);
  if (!pod) co_return std::unexpected(std::move(pod.error()));
  if (scope.subresource->name != "portforward") {
    if (auto found = CheckContainer(*pod, scope.query().Get("container")); !found) {
      co_return std::unexpected(std::move(found.error()));
    }
  }
  const std::string_view node = pod->Get("spec").GetString("nodeName");
  if (node.empty()) {
    co_return api::Fail(api::BadRequest(base::Cat("pod ", scope.name, " does not have a host assigned")));
  }
  co_return api::Fail(co_await ReachNode(scope, node, arena));
}

// Which part of a pod's log is asked for.
struct LogRange {
  std::optional<int64_t> since_seconds, tail_lines, limit_bytes;
  bool has_since_time = false;
};

// In the order of the parameters in the options' type.
api::Result<LogRange> ParseLogRange(const api::Query& query) {
  LogRange range;
  const auto number = [&](std::string_view name, std::optional<int64_t>& out) -> api::Result<> {
    if (!query.Has(name)) return {};
    auto parsed = ParseQueryInt(query.Get(name));
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    out = *parsed;
    return {};
  };
  if (auto seconds = number("sinceSeconds", range.since_seconds); !seconds) return std::unexpected(seconds.error());
  range.has_since_time = query.Has("sinceTime");
  if (const std::string_view since = query.Get("sinceTime"); !since.empty() && since != "null") {
    auto time = schema::ParseTime(since, schema::TimeForm::kSeconds);
    if (!time) return api::Fail(api::BadRequest(std::move(time.error())));
  }
  if (auto lines = number("tailLines", range.tail_lines); !lines) return std::unexpected(lines.error());
  if (auto bytes = number("limitBytes", range.limit_bytes); !bytes) return std::unexpected(bytes.error());
  return range;
}

// What of the container's output is asked for, where the gate lets one choose.
void CheckLogStream(const Scope& scope, bool has_tail, api::FieldErrors& errors) {
  const api::Query& query = scope.query();
  if (!scope.resource.features.Has(api::Feature::kPodLogsQuerySplitStreams)) {
    if (query.Has("stream")) errors.push_back({Type::kForbidden, "stream", "", "may not be specified"});
    return;
  }
  const std::string_view stream = query.Has("stream") ? query.Get("stream") : "All";
  if (stream != "All" && stream != "Stdout" && stream != "Stderr") {
    errors.push_back(
        {Type::kNotSupported, "stream", api::Quote(stream), R"(supported values: "All", "Stderr", "Stdout")"});
  }
  if (stream != "All" && has_tail) {
    errors.push_back({Type::kForbidden, "[]", "", "`tailLines` and specific `stream` are mutually exclusive for now"});
  }
}

api::Result<> CheckLogOptions(const Scope& scope) {
  const auto range = ParseLogRange(scope.query());
  if (!range) return std::unexpected(range.error());
  api::FieldErrors errors;
  const auto check = [&](std::string_view name, std::optional<int64_t> number, int64_t least, std::string_view why) {
    if (!number || *number >= least) return;
    errors.push_back({Type::kInvalid, std::string(name), std::to_string(*number), std::string(why)});
  };
  check("tailLines", range->tail_lines, 0, "must be greater than or equal to 0");
  check("limitBytes", range->limit_bytes, 1, "must be greater than 0");
  if (range->since_seconds && range->has_since_time) {
    // The real server's path has one nameless step.
    errors.push_back({Type::kForbidden, "[]", "", "at most one of `sinceTime` or `sinceSeconds` may be specified"});
  } else {
    check("sinceSeconds", range->since_seconds, 1, "must be greater than 0");
  }
  CheckLogStream(scope, range->tail_lines.has_value(), errors);
  if (errors.empty()) return {};
  return api::Fail(api::Invalid({"", "PodLogOptions"}, scope.name, errors));
}

Answer Log(const Scope& scope, std::string_view) {
  Arena arena;
  // In no such type is it answered, but one must be taken.
  auto output = Negotiate(scope.request(), scope.query(), scope.offer());
  if (!output) co_return std::unexpected(std::move(output.error()));
  if (auto good = CheckLogOptions(scope); !good) co_return std::unexpected(std::move(good.error()));
  auto pod = co_await Read(scope, "pods", scope.key(), arena);
  if (!pod) co_return std::unexpected(std::move(pod.error()));
  if (auto found = CheckContainer(*pod, scope.query().Get("container")); !found) {
    co_return std::unexpected(std::move(found.error()));
  }
  const std::string_view node = pod->Get("spec").GetString("nodeName");
  if (!node.empty()) co_return api::Fail(co_await ReachNode(scope, node, arena));
  if (output->view == View::kPartialObjectList) co_return api::Fail(NoObjectView("rest", "LocationStreamer"));
  if (output->view == View::kPartialObject)
    co_return api::Fail(api::Generic(500, "object does not implement the Object interfaces"));
  exchange::Response nothing;
  nothing.status = 204;
  co_return nothing;
}

std::unexpected<api::Error> BadTarget(std::string_view kind, std::string_view id) {
  return api::Fail(api::BadRequest(base::Cat("invalid ", kind, " request ", api::Quote(id))));
}

Answer ProxyPod(const Scope& scope, std::string_view) {
  Arena arena;
  if (auto admitted = co_await AdmitConnect(scope, arena); !admitted) {
    co_return std::unexpected(std::move(admitted.error()));
  }
  const auto target = ParseTarget(scope.name);
  if (!target) co_return BadTarget("pod", scope.name);
  auto pod = co_await Read(scope, "pods", {scope.namespace_name, target->name}, arena);
  if (!pod) co_return std::unexpected(std::move(pod.error()));
  if (pod->Get("status").GetString("podIP").empty()) co_return api::Fail(api::BadRequest("address not allowed"));
  co_return api::Fail(api::ServiceUnavailable(base::Cat("pod ", target->name, " is not reached from here")));
}

Answer ProxyNode(const Scope& scope, std::string_view) {
  Arena arena;
  if (auto admitted = co_await AdmitConnect(scope, arena); !admitted) {
    co_return std::unexpected(std::move(admitted.error()));
  }
  const auto target = ParseTarget(scope.name);
  if (!target) co_return BadTarget("node", scope.name);
  co_return api::Fail(co_await ReachNode(scope, target->name, arena));
}

// The name of the service's port of that number; null where there is none.
std::optional<std::string_view> PortName(const Value& service, int64_t number) {
  for (const Value& port : service.Get({"spec", "ports"}).items()) {
    if (port.Get("port").is_int() && port.Get("port").AsInt() == number) return port.GetString("name");
  }
  return std::nullopt;
}

bool HasReadyPort(const Value& endpoints, std::string_view port_name) {
  for (const Value& subset : endpoints.Get("subsets").items()) {
    if (subset.Get("addresses").empty()) continue;
    for (const Value& port : subset.Get("ports").items()) {
      if (port.GetString("name") == port_name) return true;
    }
  }
  return false;
}

Answer ProxyService(const Scope& scope, std::string_view) {
  Arena arena;
  if (auto admitted = co_await AdmitConnect(scope, arena); !admitted) {
    co_return std::unexpected(std::move(admitted.error()));
  }
  const auto target = ParseTarget(scope.name);
  if (!target) co_return BadTarget("service", scope.name);
  std::string_view port_name = target->port;
  if (const auto number = ParseQueryInt(target->port); number) {
    auto service = co_await Read(scope, "services", {scope.namespace_name, target->name}, arena);
    if (!service) co_return std::unexpected(std::move(service.error()));
    const auto found = PortName(*service, *number);
    if (!found) {
      co_return api::Fail(api::ServiceUnavailable(
          base::Cat("no service port ", *number, " found for service ", api::Quote(target->name))));
    }
    port_name = *found;
  }
  auto endpoints = co_await Read(scope, "endpoints", {scope.namespace_name, target->name}, arena);
  if (!endpoints) {  // which are named by what the request is about
    if (endpoints.error().code != 404) co_return std::unexpected(std::move(endpoints.error()));
    co_return api::Fail(api::NotFound(scope.resource.group_resource(), target->name));
  }
  const bool any = !endpoints->Get("subsets").empty();
  if (!any || !HasReadyPort(*endpoints, port_name)) {
    co_return api::Fail(api::ServiceUnavailable(
        base::Cat("no endpoints available for service ", api::Quote(any ? scope.name : target->name))));
  }
  co_return api::Fail(api::ServiceUnavailable(base::Cat("service ", target->name, " is not reached from here")));
}

}  // namespace

void AddConnections(Subresources& subresources) {
  for (std::string_view name : {"exec", "attach", "portforward"}) subresources.Add("", "pods", name, Connect);
  subresources.Add("", "pods", "log", Log);
  subresources.Add("", "pods", "proxy", ProxyPod);
  subresources.Add("", "nodes", "proxy", ProxyNode);
  subresources.Add("", "services", "proxy", ProxyService);
}

}  // namespace handlers
