#include "handlers/openapi_wire.h"

#include <algorithm>
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

// `x-` members: their values as YAML.
void Extensions(uint32_t field, const Value& object, Message& message) {
  for (const Member& member : object.members()) {
    if (!member.key.starts_with("x-")) continue;
    message.Nested(field, Named(member.key, [&] {
                     Message any;
                     std::string yaml;
                     value::WriteYaml(member.value, yaml);
                     any.Text(2, yaml);
                     return any;
                   }));
  }
}

Message Schema(const Value& v) {
  Message schema;
  if (const Value* reference = v.Find("$ref"); reference && reference->is_string())
    schema.Text(1, reference->AsString());
  schema.Text(2, v.GetString("format"));
  schema.Text(4, v.GetString("description"));
  schema.Texts(19, v.Get("required"));
  for (const Value& one : v.Get("enum").items()) {
    Message any;
    std::string yaml;
    value::WriteYaml(one, yaml);
    any.Text(2, yaml);
    schema.Nested(20, any);
  }
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

Message ParametersItem(const Value& v) {
  Message item;
  std::string_view reference = v.GetString("$ref");
  if (reference.empty()) {
    item.Nested(1, Parameter(v));
  } else {
    Message json_reference;
    json_reference.Text(1, reference);
    item.Nested(2, json_reference);
  }
  return item;
}

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

Message PathItem(const Value& v) {
  static constexpr std::string_view kMethods[] = {"get", "put", "post", "delete", "options", "head", "patch"};
  Message item;
  uint32_t field = 2;
  for (std::string_view method : kMethods) {
    if (const Value* operation = v.Find(method)) item.Nested(field, Operation(*operation));
    ++field;
  }
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

}  // namespace

std::string OpenApiV2ToWire(std::string_view json) {
  value::Arena arena(json.size());
  auto document = value::ReadJson(json, arena);
  return document ? Document(*document).Take() : std::string();
}

}  // namespace handlers
