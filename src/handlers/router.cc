#include "handlers/router.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "handlers/respond.h"
#include "handlers/subresources/subresources.h"
#include "handlers/verbs.h"
#include "registry/pending_conversions.h"

namespace handlers {

namespace {

// An error of the route itself, which always has (empty) details.
api::Error RouteError(int code, std::string reason, std::string message) {
  api::Error error;
  error.code = code;
  error.reason = std::move(reason);
  error.message = std::move(message);
  error.has_details = true;
  return error;
}

// What the route itself refuses is told in the types that there were before CBOR.
constexpr bool kErrorsInCbor = false;

bool HasLength(const exchange::Request& request) { return request.headers.Has("content-length"); }

constexpr std::array<std::string_view, 5> kPatchTypes = {
    "application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json",
    "application/apply-patch+yaml", "application/apply-patch+cbor"};

// Custom resources are not merged strategically.
api::Result<> CheckCustomPatchType(const Scope& scope) {
  std::string_view type = scope.request().headers.Get("content-type");
  type = base::TrimSpace(type.substr(0, type.find(';')));
  std::vector<std::string> types(kPatchTypes.begin(), kPatchTypes.end() - (scope.services.settings.cbor ? 0 : 1));
  std::erase(types, "application/strategic-merge-patch+json");
  if (std::ranges::find(types, type) != types.end()) return {};
  return api::Fail(api::UnsupportedMediaType(base::Cat(
      "the body of the request was in an unknown format - accepted media types include: ", base::Join(types, ", "))));
}

// What the route asks of the request's types before the verb sees it.
api::Result<> CheckTypes(const Scope& scope, std::string_view verb) {
  const exchange::Request& request = scope.request();
  if (scope.subresource != nullptr && scope.subresource->connect) return {};  // whatever is sent goes through
  if (scope.resource.custom) {
    // Nothing stands before the handler.
    if (verb == "patch") return CheckCustomPatchType(scope);
    return {};
  }
  if (verb == "patch") {
    const auto types = std::span(kPatchTypes).first(kPatchTypes.size() - (scope.services.settings.cbor ? 0 : 1));
    if (auto patch = CheckContentType(request, types); !patch) return patch;
  }
  auto accepted = CheckAccept(request, scope.offer(verb == "list"));
  if (accepted) return {};
  bool is_write = verb == "create" || verb == "update" || verb == "patch";
  if (is_write && !HasLength(request)) {
    api::Error& error = accepted.error();
    error.code = 415;
    error.reason = "UnsupportedMediaType";
    error.message.replace(0, error.message.find('\n'), "415: Unsupported Media Type");
  }
  return accepted;
}

Answer Unknown(const Scope& scope, std::string_view verb) {
  co_return api::Fail(api::MethodNotSupported(scope.resource.group_resource(), verb));
}

// A connection cannot be tried; what is asked of one object must name all of its path.
api::Result<> CheckAsked(const Scope& scope, const Route& route, std::string_view verb) {
  if (scope.subresource != nullptr && scope.subresource->connect && scope.query().Has("dryRun"))
    return api::Fail(api::BadRequest("dryRun is not supported"));
  const bool is_object = route.shape == Route::Shape::kItem || route.shape == Route::Shape::kSubresource ||
                         (scope.resource.custom && (verb == "update" || verb == "patch"));
  if (is_object && route.name.empty()) return api::Fail(api::BadRequest("name must be provided"));
  if (is_object && scope.resource.namespaced && route.namespace_name.empty())
    return api::Fail(api::BadRequest("Namespace parameter required."));
  return {};
}

bool ServesCustom(const Scope& scope, std::string_view verb) {
  if (scope.subresource == nullptr) return true;
  return std::ranges::find(scope.subresource->verbs, verb) != scope.subresource->verbs.end();
}

Answer Serve(const Scope& scope, std::string_view verb) {
  if (scope.resource.custom && !ServesCustom(scope, verb)) return Unknown(scope, verb);
  std::string_view subresource =
      scope.subresource == nullptr ? std::string_view() : std::string_view(scope.subresource->name);
  if (scope.subresource != nullptr || scope.resource.storage == nullptr) {
    const Subresources::Handler* handler =
        scope.services.subresources.Find(scope.resource.group, scope.resource.plural, subresource);
    if (handler != nullptr) return (*handler)(scope, verb);
    bool is_whole_object = scope.subresource != nullptr && scope.resource.storage != nullptr &&
                           !scope.subresource->connect && scope.subresource->kind == scope.resource.kind;
    if (!is_whole_object) return Unknown(scope, verb);
  }
  if (verb == "get") return Get(scope);
  if (verb == "list") return List(scope);
  if (verb == "create") return Create(scope);
  if (verb == "update") return Update(scope);
  if (verb == "patch") return Patch(scope);
  if (verb == "delete") return Delete(scope);
  if (verb == "deletecollection") return DeleteCollection(scope);
  return Unknown(scope, verb);
}

}  // namespace

base::Task<exchange::Response> Router::Handle(exchange::Exchange& exchange) {
  const std::string& path = exchange.context().info.path;
  if (exchange::Handler* endpoint = endpoints_.Find(path)) co_return co_await endpoint->Handle(exchange);
  const registry::ResourceTableRef resources = services_.registry.resources();
  auto route = FindRoute(*resources, path);
  if (!route) co_return RespondError(exchange, route.error(), kErrorsInCbor);
  if (route->shape == Route::Shape::kVersion) co_return co_await discovery_.Handle(exchange);
  co_return co_await ServeResource(exchange, *resources, *route);
}

base::Task<exchange::Response> Router::ServeResource(exchange::Exchange& exchange,
                                                     const registry::ResourceTable& resources, Route route) {
  std::string_view verb = VerbOf(route, exchange.request().method);
  if (route.resource->custom && route.shape == Route::Shape::kAllNamespaces && verb != "list") {
    co_return RespondError(exchange, api::PlainNotFound(), kErrorsInCbor);
  }
  if (verb.empty() && route.resource->custom && !route.watch) {
    co_return RespondError(exchange, api::MethodNotSupported(route.resource->group_resource(), ""), kErrorsInCbor);
  }
  if (verb.empty()) {
    co_return RespondError(
        exchange,
        RouteError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource"),
        kErrorsInCbor);
  }
  registry::PendingConversions conversions;
  const Scope scope{.exchange = exchange,
                    .services = services_,
                    .resources = resources,
                    .resource = *route.resource,
                    .subresource = route.subresource,
                    .namespace_name = route.namespace_name,
                    .name = route.name,
                    .rest = route.rest,
                    .deprecated_watch = route.watch,
                    .conversions = &conversions};
  if (auto types = CheckTypes(scope, verb); !types) co_return RespondError(exchange, types.error(), kErrorsInCbor);
  if (!scope.resource.deprecation.empty()) scope.context().warnings.push_back(scope.resource.deprecation);
  if (auto asked = CheckAsked(scope, route, verb); !asked)
    co_return RespondError(exchange, asked.error(), services_.settings.cbor);
  auto answer = co_await Serve(scope, verb);
  if (!answer) co_return RespondError(exchange, answer.error(), services_.settings.cbor);
  co_return std::move(*answer);
}

}  // namespace handlers
