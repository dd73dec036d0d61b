// Typed: how server-side apply sees a place in an object: a scalar, an object of named fields, a map, a list with or
// without identity. Derived from the schema as the real server derives it from the published OpenAPI. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "apply/field_set.h"
#include "schema/schema.h"
#include "schema/structural.h"

namespace apply {

// A place: the object of a type, the value of a field, or an element of a field's list or map.
struct Slot {
  const schema::Type* type = nullptr;    // of an object; null for scalars
  const schema::Field* field = nullptr;  // null for a whole object
  bool element = false;                  // inside the field's list or map
  bool deduced = false;                  // no schema: objects are maps of the same, the rest leaves
  // In a custom resource: the schema of the place; `type` and `field` are null then.
  const schema::Structural* structural = nullptr;
  bool preserves = false;  // of a custom resource: here or above, fields are kept that the schema does not know
  bool embeds = false;  // of a custom resource: the object has apiVersion, kind and metadata, whatever its schema says

  static Slot Object(const schema::Type& type) {
    if (type.structural == nullptr) return {.type = &type};
    Slot slot = Structural(*type.structural, false);
    slot.embeds = true;
    return slot;
  }
  static Slot Structural(const schema::Structural& schema, bool preserves) {
    return {.structural = &schema, .preserves = preserves || schema.preserve_unknown, .embeds = schema.embedded};
  }
};

enum class Form : uint8_t {
  kLeaf,    // owned whole: scalars, atomic lists, maps and objects
  kObject,  // named fields
  kMap,     // keys of the document
  kKeyed,   // list of objects that some of their fields identify
  kSet,     // list of distinct scalars
};
Form FormOf(const Slot& slot, const Value& sample);

// A field of an object by its JSON name, through inline ones; nullptr if there is none.
const schema::Field* FindField(const schema::Type& type, std::string_view name);

Slot SlotOf(const schema::Field& field);
Slot ElementOf(const Slot& slot);
// The place of a member: of an object's named field, or of a map's key. False where the schema has neither; `named`
// says which.
bool SlotOfMember(const Slot& slot, Form form, std::string_view key, Slot& out, bool* named = nullptr);

// The value that Go's struct writes for a field which the canonical tree leaves out: an empty object for a struct that
// is no pointer, null for a list without omitempty... False: nothing, the field is absent.
bool ImpliedValue(Arena& arena, const schema::Field& field, Value& out);

// Whether Go's struct of the type writes anything when nothing is set.
bool WritesWhenZero(Arena& arena, const schema::Type& type);

// The element that identifies `item` in its list. kInvalid with the real server's text where a key is missing or the
// item has the wrong kind.
base::Result<PathElement> ElementFor(Arena& arena, const Slot& list, Form form, const Value& item);

}  // namespace apply
