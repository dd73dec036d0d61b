#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "handlers/audit_bodies.h"
#include "handlers/body.h"
#include "handlers/options.h"
#include "handlers/verbs.h"
#include "handlers/views.h"
#include "registry/strategy.h"

namespace handlers {

namespace {

using value::Arena;
using value::Value;

// A uid in the body must be that of the object which is replaced.
std::optional<std::string> UidOf(const Value& object) {
  std::string_view uid = object.Get("metadata").GetString("uid");
  if (uid.empty()) return std::nullopt;
  return std::string(uid);
}

}  // namespace

Answer Update(const Scope& scope) {
  auto output = Negotiate(scope.request(), scope.query(), scope.offer());
  if (!output) co_return std::unexpected(std::move(output.error()));
  if (auto fits = CheckBodySize(scope); !fits) co_return std::unexpected(std::move(fits.error()));
  auto parameters = ParseWriteParameters(scope.query(), WriteKind::kUpdate);
  if (!parameters) co_return std::unexpected(std::move(parameters.error()));

  Arena arena(scope.request().body.size() * 4 + 1024);
  BodyKind wanted = KindOf(scope.resource);
  auto body = ReadBody(scope, wanted, parameters->field_validation, arena);
  if (!body) co_return std::unexpected(std::move(body.error()));
  if (auto same = CheckBodyVersion(*body, wanted); !same) co_return std::unexpected(std::move(same.error()));
  AuditRequestObject(scope, wanted, *body);
  if (auto matches = MatchNamespace(scope, body->object, arena); !matches) {
    co_return std::unexpected(std::move(matches.error()));
  }
  if (auto named = MatchName(scope, body->object); !named) co_return std::unexpected(std::move(named.error()));

  registry::ObjectMeta meta(body->object, arena);
  registry::DropRepeatedOwners(meta, false, scope.context().warnings);  // before anybody looks whether it is there
  registry::Call call = scope.call();
  registry::Registry::Update update{
      .key = scope.key(),
      .subresource = scope.subresource == nullptr ? std::string_view() : std::string_view(scope.subresource->name),
      // A copy each time: the registry asks again after a conflict.
      .transform = [object = body->object](const Value*, const Value&, Arena& into) -> api::Result<Value> {
        return CopyContainers(into, object);
      },
      .preconditions = {.uid = UidOf(body->object), .resource_version = {}},
      .dry_run = parameters->dry_run,
      .field_manager = FieldManagerOrUserAgent(parameters->field_manager, scope.request().headers.Get("user-agent"))};
  auto written = co_await scope.services.registry.UpdateObject(call, scope.resource, std::move(update));
  if (!written) co_return std::unexpected(std::move(written.error()));
  auto forms = co_await ConvertFor(scope, written->cell);
  if (!forms) co_return std::unexpected(std::move(forms.error()));
  co_return RespondWritten(scope, *output, written->created ? 201 : 200, *written, *std::move(forms));
}

}  // namespace handlers
