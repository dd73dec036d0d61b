#include "handlers/respond.h"

#include <utility>

#include "api/status.h"
#include "base/text.h"
#include "handlers/documents.h"
#include "schema/decode.h"
#include "schema/wire.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace handlers {

namespace {

std::string Join(const std::vector<base::Slice>& slices) {
  size_t size = 0;
  for (const base::Slice& slice : slices) size += slice.data.size();
  std::string text;
  text.reserve(size + 1);
  for (const base::Slice& slice : slices) text += slice.data;
  return text;
}

api::Result<std::string> EncodeProtobuf(std::string_view json, const Document& document) {
  if (document.type == nullptr || !document.type->has_wire) {
    return api::Fail(api::Internal(base::Cat("object of kind ", document.kind, " has no protobuf form")));
  }
  value::Arena arena(json.size() * 4 + 1024);
  auto tree = value::ReadJson(json, arena, {.escaped_bytes = true});
  if (!tree) return api::Fail(api::Internal(std::move(tree.error().message)));
  auto object = schema::Decode(*document.type, *tree, arena, nullptr);
  if (!object) return std::unexpected(std::move(object.error()));
  std::string bytes;
  schema::EncodeEnvelope(*document.type, document.api_version, document.kind, *object, bytes);
  return bytes;
}

exchange::Response Whole(int status, std::string_view content_type, std::vector<base::Slice> body) {
  exchange::Response response;
  response.status = status;
  response.headers.Add("content-type", std::string(content_type));
  response.body = std::move(body);
  // In CBOR the tag goes out first and alone, and decides: too short to be worth it.
  if (content_type != MediaType(Encoding::kCbor)) response.compression = exchange::Compression::kWhenLarge;
  return response;
}

}  // namespace

Document MakeDocument(std::string json, const schema::Type* type, std::string_view api_version, std::string_view kind) {
  return {
      .json = {base::Slice::Own(std::move(json))}, .type = type, .api_version = std::string(api_version), .kind = kind};
}

api::Result<std::string> Encode(const Output& output, const Document& document) {
  std::string json = Join(document.json);
  if (json.ends_with('\n')) json.pop_back();
  if (output.encoding == Encoding::kProtobuf) return EncodeProtobuf(json, document);
  if (output.encoding == Encoding::kJson && !output.pretty) return json += '\n';
  std::string bytes;
  if (output.encoding == Encoding::kJson) {
    value::IndentJson(json, bytes);
    return bytes;
  }
  if (auto written = WriteDocument(output.encoding, document.type, json, bytes); !written) {
    return api::Fail(api::Internal(std::move(written.error().message)));
  }
  return bytes;
}

exchange::Response Respond(int status, const Output& output, Document document) {
  if (output.encoding == Encoding::kJson && !output.pretty) {
    document.json.push_back(base::Slice::Static("\n"));
    return Whole(status, MediaType(output.encoding), std::move(document.json));
  }
  auto bytes = Encode(output, document);
  if (!bytes) return RespondErrorAs({.pretty = true}, bytes.error());
  return Whole(status, MediaType(output.encoding), {base::Slice::Own(std::move(*bytes))});
}

exchange::Response RespondErrorAs(const Output& output, const api::Error& error) {
  if (!error.plain_text_type.empty()) {
    exchange::Response response = RespondText(error.code, error.plain_text_type, error.message);
    response.headers.Add("x-content-type-options", "nosniff");
    return response;
  }
  static const schema::Type* const status = schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.Status");
  exchange::Response response =
      Respond(error.code, output, MakeDocument(api::StatusJson(error), status, "v1", "Status"));
  if (int seconds = error.details.retry_after_seconds; seconds > 0) {
    response.headers.Add("retry-after", base::Cat(seconds));
  }
  return response;
}

exchange::Response RespondError(const exchange::Exchange& exchange, const api::Error& error, bool cbor) {
  return RespondErrorAs(NegotiateError(exchange.request(), exchange.context().query, cbor), error);
}

exchange::Response RespondText(int status, std::string_view content_type, std::string text) {
  exchange::Response response;
  response.status = status;
  response.headers.Add("content-type", std::string(content_type));
  response.body = std::vector<base::Slice>{base::Slice::Own(std::move(text))};
  return response;
}

}  // namespace handlers
