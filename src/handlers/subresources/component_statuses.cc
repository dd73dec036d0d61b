// componentstatuses: the old way to ask how the parts of a cluster are. Nothing of it is stored. Only the store is
// known here; the scheduler and the controller manager are others' processes, which are not looked for.
#include <array>
#include <string>
#include <utility>

#include "api/selector.h"
#include "base/text.h"
#include "handlers/options.h"
#include "handlers/subresources/subresources.h"
#include "handlers/views.h"
#include "value/json_writer.h"

namespace handlers {

namespace {

constexpr std::array<std::string_view, 3> kComponents = {"controller-manager", "scheduler", "etcd-0"};

std::string ComponentJson(const Scope& scope, std::string_view name) {
  std::string_view status = "Unknown", message = "not observed by this server";
  std::string failure;
  if (name == "etcd-0") {
    base::Result<> health = scope.services.registry.store().Health();
    if (!health) failure = health.error().message;
    status = health ? "True" : "False";
    message = health ? "ok" : std::string_view(failure);
  }
  std::string json = "\"metadata\":{\"name\":";
  value::AppendJsonString(json, name);
  base::Append(json, ",\"creationTimestamp\":null},\"conditions\":[{\"type\":\"Healthy\",\"status\":\"", status,
               "\",\"message\":");
  value::AppendJsonString(json, message);
  return json += "}]}";
}

Answer GetComponent(const Scope& scope) {
  auto output = Negotiate(scope.request(), scope.query(), scope.offer());
  if (!output) co_return std::unexpected(std::move(output.error()));
  for (std::string_view name : kComponents) {
    if (name != scope.name) continue;
    co_return RespondJson(scope, *output, 200,
                          base::Cat(R"({"kind":"ComponentStatus","apiVersion":"v1",)", ComponentJson(scope, name)),
                          scope.resource.type, "v1", "ComponentStatus");
  }
  co_return api::Fail(api::Generic(500, base::Cat("Component not found: ", scope.name)));
}

Answer ListComponents(const Scope& scope) {
  auto parameters = ParseListParameters(scope.query(), scope.services.settings.watch_lists);
  if (!parameters) co_return std::unexpected(std::move(parameters.error()));
  auto output = Negotiate(scope.request(), scope.query(), scope.offer(/*stream_types=*/true));
  if (!output) co_return std::unexpected(std::move(output.error()));
  if (parameters->watch) co_return api::Fail(api::MethodNotSupported(scope.resource.group_resource(), "watch"));
  if (output->view == View::kPartialObject) co_return api::Fail(NoListView(scope.resource));
  std::string items;
  for (std::string_view name : kComponents) {
    bool matches = parameters->labels.Matches([](std::string_view) -> const std::string_view* { return nullptr; }) &&
                   parameters->fields.Matches(
                       [&](std::string_view field) { return field == "metadata.name" ? name : std::string_view(); });
    if (matches) base::Append(items, items.empty() ? "" : ",", "{", ComponentJson(scope, name));
  }
  std::string list =
      base::Cat(R"({"kind":"ComponentStatusList","apiVersion":"v1","metadata":{},"items":[)", items, "]}");
  Output whole{.encoding = output->encoding, .pretty = output->pretty};
  co_return RespondJson(scope, whole, 200, std::move(list), scope.resource.list_type, "v1", "ComponentStatusList");
}

Answer ServeComponents(const Scope& scope, std::string_view verb) {
  scope.context().warnings.emplace_back("v1 ComponentStatus is deprecated in v1.19+");
  return verb == "get" ? GetComponent(scope) : ListComponents(scope);
}

}  // namespace

void AddComponentStatuses(Subresources& subresources) {
  subresources.Add("", "componentstatuses", "", ServeComponents);
}

}  // namespace handlers
