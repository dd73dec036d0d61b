#include <utility>

#include "handlers/audit_bodies.h"
#include "handlers/body.h"
#include "handlers/options.h"
#include "handlers/patcher.h"
#include "handlers/verbs.h"
#include "handlers/views.h"

namespace handlers {

Answer Patch(const Scope& scope) {
  // The route has let only these types in.
  auto kind = PatchKindOf(scope.request().headers.Get("content-type"));
  if (!kind) co_return api::Fail(api::UnsupportedMediaType("415: Unsupported Media Type"));
  auto output = Negotiate(scope.request(), scope.query(), scope.offer());
  if (!output) co_return std::unexpected(std::move(output.error()));
  if (auto fits = CheckBodySize(scope); !fits) co_return std::unexpected(std::move(fits.error()));
  auto parameters =
      ParseWriteParameters(scope.query(), *kind == PatchKind::kApply ? WriteKind::kApply : WriteKind::kPatch);
  if (!parameters) co_return std::unexpected(std::move(parameters.error()));

  AuditPatch(scope);
  Patcher patcher(scope, KindOf(scope.resource), *kind, *parameters);
  registry::Call call = scope.call();
  registry::Registry::Update update{
      .key = scope.key(),
      .subresource = scope.subresource == nullptr ? std::string_view() : std::string_view(scope.subresource->name),
      .transform = [&](const value::Value* current, const value::Value& shown,
                       value::Arena& arena) { return patcher.Apply(current, shown, arena); },
      .preconditions = {},
      .dry_run = parameters->dry_run,
      .is_patch = true,
      .may_create = *kind == PatchKind::kApply && scope.subresource == nullptr};
  if (*kind != PatchKind::kApply) {
    update.field_manager =
        FieldManagerOrUserAgent(parameters->field_manager, scope.request().headers.Get("user-agent"));
  }
  auto written = co_await scope.services.registry.UpdateObject(call, scope.resource, std::move(update));
  if (!written) co_return std::unexpected(std::move(written.error()));
  auto forms = co_await ConvertFor(scope, written->cell);
  if (!forms) co_return std::unexpected(std::move(forms.error()));
  co_return RespondWritten(scope, *output, written->created ? 201 : 200, *written, *std::move(forms));
}

}  // namespace handlers
