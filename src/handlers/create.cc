#include <utility>

#include "handlers/audit_bodies.h"
#include "handlers/body.h"
#include "handlers/options.h"
#include "handlers/verbs.h"
#include "handlers/views.h"

namespace handlers {

Answer Create(const Scope& scope) {
  auto output = Negotiate(scope.request(), scope.query(), scope.offer());
  if (!output) co_return std::unexpected(std::move(output.error()));
  BodyKind wanted = KindOf(scope.resource);
  if (auto readable = CheckBodyType(scope, wanted); !readable) co_return std::unexpected(std::move(readable.error()));
  if (auto fits = CheckBodySize(scope); !fits) co_return std::unexpected(std::move(fits.error()));
  auto parameters = ParseWriteParameters(scope.query(), WriteKind::kCreate);
  if (!parameters) co_return std::unexpected(std::move(parameters.error()));

  value::Arena arena(scope.request().body.size() * 4 + 1024);
  auto body = ReadBody(scope, wanted, parameters->field_validation, arena);
  if (!body) co_return std::unexpected(std::move(body.error()));
  if (auto same = CheckBodyVersion(*body, wanted); !same) co_return std::unexpected(std::move(same.error()));
  AuditRequestObject(scope, wanted, *body);
  if (auto matches = MatchNamespace(scope, body->object, arena); !matches) {
    co_return std::unexpected(std::move(matches.error()));
  }

  registry::Call call = scope.call();
  std::string_view name = body->object.Get("metadata").GetString("name");
  auto written = co_await scope.services.registry.CreateObject(
      call, scope.resource,
      {.key = {scope.namespace_name, name},
       .object = body->object,
       .arena = &arena,
       .dry_run = parameters->dry_run,
       .field_manager = FieldManagerOrUserAgent(parameters->field_manager, scope.request().headers.Get("user-agent"))});
  if (!written) co_return std::unexpected(std::move(written.error()));
  auto forms = co_await ConvertFor(scope, written->cell);
  if (!forms) co_return std::unexpected(std::move(forms.error()));
  co_return RespondWritten(scope, *output, 201, *written, *std::move(forms));
}

}  // namespace handlers
