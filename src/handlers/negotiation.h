// Negotiation: which media type and which view of the object answers a request, from Accept, `pretty` and User-Agent.
// Called by every verb and by endpoints that answer objects. Pure functions over the request, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "api/request.h"
#include "exchange/exchange.h"

namespace handlers {

enum class Encoding : uint8_t { kJson, kYaml, kProtobuf, kCbor };
enum class View : uint8_t { kObject, kTable, kPartialObject, kPartialObjectList, kGroupDiscovery };

// How an answer looks.
struct Output {
  Encoding encoding = Encoding::kJson;
  View view = View::kObject;
  bool beta_view = false;  // the view's version: v1beta1 (of discovery: v2beta1) in place of v1 (v2)
  bool pretty = false;     // JSON only

  std::string_view view_version() const { return beta_view ? "meta.k8s.io/v1beta1" : "meta.k8s.io/v1"; }
  friend bool operator==(const Output&, const Output&) = default;
};

// What a route can answer with.
struct Offer {
  bool protobuf = true;
  bool cbor = false;            // the server's gate
  bool stream_types = false;    // the route also streams: list and watch routes name the stream types in their 406
  bool table = false;           // as=Table
  bool partial_object = false;  // as=PartialObjectMetadata, ...List
  bool text = false;            // the route names text/plain first, which the handler then does not know (logs)
  // A route tests Accept before the handler does. Not so the group discovery documents, nor custom resources.
  bool routed = true;
  bool protobuf_views_only = false;  // protobuf is for the partial views
};

std::string_view MediaType(Encoding encoding);                       // application/json, ...
std::vector<std::string_view> MediaTypes(bool protobuf, bool cbor);  // of all encodings but those that are not there
std::string_view StreamMediaType(Encoding encoding);                 // Content-Type of a watch

// Whether the route answers in any of the accepted types at all: what is asked before anything else of a request (406).
api::Result<> CheckAccept(const exchange::Request& request, const Offer& offer);

// Whether a route that takes `types` takes what Content-Type names: compared to the letter, any of several will do. One
// that is refused has 415 with a body, and 406 without. A reader without Content-Type passes.
api::Result<> CheckContentType(const exchange::Request& request, std::span<const std::string_view> types);

// The first choice of the client that is on offer; 406 if there is none. Two layers are imitated, because they differ
// for clients: the route takes only exact types and */*, then parameters (as, g, v, stream, pretty) choose among them.
api::Result<Output> Negotiate(const exchange::Request& request, const api::Query& query, const Offer& offer);

// Aggregated discovery, where the client takes it: as JSON, YAML or protobuf, whatever else it would take before.
std::optional<Output> NegotiateGroupDiscovery(const exchange::Request& request, const api::Query& query);

// As Negotiate, for a watch, where YAML cannot stream.
api::Result<Output> NegotiateStream(const exchange::Request& request, const api::Query& query, const Offer& offer);

// Of documents that come in forms of their own.
struct FormChoice {
  std::optional<size_t> form;  // nullopt: none of them is accepted
  bool asked = true;           // whether Accept names any type at all
};

// The first of `subtypes` (of "application") in the client's order of preference; of those it likes equally, the first.
FormChoice ChooseForm(std::string_view accept, std::span<const std::string_view> subtypes);

// How an error answers: as Negotiate without views, and indented JSON where nothing fits.
Output NegotiateError(const exchange::Request& request, const api::Query& query, bool cbor);

// The encoding of a request body by its Content-Type ("" is JSON); 415 naming what is accepted.
api::Result<Encoding> NegotiateInput(std::string_view content_type, bool protobuf, bool cbor);

}  // namespace handlers
