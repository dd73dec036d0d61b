#include "handlers/route.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"

namespace handlers {

namespace {

using Segments = absl::InlinedVector<std::string_view, 12>;
constexpr size_t kMaxSegments = 64;  // longer paths only reach connections, whose rest is taken as text

Segments Split(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  Segments segments;
  while (segments.size() < kMaxSegments) {
    size_t slash = path.find('/');
    segments.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return segments;
}

std::unexpected<api::Error> NothingHere() {
  api::Error error;
  error.code = 404;
  error.reason = "NotFound";
  error.message = "the server could not find the requested resource";
  error.has_details = true;
  return api::Fail(std::move(error));
}

bool HasAny(const registry::Resource& resource, std::initializer_list<std::string_view> verbs) {
  return std::ranges::any_of(verbs, [&](std::string_view verb) { return resource.HasVerb(verb); });
}

// Whether the resource is reachable by paths of that shape at all.
bool Exists(const Route& route) {
  const registry::Resource& resource = *route.resource;
  if (route.watch) return route.shape != Route::Shape::kSubresource && resource.HasVerb("watch");
  switch (route.shape) {
    case Route::Shape::kAllNamespaces:
      return resource.HasVerb("list");
    case Route::Shape::kCollection:
      return HasAny(resource, {"list", "create", "deletecollection"});
    case Route::Shape::kItem:
      return HasAny(resource, {"get", "update", "patch", "delete"});
    default:
      return true;
  }
}

// The segments after the version, given to `route`; names may be empty. False where they fit no shape.
bool ReadShape(std::span<const std::string_view> segments, Route& route, std::string_view& plural,
               std::string_view& subresource) {
  using Shape = Route::Shape;
  bool is_inside =
      segments.size() > 2 && segments[0] == "namespaces" && segments[2] != "status" && segments[2] != "finalize";
  if (is_inside) {
    route.in_namespace = true;
    route.namespace_name = segments[1];
    segments = segments.subspan(2);
  }
  plural = segments[0];
  route.shape = segments.size() == 1 ? Shape::kCollection : segments.size() == 2 ? Shape::kItem : Shape::kSubresource;
  if (segments.size() > 1) route.name = segments[1];
  if (segments.size() > 2) subresource = segments[2];
  if (segments.size() > 3)
    route.rest = {segments[3].data(),
                  static_cast<size_t>(segments.back().data() + segments.back().size() - segments[3].data())};
  return true;
}

// Whether the path's namespace fits the resource's scope; turns a collection without namespace into one of all.
bool FitsScope(Route& route) {
  if (!route.resource->namespaced) return !route.in_namespace;
  if (route.in_namespace) return true;
  if (route.shape != Route::Shape::kCollection) return false;
  route.shape = Route::Shape::kAllNamespaces;
  return true;
}

// Whether nothing but custom resources is in the group: others answer there, in other words.
bool IsCustomGroup(const registry::ResourceTable& resources, std::string_view group) {
  return std::ranges::none_of(resources.All(), [&](const registry::Resource* resource) {
    return resource->group == group && !resource->custom;
  });
}

}  // namespace

api::Result<Route> FindRoute(const registry::ResourceTable& resources, std::string_view path) {
  Segments segments = Split(path);
  bool is_core = segments[0] == "api";
  if (!is_core && segments[0] != "apis") return api::Fail(api::PlainNotFound());
  if (path.starts_with("//") || path == "/apis//" || (!is_core && segments.size() > 1 && segments[1].empty()))
    return api::Fail(api::PlainNotFound());
  if (segments.size() == 1) return Route{};
  std::string_view group = is_core ? "" : segments[1];
  size_t version_at = is_core ? 1 : 2;
  if (!is_core && !resources.HasGroup(group)) return api::Fail(api::PlainNotFound());
  if (segments.size() == version_at) return Route{};

  std::string_view version = segments[version_at];
  std::span<const std::string_view> rest = std::span(segments).subspan(version_at + 1);
  if (rest.empty()) {
    if (!resources.HasVersion(group, version)) {
      return IsCustomGroup(resources, group) ? api::Fail(api::PlainNotFound()) : NothingHere();
    }
    return Route{};
  }
  const auto nothing = [&] {
    return IsCustomGroup(resources, group) ? api::Fail(api::PlainNotFound()) : NothingHere();
  };
  Route route;
  if (rest[0] == "watch") {
    route.watch = true;
    rest = rest.subspan(1);
    if (rest.empty()) return nothing();
  }
  std::string_view plural, subresource;
  if (!ReadShape(rest, route, plural, subresource)) return nothing();
  route.resource = resources.Find(group, version, plural);
  if (route.resource == nullptr || !FitsScope(route)) return nothing();
  if (route.shape == Route::Shape::kSubresource) {
    route.subresource = route.resource->FindSubresource(subresource);
    if (route.subresource == nullptr && route.resource->custom && !route.watch) {
      return api::Fail(api::NotFound(route.resource->group_resource(), route.name));
    }
    if (route.subresource == nullptr || (!route.rest.empty() && !route.subresource->connect)) return nothing();
  }
  if (!Exists(route)) return nothing();
  return route;
}

namespace {

// The verb is all that the real server looks at, whatever the path's shape: POST to an object creates.
std::string_view CustomVerbOf(const Route& route, std::string_view method) {
  using Shape = Route::Shape;
  const bool is_object = route.shape == Shape::kItem || route.shape == Shape::kSubresource;
  if (method == "GET" || method == "HEAD") return is_object ? "get" : "list";
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return is_object ? "delete" : "deletecollection";
  return "";
}

}  // namespace

std::string_view VerbOf(const Route& route, std::string_view method) {
  using Shape = Route::Shape;
  if (route.watch) return method == "GET" ? "list" : "";
  if (route.resource->custom) return CustomVerbOf(route, method);
  std::string_view verb;
  if (route.shape == Shape::kCollection || route.shape == Shape::kAllNamespaces) {
    if (method == "GET") verb = "list";
    if (method == "POST" && route.shape == Shape::kCollection) verb = "create";
    if (method == "DELETE" && route.shape == Shape::kCollection) verb = "deletecollection";
  } else {
    if (method == "GET") verb = "get";
    if (method == "POST" && route.shape == Shape::kSubresource) verb = "create";
    if (method == "PUT") verb = "update";
    if (method == "PATCH") verb = "patch";
    if (method == "DELETE") verb = "delete";
  }
  if (verb.empty()) return "";
  if (route.subresource != nullptr) {
    return std::ranges::find(route.subresource->verbs, verb) == route.subresource->verbs.end() ? "" : verb;
  }
  return route.resource->HasVerb(verb) ? verb : "";
}

}  // namespace handlers
