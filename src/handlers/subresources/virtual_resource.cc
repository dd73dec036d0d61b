#include "handlers/subresources/virtual_resource.h"
#include "handlers/audit_bodies.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "handlers/respond.h"
#include "handlers/views.h"
#include "registry/field_manager.h"
#include "registry/object_meta.h"
#include "registry/strategy.h"

namespace handlers {
namespace {

std::string_view SubresourceName(const Scope& scope) {
  return scope.subresource != nullptr ? std::string_view(scope.subresource->name) : std::string_view();
}

// Everything before admission, in the real server's order.
api::Result<VirtualResource> Read(const Scope& scope, const BodyKind& wanted, value::Arena& arena) {
  Offer offer = scope.offer();
  offer.table = false;
  auto output = Negotiate(scope.request(), scope.query(), offer);
  if (!output) return std::unexpected(std::move(output.error()));
  if (auto readable = CheckBodyType(scope, wanted); !readable) return std::unexpected(std::move(readable.error()));
  if (auto fits = CheckBodySize(scope); !fits) return std::unexpected(std::move(fits.error()));
  auto parameters = ParseWriteParameters(scope.query(), WriteKind::kCreate);
  if (!parameters) return std::unexpected(std::move(parameters.error()));
  auto body = ReadBody(scope, wanted, parameters->field_validation, arena);
  if (!body) return std::unexpected(std::move(body.error()));
  if (auto same = CheckBodyVersion(*body, wanted); !same) return std::unexpected(std::move(same.error()));
  AuditRequestObject(scope, wanted, *body);
  if (auto matches = MatchNamespace(scope, body->object, arena); !matches) {
    return std::unexpected(std::move(matches.error()));
  }
  return VirtualResource{.output = std::move(*output), .parameters = std::move(*parameters), .object = body->object};
}

// Who is recorded as the owner of its fields, as if it were stored.
void Track(const Scope& scope, const BodyKind& kind, const VirtualResource& posted, value::Arena& arena) {
  static const auto nothing_reset = std::make_shared<const registry::TableStrategy>(registry::StrategyTable{});
  const registry::Resource own{.group = std::string(kind.group),
                               .version = std::string(kind.version),
                               .type = kind.type,
                               .strategy = nothing_reset};
  const std::string manager =
      FieldManagerOrUserAgent(posted.parameters.field_manager, scope.request().headers.Get("user-agent"));
  const registry::FieldManager ownership(scope.resources, scope.subresource != nullptr ? own : scope.resource,
                                         SubresourceName(scope), arena);
  ownership.Track(arena.CopyString(manager), arena.CopyString(NowText(scope.services.clock)), nullptr, posted.object);
}

registry::AdmissionRequest Creation(const Scope& scope, registry::Call& call, const VirtualResource& posted,
                                    value::Arena& arena) {
  return {.call = call,
          .resource = scope.resource,
          .subresource = SubresourceName(scope),
          .operation = registry::Operation::kCreate,
          .key = scope.key(),
          .object = posted.object,
          .dry_run = posted.parameters.dry_run,
          .arena = arena};
}

// What stands behind the subresource in the path, with its slashes.
std::string ConnectPath(const Scope& scope) {
  std::string path = scope.rest.empty() ? std::string() : base::Cat("/", scope.rest);
  if (scope.context().info.path.ends_with('/') && !path.ends_with('/')) path += '/';
  return path;
}

// What a connection's path and query ask for, as the options of its kind.
value::Value ConnectOptions(const Scope& scope, value::Arena& arena) {
  const api::Query& query = scope.query();
  const value::Value made = value::Value::Object(arena, 8);
  made.Add(arena, "kind", value::Value::String(scope.subresource->kind));
  made.Add(arena, "apiVersion", value::Value::String(scope.subresource->version));
  if (scope.subresource->name == "proxy") {
    const std::string path = ConnectPath(scope);
    if (!path.empty()) made.Add(arena, "path", value::Value::Copy(arena, path));
    return made;
  }
  if (scope.subresource->name == "portforward") {
    const value::Value ports = value::Value::Array(arena, 2);
    for (std::string_view list : query.All("ports")) {
      while (!list.empty()) {
        const size_t comma = std::min(list.find(','), list.size());
        if (const auto number = api::ParseInt64(list.substr(0, comma))) {
          ports.Append(arena, value::Value::Int(*number));
        }
        list.remove_prefix(std::min(comma + 1, list.size()));
      }
    }
    if (!ports.empty()) made.Add(arena, "ports", ports);
    return made;
  }
  for (const std::string_view flag : {"stdin", "stdout", "stderr", "tty"}) {
    if (query.Has(flag) && ParseQueryBool(query.Get(flag))) made.Add(arena, flag, value::Value::Bool(true));
  }
  if (const std::string_view container = query.Get("container"); !container.empty()) {
    made.Add(arena, "container", value::Value::Copy(arena, container));
  }
  if (scope.subresource->name != "exec" || !query.Has("command")) return made;
  const value::Value command = value::Value::Array(arena, 4);
  for (const std::string_view word : query.All("command")) command.Append(arena, value::Value::Copy(arena, word));
  made.Add(arena, "command", command);
  return made;
}

}  // namespace

base::Task<api::Result<VirtualResource>> ReadVirtualResource(const Scope& scope, const BodyKind& wanted,
                                                             value::Arena& arena, VirtualResourceRules rules) {
  auto read = Read(scope, wanted, arena);
  if (!read) co_return std::unexpected(std::move(read.error()));
  registry::ObjectMeta meta(read->object, arena);
  if (!rules.keeps_system_fields) registry::WipeSystemFields(meta);
  if (rules.set_defaults != nullptr) rules.set_defaults(read->object, arena);
  Track(scope, wanted, *read, arena);
  const registry::Admission* admission = scope.services.registry.admission();
  if (admission == nullptr) co_return read;
  registry::Call call = scope.call();
  registry::AdmissionRequest request = Creation(scope, call, *read, arena);
  auto admitted = co_await admission->Mutate(request);
  if (!admitted) co_return std::unexpected(std::move(admitted.error()));
  co_return read;
}

base::Task<api::Result<>> AdmitVirtualResource(const Scope& scope, const VirtualResource& posted, value::Arena& arena) {
  const registry::Admission* admission = scope.services.registry.admission();
  if (admission == nullptr) co_return api::Result<>();
  registry::Call call = scope.call();
  registry::AdmissionRequest request = Creation(scope, call, posted, arena);
  co_return co_await admission->Validate(request);
}

base::Task<api::Result<>> AdmitConnect(const Scope& scope, value::Arena& arena) {
  const registry::Admission* admission = scope.services.registry.admission();
  if (admission == nullptr) co_return api::Result<>();
  registry::Call call = scope.call();
  registry::AdmissionRequest request{.call = call,
                                     .resource = scope.resource,
                                     .subresource = SubresourceName(scope),
                                     .operation = registry::Operation::kConnect,
                                     .key = scope.key(),
                                     .object = ConnectOptions(scope, arena),
                                     .arena = arena};
  auto admitted = co_await admission->Mutate(request);
  if (admitted) admitted = co_await admission->Validate(request);
  co_return admitted;
}

exchange::Response RespondDone(const Output& output) {
  static const schema::Type* const status = schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.Status");
  return Respond(201, {.encoding = output.encoding, .pretty = output.pretty},
                 MakeDocument(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})",
                              status, "v1", "Status"));
}

}  // namespace handlers
