#include "handlers/virtual_resource.h"

#include <utility>

#include "handlers/respond.h"
#include "registry/namespaces.h"

namespace handlers {

api::Result<VirtualResource> ReadVirtualResource(const Scope& scope, const BodyKind& wanted, value::Arena& arena) {
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
  if (auto matches = MatchNamespace(scope, body->object, arena); !matches) {
    return std::unexpected(std::move(matches.error()));
  }
  // Rights may be asked about in namespaces that are not there.
  if (scope.resource.group != "authorization.k8s.io") {
    registry::Registry& registry = scope.services.registry;
    const std::string_view name = scope.name.empty() ? body->object.Get("metadata").GetString("name") : scope.name;
    auto admitted = registry::Namespaces(registry.store(), registry.resources())
                        .AdmitWrite(scope.resource, scope.namespace_name, name, /*creating=*/true);
    if (!admitted) return std::unexpected(std::move(admitted.error()));
  }
  return VirtualResource{.output = std::move(*output), .parameters = std::move(*parameters), .object = body->object};
}

exchange::Response RespondDone(const Output& output) {
  static const schema::Type* const status = schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.Status");
  return Respond(201, {.encoding = output.encoding, .pretty = output.pretty},
                 MakeDocument(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})",
                              status, "v1", "Status"));
}

}  // namespace handlers
