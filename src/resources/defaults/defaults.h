// Defaults: what the real server fills into objects it decodes, said once for each type and applied wherever that type occurs. A type's
// defaults are constant fields (one line each) and, where they depend on other fields, a function. What the published schema declares
// as default is applied from the schema. Called by the registry on every create, update and read of an object that another version stored.
//
// Threads: any; the index over the tables is built at the first call and constant from then on. Cost: one walk over those parts of an object
// that can hold a type with defaults.
#pragma once

#include <span>
#include <string_view>

#include "api/features.h"
#include "schema/schema.h"
#include "value/value.h"

namespace resources {

using value::Arena;
using value::Value;

// A field that is set where it is absent. `json` is a scalar's JSON text, or {} or [] for an empty object or list.
struct FieldDefault {
  std::string_view field;
  std::string_view json;
};

struct TypeDefaults {
  std::string_view type;                                       // OpenAPI name
  std::span<const FieldDefault> fields;
  void (*more)(const Value& object, Arena& arena) = nullptr;   // after the fields
  // What depends on feature gates, after all else.
  void (*gated)(const Value& object, Arena& arena, const api::Features& features) = nullptr;
};

// Sets the defaults of `object`, a canonical tree of `type`, in place: a type's own before those of what it holds.
void SetDefaults(const schema::Type& type, const Value& object, Arena& arena, const api::Features& features = {});

// The tables of one API group each, in the files beside this one.
std::span<const TypeDefaults> CoreDefaults();
std::span<const TypeDefaults> WorkloadDefaults();   // apps, batch, autoscaling
std::span<const TypeDefaults> PlatformDefaults();   // everything else

}  // namespace resources
