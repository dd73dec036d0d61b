#include "handlers/discovery/discovery.h"

#include <algorithm>
#include <utility>

#include "api/error.h"
#include "base/text.h"
#include "handlers/negotiation.h"
#include "handlers/respond.h"

namespace handlers {

namespace {

// Bytes that the documents own, which the answer keeps alive.
exchange::Response Shared(std::shared_ptr<const DiscoveryDocuments> documents, std::string_view bytes,
                          std::string content_type) {
  exchange::Response response;
  response.headers.Add("content-type", std::move(content_type));
  response.body = std::vector<base::Slice>{{bytes, std::move(documents)}};
  response.compression = exchange::Compression::kWhenLarge;
  return response;
}

std::string_view WithoutSlashes(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace

void Discovery::Publish(ApiServices services) {
  services_.Store(std::make_shared<const ApiServices>(std::move(services)));
}

std::shared_ptr<const DiscoveryDocuments> Discovery::Current() const {
  registry::ResourceTableRef table = tables_.Snapshot();
  std::shared_ptr<const ApiServices> services = services_.Load();
  std::shared_ptr<const DiscoveryDocuments> documents = documents_.Load();
  if (documents != nullptr && documents->Describes(table, services)) return documents;
  std::lock_guard lock(following_);
  table = tables_.Snapshot();
  services = services_.Load();
  documents = documents_.Load();
  if (documents != nullptr && documents->Describes(table, services)) return documents;
  documents =
      std::make_shared<const DiscoveryDocuments>(std::move(table), options_.server_address, std::move(services));
  documents_.Store(documents);
  return documents;
}

std::vector<std::string> Discovery::Paths() const {
  std::vector<std::string> paths = Current()->paths();
  paths.push_back("/apis/");
  return paths;
}

namespace {

// "/apis/GROUP/VERSION" of custom resources: their documents stand beside the routes too.
bool IsOfDefinitions(const registry::ResourceTable& resources, std::string_view path) {
  return std::ranges::any_of(resources.All(), [&](const registry::Resource* resource) {
    return resource->custom && path.size() == 7 + resource->group.size() + resource->version.size() &&
           path.substr(6).starts_with(resource->group) && path.ends_with(resource->version);
  });
}

}  // namespace

base::Task<exchange::Response> Discovery::Handle(exchange::Exchange& exchange) { co_return Answer(exchange); }

exchange::Response Discovery::Answer(exchange::Exchange& exchange) const {
  const exchange::Request& request = exchange.request();
  const api::Query& query = exchange.context().query;
  std::string_view asked = exchange.context().info.path, path = WithoutSlashes(asked);
  std::shared_ptr<const DiscoveryDocuments> documents = Current();
  const DiscoveryDocument* document = documents->Find(path);
  if (!document) return RespondError(exchange, api::PlainNotFound());
  // The group documents are served beside the routes: any method will do, and Accept is looked at once only.
  auto depth = std::ranges::count(path, '/');
  bool routed = !(path.starts_with("/apis") && depth < 3) && !IsOfDefinitions(*tables_.Snapshot(), path);
  if (routed && request.method != "GET") {
    api::Error error = api::Generic(405, "the server does not allow this method on the requested resource");
    error.reason = "MethodNotAllowed";
    error.has_details = true;
    return RespondError(exchange, error);
  }
  const bool is_version = routed && path != "/api";
  Offer offer{.cbor = is_version && options_.cbor, .routed = routed};
  if (auto taken = CheckContentType(request, MediaTypes(true, offer.cbor)); routed && !taken)
    return RespondError(exchange, taken.error());
  if (auto accepted = CheckAccept(request, offer); !accepted) return RespondError(exchange, accepted.error());
  if (path == "/api" || asked == "/apis") {
    if (std::optional<Output> output = NegotiateGroupDiscovery(request, query)) {
      return Aggregated(exchange, *output, std::move(documents), path);
    }
  }
  auto output = Negotiate(request, query, offer);
  if (!output) return RespondError(exchange, output.error());
  return Shared(std::move(documents), document->Bytes(*output), std::string(MediaType(output->encoding)));
}

exchange::Response Discovery::Aggregated(exchange::Exchange& exchange, const Output& output,
                                         std::shared_ptr<const DiscoveryDocuments> documents,
                                         std::string_view path) const {
  const DiscoveryDocument& document = documents->Aggregated(path == "/api", output.beta_view);
  std::string_view etag = document.Etag();
  exchange::Response response;
  if (exchange.request().headers.Get("if-none-match") == etag) {
    response.status = 304;
  } else {
    std::string type =
        base::Cat(MediaType(output.encoding), ";g=apidiscovery.k8s.io;v=", output.beta_view ? "v2beta1" : "v2",
                  ";as=APIGroupDiscoveryList");
    response = Shared(documents, document.Bytes(output), std::move(type));
  }
  response.headers.Add("etag", std::string(etag));
  response.headers.Add("vary", "Accept");
  response.headers.Add("cache-control", "public");
  return response;
}

}  // namespace handlers
