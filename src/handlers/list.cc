#include <utility>

#include "handlers/options.h"
#include "handlers/respond_list.h"
#include "handlers/verbs.h"
#include "handlers/watch.h"

namespace handlers {

Answer List(const Scope& scope) {
  auto parameters = ParseListParameters(scope.query(), scope.services.settings.watch_lists);
  if (!parameters) co_return std::unexpected(std::move(parameters.error()));
  if (parameters->watch || scope.deprecated_watch) co_return co_await ServeWatch(scope, std::move(*parameters));

  auto output = Negotiate(scope.request(), scope.query(), scope.offer(/*stream_types=*/true));
  if (!output) co_return std::unexpected(std::move(output.error()));
  registry::Call call = scope.call();
  registry::ListOptions options{.version = {parameters->resource_version, parameters->resource_version_match},
                                .labels = std::move(parameters->labels),
                                .fields = std::move(parameters->fields),
                                .limit = parameters->limit,
                                .continue_token = parameters->continue_token};
  auto view = co_await scope.services.registry.List(call, scope.resource, scope.namespace_name, options);
  if (!view) co_return std::unexpected(std::move(view.error()));
  auto forms = co_await ConvertFor(scope, *view);
  if (!forms) co_return std::unexpected(std::move(forms.error()));
  co_return RespondList(scope, *output, std::move(*view), *std::move(forms));
}

}  // namespace handlers
