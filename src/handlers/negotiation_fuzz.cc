// Any Accept header and query lead to an answer type or a refusal; an error always finds a type.
#include <cstdint>
#include <cstdlib>

#include "handlers/negotiation.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  exchange::Request request;
  request.headers.Add("accept", std::string(text.substr(0, line)));
  const api::Query query = api::Query::Parse(line == std::string_view::npos ? "" : text.substr(line + 1));
  const handlers::Offer offer{
      .protobuf = true, .cbor = true, .stream_types = true, .table = true, .partial_object = true};
  const auto output = handlers::Negotiate(request, query, offer);
  if (!output && output.error().code != 406) std::abort();
  (void)handlers::NegotiateStream(request, query, offer);
  (void)handlers::NegotiateError(request, query, true);
  (void)handlers::NegotiateInput(text, true, true);
  return 0;
}
