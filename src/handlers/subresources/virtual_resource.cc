#include "handlers/subresources/virtual_resource.h"
#include "handlers/audit_bodies.h"

#include <utility>

#include "handlers/respond.h"

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

base::Task<api::Result<>> Admit(const Scope& scope, registry::AdmissionRequest request) {
  const registry::Admission* admission = scope.services.registry.admission();
  if (admission == nullptr) co_return api::Result<>();
  api::Result<> admitted = co_await admission->Mutate(request);
  if (admitted) admitted = co_await admission->Validate(request);
  co_return admitted;
}

}  // namespace

base::Task<api::Result<VirtualResource>> ReadVirtualResource(const Scope& scope, const BodyKind& wanted,
                                                             value::Arena& arena) {
  auto read = Read(scope, wanted, arena);
  if (!read) co_return std::unexpected(std::move(read.error()));
  registry::Call call = scope.call();
  auto admitted = co_await Admit(scope, {.call = call,
                                         .resource = scope.resource,
                                         .subresource = SubresourceName(scope),
                                         .operation = registry::Operation::kCreate,
                                         .key = scope.key(),
                                         .object = read->object,
                                         .dry_run = read->parameters.dry_run,
                                         .arena = arena});
  if (!admitted) co_return std::unexpected(std::move(admitted.error()));
  co_return read;
}

base::Task<api::Result<>> AdmitConnect(const Scope& scope, value::Arena& arena) {
  registry::Call call = scope.call();
  co_return co_await Admit(scope, {.call = call,
                                   .resource = scope.resource,
                                   .subresource = SubresourceName(scope),
                                   .operation = registry::Operation::kConnect,
                                   .key = scope.key(),
                                   .object = value::Value(),
                                   .arena = arena});
}

exchange::Response RespondDone(const Output& output) {
  static const schema::Type* const status = schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.Status");
  return Respond(201, {.encoding = output.encoding, .pretty = output.pretty},
                 MakeDocument(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})",
                              status, "v1", "Status"));
}

}  // namespace handlers
