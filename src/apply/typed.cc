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
  if (slot.structural != nullptr) {
    const schema::Structural* items = slot.structural->items;
    return items != nullptr ? Slot::Structural(*items, slot.preserves) : Slot{.deduced = true};
  }
  if (IsDeduced(slot)) return {.deduced = true};
  Slot element = slot;
  element.element = true;
  return element;
}

namespace {

// Where a value of several types may stand, it says which it is.
Form StructuralForm(const schema::Structural& schema, const Value& sample) {
  using schema::JsonType;
  const bool any = schema.type == JsonType::kAny;
  if (schema.type == JsonType::kObject || (any && sample.is_object())) {
    return schema.map_atomic ? Form::kLeaf : Form::kMap;
  }
  if (schema.type == JsonType::kArray || (any && sample.is_array())) {
    if (schema.list_type == ListType::kAtomic) return Form::kLeaf;
    return schema.list_type == ListType::kSet ? Form::kSet : Form::kKeyed;
  }
  return Form::kLeaf;
}

bool StructuralMember(const Slot& slot, std::string_view key, Slot& out, bool& named) {
  named = true;
  if (slot.embeds && schema::IsMetaField(key)) {
    out = Slot::Structural(key == "metadata" ? schema::ObjectMetaStructural() : schema::StringStructural(), false);
    return true;
  }
  const schema::Structural& schema = *slot.structural;
  if (const schema::Structural* property = schema.Find(key)) {
    out = Slot::Structural(*property, slot.preserves);
    return true;
  }
  named = false;
  if (schema.additional != nullptr) {
    out = Slot::Structural(*schema.additional, slot.preserves);
    return true;
  }
  out = {.deduced = true};
  if (schema.additional_kind == schema::Additional::kAny) return true;
  if (schema.additional_kind == schema::Additional::kForbidden) return false;
  return slot.preserves || (schema.properties.empty() && !slot.embeds);
}

}  // namespace

bool SlotOfMember(const Slot& slot, Form form, std::string_view key, Slot& out, bool* named) {
  bool is_named = false;
  bool known = true;
  if (slot.structural != nullptr) {
    known = StructuralMember(slot, key, out, is_named);
  } else if (form == Form::kMap) {
    out = ElementOf(slot);
  } else {
    const Field* field = FindField(*slot.type, key);
    if (field != nullptr) out = SlotOf(*field);
    known = is_named = field != nullptr;
  }
  if (named != nullptr) *named = is_named;
  return known;
}

Form FormOf(const Slot& slot, const Value& sample) {
  if (slot.structural != nullptr) return StructuralForm(*slot.structural, sample);
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

namespace {

base::Result<PathElement> StructuralElementFor(Arena& arena, const schema::Structural& list, const Value& item) {
  KeyField* keys = arena.AllocateArray<KeyField>(list.list_map_keys.size());
  size_t count = 0;
  for (std::string_view name : list.list_map_keys) {
    const Value* part = item.Find(name);
    const schema::Structural* key = list.items == nullptr ? nullptr : list.items->Find(name);
    if (part == nullptr && key != nullptr) part = key->default_value;
    if (part == nullptr) {
      return Fail(Code::kInvalid, "associative list with keys has an element that omits key field \"" +
                                      std::string(name) + "\" (and doesn't have default value)");
    }
    new (&keys[count++]) KeyField{name, *part};
  }
  std::ranges::sort(keys, keys + count, {}, &KeyField::name);
  return PathElement::Keys({keys, count});
}

}  // namespace

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
  if (list.structural != nullptr) return StructuralElementFor(arena, *list.structural, item);
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
