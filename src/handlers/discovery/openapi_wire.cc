#include "handlers/discovery/openapi_wire.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "handlers/protobuf.h"
#include "value/json_reader.h"
#include "value/value.h"
#include "value/yaml_writer.h"

namespace handlers {

using value::Kind;
using value::Member;
using value::Value;

namespace {

// One message while it is written. Field numbers are gnostic's.
class Message {
 public:
  void Text(uint32_t field, std::string_view text) {
    if (!text.empty()) Bytes(field, text);
  }
  void Bytes(uint32_t field, std::string_view bytes) {
    protobuf::AppendVarint(field << 3 | 2, out_);
    protobuf::AppendVarint(bytes.size(), out_);
    out_ += bytes;
  }
  void Nested(uint32_t field, const Message& message) { Bytes(field, message.out_); }
  void Bool(uint32_t field, const Value& v) {
    if (!v.is_bool() || !v.AsBool()) return;
    protobuf::AppendVarint(field << 3, out_);
    out_ += '\1';
  }
  // Also where it is false or zero.
  void Flag(uint32_t field, bool on) {
    protobuf::AppendVarint(field << 3, out_);
    out_ += on ? '\1' : '\0';
  }
  void Double(uint32_t field, double number) {
    protobuf::AppendVarint(field << 3 | 1, out_);
    auto bits = std::bit_cast<uint64_t>(number);
    for (int i = 0; i < 8; ++i, bits >>= 8) out_ += static_cast<char>(bits & 0xff);
  }
  void Texts(uint32_t field, const Value& list) {
    for (const Value& item : list.items()) Bytes(field, item.is_string() ? item.AsString() : "");
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

template <class Make>
Message Named(std::string_view name, Make make) {
  Message named;
  named.Text(1, name);
  named.Nested(2, make());
  return named;
}

// Any value, as YAML.
Message Any(const Value& v) {
  Message any;
  std::string yaml;
  value::WriteYaml(v, yaml);
  any.Text(2, yaml);
  return any;
}

// `x-` members: their values as YAML.
void Extensions(uint32_t field, const Value& object, Message& message) {
  for (const Member& member : object.members()) {
    if (!member.key.starts_with("x-")) continue;
    message.Nested(field, Named(member.key, [&] { return Any(member.value); }));
  }
}

// What `make` makes of `v`, or a reference to one.
template <class Make>
Message OrReference(const Value& v, Make make) {
  Message either;
  if (std::string_view reference = v.GetString("$ref"); !reference.empty()) {
    Message json_reference;
    json_reference.Text(1, reference);
    either.Nested(2, json_reference);
  } else {
    either.Nested(1, make(v));
  }
  return either;
}

Message Schema(const Value& v) {
  Message schema;
  if (const Value* reference = v.Find("$ref"); reference && reference->is_string())
    schema.Text(1, reference->AsString());
  schema.Text(2, v.GetString("format"));
  schema.Text(4, v.GetString("description"));
  schema.Texts(19, v.Get("required"));
  for (const Value& one : v.Get("enum").items()) schema.Nested(20, Any(one));
  if (const Value* more = v.Find("additionalProperties"); more && more->is_object()) {
    Message item;
    item.Nested(1, Schema(*more));
    schema.Nested(21, item);
  }
  if (std::string_view type = v.GetString("type"); !type.empty()) {
    Message item;
    item.Text(1, type);
    schema.Nested(22, item);
  }
  if (const Value* items = v.Find("items"); items && items->is_object()) {
    Message item;
    item.Nested(1, Schema(*items));
    schema.Nested(23, item);
  }
  if (Value properties = v.Get("properties"); properties.is_object()) {
    Message all;
    for (const Member& member : properties.members())
      all.Nested(1, Named(member.key, [&] { return Schema(member.value); }));
    schema.Nested(25, all);
  }
  Extensions(31, v, schema);
  return schema;
}

Message NonBodyParameter(const Value& v) {
  bool in_path = v.GetString("in") == "path";
  Message sub;
  sub.Bool(1, v.Get("required"));
  sub.Text(2, v.GetString("in"));
  sub.Text(3, v.GetString("description"));
  sub.Text(4, v.GetString("name"));
  sub.Text(in_path ? 5 : 6, v.GetString("type"));
  sub.Bool(in_path ? 19 : 20, v.Get("uniqueItems"));
  Message outer;
  outer.Nested(in_path ? 4 : 3, sub);
  return outer;
}

Message Parameter(const Value& v) {
  Message parameter;
  if (v.GetString("in") != "body") {
    parameter.Nested(2, NonBodyParameter(v));
    return parameter;
  }
  Message body;
  body.Text(1, v.GetString("description"));
  body.Text(2, v.GetString("name"));
  body.Text(3, "body");
  body.Bool(4, v.Get("required"));
  body.Nested(5, Schema(v.Get("schema")));
  parameter.Nested(1, body);
  return parameter;
}

Message ParametersItem(const Value& v) { return OrReference(v, Parameter); }

Message ResponseValue(const Value& v) {
  Message response, outer;
  response.Text(1, v.GetString("description"));
  if (const Value* schema = v.Find("schema")) {
    Message item;
    item.Nested(1, Schema(*schema));
    response.Nested(2, item);
  }
  outer.Nested(1, response);
  return outer;
}

Message Operation(const Value& v) {
  Message operation, responses;
  operation.Texts(1, v.Get("tags"));
  operation.Text(3, v.GetString("description"));
  operation.Text(5, v.GetString("operationId"));
  operation.Texts(6, v.Get("produces"));
  operation.Texts(7, v.Get("consumes"));
  for (const Value& one : v.Get("parameters").items()) operation.Nested(8, ParametersItem(one));
  for (const Member& member : v.Get("responses").members()) {
    responses.Nested(1, Named(member.key, [&] { return ResponseValue(member.value); }));
  }
  operation.Nested(9, responses);
  operation.Texts(10, v.Get("schemes"));
  Extensions(13, v, operation);
  return operation;
}

// A path's operations, in fields that begin with `field`.
template <class Make>
void Operations(const Value& v, uint32_t field, Make make, Message& item) {
  static constexpr std::string_view kMethods[] = {"get", "put", "post", "delete", "options", "head", "patch"};
  for (std::string_view method : kMethods) {
    if (const Value* operation = v.Find(method)) item.Nested(field, make(*operation));
    ++field;
  }
}

Message PathItem(const Value& v) {
  Message item;
  Operations(v, 2, Operation, item);
  for (const Value& one : v.Get("parameters").items()) item.Nested(9, ParametersItem(one));
  return item;
}

// A message whose repeated field 1 holds the members of `v` by name.
template <class Make>
Message ByName(const Value& v, Make make) {
  Message all;
  for (const Member& member : v.members()) all.Nested(1, Named(member.key, [&] { return make(member.value); }));
  return all;
}

Message ApiKey(const Value& v) {
  Message key, item;
  key.Text(1, v.GetString("type"));
  key.Text(2, v.GetString("name"));
  key.Text(3, v.GetString("in"));
  key.Text(4, v.GetString("description"));
  item.Nested(2, key);
  return item;
}

Message Document(const Value& v) {
  Message document, info, paths;
  document.Text(1, v.GetString("swagger"));
  info.Text(1, v.Get("info").GetString("title"));
  info.Text(2, v.Get("info").GetString("version"));
  document.Nested(2, info);
  for (const Member& member : v.Get("paths").members())
    paths.Nested(2, Named(member.key, [&] { return PathItem(member.value); }));
  document.Nested(8, paths);
  document.Nested(9, ByName(v.Get("definitions"), Schema));
  document.Nested(10, ByName(v.Get("parameters"), Parameter));
  for (const Value& one : v.Get("security").items())
    document.Nested(12, ByName(one, [](const Value&) { return Message(); }));
  document.Nested(13, ByName(v.Get("securityDefinitions"), ApiKey));
  return document;
}

// The same for version 3, openapi.v3.Document.
namespace v3 {

Message Schema(const Value& v);

Message SchemaOrReference(const Value& v) { return OrReference(v, Schema); }

// Only scalars are told; of another default, that there is one.
Message Default(const Value& v) {
  Message any;
  if (v.is_int()) any.Double(1, static_cast<double>(v.AsInt()));
  if (v.kind() == Kind::kDouble) any.Double(1, v.AsDouble());
  if (v.is_bool()) any.Flag(2, v.AsBool());
  if (v.is_string()) any.Bytes(3, v.AsString());
  return any;
}

void SchemaParts(const Value& v, Message& schema) {
  static constexpr std::pair<std::string_view, uint32_t> kLists[] = {{"allOf", 26}, {"oneOf", 27}, {"anyOf", 28}};
  for (const auto& [name, field] : kLists) {
    for (const Value& one : v.Get(name).items()) schema.Nested(field, SchemaOrReference(one));
  }
  if (const Value* items = v.Find("items"); items && items->is_object()) {
    Message item;
    item.Nested(1, SchemaOrReference(*items));
    schema.Nested(30, item);
  }
  if (Value properties = v.Get("properties"); properties.is_object())
    schema.Nested(31, ByName(properties, SchemaOrReference));
  if (const Value* more = v.Find("additionalProperties"); more && more->is_object()) {
    Message item;
    item.Nested(1, SchemaOrReference(*more));
    schema.Nested(32, item);
  }
}

Message Schema(const Value& v) {
  Message schema;
  schema.Bool(20, v.Get("uniqueItems"));
  schema.Texts(23, v.Get("required"));
  for (const Value& one : v.Get("enum").items()) schema.Nested(24, Any(one));
  schema.Text(25, v.GetString("type"));
  SchemaParts(v, schema);
  if (const Value* value = v.Find("default")) schema.Nested(33, Default(*value));
  schema.Text(34, v.GetString("description"));
  schema.Text(35, v.GetString("format"));
  Extensions(36, v, schema);
  return schema;
}

Message Parameter(const Value& v) {
  Message parameter, outer;
  parameter.Text(1, v.GetString("name"));
  parameter.Text(2, v.GetString("in"));
  parameter.Text(3, v.GetString("description"));
  parameter.Bool(4, v.Get("required"));
  if (const Value* schema = v.Find("schema")) parameter.Nested(10, SchemaOrReference(*schema));
  outer.Nested(1, parameter);
  return outer;
}

Message MediaType(const Value& v) {
  Message media;
  if (const Value* schema = v.Find("schema")) media.Nested(1, SchemaOrReference(*schema));
  return media;
}

Message RequestBody(const Value& v) {
  Message body, outer;
  body.Text(1, v.GetString("description"));
  if (const Value* content = v.Find("content")) body.Nested(2, ByName(*content, MediaType));
  body.Bool(3, v.Get("required"));
  outer.Nested(1, body);
  return outer;
}

Message Response(const Value& v) {
  Message response, outer;
  response.Text(1, v.GetString("description"));
  if (const Value* content = v.Find("content")) response.Nested(3, ByName(*content, MediaType));
  outer.Nested(1, response);
  return outer;
}

Message Operation(const Value& v) {
  Message operation, responses;
  operation.Texts(1, v.Get("tags"));
  operation.Text(3, v.GetString("description"));
  operation.Text(5, v.GetString("operationId"));
  for (const Value& one : v.Get("parameters").items()) operation.Nested(6, Parameter(one));
  if (const Value* body = v.Find("requestBody")) operation.Nested(7, RequestBody(*body));
  for (const Member& member : v.Get("responses").members())
    responses.Nested(2, Named(member.key, [&] { return Response(member.value); }));
  operation.Nested(8, responses);
  operation.Bool(10, v.Get("deprecated"));
  Extensions(13, v, operation);
  return operation;
}

Message PathItem(const Value& v) {
  Message item;
  Operations(v, 4, Operation, item);
  for (const Value& one : v.Get("parameters").items()) item.Nested(13, Parameter(one));
  return item;
}

Message SecurityScheme(const Value& v) {
  Message scheme, outer;
  scheme.Text(1, v.GetString("type"));
  scheme.Text(2, v.GetString("description"));
  scheme.Text(3, v.GetString("name"));
  scheme.Text(4, v.GetString("in"));
  outer.Nested(1, scheme);
  return outer;
}

Message Components(const Value& v) {
  Message components;
  if (const Value* schemas = v.Find("schemas")) components.Nested(1, ByName(*schemas, SchemaOrReference));
  if (const Value* schemes = v.Find("securitySchemes")) components.Nested(7, ByName(*schemes, SecurityScheme));
  return components;
}

Message Document(const Value& v) {
  Message document, info;
  document.Text(1, v.GetString("openapi"));
  info.Text(1, v.Get("info").GetString("title"));
  info.Text(6, v.Get("info").GetString("version"));
  document.Nested(2, info);
  document.Nested(4, ByName(v.Get("paths"), PathItem));
  if (const Value* components = v.Find("components")) document.Nested(5, Components(*components));
  for (const Value& one : v.Get("security").items())
    document.Nested(6, ByName(one, [](const Value&) { return Message(); }));
  return document;
}

}  // namespace v3

}  // namespace

std::string OpenApiV2ToWire(std::string_view json) {
  value::Arena arena(json.size());
  auto document = value::ReadJson(json, arena);
  return document ? Document(*document).Take() : std::string();
}

std::string OpenApiV3ToWire(std::string_view json) {
  value::Arena arena(json.size());
  auto document = value::ReadJson(json, arena);
  return document ? v3::Document(*document).Take() : std::string();
}

}  // namespace handlers
