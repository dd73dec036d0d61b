#include "apply/typed.h"

#include <algorithm>

#include "value/json_reader.h"

namespace apply {
namespace {

using base::Code;
using base::Fail;
using schema::Field;
using schema::FieldKind;
using schema::ListType;
using schema::Shape;
using schema::Special;

bool IsDeduced(const Slot& slot) {
  if (slot.deduced) return true;
  return slot.field && slot.field->kind == FieldKind::kFieldsV1;
}

// The zero value that Go writes for a field without omitempty, or of a kind that omitempty never leaves out.
bool WrittenWhenZero(const Field& field) {
  if (field.wire_only || field.is_inline) return false;
  if (!field.omitempty) return true;
  if (field.pointer) return false;
  if (field.shape != Shape::kSingle) return false;
  switch (field.kind) {
    case FieldKind::kRef:
      return !field.ref || field.ref->special == Special::kNone;
    case FieldKind::kQuantity:
    case FieldKind::kIntOrString:
    case FieldKind::kTime:
    case FieldKind::kMicroTime:
    case FieldKind::kDuration:
    case FieldKind::kRawExtension:
    case FieldKind::kJson:
      return true;
    default:
      return false;
  }
}

}  // namespace

const Field* FindField(const schema::Type& type, std::string_view name) {
  if (const Field* own = type.Own(name)) return own;
  for (const Field& field : type.fields) {
    if (!field.is_inline || !field.ref) continue;
    if (const Field* found = FindField(*field.ref, name)) return found;
  }
  return nullptr;
}

Slot SlotOf(const Field& field) {
  const schema::Type* type = field.kind == FieldKind::kRef ? field.ref : nullptr;
  return {.type = type, .field = &field};
}

Slot ElementOf(const Slot& slot) {
  if (IsDeduced(slot)) return {.deduced = true};
  Slot element = slot;
  element.element = true;
  return element;
}

Form FormOf(const Slot& slot, const Value& sample) {
  if (IsDeduced(slot) && (slot.element || !slot.field || slot.field->shape == Shape::kSingle)) {
    return sample.is_object() ? Form::kMap : Form::kLeaf;
  }
  if (slot.field && !slot.element && slot.field->shape == Shape::kMap)
    return slot.field->map_atomic ? Form::kLeaf : Form::kMap;
  if (slot.field && !slot.element && slot.field->shape == Shape::kList) {
    if (slot.field->list_type == ListType::kAtomic) return Form::kLeaf;
    return slot.field->list_type == ListType::kSet ? Form::kSet : Form::kKeyed;
  }
  if (!slot.type || slot.type->special != Special::kNone) return Form::kLeaf;
  // What the field says goes before what its type says.
  bool granular = slot.field && slot.field->map_granular;
  bool atomic = !granular && (slot.type->map_atomic || (slot.field && slot.field->map_atomic));
  return atomic ? Form::kLeaf : Form::kObject;
}

bool ImpliedValue(Arena& arena, const Field& field, Value& out) {
  if (!WrittenWhenZero(field)) return false;
  out = Value();
  if (field.shape != Shape::kSingle || field.pointer) return true;
  switch (field.kind) {
    case FieldKind::kRef:
      if (field.ref && field.ref->special == Special::kNone) out = Value::Object(arena);
      return true;
    case FieldKind::kString:
      out = Value::String("");
      return true;
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kIntOrString:
    case FieldKind::kDouble:
      out = Value::Int(0);
      return true;
    case FieldKind::kBool:
      out = Value::Bool(false);
      return true;
    case FieldKind::kQuantity:
      out = Value::String("0");
      return true;
    case FieldKind::kDuration:
      out = Value::String("0s");
      return true;
    default:
      return true;
  }
}

bool WritesWhenZero(Arena& arena, const schema::Type& type) {
  Value ignored;
  return std::ranges::any_of(type.fields, [&](const Field& field) {
    return field.is_inline ? field.ref && WritesWhenZero(arena, *field.ref) : ImpliedValue(arena, field, ignored);
  });
}

base::Result<PathElement> ElementFor(Arena& arena, const Slot& list, Form form, const Value& item) {
  if (form == Form::kSet) {
    if (item.is_object()) return Fail(Code::kInvalid, "associative list without keys has an element that's a map type");
    if (item.is_array()) return Fail(Code::kInvalid, "not supported: associative list with lists as elements");
    if (item.is_null())
      return Fail(Code::kInvalid, "associative list without keys has an element that's an explicit null");
    return PathElement::Item(item);
  }
  if (item.is_null()) return Fail(Code::kInvalid, "associative list with keys may not have a null element");
  if (!item.is_object()) return Fail(Code::kInvalid, "associative list with keys may not have non-map elements");
  std::span<const std::string_view> names = list.field->list_map_keys;
  KeyField* keys = arena.AllocateArray<KeyField>(names.size());
  size_t count = 0;
  for (std::string_view name : names) {
    Value part;
    const Field* field = list.type ? FindField(*list.type, name) : nullptr;
    if (const Value* found = item.Find(name)) {
      part = *found;
    } else if (field && !field->default_json.empty()) {
      base::Result<Value> read = value::ReadJson(field->default_json, arena);
      if (!read) return std::unexpected(read.error());
      part = *read;
    } else if (!field || !ImpliedValue(arena, *field, part)) {
      return Fail(Code::kInvalid, "associative list with keys has an element that omits key field \"" +
                                      std::string(name) + "\" (and doesn't have default value)");
    }
    new (&keys[count++]) KeyField{name, part};
  }
  std::ranges::sort(keys, keys + count, {}, &KeyField::name);
  return PathElement::Keys({keys, count});
}

}  // namespace apply
