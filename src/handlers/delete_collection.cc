#include <utility>

#include "handlers/delete_options.h"
#include "handlers/options.h"
#include "handlers/respond_list.h"
#include "handlers/verbs.h"

namespace handlers {

Answer DeleteCollection(const Scope& scope) {
  auto output = Negotiate(scope.request(), scope.query(), scope.offer());
  if (!output) co_return std::unexpected(std::move(output.error()));
  auto parameters = ParseListParameters(scope.query(), scope.services.settings.watch_lists);
  if (!parameters) co_return std::unexpected(std::move(parameters.error()));
  // Before the body is looked at.
  if (auto known = registry::Registry::CheckSelector(scope.resource, parameters->fields); !known)
    co_return std::unexpected(std::move(known.error()));
  auto options = DeleteOptionsOf(scope);
  if (!options) co_return std::unexpected(std::move(options.error()));
  if (options->unreadable) {
    co_return api::Fail(api::Invalid(
        {"meta.k8s.io", "DeleteOptions"}, "",
        api::FieldErrors{{api::FieldError::Type::kInvalid, "ignoreStoreReadErrorWithClusterBreakingPotential", "true",
                          "is not allowed with DELETECOLLECTION, try again after removing the option"}}));
  }

  registry::Call call = scope.call();
  registry::ListOptions list{.version = {parameters->resource_version, parameters->resource_version_match},
                             .labels = std::move(parameters->labels),
                             .fields = std::move(parameters->fields),
                             .limit = parameters->limit,
                             .continue_token = parameters->continue_token};
  auto deleted = co_await scope.services.registry.DeleteCollection(call, scope.resource, scope.namespace_name, list,
                                                                   std::move(*options));
  if (!deleted) co_return std::unexpected(std::move(deleted.error()));
  auto forms = co_await ConvertFor(scope, *deleted);
  if (!forms) co_return std::unexpected(std::move(forms.error()));
  co_return RespondList(scope, *output, std::move(*deleted), *std::move(forms));
}

}  // namespace handlers
