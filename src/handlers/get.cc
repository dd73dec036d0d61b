#include "handlers/options.h"
#include "handlers/verbs.h"
#include "handlers/views.h"

namespace handlers {

Answer Get(const Scope& scope) {
  auto output = Negotiate(scope.request(), scope.query(), scope.offer());
  if (!output) co_return std::unexpected(std::move(output.error()));
  if (scope.query().Has("export") && ParseQueryBool(scope.query().Get("export"))) {
    co_return api::Fail(api::BadRequest("the export parameter, deprecated since v1.14, is no longer supported"));
  }
  registry::Call call = scope.call();
  auto cell = co_await scope.services.registry.Get(call, scope.resource, scope.key(),
                                                   {.resource_version = scope.query().Get("resourceVersion")});
  if (!cell) co_return std::unexpected(std::move(cell.error()));
  auto forms = co_await ConvertFor(scope, *cell);
  if (!forms) co_return std::unexpected(std::move(forms.error()));
  co_return RespondStored(scope, *output, 200, *cell, *std::move(forms));
}

}  // namespace handlers
