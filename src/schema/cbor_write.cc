// Answers as CBOR: JSON that this server wrote, with the byte fields of its type marked.
#include <string>

#include "schema/cbor.h"
#include "schema/text_forms.h"
#include "value/cbor.h"
#include "value/json_reader.h"

namespace schema {

using value::Arena;
using value::Value;

namespace {

void BytesOfField(const Field& field, Value& v, Arena& arena);

// Turns the base64 text of byte fields into byte strings.
void BytesOf(const Type& type, const Value& object, Arena& arena) {
  for (value::Member& member : object.members()) {
    const Field* field = type.Member(member.key);
    if (field && (field->kind == FieldKind::kRef || field->kind == FieldKind::kBytes))
      BytesOfField(*field, member.value, arena);
  }
}

void BytesOfField(const Field& field, Value& v, Arena& arena) {
  if (v.is_array() && field.shape == Shape::kList) {
    for (Value& item : v.items()) {
      if (item.is_object() || item.is_string()) BytesOfField(field, item, arena);
    }
  } else if (v.is_object() && field.shape == Shape::kMap) {
    for (value::Member& member : v.members()) {
      if (field.kind == FieldKind::kBytes || member.value.is_object()) {
        if (field.kind == FieldKind::kBytes) {
          Field single{.name = field.name, .kind = FieldKind::kBytes};
          BytesOfField(single, member.value, arena);
        } else {
          BytesOf(*field.ref, member.value, arena);
        }
      }
    }
  } else if (field.kind == FieldKind::kBytes && v.is_string()) {
    std::string bytes;
    if (DecodeBase64(v.AsString(), bytes)) v = Value::Bytes(arena.CopyString(bytes));
  } else if (field.kind == FieldKind::kRef && v.is_object()) {
    BytesOf(*field.ref, v, arena);
  }
}

}  // namespace

void JsonToCbor(const Type* type, std::string_view json, std::string& out) {
  Arena arena(json.size() * 2);
  auto document = value::ReadJson(json, arena, {.escaped_bytes = true});
  out += value::kCborMark;
  if (!document) {  // what this server wrote is JSON
    value::WriteCbor(Value(), out);
    return;
  }
  if (type) BytesOf(*type, *document, arena);
  value::WriteCbor(*document, out);
}

}  // namespace schema
