#include "server/webhook_transport.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "api/request.h"
#include "api/url.h"
#include "auth/find_stored.h"
#include "base/text.h"
#include "value/arena.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace server {
namespace {

using base::Cat;
using base::Code;
using exchange::WebhookFailure;
using value::Value;

constexpr std::string_view kUserAgent = "kube-apiserver-admission";
constexpr size_t kMostShown = 2048;  // of an answer that is no Status

// As Go's path.Join("/", path).
std::string Cleaned(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && part != "." && part != "..") parts.push_back(part);
  }
  std::string clean;
  for (const std::string_view part : parts) base::Append(clean, "/", part);
  return clean.empty() ? "/" : clean;
}

std::string Escaped(std::string_view path) {
  constexpr std::string_view kPlain = "-_.~$&+,/:;=@";
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : path) {
    if (base::IsAlnum(c) || kPlain.find(c) != kPlain.npos) {
      escaped += c;
    } else {
      escaped += {'%', kHex[static_cast<unsigned char>(c) >> 4], kHex[c & 15]};
    }
  }
  return escaped;
}

std::string JoinHostPort(std::string_view host, int port) {
  return host.find(':') == host.npos ? Cat(host, ":", port) : Cat("[", host, "]:", port);
}

// As Go prints a duration of whole seconds.
std::string DurationText(std::chrono::seconds time) {
  const auto seconds = time.count();
  if (seconds < 60) return Cat(seconds, "s");
  if (seconds < 3600) return Cat(seconds / 60, "m", seconds % 60, "s");
  return Cat(seconds / 3600, "h", seconds / 60 % 60, "m", seconds % 60, "s");
}

// What client-go says of an answer that is an error and does not say so itself.
std::string StatusMessage(int status, std::string_view server_message) {
  switch (status) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
    case 415:
      return std::string(server_message);
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 406:
      if (!server_message.empty() && server_message != "unknown") return std::string(server_message);
      return "the server was unable to respond with a content type that the client supports";
    case 409:
      return "the server reported a conflict";
    case 422:
      return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be processing the request";
    default:
      if (status < 500) {
        return Cat("the server responded with the status code ", status, " but did not return more information");
      }
      return Cat("an error on the server (", api::Quote(server_message), ") has prevented the request from succeeding");
  }
}

WebhookFailure ErrorAnswer(const exchange::OutboundAnswer& answer) {
  value::Arena arena;
  if (const auto body = value::ReadJson(answer.body, arena);
      body && body->GetString("kind") == "Status" && body->GetString("status") == "Failure") {
    const Value code = body->Get("code");
    return {.message = std::string(body->GetString("message")),
            .code = code.is_int() ? static_cast<int>(code.AsInt()) : 0};
  }
  const std::string_view type = answer.headers.Get("content-type");
  const bool is_text = type.empty() || base::ToLower(type).starts_with("text/");
  const std::string_view text =
      is_text ? base::TrimSpace(std::string_view(answer.body).substr(0, kMostShown)) : std::string_view("unknown");
  return {.message = StatusMessage(answer.status, text), .code = answer.status};
}

std::chrono::seconds TimeLeft(std::chrono::steady_clock::time_point deadline) {
  return std::max(std::chrono::seconds(0),
                  std::chrono::ceil<std::chrono::seconds>(deadline - std::chrono::steady_clock::now()));
}

exchange::Headers HeadersFor(std::string_view authority, const WebhookIdentity* identity) {
  exchange::Headers headers;
  headers.Add("host", std::string(authority));
  headers.Add("user-agent", std::string(kUserAgent));
  headers.Add("accept", "application/json, */*");
  headers.Add("content-type", "application/json");
  if (identity == nullptr) return headers;
  if (!identity->token.empty()) {
    headers.Add("authorization", Cat("Bearer ", identity->token));
  } else if (!identity->username.empty()) {
    std::string encoded;
    value::AppendBase64(encoded, Cat(identity->username, ":", identity->password));
    headers.Add("authorization", Cat("Basic ", encoded));
  }
  return headers;
}

}  // namespace

base::Result<WebhookTransport::Place> WebhookTransport::PlaceOf(const exchange::WebhookAddress& address) const {
  Place place;
  if (address.service) {
    const auto& service = *address.service;
    place.port = service.port;
    place.server_name = Cat(service.name, ".", service.namespace_name, ".svc");
    place.host = place.server_name;
    place.authority = JoinHostPort(place.host, place.port);
    place.path = Escaped(Cleaned(service.path));
    return place;
  }
  if (address.url.empty()) {
    return base::Fail(Code::kInvalid, "webhook configuration must have either service or URL");
  }
  const auto url = api::ParseUrl(address.url);
  if (!url) return base::Fail(Code::kInvalid, Cat("Unparsable URL: ", url.error()));
  std::string path;
  if (!api::UnescapePath(url->path, path)) return base::Fail(Code::kInvalid, "Unparsable URL: invalid URL escape");
  place.host = place.server_name = url->Hostname();
  place.authority = url->host;
  place.path = Escaped(Cleaned(path));
  if (const std::string_view port = url->Port(); !port.empty()) {
    const auto read = std::from_chars(port.data(), port.data() + port.size(), place.port);
    if (read.ec != std::errc() || place.port == 0) return base::Fail(Code::kInvalid, Cat("invalid port ", port));
  }
  if (url->scheme != "https" || place.host.empty()) return base::Fail(Code::kInvalid, "only https URLs are called");
  return place;
}

base::Result<> WebhookTransport::Resolve(const exchange::WebhookAddress::Service& wanted, Place& place) const {
  value::Arena arena;
  const std::string key = Cat(wanted.namespace_name, "/", wanted.name);
  const Value service = auth::FindStored(parts_.store, parts_.resources.Find("", "v1", "services"), key, arena);
  if (!service.is_object()) {
    return base::Fail(Code::kNotFound, Cat("service ", api::Quote(wanted.name), " not found"));
  }
  const Value spec = service.Get("spec");
  const std::string_view type = spec.GetString("type"), address = spec.GetString("clusterIP");
  if (type == "ExternalName" && !parts_.routes_to_endpoints) {
    place.host = spec.GetString("externalName");
    return {};
  }
  if (type != "ClusterIP" && type != "NodePort" && type != "LoadBalancer") {
    return base::Fail(Code::kInvalid, Cat("unsupported service type ", api::Quote(type)));
  }
  if (type == "ClusterIP" && address == "None" && !parts_.routes_to_endpoints) {
    return base::Fail(Code::kInvalid, "cannot route to service with ClusterIP \"None\"");
  }
  for (const Value& port : spec.Get("ports").items()) {
    const Value number = port.Get("port");
    if (!number.is_int() || number.AsInt() != wanted.port) continue;
    if (parts_.routes_to_endpoints) return ResolveToEndpoint(wanted, port.GetString("name"), place);
    place.host = address;
    return {};
  }
  return base::Fail(Code::kUnavailable,
                    Cat("no service port ", wanted.port, " found for service ", api::Quote(wanted.name)));
}

base::Result<> WebhookTransport::ResolveToEndpoint(const exchange::WebhookAddress::Service& wanted,
                                                   std::string_view port_name, Place& place) const {
  value::Arena arena;
  const std::string key = Cat(wanted.namespace_name, "/", wanted.name);
  const Value endpoints = auth::FindStored(parts_.store, parts_.resources.Find("", "v1", "endpoints"), key, arena);
  if (!endpoints.is_object()) {
    return base::Fail(Code::kNotFound, Cat("endpoints ", api::Quote(wanted.name), " not found"));
  }
  std::vector<std::pair<std::string_view, int64_t>> found;
  for (const Value& subset : endpoints.Get("subsets").items()) {
    for (const Value& port : subset.Get("ports").items()) {
      if (port.GetString("name") != port_name || !port.Get("port").is_int()) continue;
      for (const Value& address : subset.Get("addresses").items()) {
        found.emplace_back(address.GetString("ip"), port.Get("port").AsInt());
      }
    }
  }
  if (found.empty()) {
    return base::Fail(Code::kUnavailable, Cat("no endpoints available for service ", api::Quote(wanted.name)));
  }
  uint32_t chosen = 0;
  parts_.random.Fill(reinterpret_cast<uint8_t*>(&chosen), sizeof chosen);
  const auto& [address, port] = found[chosen % found.size()];
  place.host = address;
  place.port = static_cast<uint16_t>(port);
  return {};
}

base::Task<std::expected<std::string, WebhookFailure>> WebhookTransport::Post(base::Executor& executor,
                                                                              exchange::WebhookCall call) {
  auto place = PlaceOf(call.address);
  if (!place) {
    co_return std::unexpected(WebhookFailure{.message = place.error().message, .before_call = true});
  }
  const WebhookIdentity* identity = parts_.credentials.Find(JoinHostPort(place->server_name, place->port));
  exchange::OutboundRequest request{.headers = HeadersFor(place->authority, identity),
                                    .body = std::move(call.body),
                                    .deadline = call.deadline,
                                    .most_answer_bytes = call.most_answer_bytes};
  auto tls = std::make_shared<exchange::TlsSettings>();
  tls->authorities_pem = call.address.authorities_pem;
  tls->server_name = place->server_name;
  if (identity != nullptr) {
    tls->certificate_pem = identity->certificate_pem;
    tls->key_pem = identity->key_pem;
  }
  request.tls = std::move(tls);
  const auto told = call.told_timeout.count() > 0 ? call.told_timeout : TimeLeft(call.deadline);
  request.target = Cat(place->path, "?timeout=", DurationText(told));
  const std::string prefix = Cat("Post ", api::Quote(Cat("https://", place->authority, request.target)), ": ");
  if (call.address.service) {
    if (auto resolved = Resolve(*call.address.service, *place); !resolved) {
      co_return std::unexpected(WebhookFailure{.message = prefix + resolved.error().message});
    }
  }
  request.host = place->host;
  request.port = place->port;
  exchange::OutboundResult answer = co_await parts_.client.Call(executor, std::move(request));
  if (!answer) {
    const exchange::OutboundFailure& failure = answer.error();
    const std::string_view before = failure.bad_settings ? std::string_view()
                                    : failure.in_body
                                        ? "unexpected error when reading response body. Please retry. Original error: "
                                        : std::string_view(prefix);
    co_return std::unexpected(WebhookFailure{
        .message = Cat(before, failure.message), .timed_out = failure.timed_out, .before_call = failure.bad_settings});
  }
  if (answer->status < 200 || answer->status > 206) co_return std::unexpected(ErrorAnswer(*answer));
  co_return std::move(answer->body);
}

}  // namespace server
